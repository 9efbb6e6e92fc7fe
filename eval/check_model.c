// SPDX-License-Identifier: Apache-2.0
#include "eval/check_model.h"

#include "model/base/grow.h"
#include "model/base/number.h"
#include "model/part_meetings.h"

#include <stdlib.h>

enum { most_pairs = 1 << 20 }; // more than any engine learns about

typedef struct maker {
  const memplan_instance *instance;
  const memplan_pool *pool;
  memplan_arena *arena;
  memplan_arena scratch;
  memplan_check_model *model;
  int64_t top;
  memplan_interval *open; // open intervals under way
  int64_t n_open, open_capacity;
  int32_t *room; // for a walk over the parts of two blocks
  bool indivisible, nomem, too_many;
} maker;

static int compare_intervals(const void *a, const void *b) {
  const memplan_interval *x = a, *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  return (x->end > y->end) - (x->end < y->end);
}

static void add_open(maker *work, int64_t start, int64_t end) {
  memplan_interval *open =
      memplan_grow_in(&work->scratch, work->open, work->n_open, &work->open_capacity, sizeof *open);
  if (open == NULL) {
    work->nomem = true;
    return;
  }
  work->open = open;
  open[work->n_open++] = (memplan_interval){start, end};
}

// Joins open intervals with a common point.
static void merge_open(maker *work) {
  if (work->n_open < 2) {
    return;
  }
  qsort(work->open, (size_t)work->n_open, sizeof *work->open, compare_intervals);
  int64_t kept = 0;
  for (int64_t k = 1; k < work->n_open; k++) {
    memplan_interval next = work->open[k], *last = &work->open[kept];
    if (next.start >= last->end) {
      work->open[++kept] = next;
    } else if (next.end > last->end) {
      last->end = next.end;
    }
  }
  work->n_open = kept + 1;
}

static int64_t divided(maker *work, int64_t bytes) {
  work->indivisible = work->indivisible || bytes % work->model->unit != 0;
  return bytes / work->model->unit;
}

// ---- offsets

static void add_range(maker *work, const memplan_block *block, int64_t low, int64_t high, memplan_check_item *item,
                      memplan_check_range *ranges) {
  int64_t base = work->pool->base, unit = work->model->unit;
  if (low > high) {
    return;
  }
  int64_t first = memplan_align_up(base + low, block->align, block->residue) - base;
  if (first <= high) {
    first = divided(work, first);
    int64_t last = high / unit;
    if (first <= last) {
      ranges[item->n_ranges++] = (memplan_check_range){first, first + (last - first) / item->step * item->step};
    }
  }
}

static void make_item(maker *work, int32_t index, int32_t block_index) {
  const memplan_instance *instance = work->instance;
  const memplan_block *block = &instance->blocks[block_index];
  const memplan_pool *pool = work->pool;
  memplan_check_item *item = &work->model->items[index];
  int64_t unit = work->model->unit;
  *item = (memplan_check_item){.block = block_index, .size = divided(work, block->bytes)};
  item->step = block->align % unit == 0 ? block->align / unit : 1;
  work->indivisible = work->indivisible || (block->align % unit != 0 && unit % block->align != 0);
  work->n_open = 0;
  for (int32_t m = 0; m < block->n_members; m++) {
    const memplan_member *member = &instance->members[block->first_member + m];
    int64_t bytes = instance->buffers[member->buffer].bytes;
    for (int32_t k = 0; k < pool->n_reserved && bytes > 0; k++) {
      if (pool->reserved[k].start < pool->reserved[k].end) {
        add_open(work, pool->reserved[k].start - member->delta - bytes, pool->reserved[k].end - member->delta);
      }
    }
  }
  merge_open(work);
  memplan_check_range *ranges = MEMPLAN_NEW(work->arena, memplan_check_range, work->n_open + 1);
  if (ranges == NULL) {
    work->nomem = true;
    return;
  }
  item->ranges = ranges;
  int64_t low = block->pin >= 0 ? block->pin : 0, high = work->top - block->bytes;
  high = block->pin >= 0 && block->pin < high ? block->pin : high;
  for (int64_t k = 0; k < work->n_open; k++) {
    add_range(work, block, low, work->open[k].start < high ? work->open[k].start : high, item, ranges);
    low = work->open[k].end > low ? work->open[k].end : low;
  }
  add_range(work, block, low, high, item, ranges);
}

static int32_t range_from(const memplan_check_item *item, int64_t value) {
  int32_t low = 0, high = item->n_ranges;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (item->ranges[middle].last >= value) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

int64_t memplan_check_item_up(const memplan_check_item *item, int64_t value) {
  int32_t at = range_from(item, value);
  if (at == item->n_ranges) {
    return INT64_MAX;
  }
  int64_t first = item->ranges[at].first;
  return value <= first ? first : first + (value - first + item->step - 1) / item->step * item->step;
}

int64_t memplan_check_item_down(const memplan_check_item *item, int64_t value) {
  int32_t at = range_from(item, value);
  if (at < item->n_ranges && item->ranges[at].first <= value) {
    int64_t first = item->ranges[at].first;
    return first + (value - first) / item->step * item->step;
  }
  return at == 0 ? -1 : item->ranges[at - 1].last;
}

// ---- pairs

static void forbid(maker *work, const memplan_block *a, const memplan_block *b, int32_t b_index) {
  const memplan_instance *instance = work->instance;
  memplan_part_meetings walk;
  int32_t k_a, k_b;
  work->n_open = 0;
  memplan_part_meetings_begin(&walk, instance->parts, a, b, work->room);
  while (a->start < b->end && b->start < a->end && !work->nomem && memplan_part_meetings_next(&walk, &k_a, &k_b)) {
    const memplan_part *x = &instance->parts[k_a], *y = &instance->parts[k_b];
    memplan_interval next = {x->low - y->high, x->high - y->low};
    const memplan_interval *last = work->n_open > 0 ? &work->open[work->n_open - 1] : NULL;
    if (last == NULL || last->start != next.start || last->end != next.end) {
      add_open(work, next.start, next.end);
    }
  }
  for (int32_t k = a->first_apart; k < a->first_apart + a->n_apart; k++) {
    const memplan_apart *rule = &instance->apart[k];
    if (rule->block == b_index) {
      add_open(work, rule->low - rule->other_high, rule->high - rule->other_low);
    }
  }
  merge_open(work);
}

static void make_pairs(maker *work) {
  memplan_check_model *model = work->model;
  memplan_check_pair *pairs = NULL;
  int64_t capacity = 0;
  for (int32_t a = 0; a < model->n_items && !work->nomem && !work->too_many; a++) {
    model->first_pair[a] = model->n_pairs;
    for (int32_t b = a + 1; b < model->n_items; b++) {
      int32_t b_block = model->items[b].block;
      forbid(work, &work->instance->blocks[model->items[a].block], &work->instance->blocks[b_block], b_block);
      for (int64_t k = 0; k < work->n_open; k++) {
        pairs = memplan_grow_in(work->arena, pairs, model->n_pairs, &capacity, sizeof *pairs);
        work->nomem = pairs == NULL;
        work->too_many = model->n_pairs == most_pairs;
        if (work->nomem || work->too_many) {
          return;
        }
        pairs[model->n_pairs++] =
            (memplan_check_pair){a, b, divided(work, work->open[k].start), divided(work, work->open[k].end)};
      }
    }
  }
  model->first_pair[model->n_items] = model->n_pairs;
  model->pairs = pairs;
}

static void index_touches(maker *work) {
  memplan_check_model *model = work->model;
  model->first_touch = MEMPLAN_NEW(work->arena, int32_t, model->n_items + 2);
  model->touches = MEMPLAN_NEW(work->arena, int32_t, 2 * (int64_t)model->n_pairs);
  if (model->first_touch == NULL || model->touches == NULL) {
    work->nomem = true;
    return;
  }
  int32_t *next = model->first_touch + 1;
  for (int32_t k = 0; k < model->n_pairs; k++) {
    next[model->pairs[k].a + 1]++;
    next[model->pairs[k].b + 1]++;
  }
  for (int32_t k = 1; k <= model->n_items; k++) {
    next[k] += next[k - 1];
  }
  for (int32_t k = 0; k < model->n_pairs; k++) {
    model->touches[next[model->pairs[k].a]++] = k;
    model->touches[next[model->pairs[k].b]++] = k;
  }
}

memplan_status memplan_check_model_build(const memplan_instance *instance, int32_t pool, const int32_t *blocks,
                                         int32_t n_blocks, int64_t unit, int64_t top, memplan_arena *arena,
                                         memplan_check_model *model, memplan_error *error) {
  *model = (memplan_check_model){.n_items = n_blocks, .unit = unit};
  maker work = {.instance = instance, .pool = &instance->pools[pool], .arena = arena, .model = model, .top = top};
  model->items = MEMPLAN_NEW(arena, memplan_check_item, n_blocks);
  model->first_pair = MEMPLAN_NEW(arena, int32_t, n_blocks + 1);
  work.room = MEMPLAN_NEW(&work.scratch, int32_t, instance->n_parts);
  work.nomem = model->items == NULL || model->first_pair == NULL || work.room == NULL;
  for (int32_t k = 0; k < n_blocks && !work.nomem; k++) {
    make_item(&work, k, blocks[k]);
  }
  if (!work.nomem) {
    make_pairs(&work);
  }
  if (!work.nomem && !work.too_many) {
    index_touches(&work);
  }
  memplan_arena_free(&work.scratch);
  if (work.nomem) {
    return memplan_fail_nomem(error);
  }
  if (work.too_many) {
    return memplan_fail(error, MEMPLAN_INPUT, "more than %d pairs of its buffers meet", (int)most_pairs);
  }
  return work.indivisible
             ? memplan_fail(error, MEMPLAN_INPUT, "the unit of %lld bytes does not divide the problem", (long long)unit)
             : MEMPLAN_OK;
}

// ---- questions

bool memplan_check_windows_apart(const memplan_check_model *model, int32_t i, int64_t i_low, int64_t i_high, int32_t j,
                                 int64_t j_low, int64_t j_high) {
  if (i == j) {
    return i_high <= j_low || j_high <= i_low;
  }
  if (i > j) {
    return memplan_check_windows_apart(model, j, j_low, j_high, i, i_low, i_high);
  }
  int32_t low = model->first_pair[i], high = model->first_pair[i + 1];
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (model->pairs[middle].b < j) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < model->first_pair[i + 1] && model->pairs[low].b == j; low++) {
    if (model->pairs[low].low <= i_low - j_high && i_high - j_low <= model->pairs[low].high) {
      return true;
    }
  }
  return false;
}

static bool equal_ranges(const memplan_check_item *x, const memplan_check_item *y) {
  bool equal = x->n_ranges == y->n_ranges && x->step == y->step && x->size == y->size;
  for (int32_t k = 0; k < x->n_ranges && equal; k++) {
    equal = x->ranges[k].first == y->ranges[k].first && x->ranges[k].last == y->ranges[k].last;
  }
  return equal;
}

// The pair seen from `from`: other item, and the open interval of off(other) - off(from).
static memplan_check_pair seen_from(const memplan_check_pair *pair, int32_t from) {
  return pair->a == from ? *pair : (memplan_check_pair){from, pair->a, -pair->high, -pair->low};
}

// Is the interval forbidden between b and the other too? The touches of an item are sorted by the other one: *at goes
// on to those of this one.
static bool has_pair(const memplan_check_model *model, int32_t b, const memplan_check_pair *wanted, int32_t *at) {
  int32_t end = model->first_touch[b + 1];
  while (*at < end && seen_from(&model->pairs[model->touches[*at]], b).b < wanted->b) {
    ++*at;
  }
  for (int32_t k = *at; k < end; k++) {
    memplan_check_pair pair = seen_from(&model->pairs[model->touches[k]], b);
    if (pair.b != wanted->b) {
      return false;
    }
    if (pair.low == wanted->low && pair.high == wanted->high) {
      return true;
    }
  }
  return false;
}

bool memplan_check_twins(const memplan_check_model *model, int32_t a, int32_t b) {
  int32_t n_a = model->first_touch[a + 1] - model->first_touch[a];
  int32_t n_b = model->first_touch[b + 1] - model->first_touch[b], between = 0, at = model->first_touch[b];
  if (a == b || n_a != n_b || !equal_ranges(&model->items[a], &model->items[b])) {
    return false;
  }
  for (int32_t k = model->first_touch[a]; k < model->first_touch[a + 1]; k++) {
    memplan_check_pair pair = seen_from(&model->pairs[model->touches[k]], a);
    if (pair.b == b) {
      between++;
      if (pair.low != -pair.high) {
        return false;
      }
    } else if (!has_pair(model, b, &pair, &at)) {
      return false;
    }
  }
  return between == 1;
}

bool memplan_check_turnable(const memplan_check_model *model, int64_t top) {
  for (int32_t k = 0; k < model->n_items; k++) {
    const memplan_check_item *item = &model->items[k];
    if (item->size <= top && (item->n_ranges != 1 || item->step != 1 || item->ranges[0].first != 0 ||
                              item->ranges[0].last < top - item->size)) {
      return false;
    }
  }
  for (int32_t k = 0; k < model->n_pairs; k++) {
    const memplan_check_pair *pair = &model->pairs[k];
    if (pair->high != model->items[pair->a].size || pair->low != -model->items[pair->b].size) {
      return false;
    }
  }
  return true;
}
