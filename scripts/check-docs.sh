#!/usr/bin/env bash
# Checks that docs/generated is what the TableGen descriptions say now, and that
# those descriptions are complete.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

"$MX_ROOT/scripts/gen-docs.sh" "$fresh"
diff -ru "$MX_ROOT/docs/generated" "$fresh" ||
  die "docs/generated is out of date; run: scripts/gen-docs.sh"

tblgen=$(llvm_tool llvm-tblgen)
includes=(-I "$MX_ROOT/include" -I "$("$(llvm_tool llvm-config)" --includedir)")
for td in "$MX_ROOT"/include/mx/IR/MXOps.td "$MX_ROOT"/include/mx/*/Passes.td; do
  [ -e "$td" ] || continue
  "$tblgen" --dump-json "${includes[@]}" "$td" >"$fresh/records.json"
  python3 "$MX_ROOT/scripts/lint-docs.py" "${td#"$MX_ROOT"/}" "$fresh/records.json"
done
