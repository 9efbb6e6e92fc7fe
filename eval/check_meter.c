// SPDX-License-Identifier: Apache-2.0
// A hint of a few bytes raises some bounds, each of which is looked at by what it meets: so the allowance grows with
// the length, the faster the larger the problem is. A share that does not depend on the length leaves room for the
// propagation that a short certificate may need.
#include "eval/check_meter.h"

#include "model/base/number.h"

enum {
  length_for_all = 1 << 18, // every certificate counts as if it were this much longer
  looks_of_byte = 1 << 10,
  size_share = 1 << 9,
  changes_for_all = 1 << 22,
  changes_of_variable = 16
};

const char memplan_check_meter_spent[] =
    "the check takes more work than one of a certificate of this length should: nothing is proven";

static int64_t multiply_saturated(int64_t a, int64_t b) { return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b; }

memplan_check_meter memplan_check_meter_start(size_t length, int64_t size) {
  int64_t bytes = length < INT64_MAX / 2 ? (int64_t)length : INT64_MAX / 2;
  return (memplan_check_meter){multiply_saturated(bytes + length_for_all, looks_of_byte + size / size_share)};
}

int64_t memplan_check_meter_changes(size_t length, int64_t size) {
  int64_t bytes = length < INT64_MAX / 4 ? (int64_t)length : INT64_MAX / 4;
  return memplan_add_saturated(changes_for_all + bytes, multiply_saturated(size, changes_of_variable));
}
