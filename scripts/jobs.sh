#!/usr/bin/env bash
# Prints how many compilations to run at once: one per core, but no more than
# fit into memory. A file that includes much of MLIR takes up to 2.5 GB.
set -euo pipefail

kib_per_job=2621440

jobs=$(nproc)
kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)

# A container's own limit, where it has one, is the smaller figure.
limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
if [ "$limit" != max ] && [ $((limit / 1024)) -lt "$kib" ]; then
  kib=$((limit / 1024))
fi

fit=$((kib / kib_per_job))
[ "$fit" -ge 1 ] || fit=1
[ "$jobs" -le "$fit" ] || jobs=$fit
echo "$jobs"
