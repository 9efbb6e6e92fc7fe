// SPDX-License-Identifier: Apache-2.0
// The one list of all methods: the heuristics by their own registry, then the exact ones.
#include "model/memplan.h"
#include "solvers/ilp_methods.h"
#include "solvers/joint_exhaust.h"
#include "solvers/joint_whole.h"
#include "solvers/order_optimal.h"
#include "solvers/place_optimal.h"

static const memplan_method *const exact[] = {
    &memplan_order_optimal_method,   &memplan_place_optimal_method, &memplan_ilp_order_method,
    &memplan_ilp_order_steps_method, &memplan_ilp_place_method,     &memplan_ilp_joint_method,
    &memplan_ilp_joint_steps_method, &memplan_joint_engine_method,  &memplan_joint_nogoods_method,
};

const memplan_method *memplan_method_at(int32_t index) {
  int32_t n_heuristics = 0;
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if (n_heuristics++ == index) {
      return *entry;
    }
  }
  index -= n_heuristics;
  return index >= 0 && index < (int32_t)(sizeof exact / sizeof exact[0]) ? exact[index] : NULL;
}
