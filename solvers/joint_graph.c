// SPDX-License-Identifier: Apache-2.0
// The closure of the precedences under transitivity and groups (whoever precedes one member of a group precedes all),
// steps as early and as late as it allows, and items with their outermost births and deaths.
#include "solvers/joint_graph.h"

#include "model/base/number.h"

#include <stdio.h>
#include <string.h>

typedef struct builder {
  memplan_joint_graph *graph;
  const memplan_ordering *ordering;
  memplan_arena *arena;
  bool placed;
  const int32_t *leader;
} builder;

bool memplan_joint_graph_before(const memplan_joint_graph *graph, int32_t first, int32_t second) {
  return graph->before[(int64_t)first * graph->n_ops + second];
}

static bool is_among(const int32_t *list, int32_t n, int32_t entry) {
  for (int32_t k = 0; k < n; k++) {
    if (list[k] == entry) {
      return true;
    }
  }
  return false;
}

bool memplan_joint_pair_is_direct(const memplan_joint_graph *graph, const memplan_joint_pair *pair) {
  const memplan_joint_item *born = &graph->items[pair->born], *dying = &graph->items[pair->dying];
  return is_among(born->births, born->n_births, pair->op) && is_among(dying->deaths, dying->n_deaths, pair->op);
}

// Buffers of residents stand behind all others, in their order.
int32_t memplan_joint_graph_buffer(const memplan_joint_graph *graph, int32_t item, const memplan_instance *instance,
                                   const int32_t *storage_buffer, const int32_t *op_buffer) {
  const memplan_joint_item *entry = &graph->items[item];
  return entry->storage >= 0    ? storage_buffer[entry->storage]
         : entry->op >= 0       ? op_buffer[entry->op]
         : entry->resident >= 0 ? instance->n_buffers - graph->ordering->n_residents + entry->resident
                                : -1;
}

// ---- order

// The given order may be against precedences that pins force. `sequence`: whoever precedes another operator stands
// before it. `missing`: room for n.
static void find_sequence(const bool *before, int32_t n, int32_t *sequence, int32_t *missing) {
  int32_t count = 0;
  memset(missing, 0, (size_t)n * sizeof *missing);
  for (int32_t a = 0; a < n; a++) {
    for (int32_t b = 0; b < n; b++) {
      missing[b] += before[(int64_t)a * n + b];
    }
  }
  for (int32_t op = 0; op < n; op++) {
    if (missing[op] == 0) {
      sequence[count++] = op;
    }
  }
  for (int32_t at = 0; at < count; at++) {
    const bool *row = before + (int64_t)sequence[at] * n;
    for (int32_t b = 0; b < n; b++) {
      if (row[b] && --missing[b] == 0) {
        sequence[count++] = b;
      }
    }
  }
  for (int32_t op = 0; op < n && count < n; op++) { // on a circle, or behind one: no order is possible
    if (missing[op] > 0) {
      sequence[count++] = op;
    }
  }
}

// Backwards, so that rows of those behind are closed already. `row`: room for n.
static void close_transitively(bool *before, int32_t n, const int32_t *sequence, bool *row) {
  for (int32_t at = n - 1; at >= 0; at--) {
    bool *own = before + (int64_t)sequence[at] * n;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int32_t next = at + 1; next < n; next++) {
      int32_t b = sequence[next];
      const bool *other = before + (int64_t)b * n;
      if (!own[b] || row[b]) {
        continue;
      }
      for (int32_t c = 0; c < n; c++) {
        row[c] |= other[c];
      }
    }
    for (int32_t b = 0; b < n; b++) {
      own[b] |= row[b];
    }
  }
}

// Lets an edge between two groups hold for all of their members. True if that is news.
static bool spread_over_groups(builder *work) {
  int32_t n = work->graph->n_ops;
  bool *before = work->graph->before, news = false;
  for (int32_t a = 0; a < n; a++) {
    for (int32_t b = 0; b < n; b++) {
      int32_t first = work->leader[a], second = work->leader[b];
      if (first == second || !before[(int64_t)a * n + b]) {
        continue;
      }
      news |= !before[(int64_t)first * n + second];
      before[(int64_t)first * n + second] = true;
    }
  }
  for (int32_t a = 0; a < n; a++) {
    for (int32_t b = 0; b < n; b++) {
      if (work->leader[a] != work->leader[b] && before[(int64_t)work->leader[a] * n + work->leader[b]]) {
        news |= !before[(int64_t)a * n + b];
        before[(int64_t)a * n + b] = true;
      }
    }
  }
  return news;
}

static memplan_status find_order(builder *work, memplan_error *error) {
  memplan_joint_graph *graph = work->graph;
  int32_t n = graph->n_ops;
  int32_t *leader = MEMPLAN_NEW(work->arena, int32_t, n), *earliest = MEMPLAN_NEW(work->arena, int32_t, n);
  int32_t *latest = MEMPLAN_NEW(work->arena, int32_t, n);
  int32_t *sequence = MEMPLAN_NEW(work->arena, int32_t, n), *missing = MEMPLAN_NEW(work->arena, int32_t, n);
  bool *row = MEMPLAN_NEW(work->arena, bool, n);
  graph->before = MEMPLAN_NEW(work->arena, bool, (int64_t)n *n);
  if (leader == NULL || earliest == NULL || latest == NULL || sequence == NULL || missing == NULL || row == NULL ||
      graph->before == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < n; op++) {
    int32_t group = work->ordering->graph->ops[op].group;
    leader[op] = group >= 0 ? work->ordering->group_ops[work->ordering->group_first[group]] : op;
    for (int32_t k = work->ordering->succ_first[op]; k < work->ordering->succ_first[op + 1]; k++) {
      graph->before[(int64_t)op * n + work->ordering->succ[k]] = true;
    }
  }
  work->leader = graph->leader = leader;
  do {
    find_sequence(graph->before, n, sequence, missing);
    close_transitively(graph->before, n, sequence, row);
  } while (spread_over_groups(work));
  for (int32_t op = 0; op < n; op++) {
    latest[op] = n - 1;
  }
  for (int32_t a = 0; a < n; a++) {
    for (int32_t b = 0; b < n; b++) {
      if (graph->before[(int64_t)a * n + b]) {
        earliest[b]++;
        latest[a]--;
      }
    }
  }
  graph->earliest = earliest;
  graph->latest = latest;
  return MEMPLAN_OK;
}

// ---- items

// The members of a set that no other member precedes (follows, if `last`).
static const int32_t *outermost(const builder *work, const int32_t *ops, int32_t count, bool last, int32_t *kept) {
  int32_t *result = MEMPLAN_NEW(work->arena, int32_t, count);
  *kept = 0;
  for (int32_t k = 0; result != NULL && k < count; k++) {
    bool outer = true;
    for (int32_t l = 0; l < count && outer; l++) {
      outer = !(last ? memplan_joint_graph_before(work->graph, ops[k], ops[l])
                     : memplan_joint_graph_before(work->graph, ops[l], ops[k])) &&
              !(ops[l] == ops[k] && l < k);
    }
    if (outer) {
      result[(*kept)++] = ops[k];
    }
  }
  return result;
}

static memplan_joint_item *new_item(builder *work, int64_t bytes, const char *id) {
  memplan_joint_item *item = &work->graph->items[work->graph->n_items++];
  *item =
      (memplan_joint_item){.bytes = bytes, .align = 1, .pin = -1, .storage = -1, .op = -1, .resident = -1, .id = id};
  return item;
}

static memplan_status set_alignment(const builder *work, memplan_joint_item *item, memplan_congruence own,
                                    memplan_error *error) {
  const memplan_graph *graph = work->ordering->graph;
  memplan_congruence all = {work->ordering->options.align, 0}, both;
  if (!work->placed) {
    return MEMPLAN_OK;
  }
  if (memplan_congruence_join(own, all, &both) != MEMPLAN_CONGRUENCE_OK) {
    return memplan_fail(error, MEMPLAN_INPUT, "buffer '%s': its alignments contradict each other", item->id);
  }
  // The base of the pool comes before the alignment.
  int64_t base = graph->n_pools == 1 ? graph->pools[0].base % both.align : 0;
  item->align = both.align;
  item->residue = (both.residue - base + both.align) % both.align;
  return MEMPLAN_OK;
}

static memplan_status add_storage(builder *work, int32_t index, int32_t *item_of, memplan_error *error) {
  const memplan_ordering *ordering = work->ordering;
  const memplan_storage *storage = &ordering->graph->storages[index];
  item_of[index] = -1;
  if (storage->bytes == 0 || !memplan_ordering_in_arena(ordering->graph, &ordering->options, index)) {
    return MEMPLAN_OK;
  }
  item_of[index] = work->graph->n_items;
  memplan_joint_item *item = new_item(work, storage->bytes, ordering->graph->tensors[storage->root].id);
  int32_t index_of_cell = ordering->cell_of_storage[index];
  item->storage = index;
  item->pin = work->placed ? storage->pin : -1;
  if (index_of_cell < 0) {
    const uint8_t lasting = MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE | MEMPLAN_ROLE_OUTPUT;
    item->init = true;
    item->unread =
        storage->n_touches == 0 && ordering->options.io == MEMPLAN_IO_ARENA && (storage->roles & lasting) == 0;
    item->keep = !item->unread;
  } else {
    const memplan_cell *cell = &ordering->cells[index_of_cell];
    item->init = cell->init;
    item->keep = cell->keep;
    item->births =
        outermost(work, ordering->births + cell->first_birth, cell->init ? 0 : cell->n_births, false, &item->n_births);
    item->deaths = outermost(work, ordering->deaths + cell->first_death, cell->n_deaths, true, &item->n_deaths);
    if (item->births == NULL || item->deaths == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  return set_alignment(work, item, (memplan_congruence){storage->align, storage->residue}, error);
}

static memplan_status add_workspace(builder *work, int32_t op, memplan_error *error) {
  const memplan_ordering *ordering = work->ordering;
  int32_t cell = ordering->workspace_cell[op];
  int64_t bytes = cell >= 0 ? ordering->cells[cell].bytes : ordering->workspace[op];
  if (bytes == 0) {
    return MEMPLAN_OK;
  }
  memplan_joint_item *item = new_item(work, bytes, ordering->workspace_name[op]);
  int32_t own[2] = {op, cell >= 0 ? ordering->graph->ops[op].async_until : op};
  item->op = op;
  item->births = outermost(work, own, 1, false, &item->n_births);
  item->deaths = outermost(work, own, 2, true, &item->n_deaths);
  if (item->births == NULL || item->deaths == NULL) {
    return memplan_fail_nomem(error);
  }
  return set_alignment(work, item, (memplan_congruence){ordering->graph->ops[op].workspace_align, 0}, error);
}

static memplan_status add_fixed(builder *work, memplan_error *error) {
  const memplan_ordering *ordering = work->ordering;
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    const memplan_inner_weight *weight = &ordering->residents[k];
    if (weight->bytes > 0) {
      memplan_joint_item *item = new_item(work, weight->bytes, weight->id);
      item->resident = k;
      item->init = item->keep = true;
      MEMPLAN_TRY(set_alignment(work, item, (memplan_congruence){weight->align, weight->residue}, error));
    }
  }
  for (int32_t k = 0; work->placed && ordering->graph->n_pools == 1 && k < ordering->graph->pools[0].n_reserved; k++) {
    const memplan_interval *range = &ordering->graph->pools[0].reserved[k];
    if (range->end > range->start) {
      memplan_joint_item *item = new_item(work, range->end - range->start, "reserved");
      item->pin = range->start;
      item->init = item->keep = item->reserved = true;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status add_items(builder *work, memplan_error *error) {
  const memplan_ordering *ordering = work->ordering;
  memplan_joint_graph *graph = work->graph;
  int64_t reserved = ordering->graph->n_pools == 1 ? ordering->graph->pools[0].n_reserved : 0;
  graph->items = MEMPLAN_NEW(work->arena, memplan_joint_item,
                             ordering->graph->n_storages + (int64_t)ordering->n_ops + ordering->n_residents + reserved);
  int32_t *item_of = MEMPLAN_NEW(work->arena, int32_t, ordering->graph->n_storages);
  graph->pairs = MEMPLAN_NEW(work->arena, memplan_joint_pair, ordering->n_pairs);
  if (graph->items == NULL || item_of == NULL || graph->pairs == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < ordering->graph->n_storages; index++) {
    MEMPLAN_TRY(add_storage(work, index, item_of, error));
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    MEMPLAN_TRY(add_workspace(work, op, error));
  }
  MEMPLAN_TRY(add_fixed(work, error));
  for (int32_t k = 0; k < ordering->n_pairs; k++) {
    const memplan_pair *pair = &ordering->pairs[k];
    int32_t born = item_of[pair->output_storage], dying = item_of[pair->input_storage];
    if (born >= 0 && dying >= 0) {
      graph->pairs[graph->n_pairs++] = (memplan_joint_pair){pair->op, born, dying, pair->delta, pair->saving, k};
    }
  }
  return MEMPLAN_OK;
}

// ---- twins

static bool is_plain(const builder *work, int32_t op) {
  const memplan_ordering *ordering = work->ordering;
  const memplan_op *entry = &ordering->graph->ops[op];
  return entry->group < 0 && entry->async_until < 0 && ordering->pair_first[op] == ordering->pair_first[op + 1];
}

// The only item that the operator touches and gives birth to, if everyone else who touches it reads it without a pair.
static int32_t own_item(const memplan_joint_graph *graph, int32_t op) {
  int32_t own = -1;
  for (int32_t k = 0; k < graph->n_items; k++) {
    const memplan_joint_item *item = &graph->items[k];
    for (int32_t b = 0; b < item->n_births && item->op < 0; b++) {
      if (item->births[b] == op) {
        if (own >= 0 || item->n_births > 1) {
          return -1;
        }
        own = k;
      }
    }
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    if (graph->pairs[k].born == own || graph->pairs[k].dying == own) {
      return -1;
    }
  }
  return own;
}

static bool touch_alike(const builder *work, int32_t a, int32_t b, int32_t storage_a, int32_t storage_b) {
  const memplan_graph *graph = work->ordering->graph;
  int32_t ka = graph->op_touch_first[a], kb = graph->op_touch_first[b];
  int32_t ea = graph->op_touch_first[a + 1], eb = graph->op_touch_first[b + 1];
  if (ea - ka != eb - kb) {
    return false;
  }
  for (; ka < ea; ka++) {
    const memplan_touch *x = &graph->touches[graph->op_touches[ka]];
    bool found = x->storage == storage_a;
    for (int32_t k = kb; k < eb && !found; k++) {
      const memplan_touch *y = &graph->touches[graph->op_touches[k]];
      found = y->storage == x->storage && y->storage != storage_b && !x->writes && !y->writes;
    }
    if (!found) {
      return false;
    }
  }
  return true;
}

static bool same_users(const memplan_graph *graph, int32_t a, int32_t b, int32_t storage_a, int32_t storage_b) {
  const memplan_storage *x = &graph->storages[storage_a], *y = &graph->storages[storage_b];
  if (x->n_touches != y->n_touches || x->roles != y->roles) {
    return false;
  }
  for (int32_t k = 0; k < x->n_touches; k++) {
    int32_t user = graph->touches[x->first_touch + k].op;
    bool found = user == a;
    for (int32_t l = 0; l < y->n_touches && !found; l++) {
      found = graph->touches[y->first_touch + l].op == user && user != b;
    }
    if (!found) {
      return false;
    }
  }
  return true;
}

static bool same_neighbours(const memplan_joint_graph *graph, int32_t a, int32_t b) {
  for (int32_t c = 0; c < graph->n_ops; c++) {
    if (memplan_joint_graph_before(graph, a, c) != memplan_joint_graph_before(graph, b, c) ||
        memplan_joint_graph_before(graph, c, a) != memplan_joint_graph_before(graph, c, b)) {
      return false;
    }
  }
  return true;
}

static bool are_twins(const builder *work, int32_t a, int32_t b) {
  const memplan_ordering *ordering = work->ordering;
  const memplan_joint_graph *graph = work->graph;
  if (!is_plain(work, a) || !is_plain(work, b) || !same_neighbours(graph, a, b) || ordering->workspace[a] != 0 ||
      ordering->workspace[b] != 0) {
    return false;
  }
  int32_t own_a = own_item(graph, a), own_b = own_item(graph, b);
  if (own_a < 0 || own_b < 0) {
    return false;
  }
  const memplan_joint_item *x = &graph->items[own_a], *y = &graph->items[own_b];
  return x->bytes == y->bytes && x->align == y->align && x->residue == y->residue && x->pin < 0 && y->pin < 0 &&
         x->pools == y->pools && x->keep == y->keep && touch_alike(work, a, b, x->storage, y->storage) &&
         same_users(ordering->graph, a, b, x->storage, y->storage);
}

memplan_status memplan_joint_graph_find_twins(memplan_joint_graph *graph, memplan_arena *arena, memplan_error *error) {
  const builder work = {.graph = graph, .ordering = graph->ordering, .arena = arena};
  int32_t n = graph->n_ops, *twin = MEMPLAN_NEW(arena, int32_t, n);
  if (twin == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t b = 0; b < n; b++) {
    twin[b] = -1;
    for (int32_t a = b - 1; a >= 0 && twin[b] < 0; a--) {
      twin[b] = are_twins(&work, a, b) ? a : -1;
    }
  }
  graph->twin = twin;
  return MEMPLAN_OK;
}

// ---- units

void memplan_joint_graph_divide(memplan_joint_graph *graph) {
  int64_t unit = 0;
  for (int32_t k = 0; k < graph->n_items; k++) {
    const memplan_joint_item *item = &graph->items[k];
    unit = memplan_gcd(unit, item->bytes);
    unit = item->pin > 0 ? memplan_gcd(unit, item->pin) : unit;
    unit = memplan_gcd(unit, item->residue);
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    unit = memplan_gcd(memplan_gcd(unit, graph->pairs[k].delta), graph->pairs[k].saving);
  }
  unit = unit > 0 ? unit : 1;
  for (int64_t before = 0; before != unit;) { // a smaller unit may bring an alignment back
    before = unit;
    for (int32_t k = 0; k < graph->n_items; k++) {
      if (unit % graph->items[k].align != 0) {
        unit = memplan_gcd(unit, graph->items[k].align);
      }
    }
  }
  graph->unit *= unit;
  int64_t high = 0;
  for (int32_t k = 0; k < graph->n_items; k++) {
    memplan_joint_item *item = &graph->items[k];
    item->bytes /= unit;
    item->residue /= unit;
    item->align = unit % item->align == 0 ? 1 : item->align / unit;
    item->residue %= item->align;
    item->pin = item->pin >= 0 ? item->pin / unit : -1;
    high = item->pin >= 0 && item->pin + item->bytes > high ? item->pin + item->bytes : high;
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    graph->pairs[k].delta /= unit;
    graph->pairs[k].saving /= unit;
  }
  graph->naive = high;
  for (int32_t k = 0; k < graph->n_items; k++) {
    graph->naive = memplan_add_saturated(graph->naive, graph->items[k].bytes + graph->items[k].align - 1);
  }
}

static memplan_status check_pools(const memplan_ordering *ordering, bool placed, memplan_error *error) {
  return placed && ordering->graph->n_pools > 1
             ? memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has %d pools, and the integer program knows one",
                            ordering->graph->n_pools)
             : MEMPLAN_OK;
}

static memplan_status start(memplan_joint_graph *graph, const memplan_ordering *ordering, bool placed, int32_t most,
                            memplan_arena *arena, builder *work, memplan_error *error) {
  *graph = (memplan_joint_graph){.ordering = ordering, .n_ops = ordering->n_ops, .unit = 1};
  if (ordering->n_ops > most) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "an integer program over orders takes at most %d operators, not %d",
                        most, ordering->n_ops);
  }
  if (ordering->one_order) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "all its sizes together pass 2^62 bytes");
  }
  *work = (builder){.graph = graph, .ordering = ordering, .arena = arena, .placed = placed};
  MEMPLAN_TRY(find_order(work, error));
  return add_items(work, error);
}

memplan_status memplan_joint_graph_init(memplan_joint_graph *graph, const memplan_ordering *ordering, bool placed,
                                        memplan_arena *arena, memplan_error *error) {
  builder work;
  MEMPLAN_TRY(check_pools(ordering, placed, error));
  MEMPLAN_TRY(start(graph, ordering, placed, MEMPLAN_JOINT_BUILT, arena, &work, error));
  memplan_joint_graph_divide(graph);
  return memplan_joint_graph_find_twins(graph, arena, error);
}

memplan_status memplan_joint_graph_outline(memplan_joint_graph *graph, const memplan_ordering *ordering,
                                           memplan_arena *arena, memplan_error *error) {
  builder work;
  MEMPLAN_TRY(check_pools(ordering, true, error));
  return start(graph, ordering, true, MEMPLAN_JOINT_OUTLINED, arena, &work, error);
}

memplan_status memplan_joint_graph_unplaced(memplan_joint_graph *graph, const memplan_ordering *ordering,
                                            memplan_arena *arena, memplan_error *error) {
  builder work;
  return start(graph, ordering, true, MEMPLAN_JOINT_BUILT, arena, &work, error);
}
