//===- DenseProgram.cpp - a product without blocks, in MLIR ---------------===//
//
// Part of mlir-mx, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a weight costs that is not block-scaled, in code of the same compiler:
// upstream's vector operations, tiles of four rows, one thread each.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mx::benchmark {

static constexpr int64_t tileRows = 4;

/// `format(0)`, `format(1)`, ... for every row of a tile, with commas.
static std::string forRows(llvm::function_ref<std::string(int64_t)> format) {
  llvm::SmallVector<std::string> parts;
  for (int64_t row = 0; row < tileRows; ++row)
    parts.push_back(format(row));
  return llvm::join(parts, ", ");
}

namespace {

struct Writer {
  int64_t rows, depth, columns;
  std::string type;
  std::string a, x, c, tile, vector;
  int64_t width;
  std::string text;

  template <typename... Args>
  void line(const char *format, Args &&...args) {
    text += llvm::formatv(format, std::forward<Args>(args)...).str() + "\n";
  }
  /// What an element of the weight is read as: it may have to be widened.
  const char *getReadName() const { return type == "f32" ? "%w" : "%h"; }
  void widen(int64_t row, llvm::StringRef from, llvm::StringRef to) {
    if (type != "f32")
      line("%w{0} = arith.extf %h{0} : {1} to {2}", row, from, to);
  }
  /// Sums that start with `getInitial` of their rows.
  std::string
  makeSums(llvm::function_ref<std::string(int64_t)> getInitial) const {
    return forRows([&](int64_t row) {
      return "%a" + std::to_string(row) + " = " + getInitial(row);
    });
  }
  std::string vectors() const {
    return forRows([&](int64_t) { return vector; });
  }
  void yieldSums() {
    line("scf.yield {0} : {1}",
         forRows([](int64_t row) { return "%n" + std::to_string(row); }),
         vectors());
    line("}");
  }

  /// These return the name of the finished tile.
  std::string writeDot();
  std::string writePanels();
  std::string write();
};

/// One column: both operands in vectors along the depth.
std::string Writer::writeDot() {
  line("%s:{0} = scf.for %k = %zero to %depth step %width iter_args({1}) -> "
       "({2}) {{",
       tileRows, makeSums([](int64_t) { return "%v0"; }), vectors());
  line("%xv = vector.transfer_read %xs[%k], %z {{in_bounds = [true]} : "
       "tensor<{0}xf32>, {1}",
       depth, vector);
  std::string read = llvm::formatv("vector<{0}x{1}>", width, type);
  for (int64_t row = 0; row < tileRows; ++row) {
    line("{0}{1} = vector.transfer_read %a[%i{1}, %k], %za {{in_bounds = "
         "[true]} : {2}, {3}",
         getReadName(), row, a, read);
    widen(row, read, vector);
    line("%n{0} = vector.fma %w{0}, %xv, %a{0} : {1}", row, vector);
  }
  yieldSums();
  std::string last = "%t";
  for (int64_t row = 0; row < tileRows; ++row) {
    line("%q{0} = tensor.extract %t[%r{0}, %zero] : {1}", row, tile);
    line("%d{0} = vector.reduction <add>, %s#{0}, %q{0} fastmath<reassoc> : "
         "{1} into f32",
         row, vector);
    line("%t{0} = tensor.insert %d{0} into {1}[%r{0}, %zero] : {2}", row, last,
         tile);
    last = "%t" + std::to_string(row);
  }
  return last;
}

/// More columns: vectors of them, and elements of the weight one by one.
std::string Writer::writePanels() {
  line("%u = scf.for %j = %zero to %columns step %width iter_args(%p = %t) -> "
       "({0}) {{",
       tile);
  for (int64_t row = 0; row < tileRows; ++row)
    line("%q{0} = vector.transfer_read %p[%r{0}, %j], %z {{in_bounds = "
         "[true]} : {1}, {2}",
         row, tile, vector);
  line("%s:{0} = scf.for %k = %zero to %depth step %one iter_args({1}) -> "
       "({2}) {{",
       tileRows,
       makeSums([](int64_t row) { return "%q" + std::to_string(row); }),
       vectors());
  line("%xv = vector.transfer_read %x[%k, %j], %z {{in_bounds = [true]} : "
       "{0}, {1}",
       x, vector);
  for (int64_t row = 0; row < tileRows; ++row) {
    line("{0}{1} = tensor.extract %a[%i{1}, %k] : {2}", getReadName(), row, a);
    widen(row, type, "f32");
    line("%b{0} = vector.broadcast %w{0} : f32 to {1}", row, vector);
    line("%n{0} = vector.fma %b{0}, %xv, %a{0} : {1}", row, vector);
  }
  yieldSums();
  std::string last = "%p";
  for (int64_t row = 0; row < tileRows; ++row) {
    line("%t{0} = vector.transfer_write %s#{0}, {1}[%r{0}, %j] {{in_bounds = "
         "[true]} : {2}, {3}",
         row, last, vector, tile);
    last = "%t" + std::to_string(row);
  }
  line("scf.yield {0} : {1}", last, tile);
  line("}");
  return "%u";
}

std::string Writer::write() {
  line("func.func @main(%a: {0}, %x: {1}, %c: {2}) -> {2} {{", a, x, c);
  line("%z = arith.constant 0.0 : f32");
  line("%za = arith.constant 0.0 : {0}", type);
  line("%v0 = arith.constant dense<0.0> : {0}", vector);
  line("%zero = arith.constant 0 : index");
  line("%one = arith.constant 1 : index");
  line("%depth = arith.constant {0} : index", depth);
  line("%columns = arith.constant {0} : index", columns);
  line("%width = arith.constant {0} : index", width);
  for (int64_t row = 0; row < tileRows; ++row)
    line("%r{0} = arith.constant {0} : index", row);
  if (columns == 1)
    line("%xs = tensor.collapse_shape %x [[0, 1]] : {0} into tensor<{1}xf32>",
         x, depth);
  line("%y = scf.forall (%i) = (0) to ({0}) step ({1}) shared_outs(%o = %c) "
       "-> ({2}) {{",
       rows, tileRows, c);
  line("%t = tensor.extract_slice %o[%i, 0] [{0}, {1}] [1, 1] : {2} to {3}",
       tileRows, columns, c, tile);
  for (int64_t row = 0; row < tileRows; ++row)
    line("%i{0} = arith.addi %i, %r{0} : index", row);
  std::string last = columns == 1 ? writeDot() : writePanels();
  line("scf.forall.in_parallel {{");
  line("tensor.parallel_insert_slice {0} into %o[%i, 0] [{1}, {2}] [1, 1] : "
       "{3} into {4}",
       last, tileRows, columns, tile, c);
  line("}");
  line("}");
  line("return %y : {0}", c);
  line("}");
  return std::move(text);
}

} // namespace

std::string makeDenseProgram(int64_t rows, int64_t depth, int64_t columns,
                             llvm::StringRef type) {
  int64_t width = columns == 1 ? 16 : std::min<int64_t>(columns, 16);
  Writer writer{rows,
                depth,
                columns,
                type.str(),
                formatTensor({rows, depth}, type),
                formatTensor({depth, columns}, "f32"),
                formatTensor({rows, columns}, "f32"),
                formatTensor({tileRows, columns}, "f32"),
                llvm::formatv("vector<{0}xf32>", width),
                width,
                {}};
  return writer.write();
}

} // namespace mx::benchmark
