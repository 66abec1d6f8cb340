//===- Suspicion.h - does a layout look wrong? ------------------*- C++ -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout mistakes give no error: the numbers are just other numbers. This looks
// at the distribution of scale bytes, which real weights keep in a narrow band.
//
//===----------------------------------------------------------------------===//

#ifndef MX_CHECKPOINT_SUSPICION_H
#define MX_CHECKPOINT_SUSPICION_H

#include "mx/Checkpoint/MXGroups.h"
#include <array>

namespace mx::checkpoint {

/// How many blocks have each scale byte, corrected for the group's bias.
using ScaleHistogram = std::array<int64_t, 256>;

ScaleHistogram countScales(const MXGroup &group);

/// The byte below which `fraction` of the blocks lie, NaN scales left out;
/// none if there are no blocks.
std::optional<uint8_t> scaleQuantile(const ScaleHistogram &counts,
                                     double fraction);

/// What is odd about `group`, one sentence each: NaN blocks, scales far from
/// those of weights (another bias or encoding), scales spread like payload
/// (the two swapped), rows of two operands that alternate.
std::vector<std::string> findSuspicions(const MXGroup &group,
                                        const ScaleHistogram &counts);

} // namespace mx::checkpoint

#endif // MX_CHECKPOINT_SUSPICION_H
