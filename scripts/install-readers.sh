#!/usr/bin/env bash
# usage: install-readers.sh BUILD
#
# Installs the checkpoint readers of other projects into BUILD/readers, a Python
# environment of its own; the lit tests in test/mx-quantize use what is there.
# Where that cannot be done it says why and succeeds: those tests are skipped.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# -eq 1 ] || die "expected one argument, the build directory, got $#"
target="$1/readers"
wanted="$MX_ROOT/scripts/readers-requirements.txt"

skip() {
  echo "readers: $1; the tests that need them are skipped"
  exit 0
}

if cmp -s "$wanted" "$target/installed.txt"; then
  echo "readers: installed in $target"
  exit 0
fi
rm -rf "$target"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
python3 -m venv "$target" >"$log" 2>&1 ||
  skip "cannot make a Python environment: $(tail -n 1 "$log")"
"$target/bin/python" -m pip install --quiet --disable-pip-version-check \
  --retries 1 --timeout 20 -r "$wanted" >"$log" 2>&1 ||
  skip "pip cannot install them: $(grep -m 1 ERROR "$log" || tail -n 1 "$log")"
cp "$wanted" "$target/installed.txt"
echo "readers: installed in $target"
