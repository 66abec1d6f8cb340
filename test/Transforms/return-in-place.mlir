// A public function returns its argument, not a copy; every case that must keep
// the copy keeps it.

// RUN: mx-opt %s -mx-return-in-place -split-input-file | FileCheck %s

// IA-01
// CHECK-LABEL: func.func @accumulator
// CHECK-SAME: (%[[C:.*]]: memref<4x8xf32>)
// CHECK-NOT: bufferization.clone
// CHECK: return %[[C]]
func.func @accumulator(%c: memref<4x8xf32>) -> memref<4x8xf32> {
  %0 = bufferization.clone %c : memref<4x8xf32> to memref<4x8xf32>
  return %0 : memref<4x8xf32>
}

// -----

// Only frees and pure operations lie between the copy and the return.
// CHECK-LABEL: func.func @frees_before_return
// CHECK-SAME: (%[[C:.*]]: memref<4x8xf32>)
// CHECK: memref.dealloc
// CHECK-NOT: bufferization.clone
// CHECK: return %[[C]]
func.func @frees_before_return(%c: memref<4x8xf32>) -> memref<4x8xf32> {
  %a = memref.alloc() : memref<4xf32>
  %0 = bufferization.clone %c : memref<4x8xf32> to memref<4x8xf32>
  memref.dealloc %a : memref<4xf32>
  return %0 : memref<4x8xf32>
}

// -----

// Written after the copy: the copy holds the old values.
// CHECK-LABEL: func.func @written_after
// CHECK: %[[OLD:.*]] = bufferization.clone
// CHECK: memref.store
// CHECK: return %[[OLD]]
func.func @written_after(%c: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  memref.store %x, %c[%c0] : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// The same, in another block.
// CHECK-LABEL: func.func @written_after_in_another_block
// CHECK: %[[OLD:.*]] = bufferization.clone
// CHECK: memref.store
// CHECK: return %[[OLD]]
func.func @written_after_in_another_block(%c: memref<4xf32>, %x: f32, %b: i1) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  cf.cond_br %b, ^write, ^done
^write:
  memref.store %x, %c[%c0] : memref<4xf32>
  cf.br ^done
^done:
  return %0 : memref<4xf32>
}

// -----

// A call may write to it.
// CHECK-LABEL: func.func @call_after
// CHECK: bufferization.clone
func.func private @writes(memref<4xf32>)
func.func @call_after(%c: memref<4xf32>) -> memref<4xf32> {
  %0 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  call @writes(%c) : (memref<4xf32>) -> ()
  return %0 : memref<4xf32>
}

// -----

// One copy for two results stays one.
// CHECK-LABEL: func.func @returned_twice
// CHECK: %[[COPY:.*]] = bufferization.clone
// CHECK: return %[[COPY]], %[[COPY]]
func.func @returned_twice(%c: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %0 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  return %0, %0 : memref<4xf32>, memref<4xf32>
}

// -----

// The copy of a local buffer, which dies here.
// CHECK-LABEL: func.func @local_buffer
// CHECK: bufferization.clone
func.func @local_buffer() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  %0 = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @other_layout
// CHECK: bufferization.clone
func.func @other_layout(%c: memref<4xf32, strided<[?], offset: ?>>) -> memref<4xf32> {
  %0 = bufferization.clone %c : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// A private function's callers free what it returns.
// CHECK-LABEL: func.func private @private
// CHECK: bufferization.clone
func.func private @private(%c: memref<4xf32>) -> memref<4xf32> {
  %0 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// So does the caller here.
// CHECK-LABEL: func.func @called_in_the_module
// CHECK: bufferization.clone
func.func @called_in_the_module(%c: memref<4xf32>) -> memref<4xf32> {
  %0 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}
func.func @caller(%c: memref<4xf32>) {
  %0 = call @called_in_the_module(%c) : (memref<4xf32>) -> memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @calls_itself
// CHECK: bufferization.clone
func.func @calls_itself(%c: memref<4xf32>) -> memref<4xf32> {
  %0 = func.call @calls_itself(%c) : (memref<4xf32>) -> memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  %1 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  return %1 : memref<4xf32>
}

// -----

// Two returns, each on its own.
// CHECK-LABEL: func.func @two_returns
// CHECK-SAME: (%[[C:.*]]: memref<4xf32>, %[[D:[^:]*]]: memref<4xf32>, %{{.*}}: i1)
// CHECK-NOT: bufferization.clone
// CHECK: return %[[C]]
// CHECK: return %[[D]]
func.func @two_returns(%c: memref<4xf32>, %d: memref<4xf32>, %b: i1) -> memref<4xf32> {
  cf.cond_br %b, ^one, ^two
^one:
  %0 = bufferization.clone %c : memref<4xf32> to memref<4xf32>
  return %0 : memref<4xf32>
^two:
  %1 = bufferization.clone %d : memref<4xf32> to memref<4xf32>
  return %1 : memref<4xf32>
}
