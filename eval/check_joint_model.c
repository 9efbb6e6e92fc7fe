// SPDX-License-Identifier: Apache-2.0
#include "eval/check_joint_model.h"

#include <string.h>

static const int64_t most_units = INT64_C(1) << 60;

typedef struct builder {
  const memplan_ordering *ordering;
  memplan_check_joint_model *model;
  memplan_arena *arena;
  int32_t *item_of; // by storage, -1
  bool contradiction;
} builder;

static memplan_check_joint_item *new_item(builder *work, int64_t bytes, const char *id) {
  memplan_check_joint_item *item = &work->model->items[work->model->n_items++];
  *item = (memplan_check_joint_item){.id = id, .bytes = bytes, .align = 1, .pin = -1};
  return item;
}

// The base of the pool comes before the alignment.
static void align(builder *work, memplan_check_joint_item *item, int64_t own, int64_t residue) {
  const memplan_graph *graph = work->ordering->graph;
  const memplan_congruence first = {own, residue}, all = {work->ordering->options.align, 0};
  memplan_congruence both;
  if (memplan_congruence_join(first, all, &both) != MEMPLAN_CONGRUENCE_OK) {
    work->contradiction = true;
    return;
  }
  int64_t base = graph->n_pools == 1 ? graph->pools[0].base % both.align : 0;
  item->align = both.align;
  item->residue = (both.residue - base + both.align) % both.align;
}

static void add_storage(builder *work, int32_t index) {
  const memplan_ordering *ordering = work->ordering;
  const memplan_storage *storage = &ordering->graph->storages[index];
  work->item_of[index] = -1;
  if (storage->bytes == 0 || !memplan_ordering_in_arena(ordering->graph, &ordering->options, index)) {
    return;
  }
  work->item_of[index] = work->model->n_items;
  memplan_check_joint_item *item = new_item(work, storage->bytes, ordering->graph->tensors[storage->root].id);
  item->pin = storage->pin;
  align(work, item, storage->align, storage->residue);
  int32_t own = ordering->cell_of_storage[index];
  if (own < 0) {
    const int lasting = MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE | MEMPLAN_ROLE_OUTPUT;
    item->init = true;
    item->unread =
        storage->n_touches == 0 && ordering->options.io == MEMPLAN_IO_ARENA && (storage->roles & lasting) == 0;
    item->keep = !item->unread;
    return;
  }
  const memplan_cell *cell = &ordering->cells[own];
  item->init = cell->init;
  item->keep = cell->keep;
  item->births = ordering->births + cell->first_birth;
  item->n_births = cell->init ? 0 : cell->n_births;
  item->deaths = ordering->deaths + cell->first_death;
  item->n_deaths = cell->n_deaths;
}

static bool add_workspace(builder *work, int32_t op) {
  const memplan_ordering *ordering = work->ordering;
  int32_t cell = ordering->workspace_cell[op];
  int64_t bytes = cell >= 0 ? ordering->cells[cell].bytes : ordering->workspace[op];
  if (bytes == 0) {
    return true;
  }
  int32_t *own = MEMPLAN_NEW(work->arena, int32_t, 2);
  if (own == NULL) {
    return false;
  }
  own[0] = op;
  own[1] = cell >= 0 ? ordering->graph->ops[op].async_until : op;
  memplan_check_joint_item *item = new_item(work, bytes, ordering->workspace_name[op]);
  item->births = own;
  item->n_births = 1;
  item->deaths = own;
  item->n_deaths = cell >= 0 ? 2 : 1;
  align(work, item, ordering->graph->ops[op].workspace_align, 0);
  return true;
}

static void add_lasting(builder *work) {
  const memplan_ordering *ordering = work->ordering;
  const memplan_graph *graph = ordering->graph;
  for (int32_t k = 0; k < ordering->n_residents; k++) {
    const memplan_inner_weight *weight = &ordering->residents[k];
    if (weight->bytes > 0) {
      memplan_check_joint_item *item = new_item(work, weight->bytes, weight->id);
      item->init = item->keep = true;
      align(work, item, weight->align, weight->residue);
    }
  }
  for (int32_t k = 0; graph->n_pools == 1 && k < graph->pools[0].n_reserved; k++) {
    const memplan_interval *range = &graph->pools[0].reserved[k];
    if (range->end > range->start) {
      memplan_check_joint_item *item = new_item(work, range->end - range->start, "reserved");
      item->pin = range->start;
      item->init = item->keep = item->reserved = true;
    }
  }
}

static void add_pairs(builder *work) {
  const memplan_ordering *ordering = work->ordering;
  memplan_check_joint_model *model = work->model;
  for (int32_t k = 0; k < ordering->n_pairs; k++) {
    const memplan_pair *pair = &ordering->pairs[k];
    int32_t born = work->item_of[pair->output_storage], dying = work->item_of[pair->input_storage];
    if (born >= 0 && dying >= 0) {
      int64_t room = model->items[dying].bytes - pair->delta, bytes = model->items[born].bytes;
      model->pairs[model->n_pairs++] =
          (memplan_check_joint_pair){pair->op, born, dying, k, pair->delta, room < bytes ? room : bytes};
    }
  }
}

static bool add_all(builder *work) {
  const memplan_ordering *ordering = work->ordering;
  memplan_check_joint_model *model = work->model;
  const memplan_graph *graph = ordering->graph;
  int64_t reserved = graph->n_pools == 1 ? graph->pools[0].n_reserved : 0;
  int64_t most = graph->n_storages + (int64_t)ordering->n_ops + ordering->n_residents + reserved;
  int32_t *leader = MEMPLAN_NEW(work->arena, int32_t, ordering->n_ops);
  model->items = MEMPLAN_NEW(work->arena, memplan_check_joint_item, most);
  model->pairs = MEMPLAN_NEW(work->arena, memplan_check_joint_pair, ordering->n_pairs);
  work->item_of = MEMPLAN_NEW(work->arena, int32_t, graph->n_storages);
  if (leader == NULL || model->items == NULL || model->pairs == NULL || work->item_of == NULL) {
    return false;
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t group = graph->ops[op].group;
    leader[op] = group >= 0 ? ordering->group_ops[ordering->group_first[group]] : op;
  }
  model->leader = leader;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    add_storage(work, index);
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    if (!add_workspace(work, op)) {
      return false;
    }
  }
  add_lasting(work);
  add_pairs(work);
  return true;
}

// ---- units

static bool divide(int64_t unit, int64_t *number) {
  bool good = *number % unit == 0;
  *number /= unit;
  return good;
}

static bool divide_all(memplan_check_joint_model *model) {
  int64_t unit = model->unit;
  bool good = true;
  for (int32_t k = 0; k < model->n_items && good; k++) {
    memplan_check_joint_item *item = &model->items[k];
    good = divide(unit, &item->bytes) && divide(unit, &item->residue) && (item->pin < 0 || divide(unit, &item->pin));
    if (unit % item->align == 0) {
      item->align = 1;
    } else {
      good = good && divide(unit, &item->align);
    }
  }
  for (int32_t k = 0; k < model->n_pairs && good; k++) {
    good = divide(unit, &model->pairs[k].delta) && divide(unit, &model->pairs[k].shared);
  }
  return good;
}

// Of a reserved range only what is below the top counts.
static void cut_reserved(memplan_check_joint_model *model) {
  for (int32_t k = 0; k < model->n_items; k++) {
    memplan_check_joint_item *item = &model->items[k];
    if (item->reserved) {
      item->pin = item->pin < model->top ? item->pin : model->top;
      int64_t room = model->top - item->pin;
      item->bytes = item->bytes < room ? item->bytes : room;
    }
  }
}

const char *memplan_check_joint_model_scale(memplan_check_joint_model *model, int64_t unit, int64_t claim) {
  model->unit = unit;
  model->top = claim > 0 ? (claim - 1) / unit : -1;
  if (model->top < 0 || model->top >= most_units) {
    return "the claim is 0, or more than 2^60 units";
  }
  if (!divide_all(model)) {
    return "the unit does not divide the sizes, distances, pins or alignments";
  }
  cut_reserved(model);
  return NULL;
}

memplan_status memplan_check_joint_model_build(const memplan_ordering *ordering, memplan_arena *arena,
                                               memplan_check_joint_model *model, const char **reason,
                                               memplan_error *error) {
  *model = (memplan_check_joint_model){.ordering = ordering,
                                       .n_ops = ordering->n_ops,
                                       .succ_first = ordering->succ_first,
                                       .succ = ordering->succ,
                                       .unit = 1};
  *reason = NULL;
  if (ordering->graph->n_pools > 1 || ordering->one_order || ordering->n_ops == 0) {
    *reason =
        "such a certificate is of a graph with operators and one pool, whose sizes stay below 2^62 bytes together";
    return MEMPLAN_OK;
  }
  builder work = {.ordering = ordering, .model = model, .arena = arena};
  if (!add_all(&work)) {
    return memplan_fail_nomem(error);
  }
  *reason = work.contradiction ? "alignments of the model contradict each other" : NULL;
  return MEMPLAN_OK;
}

// ---- the lists by which a certificate numbers things

static bool is_text(const json_t *value, const char *text) {
  return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

bool memplan_check_joint_model_is_named(const memplan_check_joint_model *model, const json_t *head) {
  const memplan_ordering *ordering = model->ordering;
  const memplan_graph *graph = ordering->graph;
  const json_t *ops = json_object_get(head, "ops"), *items = json_object_get(head, "items");
  const json_t *pairs = json_object_get(head, "pairs");
  bool good = json_array_size(ops) == (size_t)model->n_ops && json_array_size(items) == (size_t)model->n_items &&
              json_is_array(pairs) && json_array_size(pairs) == (size_t)model->n_pairs;
  for (int32_t op = 0; op < model->n_ops && good && model->ops == NULL; op++) {
    good = is_text(json_array_get(ops, (size_t)op), graph->ops[op].id);
  }
  for (int32_t item = 0; item < model->n_items && good; item++) {
    good = is_text(json_array_get(items, (size_t)item), model->items[item].id);
  }
  for (int32_t k = 0; k < model->n_pairs && good; k++) {
    const memplan_pair *pair = &ordering->pairs[model->pairs[k].index];
    const json_t *both = json_array_get(pairs, (size_t)k);
    good = json_array_size(both) == 2 && is_text(json_array_get(both, 0), graph->tensors[pair->output].id) &&
           is_text(json_array_get(both, 1), graph->tensors[pair->input].id);
  }
  return good;
}
