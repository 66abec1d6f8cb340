// Control flow over block-scaled values: nothing whole is left.

// RUN: mx-opt %s -mx-decompose -split-input-file | FileCheck %s --implicit-check-not='!mx.tensor' --implicit-check-not=unrealized

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @scf_if(%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[Q:.*]]: tensor<4x64xi8>, %[[R:.*]]: tensor<4x2xi8>, %[[C:.*]]: i1)
// CHECK: %[[V:.*]]:3 = scf.if %[[C]] -> (i1, tensor<4x64xi8>, tensor<4x2xi8>) {
// CHECK: scf.yield %[[C]], %[[P]], %[[S]]
// CHECK: } else {
// CHECK: scf.yield %[[C]], %[[Q]], %[[R]]
// CHECK: return %[[V]]#1, %[[V]]#2
func.func @scf_if(%t: !t, %u: !t, %c: i1) -> !t {
  %0:2 = scf.if %c -> (i1, !t) {
    scf.yield %c, %t : i1, !t
  } else {
    scf.yield %c, %u : i1, !t
  }
  return %0#1 : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// The two values trade places.
// CHECK: func.func @scf_for_swap(
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[R:.*]] = %{{[^)]*}})
// CHECK-SAME: -> (tensor<4x64xi8>, tensor<4x2xi8>, tensor<4x64xi8>, tensor<4x2xi8>) {
// CHECK-NEXT: scf.yield %[[Q]], %[[R]], %[[P]], %[[S]]
func.func @scf_for_swap(%t: !t, %u: !t, %n: index) -> (!t, !t) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (!t, !t) {
    scf.yield %b, %a : !t, !t
  }
  return %0#0, %0#1 : !t, !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @scf_while(
// CHECK: %[[W:.*]]:3 = scf.while (%[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) : (index, tensor<4x64xi8>, tensor<4x2xi8>)
// CHECK: scf.condition(%{{.*}}) %[[I]], %[[P]], %[[S]]
// CHECK: ^bb0(%{{.*}}: index, %[[Q:.*]]: tensor<4x64xi8>, %[[R:.*]]: tensor<4x2xi8>):
// CHECK: scf.yield %{{.*}}, %[[Q]], %[[R]]
// CHECK: return %[[W]]#1, %[[W]]#2
func.func @scf_while(%t: !t, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%i = %c0, %a = %t) : (index, !t) -> (index, !t) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i, %a : index, !t
  } do {
  ^bb0(%i: index, %a: !t):
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %a : index, !t
  }
  return %0#1 : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// The values before and after the condition differ in number and type.
// CHECK: func.func @scf_while_two_sides(
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<4x64xi8>, tensor<4x2xi8>) -> i1
func.func @scf_while_two_sides(%t: !t, %c: i1) {
  %0 = scf.while (%a = %t) : (!t) -> i1 {
    scf.condition(%c) %c : i1
  } do {
  ^bb0(%more: i1):
    scf.yield %t : !t
  }
  return
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @scf_index_switch(%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[Q:.*]]: tensor<4x64xi8>, %[[R:.*]]: tensor<4x2xi8>, %{{.*}}: index)
// CHECK: scf.index_switch %{{.*}} -> tensor<4x64xi8>, tensor<4x2xi8>
// CHECK: case 0 {
// CHECK-NEXT: scf.yield %[[P]], %[[S]]
// CHECK: case 7 {
// CHECK-NEXT: scf.yield %[[Q]], %[[R]]
// CHECK: default {
// CHECK-NEXT: scf.yield %[[P]], %[[S]]
func.func @scf_index_switch(%t: !t, %u: !t, %n: index) -> !t {
  %0 = scf.index_switch %n -> !t
  case 0 {
    scf.yield %t : !t
  }
  case 7 {
    scf.yield %u : !t
  }
  default {
    scf.yield %t : !t
  }
  return %0 : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// With blocks inside, and with a result that is no block-scaled value.
// CHECK: func.func @scf_execute_region(%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[C:.*]]: i1, %[[X:.*]]: f32)
// CHECK: %[[E:.*]]:4 = scf.execute_region -> (f32, tensor<4x64xi8>, tensor<4x2xi8>, f32) {
// CHECK: cf.cond_br %[[C]], ^[[B:.*]](%[[P]], %[[S]] : {{.*}}), ^[[B]](%[[P]], %[[S]] :
// CHECK: ^[[B]](%[[Q:.*]]: tensor<4x64xi8>, %[[R:.*]]: tensor<4x2xi8>):
// CHECK: scf.yield %[[X]], %[[Q]], %[[R]], %[[X]]
// CHECK: return %[[E]]#1, %[[E]]#2
func.func @scf_execute_region(%t: !t, %c: i1, %x: f32) -> !t {
  %0:3 = scf.execute_region -> (f32, !t, f32) {
    cf.cond_br %c, ^join(%t : !t), ^join(%t : !t)
  ^join(%a: !t):
    scf.yield %x, %a, %x : f32, !t, f32
  }
  return %0#1 : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @scf_execute_region_without_results
// CHECK: scf.execute_region {
// CHECK: scf.yield
func.func @scf_execute_region_without_results(%t: !t) {
  scf.execute_region {
    scf.yield
  }
  return
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @cf_branches(%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[Q:.*]]: tensor<4x64xi8>, %[[R:.*]]: tensor<4x2xi8>, %[[C:.*]]: i1)
// CHECK: cf.cond_br %[[C]], ^[[ONE:.*]](%[[P]], %[[S]] : {{.*}}), ^[[TWO:.*]](%[[C]], %[[Q]], %[[R]] :
// CHECK: ^[[ONE]](%[[A:.*]]: tensor<4x64xi8>, %[[B:.*]]: tensor<4x2xi8>):
// CHECK: cf.br ^[[TWO]](%[[C]], %[[A]], %[[B]] :
// CHECK: ^[[TWO]](%{{.*}}: i1, %[[D:.*]]: tensor<4x64xi8>, %[[E:.*]]: tensor<4x2xi8>):
// CHECK: return %[[D]], %[[E]]
func.func @cf_branches(%t: !t, %u: !t, %c: i1) -> !t {
  cf.cond_br %c, ^one(%t : !t), ^two(%c, %u : i1, !t)
^one(%a: !t):
  cf.br ^two(%c, %a : i1, !t)
^two(%b: i1, %d: !t):
  return %d : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @cf_switch(%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>, %[[Q:.*]]: tensor<4x64xi8>, %[[R:.*]]: tensor<4x2xi8>, %[[F:.*]]: i32)
// CHECK: cf.switch %[[F]] : i32, [
// CHECK: default: ^[[ONE:.*]](%[[P]], %[[S]] :
// CHECK: 41: ^[[ONE]](%[[Q]], %[[R]] :
// CHECK: 42: ^[[TWO:bb.*]]
// CHECK: ^[[ONE]](%[[A:.*]]: tensor<4x64xi8>, %[[B:.*]]: tensor<4x2xi8>):
// CHECK: return %[[A]], %[[B]]
func.func @cf_switch(%t: !t, %u: !t, %flag: i32) -> !t {
  cf.switch %flag : i32, [
    default: ^one(%t : !t),
    41: ^one(%u : !t),
    42: ^two
  ]
^one(%a: !t):
  return %a : !t
^two:
  return %t : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// CHECK: func.func @cf_switch_default_only
// CHECK: cf.switch
// CHECK-NEXT: default: ^{{.*}}(%{{.*}}, %{{.*}} : tensor<4x64xi8>, tensor<4x2xi8>)
func.func @cf_switch_default_only(%t: !t, %flag: i64) -> !t {
  cf.switch %flag : i64, [
    default: ^one(%t : !t)
  ]
^one(%a: !t):
  return %a : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// FB-03: no return at all.
// CHECK: func.func @cf_endless_loop(%[[P:.*]]: tensor<4x64xi8>, %[[S:.*]]: tensor<4x2xi8>)
// CHECK: cf.br ^[[B:.*]](%[[P]], %[[S]] :
// CHECK: ^[[B]](%[[Q:.*]]: tensor<4x64xi8>, %[[R:.*]]: tensor<4x2xi8>):
// CHECK: cf.br ^[[B]](%[[Q]], %[[R]] :
func.func @cf_endless_loop(%t: !t) -> !t {
  cf.br ^loop(%t : !t)
^loop(%a: !t):
  cf.br ^loop(%a : !t)
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// A block that nothing reaches goes away.
// CHECK: func.func @unreachable
// CHECK-NEXT: return %{{.*}}, %{{.*}} : tensor<4x64xi8>, tensor<4x2xi8>
// CHECK-NEXT: }
func.func @unreachable(%t: !t) -> !t {
  return %t : !t
^nowhere(%a: !t):
  return %a : !t
}

// -----

!t = !mx.tensor<4x64xi8, block_size = 32, scale_type = f8E8M0FNU>

// One inside the other.
// CHECK: func.func @nested
// CHECK: scf.for {{.*}} -> (tensor<4x64xi8>, tensor<4x2xi8>)
// CHECK: scf.if %{{.*}} -> (tensor<4x64xi8>, tensor<4x2xi8>)
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<4x64xi8>, tensor<4x2xi8>
func.func @nested(%t: !t, %u: !t, %c: i1, %n: index) -> !t {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> !t {
    %1 = scf.if %c -> !t {
      scf.yield %a : !t
    } else {
      scf.yield %u : !t
    }
    scf.yield %1 : !t
  }
  return %0 : !t
}
