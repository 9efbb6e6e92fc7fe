// SPDX-License-Identifier: Apache-2.0
// Each rule is explained with the smallest numbers for which it still holds, so that a nogood excludes as much as it
// can:
//   overflow above a level x (late-set bound, and the section bound with x = threshold): each member needs x + 1.
//   rise: item j needs threshold + 1 (it cannot be the first then); a member k that may be the first forces
//   offset(j) >= bound(k) + height(k), so it needs only as much as j's need asks for; or k cannot be the first either.
#include "solvers/place_conflict.h"

bool memplan_conflict_init(memplan_conflict *conflict, const memplan_place_shape *shape, memplan_arena *arena) {
  *conflict = (memplan_conflict){.shape = shape};
  conflict->need = MEMPLAN_NEW(arena, int32_t, shape->n_items);
  conflict->items = MEMPLAN_NEW(arena, int32_t, shape->n_items);
  if (conflict->need == NULL || conflict->items == NULL) {
    return false;
  }
  for (int32_t item = 0; item < shape->n_items; item++) {
    conflict->need[item] = -1;
  }
  return true;
}

void memplan_conflict_clear(memplan_conflict *conflict) {
  for (int32_t k = 0; k < conflict->n_items; k++) {
    conflict->need[conflict->items[k]] = -1;
  }
  conflict->n_items = 0;
}

void memplan_conflict_add(memplan_conflict *conflict, int32_t item, int32_t least) {
  int32_t need = least <= 0 ? 0 : memplan_place_shape_weaken(conflict->shape, item, least);
  if (conflict->need[item] < 0) {
    conflict->items[conflict->n_items++] = item;
    conflict->need[item] = need;
  } else if (conflict->need[item] < need) {
    conflict->need[item] = need;
  }
}

void memplan_conflict_add_overflow(memplan_conflict *conflict, int32_t section, int32_t level, const int32_t *bound) {
  const memplan_place_shape *shape = conflict->shape;
  for (int32_t k = shape->first_member[section]; k < shape->first_member[section + 1]; k++) {
    int32_t item = shape->members[k].item;
    if (bound[item] > level && bound[item] >= 0) {
      memplan_conflict_add(conflict, item, level + 1);
    }
  }
}

void memplan_conflict_replace_rise(memplan_conflict *conflict, int32_t item, int32_t section, int32_t threshold,
                                   const int32_t *bound) {
  const memplan_place_shape *shape = conflict->shape;
  int32_t need = conflict->need[item];
  conflict->need[item] = memplan_place_shape_weaken(shape, item, threshold + 1 > 0 ? threshold + 1 : 0);
  for (int32_t k = shape->first_member[section]; k < shape->first_member[section + 1]; k++) {
    int32_t other = shape->members[k].item;
    if (other == item || bound[other] < 0) {
      continue;
    }
    int32_t below = need - shape->members[k].height;
    bool is_late = bound[other] > threshold;
    memplan_conflict_add(conflict, other, is_late && below > threshold + 1 ? threshold + 1 : below);
  }
}
