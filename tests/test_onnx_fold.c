// SPDX-License-Identifier: Apache-2.0
// Data of constants: the arithmetic by which exporters compute shapes.
#include "tests/support/onnx_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instances/onnx_fold.h"

static void check_rows(const onnx_case *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    onnx_case_check(&rows[i]);
  }
}

#define CHECK(rows) check_rows((rows), sizeof(rows) / sizeof(rows)[0])

static void integers(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Add", 14, "i64[2]={1,2} i64[1]={10}", "", "i64[2]={11,12}"},
      {"Add", 14, "i64[1]={9223372036854775807} i64[1]={1}", "", "i64[1]={-9223372036854775808}"},
      {"Add", 14, "u8[1]={250} u8[1]={10}", "", "u8[1]={4}"},
      {"Sub", 14, "i8[1]={-100} i8[1]={100}", "", "i8[1]={56}"},
      {"Mul", 14, "i32[1]={65536} i32[1]={65536}", "", "i32[1]={0}"},
      {"Mul", 14, "i64[2,1]={2,3} i64[1,3]={1,2,3}", "", "i64[2,3]={2,4,6,3,6,9}"},
      {"Div", 14, "i64[3]={7,-7,5} i64[1]={2}", "", "i64[3]={3,-3,2}"},
      {"Div", 14, "i64[2]={7,9} i64[2]={0,3}", "", "i64[2]={?,3}"},
      {"Div", 14, "i64[1]={-9223372036854775808} i64[1]={-1}", "", "i64[1]={-9223372036854775808}"},
      {"Div", 14, "u64[1]={-2} u64[1]={2}", "", "u64[1]={9223372036854775807}"},
      {"Mod", 13, "i64[4]={7,-7,7,-7} i64[4]={3,3,-3,-3}", "", "i64[4]={1,2,-2,-1}"},
      {"Mod", 13, "i64[4]={7,-7,7,-7} i64[4]={3,3,-3,-3}", "fmod=1", "i64[4]={1,-1,1,-1}"},
      {"Pow", 15, "i64[4]={2,3,-1,2} i64[4]={10,3,3,-1}", "", "i64[4]={1024,27,-1,0}"},
      {"Neg", 13, "i64[2]={3,-9223372036854775808}", "", "i64[2]={-3,-9223372036854775808}"},
      {"Abs", 13, "i32[2]={3,-4}", "", "i32[2]={3,4}"},
      {"Sign", 13, "i64[3]={-5,0,9}", "", "i64[3]={-1,0,1}"},
      {"Min", 13, "i64[2]={1,5} i64[2]={4,2} i64[1]={3}", "", "i64[2]={1,2}"},
      {"Max", 13, "u64[2]={1,5} u64[2]={-1,2}", "", "u64[2]={-1,5}"},
      {"Sum", 13, "f32[2]={1,2} f32[1]={10} f32[2]={100,200}", "", "f32[2]={111,212}"},
      {"Not", 1, "bool[2]={1,0}", "", "bool[2]={0,1}"},
      {"And", 7, "bool[2]={1,0} bool[2]={1,1}", "", "bool[2]={1,0}"},
      {"Or", 7, "bool[2]={1,0} bool[2]={0,0}", "", "bool[2]={1,0}"},
      {"Xor", 7, "bool[2]={1,0} bool[2]={1,1}", "", "bool[2]={0,1}"},
      {"Equal", 13, "i64[3]={1,2,3} i64[1]={2}", "", "bool[3]={0,1,0}"},
      {"Less", 13, "i64[3]={1,2,3} i64[1]={2}", "", "bool[3]={1,0,0}"},
      {"Greater", 13, "u64[1]={-1} u64[1]={2}", "", "bool[1]={1}"},
      {"LessOrEqual", 16, "i64[3]={1,2,3} i64[1]={2}", "", "bool[3]={1,1,0}"},
      {"GreaterOrEqual", 16, "f32[3]={1,2,3} f32[1]={2}", "", "bool[3]={0,1,1}"},
      {"Clip", 12, "i64[3]={-5,3,9} i64[]={0} i64[]={4}", "", "i64[3]={0,3,4}"},
      {"Where", 16, "bool[3]={1,0,1} i64[3]={1,2,3} i64[1]={9}", "", "i64[3]={1,9,3}"},
      {"Where", 16, "bool[2]={1,0} i64[2]={1,2} i64[2]", "", "i64[2]={1,?}"},
  };
  CHECK(rows);
}

static void reals(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Mul", 14, "f32[1]={16777217} f32[1]={1}", "", "f32[1]={16777216}"},
      {"Add", 14, "f16[1]={2048} f16[1]={1}", "", "f16[1]={2048}"},
      {"Add", 14, "bf16[1]={256} bf16[1]={1}", "", "bf16[1]={256}"},
      {"Add", 14, "f64[1]={16777216} f64[1]={1}", "", "f64[1]={16777217}"},
      {"Div", 14, "f32[2]={7,1} f32[1]={2}", "", "f32[2]={3.5,0.5}"},
      {"Floor", 13, "f32[2]={1.5,-1.5}", "", "f32[2]={1,-2}"},
      {"Ceil", 13, "f32[2]={1.5,-1.5}", "", "f32[2]={2,-1}"},
      {"Round", 11, "f32[3]={0.5,1.5,2.4}", "", "f32[3]={0,2,2}"},
      {"Sqrt", 13, "f32[2]={9,-1}", "", "f32[2]={3,?}"},
      {"Exp", 13, "f32[1]={0}", "", "f32[1]={1}"},
      {"Log", 13, "f32[2]={1,0}", "", "f32[2]={0,?}"},
      {"Pow", 15, "f32[1]={2} i64[1]={3}", "", "f32[1]={8}"},
      {"Mod", 13, "f32[1]={-5.5} f32[1]={2}", "fmod=1", "f32[1]={-1.5}"},
      {"Cast", 13, "f32[3]={2.9,-2.9,1e30}", "to=7", "i64[3]={2,-2,?}"},
      {"Cast", 13, "f32[2]={300,7}", "to=2", "u8[2]={?,7}"},
      {"Cast", 13, "i64[2]={300,-1}", "to=2", "u8[2]={44,255}"},
      {"Cast", 13, "i64[2]={0,-3}", "to=9", "bool[2]={0,1}"},
      {"Cast", 13, "u64[1]={-1}", "to=11", "f64[1]={18446744073709551615}"},
      {"Cast", 13, "f32[1]={0.1}", "to=10", "f16[1]={0.0999755859375}"},
      {"CastLike", 15, "f32[1]={2.5} i32[1]", "", "i32[1]={2}"},
  };
  CHECK(rows);
}

static void moves(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Gather", 13, "i64[4]={5,6,7,8} i64[2]={3,-4}", "", "i64[2]={8,5}"},
      {"Gather", 13, "i64[2,3]={1,2,3,4,5,6} i64[1]={1}", "axis=1", "i64[2,1]={2,5}"},
      {"Gather", 13, "i64[2]={5,6} i64[2]={0,9}", "", "i64[2]={5,?}"},
      {"GatherElements", 13, "i64[2,2]={1,2,3,4} i64[2,1]={1,0}", "axis=1", "i64[2,1]={2,3}"},
      {"GatherND", 13, "i64[2,2]={1,2,3,4} i64[1,1]={1}", "", "i64[1,2]={3,4}"},
      {"Slice", 13, "i64[4]={1,2,3,4} i64[1]={-1} i64[1]={-9} i64[1]={0} i64[1]={-2}", "", "i64[2]={4,2}"},
      {"Slice", 9, "i64[2,2]={1,2,3,4}", "starts=1, ends=2, axes=1,", "i64[2,1]={2,4}"},
      {"Concat", 13, "i64[1]={1} i64[0]={} i64[2]={2,3}", "axis=0", "i64[3]={1,2,3}"},
      {"Concat", 13, "i64[2,1]={1,2} i64[2,2]={3,4,5,6}", "axis=1", "i64[2,3]={1,3,4,2,5,6}"},
      {"Concat", 13, "i64[1]={1} i64[2]", "axis=0", "i64[3]={1,?,?}"},
      {"Split", 13, "i64[2,3]={1,2,3,4,5,6} i64[2]={1,2}", "axis=1", "i64[2,1]={1,4} i64[2,2]={2,3,5,6}"},
      {"Squeeze", 13, "i64[1,2]={1,2} i64[1]={0}", "", "i64[2]={1,2}"},
      {"Unsqueeze", 13, "i64[]={4} i64[1]={0}", "", "i64[1]={4}"},
      {"Reshape", 13, "i64[4]={1,2,3,4} i64[2]={2,2}", "", "i64[2,2]={1,2,3,4}"},
      {"Flatten", 13, "i64[2,1,2]={1,2,3,4}", "", "i64[2,2]={1,2,3,4}"},
      {"Transpose", 13, "i64[2,3]={1,2,3,4,5,6}", "", "i64[3,2]={1,4,2,5,3,6}"},
      {"Transpose", 13, "i64[1,2,2]={1,2,3,4}", "perm=2,0,1", "i64[2,1,2]={1,3,2,4}"},
      {"Identity", 16, "i64[2]={1,2}", "", "i64[2]={1,2}"},
      {"Expand", 13, "i64[2,1]={1,2} i64[2]={1,2}", "", "i64[2,2]={1,1,2,2}"},
      {"Tile", 13, "i64[2]={1,2} i64[1]={2}", "", "i64[4]={1,2,1,2}"},
      {"Trilu", 14, "i64[2,2]={1,2,3,4}", "upper=0", "i64[2,2]={1,0,3,4}"},
      {"Trilu", 14, "f32[2,2]={1,2,3,4} i64[]={1}", "", "f32[2,2]={0,2,0,0}"},
      {"ScatterElements", 18, "i64[3]={1,2,3} i64[1]={-1} i64[1]={9}", "", "i64[3]={1,2,9}"},
      {"ScatterElements", 18, "i64[3]={1,2,3} i64[2]={0,0} i64[2]={9,1}", "reduction=\"add\"", "i64[3]={11,2,3}"},
      {"ScatterND", 18, "i64[2,2]={1,2,3,4} i64[1,1]={1} i64[1,2]={8,9}", "", "i64[2,2]={1,2,8,9}"},
      {"ScatterND", 18, "i64[3]={1,2,3} i64[1,1]={0} i64[1]={7}", "reduction=\"max\"", "i64[3]={7,2,3}"},
  };
  CHECK(rows);
}

static void reductions(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"ReduceProd", 13, "i64[3]={2,3,4}", "keepdims=0", "i64[]={24}"},
      {"ReduceSum", 13, "i64[2,2]={1,2,3,4} i64[1]={0}", "", "i64[1,2]={4,6}"},
      {"ReduceSum", 13, "i64[2]={1,2}", "noop_with_empty_axes=1", "i64[2]={1,2}"},
      {"ReduceMax", 13, "i64[2,2]={1,2,9,4}", "axes=1, keepdims=0", "i64[2]={2,9}"},
      {"ReduceMin", 18, "f32[2,2]={1,2,9,4} i64[1]={-1}", "", "f32[2,1]={1,4}"},
      {"ReduceMean", 13, "f32[4]={1,2,3,4}", "", "f32[1]={2.5}"},
      {"ArgMax", 13, "i64[4]={1,7,7,0}", "", "i64[1]={1}"},
      {"ArgMax", 13, "i64[4]={1,7,7,0}", "select_last_index=1 keepdims=0", "i64[]={2}"},
      {"ArgMin", 13, "f32[2,2]={3,1,0,5}", "axis=1 keepdims=0", "i64[2]={1,0}"},
      {"CumSum", 14, "i64[4]={1,2,3,4} i64[]={0}", "", "i64[4]={1,3,6,10}"},
      {"CumSum", 14, "i64[4]={1,2,3,4} i64[]={-1}", "exclusive=1 reverse=1", "i64[4]={9,7,4,0}"},
      {"NonZero", 13, "i64[2,2]={1,0,0,1}", "", "i64[2,2]={0,1,0,1}"},
  };
  CHECK(rows);
}

static void measures(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Shape", 13, "f32[2,3,4]", "", "i64[3]={2,3,4}"},
      {"Shape", 15, "f32[2,3,4]", "start=1", "i64[2]={3,4}"},
      {"Shape", 15, "f32[2,3,4]", "start=-2 end=-1", "i64[1]={3}"},
      {"Shape", 15, "f32[2,3,4]", "start=9", "i64[0]={}"},
      {"Shape", 13, "f32[2,?]", "", "i64[2]={2,?}"},
      {"Shape", 13, "f32[]", "", "i64[0]={}"},
      {"Size", 13, "f32[2,3,4]", "", "i64[]={24}"},
      {"Size", 13, "f32[0,?]", "", "i64[]={0}"},
  };
  CHECK(rows);
}

// Too much data is not computed, however small the file: shapes only.
static void large_results(void **state) {
  (void)state;
  static const onnx_case rows[] = {
      {"Range", 11, "i64[]={0} i64[]={1000000000} i64[]={1}", "", "i64[1000000000]"},
      {"Expand", 13, "i64[1]={1} i64[2]={1000000,1000000}", "", "i64[1000000,1000000]"},
      {"ConstantOfShape", 9, "i64[1]={4097}", "", "f32[4097]"},
      {"Tile", 13, "i64[1]={1} i64[1]={1000000000000}", "", "i64[1000000000000]"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    onnx_case_check(&rows[i]);
    memplan_onnx_model model;
    memplan_error error = {.status = MEMPLAN_OK};
    assert_int_equal(onnx_case_infer(&rows[i], 1, &model, &error), MEMPLAN_OK);
    const memplan_onnx_value *value = &model.values[model.n_values - 1];
    assert_true(value->data.ints == NULL && value->data.reals == NULL);
    assert_true(value->is_constant);
    memplan_arena_free(&model.arena);
  }
}

static void constants(void **state) {
  (void)state;
  static const struct {
    onnx_case row;
    bool is_constant, folded_shape;
  } rows[] = {
      {{"Add", 14, "i64[2]={1,2} i64[1]={10}", "", ""}, true, false},
      {{"Add", 14, "i64[2] i64[1]={10}", "", ""}, false, false},
      {{"Shape", 14, "f32[2,3]", "", ""}, true, true},
      {{"Shape", 14, "f32[2]={1,2}", "", ""}, true, false},
      {{"Shape", 14, "f32[2,?]", "", ""}, false, false},
      {{"Size", 14, "f32[2,3]", "", ""}, true, true},
      {{"Constant", 13, "", "value_int=1", ""}, true, false},
      {{"RandomNormal", 13, "", "shape=1,", ""}, false, false},
      {{"RandomNormalLike", 13, "f32[1]={1}", "", ""}, false, false},
      {{"SequenceEmpty", 13, "", "", ""}, false, false},
      {{"Dropout", 13, "f32[1]={1}", "", ""}, true, false},
      {{"Dropout", 13, "f32[1]={1} f32[]={0.5} bool[]={1}", "", ""}, false, false},
      {{"test:Unknown", 1, "f32[1]={1}", "", ""}, true, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    memplan_onnx_model model;
    memplan_error error = {.status = MEMPLAN_OK};
    (void)onnx_case_infer(&rows[i].row, 1, &model, &error);
    const memplan_onnx_value *value = &model.values[model.n_values - 1];
    if (value->is_constant != rows[i].is_constant || value->folded_shape != rows[i].folded_shape) {
      fail_msg("%s (%s): constant %d, folded shape %d", rows[i].row.op, rows[i].row.in, (int)value->is_constant,
               (int)value->folded_shape);
    }
    memplan_arena_free(&model.arena);
  }
}

static void rounding(void **state) {
  (void)state;
  assert_true(memplan_round_real(MEMPLAN_ONNX_FLOAT16, 65520.0) > 1e300);
  assert_true(memplan_round_real(MEMPLAN_ONNX_FLOAT16, 65519.0) == 65504.0);
  assert_true(memplan_round_real(MEMPLAN_ONNX_FLOAT16, 3e-8) == 5.9604644775390625e-08);
  assert_true(memplan_round_real(MEMPLAN_ONNX_FLOAT16, 2e-8) == 0.0);
  assert_true(memplan_round_real(MEMPLAN_ONNX_BFLOAT16, 1.00390625) == 1.0);
  assert_true(memplan_round_real(MEMPLAN_ONNX_BFLOAT16, 1.01171875) == 1.015625);
  int64_t number = 0;
  assert_false(memplan_real_to_int(MEMPLAN_ONNX_INT64, 9223372036854775808.0, &number));
  assert_false(memplan_real_to_int(MEMPLAN_ONNX_INT8, 128.0, &number));
  assert_true(memplan_real_to_int(MEMPLAN_ONNX_INT8, -128.9, &number) && number == -128);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers), cmocka_unit_test(reals),         cmocka_unit_test(moves),
      cmocka_unit_test(measures), cmocka_unit_test(large_results), cmocka_unit_test(constants),
      cmocka_unit_test(rounding), cmocka_unit_test(reductions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
