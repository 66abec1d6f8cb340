# Shared by the shell scripts of this directory: where the project and the
# tools of LLVM 22 are. To be sourced, not run.
# shellcheck shell=bash

MX_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# llvm_tool NAME: prints the path of a tool of LLVM 22. MX_LLVM_BIN names
# another directory than the one of llvm-config-22; the build sets it to the
# LLVM that it was configured with.
llvm_tool() {
  local bin=${MX_LLVM_BIN:-}
  if [ -z "$bin" ]; then
    bin=$(llvm-config-22 --bindir 2>/dev/null) ||
      die "llvm-config-22 not found; run scripts/setup.sh"
  fi
  [ -x "$bin/$1" ] || die "expected $1 in $bin; run scripts/setup.sh"
  echo "$bin/$1"
}

# tracked PATTERN...: prints, NUL-terminated, the files under version control
# that match and exist. In an unpacked archive every file outside a build tree
# counts as tracked.
tracked() {
  local file
  if [ -e "$MX_ROOT/.git" ]; then
    git -C "$MX_ROOT" ls-files -z -- "$@"
  else
    local tests=() pattern
    for pattern in "$@"; do tests+=(-o -name "$pattern"); done
    (cd "$MX_ROOT" && find . \( -name 'build*' -o -name '.?*' \) -prune -o \
      -type f \( "${tests[@]:1}" \) -printf '%P\0')
  fi | while IFS= read -r -d '' file; do
    [ -f "$MX_ROOT/$file" ] && printf '%s\0' "$file"
  done
  return 0
}
