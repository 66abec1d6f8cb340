#!/usr/bin/env bash
# Checks the format of every tracked file: clang-format 22 and licence headers
# for C and C++, plain whitespace rules for the rest. With --fix, formats the C
# and C++ files in place instead.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$MX_ROOT"

clang_format=$(command -v clang-format-22) || die "clang-format-22 not found; run scripts/setup.sh"
mapfile -d '' cxx < <(tracked '*.h' '*.c' '*.cpp')

if [ "${1:-}" = --fix ]; then
  [ ${#cxx[@]} -eq 0 ] || "$clang_format" -i "${cxx[@]}"
  exit 0
fi

failed=0
# complain WHAT, with one offender a line on standard input.
complain() {
  local line
  while IFS= read -r line; do
    echo "$line: $1"
    failed=1
  done
}

# One process a core; a file that differs is named, not shown.
complain "not in the format of clang-format-22 (make format)" < <(
  printf '%s\0' "${cxx[@]}" | xargs -0 -r -n 1 -P "$(nproc)" sh -c \
    '"$0" --dry-run -Werror "$1" 2>/dev/null || echo "$1"' "$clang_format"
)

mapfile -d '' licensed < <(tracked '*.h' '*.c' '*.cpp' '*.td')
if [ ${#licensed[@]} -gt 0 ]; then
  complain "no SPDX licence line" < <(
    grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' "${licensed[@]}" || true)
fi

mapfile -d '' text < <(tracked '*.h' '*.c' '*.cpp' '*.td' '*.mlir' '*.py' '*.sh' '*.in' \
  '*.cmake' 'CMakeLists.txt' '*/CMakeLists.txt' 'CMakePresets.json' '*.md' '*.test')
[ ${#text[@]} -gt 0 ] || die "expected tracked files in $MX_ROOT, got none"
# locations EXPRESSION: FILE:LINE of each match.
locations() { grep -HnIP "$1" "${text[@]}" | cut -d : -f 1,2 || true; }
complain "trailing whitespace" < <(locations '[ \t]+$')
complain "tab" < <(locations '\t')
complain "no newline at the end" < <(
  for file in "${text[@]}"; do
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo "$file"
  done)

[ "$failed" -eq 0 ] || die "see above"
echo "format: ${#cxx[@]} C and C++ files and ${#text[@]} text files in order"
