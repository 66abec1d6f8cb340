//===- MXStrategy.td - how a tile is computed --------------*- tablegen -*-===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MX_IR_MXSTRATEGY
#define MX_IR_MXSTRATEGY

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mx/IR/MXDialect.td"

def MX_Kernel : I32EnumAttr<"Kernel", "the loop structure of a tile", [
      I32EnumAttrCase<"Dot", 0, "dot">,
      I32EnumAttrCase<"Panel", 1, "panel">,
      I32EnumAttrCase<"Pairs", 2, "pairs">,
      I32EnumAttrCase<"Quads", 3, "quads">,
      I32EnumAttrCase<"AMX", 4, "amx">,
      I32EnumAttrCase<"Groups", 5, "groups">,
      I32EnumAttrCase<"Halves", 6, "halves">
    ]> {
  let cppNamespace = "::mx";
}

def MX_StrategyAttr : AttrDef<MX_Dialect, "Strategy"> {
  let mnemonic = "strategy";
  let summary = "how a tile of a block-scaled matmul is computed";
  let description = [{
    - `dot` keeps sums along K in vectors: every decoded vector is multiplied
      with `columns` columns at once, for `rows` rows. For few columns.
    - `panel` decodes `depth` elements of every row of the tile to f32 once, and
      multiplies them with panels of `columns` columns, `rows` rows at a time.
      For many columns.
    - `pairs` and `quads` multiply bytes: elements that are small integers with
      the columns, in `parts` digits (`mx.tile_digits`) or integers themselves
      (`mx.tile_integers`). A lane is a row; rows that `mx.pack_rows` has not
      interleaved are so as the tile is computed, `depth` elements at a time.
      `pairs` adds products of two bytes in 16 bits, `quads` of four in 32.
    - `halves` does the same in 16 bits, products of which are added in 32: for
      packed rows, whose elements need not become unsigned, and columns in two
      digits.
    - `groups` decodes rows that `mx.pack_rows` interleaved to f32. A lane is a
      row, and an element of a column meets all of them.
    - `amx` multiplies tiles of 16 rows and 32 elements in bf16, where every
      column is the sum of `parts` columns of bf16.

    `lanes` is the number of f32 in a vector. `order` is the order in which
    elements that are decoded at once are held in vectors, see
    `mx.decode_packed`; empty is the natural one, of 32. For `dot`, whose vectors
    may hold several blocks, it can be an order of 64 or 128.

    ```mlir
    #dot = #mx.strategy<dot, lanes = 8, rows = 4, columns = 1, depth = 4096, order = [2, 3, 0, 1, 4]>
    ```
  }];
  let parameters = (ins
    EnumParameter<MX_Kernel>:$kernel,
    "int64_t":$lanes,
    "int64_t":$rows,
    "int64_t":$columns,
    "int64_t":$depth,
    DefaultValuedParameter<"int64_t", "1">:$parts,
    OptionalArrayRefParameter<"int64_t">:$order
  );
  let assemblyFormat = [{
    `<` $kernel `,` `lanes` `=` $lanes `,` `rows` `=` $rows `,` `columns` `=`
    $columns `,` (`parts` `=` $parts^ `,`)? `depth` `=` $depth
    (`,` `order` `=` `[` $order^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // MX_IR_MXSTRATEGY
