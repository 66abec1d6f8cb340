#!/usr/bin/env bash
# usage: install-pypi.sh BUILD NAME LOSS
#
# Installs what scripts/NAME-requirements.txt lists into BUILD/NAME, a Python
# environment of its own: other projects' programs that tests and benchmarks can
# do without. Where that cannot be done it says why, and LOSS, and succeeds.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# -eq 3 ] || die "expected the build directory, a name and a loss, got $# arguments"
name=$2 loss=$3
target="$1/$name"
wanted="$MX_ROOT/scripts/$name-requirements.txt"

skip() {
  echo "$name: $1; $loss"
  exit 0
}

if cmp -s "$wanted" "$target/installed.txt"; then
  echo "$name: installed in $target"
  exit 0
fi
rm -rf "$target"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
python3 -m venv "$target" >"$log" 2>&1 ||
  skip "cannot make a Python environment: $(tail -n 1 "$log")"
"$target/bin/python" -m pip install --quiet --disable-pip-version-check \
  --only-binary :all: --retries 1 --timeout 20 -r "$wanted" >"$log" 2>&1 ||
  skip "pip cannot install them: $(grep -m 1 ERROR "$log" || tail -n 1 "$log")"
cp "$wanted" "$target/installed.txt"
echo "$name: installed in $target"
