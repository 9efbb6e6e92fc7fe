// SPDX-License-Identifier: Apache-2.0
// Bounds on the order peak that hold for every order.
//
// While an operator runs, whatever it touches is in memory, and of its in-place pairs at most a matching is chosen;
// that some pairs may not be available only helps the bound. Aligned form: let a divide the alignment of all that the
// operator touches (and their residues be 0 modulo a). Then each thing, a chosen pair counting as one, occupies its
// size rounded up to a, except the topmost one.
#include "model/base/number.h"
#include "solvers/bounds.h"

typedef struct item_sizes {
  int64_t align; // common alignment, 1: none
  int64_t sum;   // of the sizes rounded up to it
  int64_t waste; // largest rounding
} item_sizes;

static void add_item(item_sizes *sizes, int64_t bytes) {
  if (bytes > 0) {
    int64_t rounded = memplan_align_up(bytes, sizes->align, 0);
    sizes->sum = memplan_add_saturated(sizes->sum, rounded);
    sizes->waste = rounded - bytes > sizes->waste ? rounded - bytes : sizes->waste;
  }
}

// Alignment that all storages outside the cells, and residents, share (0: there is none of them). Bytes live throughout
// may fill the gaps that roundings leave, unless they are aligned like the rest.
static int64_t base_alignment(const memplan_ordering *ordering) {
  const memplan_graph *graph = ordering->graph;
  int64_t align = 0;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    const memplan_storage *storage = &graph->storages[index];
    if (storage->bytes == 0 || ordering->cell_of_storage[index] >= 0 ||
        !memplan_ordering_in_arena(graph, &ordering->options, index)) {
      continue;
    }
    memplan_congruence offset;
    if (!memplan_ordering_alignment(ordering, index, &offset)) {
      return 1;
    }
    align = memplan_gcd(memplan_gcd(align, offset.align), offset.residue);
  }
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    const memplan_inner_weight *weight = &ordering->residents[k];
    memplan_congruence own = {weight->align, weight->residue}, all = {ordering->options.align, 0}, offset;
    if (memplan_congruence_join(own, all, &offset) != MEMPLAN_CONGRUENCE_OK) {
      return 1;
    }
    align = weight->bytes > 0 ? memplan_gcd(memplan_gcd(align, offset.align), offset.residue) : align;
  }
  return align;
}

// Alignment that every cell and the workspace of the operator share (0: there is none of them); 1 if their residues
// differ from 0.
static int64_t operator_alignment(const memplan_ordering *ordering, int32_t op) {
  const memplan_graph *graph = ordering->graph;
  int64_t align = 0;
  for (int32_t k = ordering->op_cell_first[op]; k < ordering->op_cell_first[op + 1]; k++) {
    const memplan_cell *cell = &ordering->cells[ordering->op_cells[k]];
    memplan_congruence offset = {1, 0};
    bool agrees = cell->storage >= 0
                      ? memplan_ordering_alignment(ordering, cell->storage, &offset)
                      : memplan_lcm(graph->ops[cell->op].workspace_align, ordering->options.align, &offset.align);
    if (!agrees) {
      return 1;
    }
    align = memplan_gcd(memplan_gcd(align, offset.align), offset.residue);
  }
  if (ordering->workspace[op] > 0) {
    int64_t own;
    if (!memplan_lcm(graph->ops[op].workspace_align, ordering->options.align, &own)) {
      return 1;
    }
    align = memplan_gcd(align, own);
  }
  return align;
}

// With the bases of pools, from which offsets are aligned.
static int64_t join_pools(const memplan_graph *graph, int64_t align) {
  for (int32_t pool = 0; pool < graph->n_pools; pool++) {
    align = memplan_gcd(align, graph->pools[pool].base);
  }
  return align == 0 ? 1 : align;
}

static int64_t common_alignment(const memplan_ordering *ordering, int32_t op) {
  return join_pools(ordering->graph, operator_alignment(ordering, op));
}

int64_t memplan_bound_alignment(const memplan_ordering *ordering) {
  int64_t align = base_alignment(ordering);
  for (int32_t op = 0; op < ordering->n_ops && align != 1; op++) {
    align = memplan_gcd(align, operator_alignment(ordering, op));
  }
  return join_pools(ordering->graph, align);
}

typedef struct matcher {
  memplan_pair *pairs; // of one operator, with savings in rounded sizes
  bool *available;
  int32_t *chosen;
} matcher;

// Bytes that the operator's best matching saves when sizes are rounded up to `align`; the roundings of merged pairs
// count as waste.
static int64_t best_saving(const memplan_ordering *ordering, int32_t op, matcher *scratch, item_sizes *sizes) {
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first;
  const memplan_graph *graph = ordering->graph;
  for (int32_t k = 0; k < count; k++) {
    memplan_pair pair = ordering->pairs[first + k];
    int64_t source = graph->storages[pair.input_storage].bytes, target = graph->storages[pair.output_storage].bytes;
    int64_t together = source + target - pair.saving;
    int64_t rounded = memplan_align_up(together, sizes->align, 0);
    sizes->waste = rounded - together > sizes->waste ? rounded - together : sizes->waste;
    pair.saving = memplan_align_up(source, sizes->align, 0) + memplan_align_up(target, sizes->align, 0) - rounded;
    scratch->pairs[k] = pair;
    scratch->available[k] = true;
  }
  memplan_matching matching;
  // Without memory for the best matching, the sum over all pairs is still no less than it saves.
  if (!memplan_pairs_match(scratch->pairs, 0, count, scratch->available, scratch->chosen, &matching)) {
    matching.most = 0;
    for (int32_t k = 0; k < count; k++) {
      matching.most = memplan_add_saturated(matching.most, scratch->pairs[k].saving);
    }
  }
  return matching.most;
}

// What the operator needs at least, with sizes rounded up to `align`.
static int64_t operator_bytes(const memplan_ordering *ordering, int32_t op, int64_t align, matcher *scratch) {
  item_sizes sizes = {.align = align};
  for (int32_t k = ordering->op_cell_first[op]; k < ordering->op_cell_first[op + 1]; k++) {
    add_item(&sizes, ordering->cells[ordering->op_cells[k]].bytes);
  }
  add_item(&sizes, ordering->workspace[op]);
  int64_t saving = best_saving(ordering, op, scratch, &sizes);
  return sizes.sum - saving - sizes.waste;
}

static memplan_status make_matcher(const memplan_ordering *ordering, memplan_arena *arena, matcher *scratch,
                                   memplan_error *error) {
  int32_t most = 0;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t count = ordering->pair_first[op + 1] - ordering->pair_first[op];
    most = count > most ? count : most;
  }
  scratch->pairs = MEMPLAN_NEW(arena, memplan_pair, most);
  scratch->available = MEMPLAN_NEW(arena, bool, most);
  scratch->chosen = MEMPLAN_NEW(arena, int32_t, most);
  if (scratch->pairs == NULL || scratch->available == NULL || scratch->chosen == NULL) {
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}

static void add_ends(const memplan_ordering *ordering, memplan_bound_list *list) {
  int64_t start = ordering->base + ordering->first_step, end = ordering->base;
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    start += ordering->cells[cell].init ? ordering->cells[cell].bytes : 0;
    end += ordering->cells[cell].keep ? ordering->cells[cell].bytes : 0;
  }
  memplan_bound_list_add(list, (memplan_bound){.kind = MEMPLAN_BOUND_INPUTS, .joint = true, .bytes = start, .step = 0});
  int32_t last = ordering->n_ops > 0 ? ordering->n_ops - 1 : 0;
  memplan_bound_list_add(list,
                         (memplan_bound){.kind = MEMPLAN_BOUND_OUTPUTS, .joint = true, .bytes = end, .step = last});
}

bool memplan_bound_has_one_order(const memplan_ordering *ordering) {
  for (int32_t op = 0; op + 1 < ordering->n_ops; op++) {
    bool follows = false;
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1] && !follows; k++) {
      follows = ordering->succ[k] == op + 1;
    }
    if (!follows) {
      return false;
    }
  }
  return ordering->n_ops > 0;
}

// The load of the only order.
static memplan_status add_only_order(const memplan_ordering *ordering, memplan_arena *arena, memplan_bound_list *list,
                                     memplan_error *error) {
  if (!memplan_bound_has_one_order(ordering)) {
    return MEMPLAN_OK;
  }
  int32_t *order = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  memplan_profile profile;
  if (order == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    order[op] = op;
  }
  MEMPLAN_TRY(memplan_ordering_profile(ordering, order, arena, &profile, error));
  memplan_bound_list_add(
      list, (memplan_bound){.kind = MEMPLAN_BOUND_LOAD, .joint = true, .bytes = profile.bound, .step = profile.step});
  return MEMPLAN_OK;
}

memplan_status memplan_bound_order(const memplan_ordering *ordering, memplan_bound_list *list, memplan_error *error) {
  memplan_arena arena = {0};
  matcher scratch;
  memplan_status status = make_matcher(ordering, &arena, &scratch, error);
  if (status != MEMPLAN_OK) {
    memplan_arena_free(&arena);
    return status;
  }
  memplan_bound plain = {.kind = MEMPLAN_BOUND_OPERATOR, .joint = true, .step = -1};
  memplan_bound aligned = {.kind = MEMPLAN_BOUND_ALIGNED_OPERATOR, .joint = true, .step = -1};
  int64_t shared = base_alignment(ordering);
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int64_t bytes = ordering->base + operator_bytes(ordering, op, 1, &scratch);
    if (plain.op == NULL || bytes > plain.bytes) {
      plain.bytes = bytes;
      plain.op = ordering->graph->ops[op].id;
    }
    int64_t align = common_alignment(ordering, op);
    int64_t base = shared % align == 0 ? ordering->base : 0;
    int64_t rounded = align > 1 ? base + operator_bytes(ordering, op, align, &scratch) : 0;
    if (rounded > aligned.bytes) {
      aligned.bytes = rounded;
      aligned.op = ordering->graph->ops[op].id;
    }
  }
  if (plain.op != NULL) {
    memplan_bound_list_add(list, plain);
  }
  if (aligned.op != NULL) {
    memplan_bound_list_add(list, aligned);
  }
  add_ends(ordering, list);
  status = add_only_order(ordering, &arena, list, error);
  memplan_arena_free(&arena);
  return status == MEMPLAN_OK ? memplan_bound_single_storage(ordering, list, error) : status;
}
