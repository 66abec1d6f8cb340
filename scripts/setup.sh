#!/usr/bin/env bash
# Installs the Debian packages that building and testing mlir-mx needs. Does
# nothing, quickly, when all of them are there. Works as root, or through sudo.
set -euo pipefail

packages=(
  # build
  make cmake ninja-build git python3
  clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools libomp-22-dev
  # test: lit and FileCheck, time limits for lit tests, gtest, sanitizers
  llvm-22-tools python3-psutil libgtest-dev libclang-rt-22-dev
  # programs for AArch64, and an emulator that runs them
  qemu-user libc6-dev-arm64-cross
  # benchmarks
  libbenchmark-dev libopenblas-dev libdnnl-dev
  # format and lint
  clang-format-22 clang-tidy-22
)

say() { echo "setup: $*"; }
fail() {
  say "$@" >&2
  exit 1
}

command -v dpkg-query >/dev/null ||
  fail "expected Debian or a relative (no dpkg-query here); by hand, install what these packages hold: ${packages[*]}"

# dpkg-query exits 1 and warns for names it has never heard of.
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
  say "all ${#packages[@]} packages are installed"
  exit 0
fi
say "missing: ${missing[*]}"

# sudo may ask for a password only where somebody can type one.
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  command -v sudo >/dev/null ||
    fail "need root or sudo; as root, run: $by_hand"
  as_root=(sudo)
  [ -t 0 ] || as_root+=(-n)
  "${as_root[@]}" true ||
    fail "sudo refused; as root, run: $by_hand"
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq \
    -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

say "apt-get update"
apt update || fail "apt-get update failed; see above"

absent=()
for package in "${missing[@]}"; do
  candidate=$(apt-cache policy "$package" | awk '/Candidate:/ { print $2 }')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ] || absent+=("$package")
done
if [ ${#absent[@]} -gt 0 ]; then
  release=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-unknown}")
  fail "no package source of this machine ($release) has: ${absent[*]}." \
    "Debian 12 (bookworm) carries LLVM 22 in its suite bookworm-security:" \
    "use that release or a later one, with its security suite in /etc/apt/sources.list"
fi

say "apt-get install ${missing[*]}"
apt install -y --no-install-recommends "${missing[@]}" >/dev/null ||
  fail "apt-get install failed; see above"
say "done"
