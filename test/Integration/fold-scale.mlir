// fold_scale for real: the guard is decided at run time, and the way around it
// is really taken. Bytes are printed; -check compares them with mx::numerics.
// REQUIRES: mx-run

!e4m3 = !mx.tensor<4x2xf8E4M3FN, block_size = 2, scale_type = f8E8M0FNU>
!e2m1 = !mx.tensor<2x3xf4E2M1FN, block_size = 3, scale_type = f8E8M0FNU>
!int8 = !mx.tensor<2x2xi8, block_size = 2, scale_type = f8E8M0FNU>

func.func private @scales(%bytes: tensor<4x1xi8>) -> tensor<4x1xi8> {
  return %bytes : tensor<4x1xi8>
}
func.func private @codes() -> tensor<4x2xi8> {
  %0 = arith.constant dense<[[0x38, 0xB9], [0x7E, 0x80], [0x38, 0x00], [0x08, 0x01]]> : tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// All bytes stay in range, and 255 is NaN: every power of two up to 2^10 and down
// to 2^-1 is exact, of either sign.
func.func @inside(%alpha: f32) -> !e4m3 {
  %p = call @codes() : () -> tensor<4x2xi8>
  %bytes = arith.constant dense<[[1], [127], [255], [244]]> : tensor<4x1xi8>
  %s = call @scales(%bytes) : (tensor<4x1xi8>) -> tensor<4x1xi8>
  %t = mx.assemble %p, %s : tensor<4x2xi8>, tensor<4x1xi8> -> !e4m3
  %0 = mx.fold_scale %t, %alpha : !e4m3, f32 -> !e4m3
  return %0 : !e4m3
}

func.func @outside(%alpha: f32) -> !e4m3 {
  %p = call @codes() : () -> tensor<4x2xi8>
  %bytes = arith.constant dense<[[1], [127], [245], [250]]> : tensor<4x1xi8>
  %s = call @scales(%bytes) : (tensor<4x1xi8>) -> tensor<4x1xi8>
  %t = mx.assemble %p, %s : tensor<4x2xi8>, tensor<4x1xi8> -> !e4m3
  %0 = mx.fold_scale %t, %alpha : !e4m3, f32 -> !e4m3
  return %0 : !e4m3
}
