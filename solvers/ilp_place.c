// SPDX-License-Identifier: Apache-2.0
// References: the pairwise formulation is the common one for dynamic storage allocation and strip packing; the rows of
// sections are those of a machine on which all members run one after the other along the axis of offsets.
#include "solvers/ilp_place.h"

#include <string.h>

typedef struct builder {
  const memplan_place_problem *problem;
  memplan_ilp *model;
  int32_t *first_column;
  const char **label;
  int64_t *low, *high;        // by item: least and largest offset under the ceiling
  memplan_ilp_literal *above; // by exclusion, from the smaller item: the other one lies above
  int32_t *single;            // n x n: exclusion of the pair if it is the only one, else -1; NULL: too many items
  int32_t peak;
  int64_t bound, ceiling;
} builder;

enum { most_items = 4000 };

static void add_offset(const builder *work, int64_t factor, int32_t item) {
  const memplan_offset_set *set = &work->problem->offsets[item];
  int32_t column = work->first_column[item];
  if (set->n_ranges == 1) {
    memplan_ilp_row_add(work->model, factor * set->step, memplan_ilp_of(column));
    memplan_ilp_row_add(work->model, factor, memplan_ilp_constant(set->ranges[0].first));
    return;
  }
  for (int32_t range = 0; range < set->n_ranges; range++) {
    memplan_ilp_row_add(work->model, factor * set->ranges[range].first, memplan_ilp_of(column + 2 * range));
    memplan_ilp_row_add(work->model, factor * set->step, memplan_ilp_of(column + 2 * range + 1));
  }
}

static void add_ranges(const builder *work, int32_t item) {
  const memplan_offset_set *set = &work->problem->offsets[item];
  memplan_ilp_kind kind = set->step > 1 ? MEMPLAN_ILP_INTEGER : MEMPLAN_ILP_CONTINUOUS;
  if (set->n_ranges == 1) {
    int64_t last = set->ranges[0].last < work->high[item] ? set->ranges[0].last : work->high[item];
    (void)memplan_ilp_column_add(work->model, kind, 0, (last - set->ranges[0].first) / set->step, "%s.%s",
                                 set->step > 1 ? "step" : "off", work->label[item]);
    return;
  }
  for (int32_t range = 0; range < set->n_ranges; range++) {
    int64_t most = (set->ranges[range].last - set->ranges[range].first) / set->step;
    int32_t in = memplan_ilp_column_add(work->model, MEMPLAN_ILP_BINARY, 0, 1, "range.%s.%d", work->label[item], range);
    int32_t at = memplan_ilp_column_add(work->model, kind, 0, most, "step.%s.%d", work->label[item], range);
    memplan_ilp_row_open(work->model);
    memplan_ilp_row_add(work->model, 1, memplan_ilp_of(at));
    memplan_ilp_row_add(work->model, -most, memplan_ilp_of(in));
    memplan_ilp_row_close(work->model, -MEMPLAN_ILP_NONE, 0, false, "range");
  }
  memplan_ilp_row_open(work->model);
  for (int32_t range = 0; range < set->n_ranges; range++) {
    memplan_ilp_row_add(work->model, 1, memplan_ilp_of(work->first_column[item] + 2 * range));
  }
  memplan_ilp_row_close(work->model, 1, 1, false, "one_range");
}

static void add_item(builder *work, int32_t item) {
  const memplan_offset_set *set = &work->problem->offsets[item];
  work->first_column[item] = work->model->n_columns;
  work->low[item] = memplan_offset_set_up(set, 0);
  work->high[item] = memplan_offset_set_down(set, work->ceiling - work->problem->size[item]);
  if (work->low[item] == INT64_MAX || work->high[item] < 0) {
    memplan_ilp_row_open(work->model); // no place at all: a row that nothing meets
    memplan_ilp_row_add(work->model, 1, memplan_ilp_of(work->peak));
    memplan_ilp_row_close(work->model, work->ceiling + 1, MEMPLAN_ILP_NONE, false, "no_place");
    work->low[item] = work->high[item] = 0;
    work->first_column[item] =
        memplan_ilp_column_add(work->model, MEMPLAN_ILP_CONTINUOUS, 0, 0, "off.%s", work->label[item]);
    return;
  }
  add_ranges(work, item);
  memplan_ilp_row_open(work->model);
  memplan_ilp_row_add(work->model, 1, memplan_ilp_of(work->peak));
  add_offset(work, -1, item);
  memplan_ilp_row_close(work->model, work->problem->size[item], MEMPLAN_ILP_NONE, false, "end");
}

static void add_exclusion(builder *work, int32_t item, int32_t k) {
  const memplan_exclusion *exclusion = &work->problem->exclusions[k];
  int32_t other = exclusion->other;
  bool can_up = work->high[other] >= work->low[item] + exclusion->up;
  bool can_down = work->high[item] >= work->low[other] + exclusion->down;
  memplan_ilp_literal above = memplan_ilp_constant(can_up ? 1 : 0);
  if (can_up && can_down) {
    above = memplan_ilp_of(memplan_ilp_column_add(work->model, MEMPLAN_ILP_BINARY, 0, 1, "above.%s.%s",
                                                  work->label[other], work->label[item]));
  }
  work->above[k] = above;
  // off(other) - off(item) >= up, unless it lies below
  int64_t most = exclusion->up + work->high[item] - work->low[other];
  if (most > 0 && !memplan_ilp_is_constant(above, 0)) {
    memplan_ilp_row_open(work->model);
    add_offset(work, 1, other);
    add_offset(work, -1, item);
    memplan_ilp_row_add(work->model, most, memplan_ilp_not(above));
    memplan_ilp_row_close(work->model, exclusion->up, MEMPLAN_ILP_NONE, false, "above");
  }
  most = exclusion->down + work->high[other] - work->low[item];
  if (most > 0 && !memplan_ilp_is_constant(above, 1)) {
    memplan_ilp_row_open(work->model);
    add_offset(work, 1, item);
    add_offset(work, -1, other);
    memplan_ilp_row_add(work->model, most, above);
    memplan_ilp_row_close(work->model, exclusion->down, MEMPLAN_ILP_NONE, false, "below");
  }
}

static void add_exclusions(builder *work) {
  const memplan_place_problem *problem = work->problem;
  int32_t n = problem->n_items;
  for (int32_t item = 0; item < n; item++) {
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      int32_t other = problem->exclusions[k].other;
      if (other > item) {
        int32_t *slot = work->single != NULL ? &work->single[(int64_t)item * n + other] : NULL;
        if (slot != NULL) {
          *slot = *slot == 0 ? k + 1 : -1;
        }
        add_exclusion(work, item, k);
      }
    }
  }
}

// "a lies below b", where one exclusion says it all.
static bool below(const builder *work, int32_t a, int32_t b, memplan_ilp_literal *literal) {
  int32_t n = work->problem->n_items;
  int32_t k = a < b ? work->single[(int64_t)a * n + b] : work->single[(int64_t)b * n + a];
  if (k <= 0) {
    return false;
  }
  *literal = a < b ? work->above[k - 1] : memplan_ilp_not(work->above[k - 1]);
  return true;
}

static void add_section(const builder *work, int32_t section) {
  const memplan_place_problem *problem = work->problem;
  const memplan_section_member *first = &problem->members[problem->first_member[section]];
  int32_t count = problem->first_member[section + 1] - problem->first_member[section];
  int64_t floor = INT64_MAX;
  for (int32_t k = 0; k < count; k++) {
    int64_t low = work->low[first[k].item] + first[k].low;
    floor = low < floor ? low : floor;
  }
  for (int32_t b = 0; b < count; b++) {
    for (int side = 0; side < 2; side++) {
      memplan_ilp_literal literal;
      memplan_ilp_row_open(work->model);
      for (int32_t a = 0; a < count; a++) {
        if (a != b && below(work, first[a].item, first[b].item, &literal)) {
          memplan_ilp_row_add(work->model, first[a].low - first[a].high,
                              side == 0 ? literal : memplan_ilp_not(literal));
        }
      }
      if (side == 0) {
        add_offset(work, 1, first[b].item);
        memplan_ilp_row_close(work->model, floor - first[b].low, MEMPLAN_ILP_NONE, false, "stack");
      } else {
        memplan_ilp_row_add(work->model, 1, memplan_ilp_of(work->peak));
        add_offset(work, -1, first[b].item);
        memplan_ilp_row_close(work->model, first[b].high, MEMPLAN_ILP_NONE, false, "hang");
      }
    }
  }
}

// ---- symmetry

static bool same_exclusions(const memplan_place_problem *problem, int32_t a, int32_t b) {
  int32_t ka = problem->first_exclusion[a], kb = problem->first_exclusion[b];
  int32_t ea = problem->first_exclusion[a + 1], eb = problem->first_exclusion[b + 1];
  for (; ka < ea || kb < eb; ka++, kb++) {
    while (ka < ea && problem->exclusions[ka].other == b) {
      ka++;
    }
    while (kb < eb && problem->exclusions[kb].other == a) {
      kb++;
    }
    if (ka == ea || kb == eb) {
      return ka == ea && kb == eb;
    }
    const memplan_exclusion *x = &problem->exclusions[ka], *y = &problem->exclusions[kb];
    if (x->other != y->other || x->up != y->up || x->down != y->down) {
      return false;
    }
  }
  return true;
}

// Nothing tells the two apart, and they exclude each other by their sizes.
static bool are_twins(const builder *work, int32_t a, int32_t b) {
  const memplan_place_problem *problem = work->problem;
  int32_t k = work->single[(int64_t)a * problem->n_items + b];
  if (k <= 0 || problem->size[a] != problem->size[b] || problem->exclusions[k - 1].up != problem->size[a] ||
      problem->exclusions[k - 1].down != problem->size[a] || problem->offsets[a].step != problem->offsets[b].step ||
      problem->offsets[a].n_ranges != problem->offsets[b].n_ranges) {
    return false;
  }
  for (int32_t r = 0; r < problem->offsets[a].n_ranges; r++) {
    if (problem->offsets[a].ranges[r].first != problem->offsets[b].ranges[r].first ||
        problem->offsets[a].ranges[r].last != problem->offsets[b].ranges[r].last) {
      return false;
    }
  }
  return same_exclusions(problem, a, b);
}

static void fix(memplan_ilp *model, memplan_ilp_literal literal) {
  if (literal.column >= 0 && !model->out_of_memory) {
    model->columns[literal.column].lower = 1;
  }
}

// off -> peak - size - off maps solutions to solutions.
static bool is_flat(const memplan_place_problem *problem) {
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    if (set->n_ranges != 1 || set->step != 1 || set->ranges[0].first != 0) {
      return false;
    }
    // A pin or an end of its own would show as a last offset that differs from the others'.
    if (set->ranges[0].last + problem->size[item] != problem->offsets[0].ranges[0].last + problem->size[0]) {
      return false;
    }
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      const memplan_exclusion *exclusion = &problem->exclusions[k];
      if (exclusion->up != problem->size[item] || exclusion->down != problem->size[exclusion->other]) {
        return false;
      }
    }
  }
  return true;
}

static bool break_symmetry(builder *work, memplan_arena *arena) {
  const memplan_place_problem *problem = work->problem;
  int32_t n = problem->n_items;
  bool *twin = MEMPLAN_NEW(arena, bool, n);
  if (twin == NULL) {
    return false;
  }
  for (int32_t a = 0; a < n; a++) {
    for (int32_t k = problem->first_exclusion[a]; k < problem->first_exclusion[a + 1]; k++) {
      int32_t b = problem->exclusions[k].other;
      if (b > a && are_twins(work, a, b)) {
        twin[a] = twin[b] = true;
        fix(work->model, work->above[k]);
      }
    }
  }
  int32_t best = -1;
  int64_t most = 0;
  bool flat = is_flat(problem);
  for (int32_t a = 0; a < n && flat; a++) {
    for (int32_t k = problem->first_exclusion[a]; k < problem->first_exclusion[a + 1] && !twin[a]; k++) {
      int32_t b = problem->exclusions[k].other;
      int64_t weight = problem->size[a] + problem->size[b];
      if (b > a && !twin[b] && work->above[k].column >= 0 && weight > most) {
        most = weight;
        best = k;
      }
    }
  }
  if (best >= 0) {
    fix(work->model, work->above[best]);
  }
  return true;
}

static bool allocate(builder *work, memplan_arena *scratch) {
  const memplan_place_problem *problem = work->problem;
  int32_t n = problem->n_items;
  work->first_column = MEMPLAN_NEW(&work->model->arena, int32_t, n + 1);
  work->label = MEMPLAN_NEW(scratch, const char *, n);
  work->low = MEMPLAN_NEW(scratch, int64_t, n);
  work->high = MEMPLAN_NEW(scratch, int64_t, n);
  work->above = MEMPLAN_NEW(scratch, memplan_ilp_literal, problem->first_exclusion[n]);
  work->single = MEMPLAN_NEW(scratch, int32_t, (int64_t)n * n);
  return work->first_column != NULL && work->label != NULL && work->low != NULL && work->high != NULL &&
         work->above != NULL && work->single != NULL;
}

static memplan_status build(builder *work, const char *const *ids, memplan_arena *scratch, memplan_error *error) {
  if (!allocate(work, scratch)) {
    return memplan_fail_nomem(error);
  }
  memplan_ilp *model = work->model;
  work->peak = memplan_ilp_column_add(model, MEMPLAN_ILP_INTEGER, work->bound, work->ceiling, "peak");
  for (int32_t item = 0; item < work->problem->n_items; item++) {
    work->label[item] = memplan_ilp_label(model, ids[item]);
    add_item(work, item);
  }
  work->first_column[work->problem->n_items] = model->n_columns;
  add_exclusions(work);
  for (int32_t section = 0; section < work->problem->n_sections; section++) {
    add_section(work, section);
  }
  if (!break_symmetry(work, scratch)) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_ilp_status(model, error));
  model->columns[work->peak].cost = 1;
  return MEMPLAN_OK;
}

memplan_status memplan_ilp_place_build(const memplan_place_problem *problem, const char *const *ids, int64_t bound,
                                       int64_t ceiling, memplan_ilp *model, memplan_ilp_place *place,
                                       memplan_error *error) {
  if (problem->n_items > most_items) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "an integer program takes at most %d buffers; this one has %d",
                        (int)most_items, problem->n_items);
  }
  memplan_arena scratch = {0};
  builder work = {.problem = problem, .model = model, .bound = bound, .ceiling = ceiling};
  memplan_status status = build(&work, ids, &scratch, error);
  memplan_arena_free(&scratch);
  *place = (memplan_ilp_place){problem, work.peak, work.first_column};
  return status;
}

void memplan_ilp_place_read(const memplan_ilp_place *place, const int64_t *value, int64_t *wish) {
  const memplan_place_problem *problem = place->problem;
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    const int64_t *own = &value[place->first_column[item]];
    wish[item] = set->n_ranges == 1 ? set->ranges[0].first + set->step * own[0] : 0;
    for (int32_t range = 0; set->n_ranges > 1 && range < set->n_ranges; range++) {
      wish[item] += set->ranges[range].first * own[2 * range] + set->step * own[2 * range + 1];
    }
  }
}
