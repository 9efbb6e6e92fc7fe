// SPDX-License-Identifier: Apache-2.0
// Steps before the slice and behind it stay what they are, so that an item that was born before the slice is there from
// its start, and one that dies behind it stays to its end: both live on outside, next to others that do not move, and
// keep their offsets. Whatever lives in the slice alone is free. A pair of an operator of the slice may be chosen if
// the input does not live on and the output has not been born before; pairs of other operators tie only items that live
// outside too.
#include "solvers/joint_slice.h"

#include "solvers/joint_window.h"

#include <string.h>

typedef struct slicing {
  memplan_joint_slice *slice;
  const memplan_joint_graph *whole;
  const memplan_joint_layout *layout;
  int64_t limit;
  memplan_arena *arena;
  int32_t *inside; // scratch, operators of the slice
} slicing;

void memplan_joint_layout_live(const memplan_joint_graph *whole, memplan_joint_layout *layout) {
  int32_t n = whole->n_ops;
  for (int32_t item = 0; item < whole->n_items; item++) {
    const memplan_joint_item *entry = &whole->items[item];
    layout->first[item] = entry->init ? 0 : n;
    layout->last[item] = entry->keep ? n - 1 : entry->unread ? 0 : -1;
  }
  for (int32_t step = 0; step < n; step++) {
    layout->step[layout->order[step]] = step;
  }
  for (int32_t item = 0; item < whole->n_items; item++) {
    const memplan_joint_item *entry = &whole->items[item];
    for (int32_t k = 0; k < entry->n_births; k++) {
      int32_t step = layout->step[entry->births[k]];
      layout->first[item] = step < layout->first[item] ? step : layout->first[item];
    }
    for (int32_t k = 0; k < entry->n_deaths; k++) {
      int32_t step = layout->step[entry->deaths[k]];
      layout->last[item] = step > layout->last[item] ? step : layout->last[item];
    }
  }
}

// Those of the operators that run in the slice, as operators of its graph, and no others that an order of the slice can
// make the first (last) of them.
static const int32_t *ops_inside(const slicing *work, const int32_t *ops, int32_t count, bool last, int32_t *kept) {
  const memplan_joint_slice *slice = work->slice;
  int32_t n = 0;
  for (int32_t k = 0; k < count; k++) {
    int32_t step = work->layout->step[ops[k]];
    if (step >= slice->start && step < slice->end) {
      work->inside[n++] = step - slice->start;
    }
  }
  return memplan_joint_window_outermost(&slice->graph, work->inside, n, last, work->arena, kept);
}

static bool add_item(slicing *work, int32_t item, int32_t *item_of) {
  const memplan_joint_item *entry = &work->whole->items[item];
  memplan_joint_slice *slice = work->slice;
  memplan_joint_graph *graph = &slice->graph;
  int32_t first = work->layout->first[item], last = work->layout->last[item];
  item_of[item] = -1;
  if (first > last || last < slice->start || first >= slice->end) {
    return true;
  }
  item_of[item] = graph->n_items;
  slice->item[graph->n_items] = item;
  memplan_joint_item *made = &graph->items[graph->n_items++];
  *made = *entry;
  bool before = first < slice->start, behind = last >= slice->end;
  made->init = entry->init || before;
  made->keep = entry->keep || behind;
  made->births = made->deaths = NULL;
  made->n_births = made->n_deaths = 0;
  if (!made->init) {
    made->births = ops_inside(work, entry->births, entry->n_births, false, &made->n_births);
  }
  if (!made->keep && !made->unread) {
    made->deaths = ops_inside(work, entry->deaths, entry->n_deaths, true, &made->n_deaths);
  }
  if ((before || behind) && !entry->reserved) {
    made->pin = work->layout->offset[item];
    made->reserved = made->pin > work->limit - made->bytes;
  }
  return (made->init || made->births != NULL) && (made->keep || made->unread || made->deaths != NULL);
}

// Pairs whose input lives on, or whose output has been there before, cannot be chosen; those of an item above the limit
// are not asked for.
static void drop_pairs(memplan_joint_graph *graph) {
  int32_t kept = 0;
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    const memplan_joint_pair *pair = &graph->pairs[k];
    const memplan_joint_item *born = &graph->items[pair->born], *dying = &graph->items[pair->dying];
    if (!dying->keep && !born->init && !dying->reserved && !born->reserved) {
      graph->pairs[kept++] = *pair;
    }
  }
  graph->n_pairs = kept;
}

memplan_status memplan_joint_slice_init(memplan_joint_slice *slice, const memplan_joint_graph *whole,
                                        const memplan_joint_layout *layout, int32_t start, int32_t end, int64_t limit,
                                        memplan_arena *arena, memplan_error *error) {
  int32_t n = end - start;
  *slice = (memplan_joint_slice){
      .graph = {.ordering = whole->ordering, .n_ops = n, .unit = whole->unit}, .start = start, .end = end};
  memplan_joint_graph *graph = &slice->graph;
  slicing work = {slice, whole, layout, limit, arena, MEMPLAN_NEW(arena, int32_t, n)};
  int32_t *item_of = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  slice->item = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  graph->items = MEMPLAN_NEW(arena, memplan_joint_item, whole->n_items);
  graph->pairs = MEMPLAN_NEW(arena, memplan_joint_pair, whole->n_pairs);
  if (work.inside == NULL || item_of == NULL || slice->item == NULL || graph->items == NULL || graph->pairs == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_joint_window_order(graph, whole, layout->order + start, arena, error));
  for (int32_t item = 0; item < whole->n_items; item++) {
    if (!add_item(&work, item, item_of)) {
      return memplan_fail_nomem(error);
    }
  }
  memplan_joint_window_pairs(graph, whole, layout->order + start, item_of);
  drop_pairs(graph);
  memplan_joint_graph_divide(graph);
  return MEMPLAN_OK;
}

void memplan_joint_slice_write(const memplan_joint_slice *slice, const memplan_joint_graph *whole, const int32_t *steps,
                               const int64_t *offset, const int32_t *choice, int32_t n_choices, int32_t *order,
                               memplan_joint_layout *layout) {
  const memplan_joint_graph *graph = &slice->graph;
  int32_t n = slice->end - slice->start;
  for (int32_t k = 0; k < whole->n_pairs; k++) {
    int32_t step = layout->step[whole->pairs[k].op];
    layout->chosen[k] = layout->chosen[k] && (step < slice->start || step >= slice->end);
  }
  for (int32_t k = 0; k < n_choices; k++) {
    for (int32_t l = 0; l < whole->n_pairs; l++) {
      layout->chosen[l] = layout->chosen[l] || whole->pairs[l].index == graph->pairs[choice[k]].index;
    }
  }
  for (int32_t k = 0; k < n; k++) {
    order[k] = layout->order[slice->start + steps[k]];
  }
  memcpy(layout->order + slice->start, order, (size_t)n * sizeof *order);
  for (int32_t item = 0; item < graph->n_items; item++) {
    if (graph->items[item].pin < 0) { // what is held, or pinned anyway, stays
      layout->offset[slice->item[item]] = offset[item] * graph->unit;
    }
  }
  memplan_joint_layout_live(whole, layout);
}
