// SPDX-License-Identifier: Apache-2.0
// Shapes and element types of single ONNX operators: each family, and each change between opsets.
#include "tests/support/onnx_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "instances/onnx_registry.h"

static void check_rows(const onnx_case *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    onnx_case_check(&rows[i]);
  }
}

#define CHECK(rows) check_rows((rows), sizeof(rows) / sizeof(rows)[0])

static void elementwise(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Relu", 14, "f16[2,3]", "", "f16[2,3]"},
      {"Relu", 14, "f32[2,?]", "", "f32[2,?]"},
      {"Relu", 14, "f32[...]", "", "f32[...]"},
      {"Add", 14, "f32[2,1,4] f32[3,1]", "", "f32[2,3,4]"},
      {"Add", 14, "f32[] f32[5]", "", "f32[5]"},
      {"Add", 14, "f32[?,1] f32[7]", "", "f32[?,7]"},
      {"Add", 14, "f32[?] f32[7]", "", "f32[7]"},
      {"Add", 14, "f32[0] f32[1]", "", "f32[0]"},
      {"Add", 14, "f32[2] f32[3]", "", "!cannot be broadcast"},
      {"Add", 14, "f32[2] -", "", "!input 1 is missing"},
      {"Add", 6, "f32[2,3,4] f32[3]", "broadcast=1 axis=1", "f32[2,3,4]"},
      {"Greater", 9, "f32[2,1] f32[3]", "", "bool[2,3]"},
      {"Greater", 1, "f32[2,3] f32[3]", "broadcast=1", "bool[2,3]"},
      {"Pow", 15, "f32[2,3] i64[]", "", "f32[2,3]"},
      {"Sum", 8, "f32[2,1] f32[3] f32[1,1,1]", "", "f32[1,2,3]"},
      {"Sum", 6, "f32[2,3] f32[2,3]", "", "f32[2,3]"},
      {"Where", 9, "bool[3,1] f16[1,4] f16[]", "", "f16[3,4]"},
      {"PRelu", 16, "f32[2,3,4] f32[3,1]", "", "f32[2,3,4]"},
      {"IsNaN", 13, "f32[2]", "", "bool[2]"},
      {"Cast", 13, "f32[2,3]", "to=7", "i64[2,3]"},
      {"Cast", 1, "f32[2,3]", "to=\"INT32\"", "i32[2,3]"},
      {"Cast", 13, "f32[2]", "to=99", "!no element type"},
      {"Cast", 13, "f32[2]", "", "!attribute 'to' is missing"},
      {"CastLike", 15, "f32[2] bf16[]", "", "bf16[2]"},
      {"Clip", 6, "f32[2]", "min=0.5", "f32[2]"},
      {"Clip", 11, "f32[2] - f32[]", "", "f32[2]"},
      {"Dropout", 7, "f32[2,3]", "", "f32[2,3] f32[2,3]"},
      {"Dropout", 12, "f32[2,3] f32[]={0.5}", "", "f32[2,3] bool[2,3]"},
      {"Celu", 12, "f32[4]", "", "f32[4]"},
      {"HardSwish", 14, "f32[4]", "", "f32[4]"},
  };
  CHECK(rows);
}

static void windows(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Conv", 11, "f32[1,3,224,224] f32[64,3,7,7]", "strides=2,2 pads=3,3,3,3", "f32[1,64,112,112]"},
      {"Conv", 11, "f32[1,3,224,224] f32[64,3,7,7]", "kernel_shape=7,5", "!kernel_shape says 5"},
      {"Conv", 11, "f32[1,4,9] f32[6,2,3]", "group=2 dilations=2,", "f32[1,6,5]"},
      {"Conv", 11, "f32[1,4,9] f32[6,3,3]", "group=2", "!4 channels of data"},
      {"Conv", 11, "f32[1,4,9] f32[5,2,3]", "group=2", "!5 channels cannot be made in 2 groups"},
      {"Conv", 11, "f32[1,4,9] f32[6,4,3]", "group=0", "!attribute 'group' is 0"},
      {"Conv", 11, "f32[1,4,9] f32[6,4,3]", "strides=0,", "!attribute 'strides' holds 0"},
      {"Conv", 11, "f32[1,4,2] f32[6,4,3]", "", "!does not fit"},
      {"Conv", 11, "f32[1,4,9] f32[6,4,3,3]", "", "!rank"},
      {"Conv", 11, "f32[?,4,?] f32[6,4,3]", "", "f32[?,6,?]"},
      {"Conv", 11, "f32[1,4,9,9] f32[6,4,2,3]", "auto_pad=\"SAME_UPPER\" strides=2,2", "f32[1,6,5,5]"},
      {"Conv", 11, "f32[1,4,9,9] f32[6,4,2,3]", "auto_pad=\"VALID\" strides=2,2", "f32[1,6,4,4]"},
      {"Conv", 11, "f32[1,4,9] f32[6,4,2]", "auto_pad=\"FULL\"", "!attribute 'auto_pad'"},
      {"ConvInteger", 10, "u8[1,1,3,3] u8[1,1,2,2]", "", "i32[1,1,2,2]"},
      {"QLinearConv", 10, "u8[1,1,7,7] f32[] u8[] u8[1,1,1,1] f32[] u8[] f32[] i8[]", "", "i8[1,1,7,7]"},
      {"DeformConv", 19, "f32[1,1,3,3] f32[1,1,2,2] f32[1,8,2,2]", "", "f32[1,1,2,2]"},
      {"ConvTranspose", 11, "f32[1,3,5,5] f32[3,2,3,3]", "strides=2,2", "f32[1,2,11,11]"},
      {"ConvTranspose", 11, "f32[1,3,5] f32[3,2,3]", "strides=2, output_padding=1, pads=1,1", "f32[1,2,10]"},
      {"ConvTranspose", 11, "f32[1,3,5] f32[3,2,3]", "strides=2, output_shape=12,", "f32[1,2,12]"},
      {"ConvTranspose", 11, "f32[1,3,5] f32[3,2,3]", "strides=2, auto_pad=\"SAME_LOWER\"", "f32[1,2,10]"},
      {"ConvTranspose", 11, "f32[1,4,5] f32[4,2,3]", "group=2", "f32[1,4,7]"},
      {"MaxPool", 12, "f32[1,2,7,8]", "kernel_shape=2,2 strides=2,2", "f32[1,2,3,4] i64[1,2,3,4]"},
      {"MaxPool", 12, "f32[1,2,7]", "kernel_shape=2, strides=2, ceil_mode=1", "f32[1,2,4]"},
      {"MaxPool", 12, "f32[1,2,7]", "kernel_shape=3, dilations=3,", "f32[1,2,1]"},
      // The fourth window would start in the padding.
      {"MaxPool", 12, "f32[1,2,5]", "kernel_shape=2, strides=2, pads=1,1 ceil_mode=1", "f32[1,2,3]"},
      {"MaxPool", 12, "f32[1,2,7]", "", "!attribute 'kernel_shape' is missing"},
      {"AveragePool", 7, "f32[1,2,7]", "kernel_shape=3, pads=1,1", "f32[1,2,7]"},
      {"LpPool", 18, "f32[1,2,7]", "kernel_shape=2,", "f32[1,2,6]"},
      {"GlobalAveragePool", 1, "f32[2,5,7,7]", "", "f32[2,5,1,1]"},
      {"GlobalLpPool", 2, "f32[2,5,7]", "", "f32[2,5,1]"},
      {"MaxUnpool", 11, "f32[1,1,2,2] i64[1,1,2,2]", "kernel_shape=2,2 strides=2,2", "f32[1,1,4,4]"},
      {"MaxUnpool", 11, "f32[1,1,2,2] i64[1,1,2,2] i64[4]={1,1,5,5}", "kernel_shape=2,2 strides=2,2", "f32[1,1,5,5]"},
      {"MaxRoiPool", 1, "f32[1,3,9,9] f32[4,5]", "pooled_shape=2,3", "f32[4,3,2,3]"},
      {"Col2Im", 18, "f32[1,5,5] i64[2]={5,5} i64[2]={1,5}", "", "f32[1,1,5,5]"},
      {"Col2Im", 18, "f32[1,6,5] i64[2]={5,5} i64[2]={1,5}", "", "!no multiple of the block"},
      {"com.microsoft:FusedConv", 1, "f32[1,4,9] f32[6,4,3]", "activation=\"Relu\"", "f32[1,6,7]"},
      {"com.microsoft:NhwcConv", 1, "f16[1,9,9,4] f16[6,3,3,4]", "", "f16[1,7,7,6]"},
      {"com.microsoft:NhwcMaxPool", 1, "u8[1,8,8,3]", "kernel_shape=3,3 strides=2,2 ceil_mode=1", "u8[1,4,4,3]"},
      {"com.microsoft.nchwc:Conv", 1, "f32[1,16,9,9] f32[32,8,3,3]", "pads=1,1,1,1", "f32[1,32,9,9]"},
      {"com.ms.internal.nhwc:Conv", 11, "f32[1,9,9,4] f32[6,4,3,3]", "", "f32[1,7,7,6]"},
  };
  CHECK(rows);
}

static void reductions(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"ReduceMean", 13, "f32[2,3,4]", "axes=1,", "f32[2,1,4]"},
      {"ReduceMean", 13, "f32[2,3,4]", "axes=-1,0 keepdims=0", "f32[3]"},
      {"ReduceMean", 13, "f32[2,3,4]", "keepdims=0", "f32[]"},
      {"ReduceMean", 18, "f32[2,3,4] i64[1]={1}", "", "f32[2,1,4]"},
      {"ReduceMean", 18, "f32[2,3,4]", "noop_with_empty_axes=1", "f32[2,3,4]"},
      {"ReduceMean", 18, "f32[2,3,4] i64[2]", "", "f32[?,?,?]"},
      {"ReduceMean", 18, "f32[2,3,4] i64[2]", "keepdims=0", "f32[?]"},
      {"ReduceMean", 18, "f32[2,3,4] i64[?]", "keepdims=0", "f32[...]"},
      {"ReduceMean", 13, "f32[2,3]", "axes=2,", "!axis 2 is outside"},
      {"ReduceSum", 11, "f32[2,3,4]", "axes=0,", "f32[1,3,4]"},
      {"ReduceSum", 13, "f32[2,3,4] i64[0]={}", "keepdims=0", "f32[]"},
      {"ArgMax", 13, "f32[2,3]", "axis=1", "i64[2,1]"},
      {"ArgMax", 13, "f32[2,3]", "axis=-1 keepdims=0", "i64[2]"},
      {"Softmax", 13, "f32[2,3]", "axis=-1", "f32[2,3]"},
      {"Softmax", 13, "f32[2,3]", "axis=5", "!axis 5 is outside"},
      {"CumSum", 14, "f32[2,3] i64[]={1}", "", "f32[2,3]"},
      {"TopK", 1, "f32[2,9]", "k=4", "f32[2,4] i64[2,4]"},
      {"TopK", 11, "f32[9,2] i64[1]={4}", "axis=0", "f32[4,2] i64[4,2]"},
      {"TopK", 11, "f32[2,9] i64[1]", "", "f32[2,?] i64[2,?]"},
      {"TopK", 11, "f32[2,3] i64[1]={4}", "", "!k is 4"},
      {"Unique", 11, "f32[2,3]", "", "f32[?] i64[?] i64[6] i64[?]"},
      {"Unique", 11, "f32[2,3]", "axis=1", "f32[2,?] i64[?] i64[3] i64[?]"},
      {"NonZero", 13, "f32[2,3]", "", "i64[2,?]"},
      {"NonZero", 13, "i64[4]={0,5,0,1}", "", "i64[1,2]={1,3}"},
      {"Compress", 11, "f32[3,4] bool[3]={1,0,1}", "axis=0", "f32[2,4]"},
      {"Compress", 11, "f32[3,4] bool[3]", "", "f32[?]"},
  };
  CHECK(rows);
}

static void layouts(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Reshape", 1, "f32[2,3,4]", "shape=4,-1", "f32[4,6]"},
      {"Reshape", 14, "f32[2,3,4] i64[3]={0,-1,2}", "", "f32[2,6,2]"},
      {"Reshape", 14, "f32[0,3] i64[2]={3,0}", "allowzero=1", "f32[3,0]"},
      {"Reshape", 14, "f32[0,3] i64[2]={0,-1}", "", "f32[0,0]"},
      {"Reshape", 14, "f32[?,3,4] i64[2]={0,-1}", "", "f32[?,12]"},
      {"Reshape", 14, "f32[?,3,4] i64[2]={-1,12}", "", "f32[?,12]"},
      {"Reshape", 14, "f32[2,3] i64[2]", "", "f32[?,?]"},
      {"Reshape", 14, "f32[2,3] i64[?]", "", "f32[...]"},
      {"Reshape", 14, "f32[2,3] i64[2]={-1,-1}", "", "!-1 twice"},
      {"Reshape", 14, "f32[2,3] i64[2]={4,2}", "", "!6 elements cannot become 8"},
      {"Reshape", 14, "f32[2,3] i64[2]={4,-1}", "", "!no multiple of 4"},
      {"Reshape", 14, "f32[2,3] i64[2]={-2,3}", "", "!-2 where"},
      {"Reshape", 14, "f32[2,3] i64[3]={2,3,0}", "", "!does not have"},
      {"Flatten", 13, "f32[2,3,4]", "", "f32[2,12]"},
      {"Flatten", 13, "f32[2,3,4]", "axis=-1", "f32[6,4]"},
      {"Flatten", 9, "f32[2,3,4]", "axis=0", "f32[1,24]"},
      {"Squeeze", 11, "f32[1,3,1]", "axes=0,", "f32[3,1]"},
      {"Squeeze", 13, "f32[1,3,1] i64[1]={-1}", "", "f32[1,3]"},
      {"Squeeze", 13, "f32[1,3,1]", "", "f32[3]"},
      {"Squeeze", 13, "f32[?,3,1]", "", "f32[...]"},
      {"Squeeze", 11, "f32[2,3]", "axes=0,", "!cannot be squeezed"},
      {"Unsqueeze", 11, "f32[3]", "axes=0,2", "f32[1,3,1]"},
      {"Unsqueeze", 13, "f32[3] i64[2]={-1,0}", "", "f32[1,3,1]"},
      {"Unsqueeze", 13, "f32[3] i64[2]={0,0}", "", "!given twice"},
      {"com.microsoft:ExpandDims", 1, "f32[3,4] i32[]={-2}", "", "f32[3,1,4]"},
      {"Transpose", 13, "f32[2,3,4]", "", "f32[4,3,2]"},
      {"Transpose", 13, "f32[2,3,4]", "perm=0,2,1", "f32[2,4,3]"},
      {"Transpose", 13, "f32[2,3]", "perm=0,0", "!given twice"},
      {"DepthToSpace", 13, "f32[1,8,2,3]", "blocksize=2", "f32[1,2,4,6]"},
      {"SpaceToDepth", 13, "f32[1,2,4,6]", "blocksize=2", "f32[1,8,2,3]"},
      {"SpaceToDepth", 13, "f32[1,2,5,6]", "blocksize=2", "!5 is no multiple of 2"},
      {"Identity", 16, "seq(f32[2])*3", "", "seq(f32[2])*3"},
  };
  CHECK(rows);
}

static void pieces(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Concat", 13, "f32[2,3] f32[2,4]", "axis=-1", "f32[2,7]"},
      {"Concat", 1, "f32[2,3] f32[2,4]", "", "f32[2,7]"},
      {"Concat", 13, "f32[2,?] f32[?,4]", "axis=1", "f32[2,?]"},
      {"Concat", 13, "f32[2,3] f32[3,3]", "axis=1", "!dimension 0 differs"},
      {"Split", 1, "f32[6] i64[2]={2,4}", "", "f32[2] f32[4]"},
      {"Split", 11, "f32[6,2]", "split=1,5", "f32[1,2] f32[5,2]"},
      {"Split", 13, "f32[6,2] i64[2]={1,5}", "", "f32[1,2] f32[5,2]"},
      {"Split", 13, "f32[6,2]", "", "f32[2,2] f32[2,2] f32[2,2]"},
      {"Split", 13, "f32[7]", "", "f32[7]"},
      {"Split", 18, "f32[7]", "num_outputs=3", "f32[3] f32[3] f32[1]"},
      {"Split", 13, "f32[6] i64[2]={1,4}", "", "!sizes"},
      {"Slice", 1, "f32[5,6]", "starts=1,0 ends=100,-1", "f32[4,5]"},
      {"Slice", 13, "f32[5,6] i64[1]={-2} i64[1]={9223372036854775807} i64[1]={1}", "", "f32[5,2]"},
      {"Slice", 13, "f32[5,6] i64[2]={-1,10} i64[2]={-100,2} i64[2]={0,1} i64[2]={-2,-3}", "", "f32[3,1]"},
      {"Slice", 13, "f32[5] i64[1]={3} i64[1]={1}", "", "f32[0]"},
      {"Slice", 13, "f32[5] i64[1]={0} i64[1]={9} i64[1]={0} i64[1]={0}", "", "!a step of 0"},
      {"Slice", 13, "f32[5,6] i64[1] i64[1]={9} i64[1]={0}", "", "f32[?,6]"},
      {"Pad", 1, "f32[2,3]", "paddings=0,1,0,2", "f32[2,6]"},
      {"Pad", 2, "f32[2,3]", "pads=0,1,0,2", "f32[2,6]"},
      {"Pad", 11, "f32[2,3] i64[4]={1,-1,0,0}", "", "f32[3,2]"},
      {"Pad", 18, "f32[2,3] i64[2]={1,1} - i64[1]={-1}", "", "f32[2,5]"},
      {"Pad", 11, "f32[2,3] i64[4]={-9,0,0,0}", "", "!cannot be padded"},
      {"com.microsoft:Pad", 1, "f32[2,3] i64[4]={1,0,0,0}", "", "f32[3,3]"},
      {"Expand", 13, "f32[3,1] i64[3]={2,1,6}", "", "f32[2,3,6]"},
      {"Expand", 13, "f32[3,1] i64[2]={-1,4}", "", "f32[3,4]"},
      {"Expand", 13, "f32[3] i64[2]", "", "f32[?,3]"},
      {"Tile", 1, "f32[2,3] i64[1]={4} i64[1]={1}", "", "f32[2,12]"},
      {"Tile", 13, "f32[2,3] i64[2]={4,0}", "", "f32[8,0]"},
      {"Tile", 13, "f32[4096] i64[1]={4611686018427387903}", "", "!larger than any memory"},
      {"CenterCropPad", 18, "f32[20,8,3] i64[2]={10,9}", "axes=0,1", "f32[10,9,3]"},
      {"com.microsoft:UnfoldTensor", 1, "f32[2,9]", "dim=-1 size=3 step=2", "f32[2,4,3]"},
      {"ReverseSequence", 10, "f32[4,4] i64[4]", "", "f32[4,4]"},
  };
  CHECK(rows);
}

static void indexing(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Gather", 13, "f32[10,4] i64[2,3]", "", "f32[2,3,4]"},
      {"Gather", 13, "f32[10,4] i64[]", "axis=-1", "f32[10]"},
      {"GatherElements", 13, "f32[10,4] i64[2,3]", "axis=1", "f32[2,3]"},
      {"GatherND", 13, "f32[2,3,4] i64[5,2]", "", "f32[5,4]"},
      {"GatherND", 13, "f32[2,3,4] i64[2,1]", "batch_dims=1", "f32[2,4]"},
      {"GatherND", 13, "f32[2,3] i64[5,3]", "", "!index tuples of 3"},
      {"ScatterElements", 18, "f32[3,3] i64[1,3] f32[1,3]", "", "f32[3,3]"},
      {"ScatterND", 18, "f32[3,3] i64[1,1] f32[1,3]", "", "f32[3,3]"},
      {"OneHot", 11, "i64[2,3] i64[]={5} f32[2]", "", "f32[2,3,5]"},
      {"OneHot", 11, "i64[2,3] f32[1]={5} i32[2]", "axis=0", "i32[5,2,3]"},
      {"OneHot", 11, "i64[2,3] i64[] f32[2]", "", "f32[2,3,?]"},
      {"ConstantOfShape", 9, "i64[2]={2,3}", "value=i64[1]={7}", "i64[2,3]={7,7,7,7,7,7}"},
      {"ConstantOfShape", 9, "i64[2]", "", "f32[?,?]"},
      {"ConstantOfShape", 9, "i64[1]={-1}", "", "!-1 where at least 0"},
      {"Range", 11, "i64[]={1} i64[]={8} i64[]={3}", "", "i64[3]={1,4,7}"},
      {"Range", 11, "f32[]={10} f32[]={6} f32[]={-1.5}", "", "f32[3]={10,8.5,7}"},
      {"Range", 11, "i64[] i64[]={8} i64[]={3}", "", "i64[?]"},
      {"Range", 11, "i64[]={1} i64[]={8} i64[]={0}", "", "!a delta of 0"},
      {"Range", 11, "i64[]={-9223372036854775807} i64[]={9223372036854775807} i64[]={1}", "", "!larger than any"},
      {"EyeLike", 9, "i32[2,3]", "dtype=1", "f32[2,3]"},
      {"Trilu", 14, "f32[3,3]", "", "f32[3,3]"},
      {"Constant", 13, "", "value=i32[2]={4,5}", "i32[2]={4,5}"},
      {"Constant", 12, "", "value_int=5", "i64[]={5}"},
      {"Constant", 12, "", "value_ints=5,6", "i64[2]={5,6}"},
      {"Constant", 12, "", "value_floats=5.5,", "f32[1]={5.5}"},
      {"Constant", 12, "", "", "!no value"},
      {"com.microsoft:GatherBlockQuantized", 1, "u8[10,16] i64[3] f32[10,2]", "gather_axis=0 quantize_axis=1 bits=4",
       "f32[3,32]"},
  };
  CHECK(rows);
}

static void linear_algebra(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"MatMul", 13, "f32[2,3,4] f32[4,5]", "", "f32[2,3,5]"},
      {"MatMul", 13, "f32[4] f32[4,5]", "", "f32[5]"},
      {"MatMul", 13, "f32[3,4] f32[4]", "", "f32[3]"},
      {"MatMul", 13, "f32[4] f32[4]", "", "f32[]"},
      {"MatMul", 13, "f32[7,1,3,4] f32[2,4,5]", "", "f32[7,2,3,5]"},
      {"MatMul", 13, "f32[2,3] f32[4,5]", "", "!inner dimensions 3 and 4"},
      {"MatMul", 13, "f32[] f32[4,5]", "", "!scalars"},
      {"MatMulInteger", 10, "u8[2,3] u8[3,4]", "", "i32[2,4]"},
      {"QLinearMatMul", 10, "u8[2,3] f32[] u8[] u8[3,4] f32[] u8[] f32[] i8[]", "", "i8[2,4]"},
      {"Gemm", 13, "f32[4,2] f32[5,4] f32[5]", "transA=1 transB=1", "f32[2,5]"},
      {"Gemm", 13, "f32[1,2,3] f32[3,4]", "", "!must be matrices"},
      {"Einsum", 12, "f32[2,3,4] f32[2,4,5]", "equation=\"bij,bjk->bik\"", "f32[2,3,5]"},
      {"Einsum", 12, "f32[2,3] f32[3,4]", "equation=\"ij, jk\"", "f32[2,4]"},
      {"Einsum", 12, "f32[6,2,3] f32[3,4]", "equation=\"...ij,jk->...ik\"", "f32[6,2,4]"},
      {"Einsum", 12, "f32[6,3,3]", "equation=\"...ii->...i\"", "f32[6,3]"},
      {"Einsum", 12, "f32[2,3] f32[4,5]", "equation=\"ij,jk\"", "!stands for 3 and 4"},
      {"Einsum", 12, "f32[2,3]", "equation=\"ij->k\"", "!occurs in no term"},
      {"Einsum", 12, "f32[2,3]", "equation=\"i1->i\"", "!cannot be read"},
      {"Einsum", 12, "f32[2,3]", "", "!attribute 'equation' is missing"},
      {"Det", 11, "f32[5,3,3]", "", "f32[5]"},
      {"com.microsoft:FusedMatMul", 1, "f32[2,3,4,5] f32[2,3,6,5]", "transB=1", "f32[2,3,4,6]"},
      {"com.microsoft:FusedMatMul", 1, "f32[4,2,3,5] f32[2,3,5,6]", "transBatchA=1", "f32[2,3,4,6]"},
      {"com.microsoft:FusedGemm", 1, "f32[3,4] f32[5,4]", "transB=1", "f32[3,5]"},
      {"com.microsoft:MatMulNBits", 1, "f32[2,3,32] u8[6,1,16] f32[6]", "K=32 N=6", "f32[2,3,6]"},
      {"com.microsoft:MatMulIntegerToFloat", 1, "u8[3,4] u8[4,5] f32[] f32[]", "", "f32[3,5]"},
      {"com.microsoft:DynamicQuantizeMatMul", 1, "f32[3,4] u8[4,5] f32[]", "", "f32[3,5]"},
  };
  CHECK(rows);
}

static void networks(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"BatchNormalization", 9, "f32[2,3,4] f32[3] f32[3] f32[3] f32[3]", "", "f32[2,3,4]"},
      {"BatchNormalization", 14, "f32[2,3,4] f32[3] f32[3] f32[3] f32[3]", "training_mode=1",
       "f32[2,3,4] f32[3] f32[3]"},
      {"BatchNormalization", 7, "f32[2,3] f32[3] f32[3] f32[3] f32[3]", "", "f32[2,3] f32[3] f32[3] f32[3] f32[3]"},
      {"BatchNormalization", 9, "f32[2,3,4] f32[4] f32[4] f32[4] f32[4]", "", "!3 channels, but 4 scales"},
      {"LayerNormalization", 17, "f16[2,3,4] f16[3,4]", "axis=1", "f16[2,3,4] f32[2,1,1] f32[2,1,1]"},
      {"InstanceNormalization", 6, "f32[2,3,4] f32[3] f32[3]", "", "f32[2,3,4]"},
      {"GroupNormalization", 21, "f32[2,4,4] f32[4] f32[4]", "num_groups=2", "f32[2,4,4]"},
      {"MeanVarianceNormalization", 13, "f32[2,3,4,5]", "", "f32[2,3,4,5]"},
      {"LRN", 13, "f32[2,3,4,5]", "size=3", "f32[2,3,4,5]"},
      {"NegativeLogLikelihoodLoss", 13, "f32[2,5,3] i64[2,3]", "reduction=\"none\"", "f32[2,3]"},
      {"NegativeLogLikelihoodLoss", 13, "f32[2,5,3] i64[2,3]", "", "f32[]"},
      {"SoftmaxCrossEntropyLoss", 13, "f32[2,5] i64[2]", "reduction=\"sum\"", "f32[] f32[2,5]"},
      {"SoftmaxCrossEntropyLoss", 13, "f32[2,5] i64[2,1]", "", "!one dimension less"},
      {"RNN", 14, "f32[7,2,4] f32[1,5,4] f32[1,5,5]", "hidden_size=5", "f32[7,1,2,5] f32[1,2,5]"},
      {"GRU", 14, "f32[7,2,4] f32[2,15,4] f32[2,15,5]", "hidden_size=5 direction=\"bidirectional\"",
       "f32[7,2,2,5] f32[2,2,5]"},
      {"LSTM", 14, "f32[2,7,4] f32[1,20,4] f32[1,20,5]", "hidden_size=5 layout=1",
       "f32[2,7,1,5] f32[2,1,5] f32[2,1,5]"},
      {"LSTM", 7, "f32[7,2,4] f32[1,20,4] f32[1,20,5]", "", "f32[7,1,2,5] f32[1,2,5] f32[1,2,5]"},
      {"LSTM", 7, "f32[7,2,4] f32[1,20,4] f32[1,20,5]", "hidden_size=6", "!hidden_size is 6"},
      {"Attention", 23, "f32[2,3,4,8] f32[2,3,6,8] f32[2,3,6,10]", "", "f32[2,3,4,10] f32[2,3,6,8] f32[2,3,6,10]"},
      {"Attention", 23, "f32[2,4,24] f32[2,6,24] f32[2,6,30] - f32[2,3,5,8] f32[2,3,5,10]",
       "q_num_heads=3 kv_num_heads=3", "f32[2,4,30] f32[2,3,11,8] f32[2,3,11,10] f32[2,3,4,11]"},
      {"RotaryEmbedding", 23, "f32[2,3,4,8] f32[9,4] f32[9,4]", "", "f32[2,3,4,8]"},
      {"RMSNormalization", 23, "f32[2,3] f32[3]", "", "f32[2,3]"},
      {"com.microsoft:Attention", 1, "f32[2,5,8] f32[8,24] f32[24] - f32[2,2,2,3,4]", "num_heads=2",
       "f32[2,5,8] f32[2,2,2,8,4]"},
      {"com.microsoft:MultiHeadAttention", 1, "f32[2,5,8] f32[2,7,8] f32[2,7,12]", "num_heads=2",
       "f32[2,5,12] f32[2,2,7,4] f32[2,2,7,6]"},
      {"com.microsoft:GroupQueryAttention", 1, "f32[1,1,64] - - f32[1,2,6,8] f32[1,2,6,8] i32[1] i32[1]={4}",
       "num_heads=4 kv_num_heads=2", "f32[1,1,32] f32[1,2,6,8] f32[1,2,6,8]"},
      {"com.microsoft:SkipLayerNormalization", 1, "f32[2,3,4] f32[2,3,4] f32[4]", "",
       "f32[2,3,4] f32[2,3,1] f32[2,3,1] f32[2,3,4]"},
      {"com.microsoft:EmbedLayerNormalization", 1, "i32[2,5] - f32[99,8]", "", "f32[2,5,8] i32[2] f32[2,5,8]"},
      {"com.microsoft:FastGelu", 1, "f32[2,3]", "", "f32[2,3]"},
      {"com.microsoft:BiasSplitGelu", 1, "f32[2,3,8] f32[8]", "", "f32[2,3,4]"},
  };
  CHECK(rows);
}

static void quantization(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"QuantizeLinear", 13, "f32[2,3] f32[] i8[]", "", "i8[2,3]"},
      {"QuantizeLinear", 13, "f32[2,3] f32[]", "", "u8[2,3]"},
      {"QuantizeLinear", 21, "f32[2,3] f32[]", "output_dtype=4", "u16[2,3]"},
      {"DequantizeLinear", 19, "i8[2,3] f16[]", "", "f16[2,3]"},
      {"DynamicQuantizeLinear", 11, "f32[2,3]", "", "u8[2,3] f32[] u8[]"},
      {"com.microsoft:QLinearAdd", 1, "u8[2,3] f32[] - u8[3] f32[] - f32[]", "", "u8[2,3]"},
      {"com.microsoft:QLinearConcat", 1, "f32[] u8[] u8[2,3] f32[] u8[] u8[2,4] f32[] u8[]", "axis=1", "u8[2,7]"},
      {"com.microsoft:QAttention", 1, "u8[2,5,8] u8[8,24] f32[24] f32[] f32[]", "num_heads=2", "f32[2,5,8]"},
      {"com.microsoft:QGemm", 1, "u8[3,4] f32[] u8[] u8[4,5] f32[] u8[]", "", "f32[3,5]"},
  };
  CHECK(rows);
}

static void images_and_signals(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Upsample", 1, "f32[1,1,2,3]", "height_scale=2.0 width_scale=1.5", "f32[1,1,4,4]"},
      {"Upsample", 7, "f32[1,1,2,3]", "scales=1.0,1.0,2.0,3.0", "f32[1,1,4,9]"},
      {"Upsample", 9, "f32[1,1,2,3] f32[4]={1,1,2,3}", "", "f32[1,1,4,9]"},
      {"Resize", 10, "f32[1,1,2,3] f32[4]={1,1,0.6,0.7}", "", "f32[1,1,1,2]"},
      {"Resize", 13, "f32[1,1,2,3] - f32[4]={1,1,2,3}", "", "f32[1,1,4,9]"},
      {"Resize", 11, "f32[1,1,2,3] f32[0]={} f32[0]={} i64[4]={1,1,5,7}", "", "f32[1,1,5,7]"},
      {"Resize", 13, "f32[1,1,8,8] f32[8]={0,0,0.25,0.5,1,1,0.75,1} f32[4]={1,1,2,2}",
       "coordinate_transformation_mode=\"tf_crop_and_resize\"", "f32[1,1,8,8]"},
      {"Resize", 18, "f32[1,1,5,6] - - i64[2]={7,8}", "axes=2,3", "f32[1,1,7,8]"},
      {"Resize", 18, "f32[1,1,5,6] - - i64[2]={7,8}", "axes=2,3 keep_aspect_ratio_policy=\"not_larger\"",
       "f32[1,1,7,8]"},
      {"Resize", 18, "f32[1,1,5,6] - - i64[2]={3,9}", "axes=2,3 keep_aspect_ratio_policy=\"not_larger\"",
       "f32[1,1,3,4]"},
      {"Resize", 18, "f32[1,1,5,6] - - i64[2]={3,9}", "axes=2,3 keep_aspect_ratio_policy=\"not_smaller\"",
       "f32[1,1,8,9]"},
      {"Resize", 13, "f32[1,1,2,3] - f32[4]={1,1,-2,3}", "", "!a scale of -2"},
      {"Resize", 13, "f32[1,1,2,3] - f32[3]={1,1,2}", "", "!3 scales for 4 axes"},
      {"Resize", 13, "f32[1,1,2,3] - -", "", "!neither scales nor sizes"},
      {"GridSample", 16, "f32[1,3,4,4] f32[1,6,7,2]", "", "f32[1,3,6,7]"},
      {"AffineGrid", 20, "f32[2,2,3] i64[4]={2,3,5,6}", "", "f32[2,5,6,2]"},
      {"RoiAlign", 16, "f32[1,3,9,9] f32[5,4] i64[5]", "output_height=2 output_width=3", "f32[5,3,2,3]"},
      {"NonMaxSuppression", 11, "f32[1,6,4] f32[1,1,6] i64[1]={3}", "", "i64[?,3]"},
      {"NonMaxSuppression", 11, "f32[1,6,4] f32[1,1,6]", "", "i64[0,3]"},
      {"ImageDecoder", 20, "u8[999]", "pixel_format=\"Grayscale\"", "u8[?,?,1]"},
      {"Crop", 1, "f32[1,3,9,8]", "border=1,2,3,0", "f32[1,3,7,4]"},
      {"HannWindow", 17, "i64[]={10}", "", "f32[10]"},
      {"MelWeightMatrix", 17, "i64[]={8} i64[]={16} i64[] f32[] f32[]", "", "f32[9,8]"},
      {"DFT", 17, "f32[1,10,1]", "axis=1 onesided=1", "f32[1,6,2]"},
      {"DFT", 20, "f32[1,10,10,1] - i64[]={2}", "", "f32[1,10,10,2]"},
      {"DFT", 20, "f32[1,6,2] i64[]={10} i64[]={1}", "inverse=1 onesided=1", "f32[1,10,1]"},
      {"STFT", 17, "f32[1,128,1] i64[]={8} - i64[]={16}", "", "f32[1,15,9,2]"},
      {"STFT", 17, "f32[1,128,1] i64[]={0} - i64[]={16}", "", "!frames of 16 at every 0"},
      {"com.microsoft:CropAndResize", 1, "f32[1,3,8,8] f32[2,4] i32[2] i32[2]={3,5}", "", "f32[2,3,3,5]"},
      {"com.microsoft:Rfft", 1, "f32[2,8]", "onesided=1", "f32[2,5,2]"},
  };
  CHECK(rows);
}

static void sequences_text_random(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"SequenceConstruct", 11, "f32[2,3] f32[2,4]", "", "seq(f32[2,?])*2"},
      {"SequenceEmpty", 11, "", "dtype=7", "seq(i64[...])*0"},
      {"SequenceInsert", 11, "seq(f32[2])*3 f32[2]", "", "seq(f32[2])*4"},
      {"SequenceInsert", 11, "seq(f32[2])*3 f32[2] i64[]={5}", "", "!position 5"},
      {"SequenceErase", 11, "seq(f32[2])*3", "", "seq(f32[2])*2"},
      {"SequenceErase", 11, "seq(f32[2])*0", "", "!is empty"},
      {"SequenceAt", 11, "seq(f32[2])*3 i64[]={1}", "", "f32[2]"},
      {"SequenceAt", 11, "f32[2] i64[]={1}", "", "!not a sequence"},
      {"SequenceLength", 11, "seq(f32[2])*3", "", "i64[]={3}"},
      {"ConcatFromSequence", 11, "seq(f32[2,3])*4", "axis=1", "f32[2,12]"},
      {"ConcatFromSequence", 11, "seq(f32[2,3])*4", "axis=-1 new_axis=1", "f32[2,3,4]"},
      {"SplitToSequence", 11, "f32[2,6] i64[]={4}", "axis=1", "seq(f32[2,?])*2"},
      {"SplitToSequence", 11, "f32[2,6] i64[2]={3,3}", "axis=1", "seq(f32[2,3])*2"},
      {"SplitToSequence", 11, "f32[2,6]", "axis=0 keepdims=0", "seq(f32[6])*2"},
      {"Optional", 15, "f32[2]", "", "opt(f32[2])"},
      {"OptionalGetElement", 15, "opt(f32[2])", "", "f32[2]"},
      {"OptionalGetElement", 18, "f32[2]", "", "f32[2]"},
      {"OptionalHasElement", 15, "opt(f32[2])", "", "bool[]"},
      {"StringNormalizer", 10, "str[4]", "", "str[4]"},
      {"StringNormalizer", 10, "str[1,4]", "stopwords=<2>", "str[1,?]"},
      {"TfIdfVectorizer", 9, "i64[2,6]", "ngram_indexes=0,1,6", "f32[2,7]"},
      {"StringSplit", 20, "str[4]", "", "str[4,?] i64[4]"},
      {"StringConcat", 20, "str[4] str[]", "", "str[4]"},
      {"RandomNormal", 22, "", "shape=2,3", "f32[2,3]"},
      {"RandomUniformLike", 1, "f32[2,3]", "dtype=11", "f64[2,3]"},
      {"Multinomial", 7, "f32[2,3]", "sample_size=5", "i32[2,5]"},
      {"Bernoulli", 15, "f64[2]", "", "f64[2]"},
  };
  CHECK(rows);
}

static void other_domains(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"ai.onnx.ml:LabelEncoder", 2, "str[4]", "values_floats=1.5,", "f32[4]"},
      {"ai.onnx.ml:LabelEncoder", 1, "i64[4]", "", "str[4]"},
      {"ai.onnx.ml:Scaler", 1, "i64[2,3]", "", "f32[2,3]"},
      {"ai.onnx.ml:LinearClassifier", 1, "f32[4,3]", "classlabels_ints=0,1,2", "i64[4] f32[4,3]"},
      {"ai.onnx.ml:LinearClassifier", 1, "f32[3]", "classlabels_strings=<2>", "str[1] f32[1,2]"},
      {"ai.onnx.ml:LinearRegressor", 1, "f32[4,3]", "targets=2", "f32[4,2]"},
      {"ai.onnx.ml:TreeEnsembleClassifier", 3, "f32[4,3]", "classlabels_int64s=0,1", "i64[4] f32[4,2]"},
      {"ai.onnx.ml:TreeEnsembleRegressor", 3, "f32[4,3]", "n_targets=3", "f32[4,3]"},
      {"ai.onnx.ml:TreeEnsemble", 5, "f64[4,3]", "n_targets=3", "f64[4,3]"},
      {"ai.onnx.ml:SVMClassifier", 1, "f32[5,3]", "classlabels_ints=0,1,2 vectors_per_class=2,1,1", "i64[5] f32[5,3]"},
      {"ai.onnx.ml:SVMRegressor", 1, "f32[5,3]", "", "f32[5,1]"},
      {"ai.onnx.ml:Normalizer", 1, "f32[5,3]", "", "f32[5,3]"},
      {"ai.onnx.ml:Binarizer", 1, "f32[5,3]", "", "f32[5,3]"},
      {"ai.onnx.ml:Imputer", 1, "f32[5,3]", "", "f32[5,3]"},
      {"ai.onnx.ml:OneHotEncoder", 1, "i64[2,2]", "cats_int64s=1,2,3", "f32[2,2,3]"},
      {"ai.onnx.ml:ArrayFeatureExtractor", 1, "f32[3,4] i64[2]", "", "f32[3,2]"},
      {"ai.onnx.ml:ArrayFeatureExtractor", 1, "f32[4] i64[2]", "", "f32[1,2]"},
      {"ai.onnx.ml:FeatureVectorizer", 1, "f32[2,3] f32[2,2]", "inputdimensions=3,2", "f32[2,5]"},
      {"ai.onnx.ml:CategoryMapper", 1, "str[3]", "", "i64[3]"},
      {"ai.onnx.ml:DictVectorizer", 1, "f32[3]", "int64_vocabulary=1,2,3,4", "f32[1,4]"},
      {"ai.onnx.ml:CastMap", 1, "f32[3]", "map_form=\"SPARSE\" max_map=9", "f32[1,9]"},
      {"ai.onnx.preview.training:Adagrad", 1, "f32[] i64[] f32[2] f32[3] f32[2] f32[3] f32[2] f32[3]", "",
       "f32[2] f32[3] f32[2] f32[3]"},
      {"ai.onnx.preview.training:Adam", 1, "f32[] i64[] f32[2] f32[2] f32[2] f32[2]", "", "f32[2] f32[2] f32[2]"},
      {"ai.onnx.preview.training:Momentum", 1, "f32[] i64[] f32[2] f32[2]", "", "!input 4 is missing"},
      {"ai.onnx.preview.training:Gradient", 1, "f32[2] f32[3]", "", "f32[2] f32[3]"},
  };
  CHECK(rows);
}

static void registry_is_sorted(void **state) {
  (void)state;
  int32_t n = 0;
  const memplan_onnx_op *ops = memplan_onnx_op_table(&n);
  assert_true(n > 300);
  for (int32_t i = 0; i < n; i++) {
    assert_non_null(ops[i].shape);
    assert_ptr_equal(memplan_onnx_op_find(ops[i].domain, ops[i].type, ops[i].since), &ops[i]);
    if (i > 0) {
      int order = strcmp(ops[i - 1].domain, ops[i].domain);
      order = order != 0 ? order : strcmp(ops[i - 1].type, ops[i].type);
      assert_true(order < 0 || (order == 0 && ops[i - 1].since < ops[i].since));
    }
  }
  assert_null(memplan_onnx_op_find("", "NoSuchOperator", 17));
  assert_ptr_equal(memplan_onnx_op_find("ai.onnx", "Relu", 17), memplan_onnx_op_find("", "Relu", 17));
  assert_int_equal(memplan_onnx_op_find("", "Resize", 10)->since, 10);
  assert_int_equal(memplan_onnx_op_find("", "Resize", 19)->since, 11);
  assert_int_equal(memplan_onnx_op_find("", "LayerNormalization", 14)->since, 1);
  assert_int_equal(memplan_onnx_op_find("", "Reshape", 0)->since, 5);
}

// Every operator with inputs and attributes that do not suit it: refused or accepted, never worse.
static void nothing_suits(void **state) {
  (void)state;
  static const char *const values[] = {"f32[2,3]",
                                       "i64[0]={}",
                                       "i64[2]={-9223372036854775808,9223372036854775807}",
                                       "i64[]={0}",
                                       "f32[...]",
                                       "i64[3]={1,-1,0}",
                                       "f32[?,0,?,4]",
                                       "f32[1]={1}",
                                       "f32[4]={1e30,-1,0,nan}",
                                       "str[2]",
                                       "bool[]",
                                       "seq(f32[2,?])*2",
                                       "-",
                                       "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
                                       "i64[?]",
                                       "f32[4611686018427387,2,2,2]"};
  static const char *const attributes[] = {
      "",
      "axis=9223372036854775807 k=-1 group=9223372036854775807 to=-1 dtype=99 blocksize=0 size=3 step=0 N=-1 K=3",
      "axis=-9223372036854775808 kernel_shape=0,0 strides=0,0 pads=-1,-1 axes=-9223372036854775808, perm=1,1 shape=-5,",
      "kernel_shape=2,2 strides=9223372036854775807,1 dilations=9223372036854775807,1 output_shape=-1,-1 num_heads=0",
      "kernel_shape=2147483647,2147483647 axes=0,0,0 starts=1, ends=1,2 border=-1,-1,-1,-1 q_num_heads=-1",
      "axes=\"text\" axis=1.5 equation=\"...,->...z...\" value=f32[2]={1,2} num_scan_inputs=2"};
  enum { n_values = sizeof values / sizeof values[0], n_attributes = sizeof attributes / sizeof attributes[0] };
  int32_t n = 0;
  const memplan_onnx_op *ops = memplan_onnx_op_table(&n);
  uint32_t seed = 1;
  for (int32_t i = 0; i < n; i++) {
    char op[96];
    (void)snprintf(op, sizeof op, "%s%s%s", ops[i].domain, ops[i].domain[0] != '\0' ? ":" : "", ops[i].type);
    for (int32_t round = 0; round < 60; round++) {
      char in[1024] = "";
      int32_t n_in = (ops[i].required + round) % 9;
      for (int32_t k = 0; k < n_in; k++) {
        seed = seed * 1664525u + 1013904223u;
        (void)strcat(strcat(in, " "), values[(seed >> 16) % n_values]);
      }
      onnx_case row = {op, ops[i].since, in, attributes[round % n_attributes], ""};
      memplan_onnx_model model;
      memplan_error error = {.status = MEMPLAN_OK};
      memplan_status status = onnx_case_infer(&row, 3, &model, &error);
      if (status != MEMPLAN_OK && status != MEMPLAN_INPUT && status != MEMPLAN_UNSUPPORTED) {
        fail_msg("%s (%s) (%s): status %d", op, in, row.attributes, (int)status);
      }
      assert_true(status == MEMPLAN_OK || error.message[0] != '\0');
      memplan_arena_free(&model.arena);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementwise),    cmocka_unit_test(windows),
      cmocka_unit_test(reductions),     cmocka_unit_test(layouts),
      cmocka_unit_test(pieces),         cmocka_unit_test(indexing),
      cmocka_unit_test(linear_algebra), cmocka_unit_test(networks),
      cmocka_unit_test(quantization),   cmocka_unit_test(images_and_signals),
      cmocka_unit_test(other_domains),  cmocka_unit_test(sequences_text_random),
      cmocka_unit_test(nothing_suits),  cmocka_unit_test(registry_is_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
