// SPDX-License-Identifier: Apache-2.0
// The placement problem has a buffer for each item of the nogood, named by its place in the list, conflicts for its
// overlaps and colocations for its links; its proof is a certificate like any other. Items that overlap in every order
// do so at an operator that is, or follows, a birth of each and is, or precedes, a death of each.
#include "eval/check_nogood.h"

#include "eval/check_joint_follow.h"
#include "eval/check_proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { id_size = 16, most_items = 2048, steps_of_look = 4 };

typedef struct reading {
  const memplan_check_joint_model *model;
  memplan_arena *arena;
  memplan_instance instance;
  int32_t *place; // by item: its place in the list + 1
  bool *reached;  // by operator, scratch
  int32_t *stack;
  memplan_check_meter *meter;
  char *reason;
  size_t size;
  bool nomem;
} reading;

static bool fail(reading *on, const char *why) {
  if (on->reason[0] == '\0') {
    (void)snprintf(on->reason, on->size, "%s", why);
  }
  return false;
}

static bool fail_nomem(reading *on) {
  on->nomem = true;
  return false;
}

// The number at a place of an array, from … limit - 1; -2 if there is none such.
static bool read_number(const json_t *array, size_t at, int32_t from, int32_t limit, int32_t *number) {
  const json_t *value = json_array_get(array, at);
  json_int_t stated = json_is_integer(value) ? json_integer_value(value) : -2;
  *number = stated >= from && stated < limit ? (int32_t)stated : -2;
  return *number != -2;
}

// ---- items

static bool read_items(reading *on, const json_t *items) {
  const memplan_check_joint_model *model = on->model;
  size_t n = json_array_size(items);
  memplan_arena *arena = &on->instance.arena;
  if (!json_is_array(items) || n == 0 || n > most_items) {
    return fail(on, "a nogood lacks its list of 1 to 2048 items");
  }
  char *ids = MEMPLAN_NEW(arena, char, n *id_size);
  on->instance.buffers = MEMPLAN_NEW(arena, memplan_buffer, n);
  if (ids == NULL || on->instance.buffers == NULL) {
    return fail_nomem(on);
  }
  for (size_t k = 0; k < n; k++) {
    int32_t item;
    if (!read_number(items, k, 0, model->n_items, &item) || on->place[item] != 0 || model->items[item].reserved ||
        model->items[item].unread) {
      return fail(on, "a nogood names an item that the model does not have, twice, or one that it may not name");
    }
    const memplan_check_joint_item *entry = &model->items[item];
    char *id = ids + k * id_size;
    (void)snprintf(id, id_size, "%zu", k);
    on->instance.buffers[k] = (memplan_buffer){.id = id,
                                               .bytes = entry->bytes,
                                               .align = entry->align,
                                               .residue = entry->residue,
                                               .pin = entry->pin,
                                               .offset = -1,
                                               .hint = -1};
    on->place[item] = (int32_t)k + 1;
  }
  on->instance.n_buffers = (int32_t)n;
  return true;
}

// ---- overlaps and links

// Marks the operator and what follows (precedes) it.
static void reach(reading *on, int32_t op, bool back) {
  const memplan_ordering *ordering = on->model->ordering;
  (void)memplan_check_meter_spend(on->meter,
                                  (ordering->succ_first[ordering->n_ops] + (int64_t)ordering->n_ops) / steps_of_look);
  memplan_check_joint_follow(on->model, op, !back, on->reached, on->stack);
  on->reached[op] = true;
}

static bool any_reached(const reading *on, const int32_t *ops, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    if (on->reached[ops[k]]) {
      return true;
    }
  }
  return false;
}

// `at`: an operator at which both live, or -1: both are there from the start, or stay to the end.
static bool overlap_always(reading *on, int32_t a, int32_t b, int32_t at) {
  const memplan_check_joint_model *model = on->model;
  const memplan_check_joint_item *x = &model->items[a], *y = &model->items[b];
  (void)memplan_check_meter_spend(on->meter, model->n_pairs / steps_of_look + 1);
  for (int32_t k = 0; k < model->n_pairs; k++) {
    if (memplan_check_joint_pair_ties(&model->pairs[k], a, b) && (at < 0 || model->pairs[k].op == at)) {
      return false;
    }
  }
  if (at < 0) {
    return (x->init && y->init) || (x->keep && y->keep);
  }
  reach(on, at, true);
  bool born =
      (x->init || any_reached(on, x->births, x->n_births)) && (y->init || any_reached(on, y->births, y->n_births));
  reach(on, at, false);
  return born && (x->keep || any_reached(on, x->deaths, x->n_deaths)) &&
         (y->keep || any_reached(on, y->deaths, y->n_deaths));
}

static bool add_conflict(reading *on, int32_t a, int32_t b) {
  if (a == b || on->place[a] == 0 || on->place[b] == 0) {
    return fail(on, "an overlap is not of two items of its nogood");
  }
  on->instance.conflicts[on->instance.n_conflicts++] =
      (memplan_rule){.first = on->place[a] - 1, .second = on->place[b] - 1};
  return true;
}

static int compare_keys(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// A certificate that says a thing many times would have it looked at as often.
static bool has_repeated(int64_t *keys, int32_t n) {
  if (n > 1) {
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
  }
  for (int32_t k = 1; k < n; k++) {
    if (keys[k] == keys[k - 1]) {
      return true;
    }
  }
  return false;
}

static bool are_distinct(reading *on) {
  int32_t n = on->instance.n_conflicts;
  int64_t *keys = MEMPLAN_NEW(&on->instance.arena, int64_t, n);
  if (keys == NULL) {
    return fail_nomem(on);
  }
  for (int32_t k = 0; k < n; k++) {
    const memplan_rule *rule = &on->instance.conflicts[k];
    int64_t low = rule->first < rule->second ? rule->first : rule->second;
    keys[k] = low * on->instance.n_buffers + (rule->first + (int64_t)rule->second - low);
  }
  return !has_repeated(keys, n) || fail(on, "an overlap is named twice in a nogood");
}

static bool read_overlaps(reading *on, const json_t *overlaps, const json_t *always, memplan_check_nogood *nogood) {
  size_t n = json_array_size(overlaps) / 2, n_always = json_array_size(always) / 3;
  int32_t n_items = on->model->n_items;
  on->instance.conflicts = MEMPLAN_NEW(&on->instance.arena, memplan_rule, n + n_always);
  nogood->overlaps = MEMPLAN_NEW(on->arena, int32_t, 2 * n);
  if (on->instance.conflicts == NULL || nogood->overlaps == NULL) {
    return fail_nomem(on);
  }
  for (size_t k = 0; k < n; k++) {
    int32_t *both = &nogood->overlaps[2 * k];
    if (!read_number(overlaps, 2 * k, 0, n_items, &both[0]) ||
        !read_number(overlaps, 2 * k + 1, 0, n_items, &both[1]) || !add_conflict(on, both[0], both[1])) {
      return fail(on, "an overlap is not of two items of its nogood");
    }
    nogood->n_overlaps++;
  }
  for (size_t k = 0; k < n_always; k++) {
    int32_t a, b, at;
    if (!read_number(always, 3 * k, 0, n_items, &a) || !read_number(always, 3 * k + 1, 0, n_items, &b) ||
        !read_number(always, 3 * k + 2, -1, on->model->n_ops, &at) || !add_conflict(on, a, b)) {
      return fail(on, "an overlap is not of two items of its nogood");
    }
    if (!overlap_always(on, a, b, at)) {
      return fail(on, "two items are said to overlap in every order, and need not");
    }
    if (!memplan_check_meter_spend(on->meter, 0)) {
      return fail(on, memplan_check_meter_spent);
    }
  }
  return are_distinct(on);
}

static bool read_links(reading *on, const json_t *links, memplan_check_nogood *nogood) {
  size_t n = json_array_size(links);
  on->instance.colocate = MEMPLAN_NEW(&on->instance.arena, memplan_rule, n);
  nogood->links = MEMPLAN_NEW(on->arena, int32_t, n);
  if (on->instance.colocate == NULL || nogood->links == NULL) {
    return fail_nomem(on);
  }
  for (size_t k = 0; k < n; k++) {
    int32_t index;
    if (!read_number(links, k, 0, on->model->n_pairs, &index)) {
      return fail(on, "a link is no in-place pair of the model");
    }
    const memplan_check_joint_pair *pair = &on->model->pairs[index];
    if (on->place[pair->born] == 0 || on->place[pair->dying] == 0) {
      return fail(on, "a link is not of two items of its nogood");
    }
    nogood->links[nogood->n_links++] = index;
    on->instance.colocate[on->instance.n_colocate++] =
        (memplan_rule){on->place[pair->dying] - 1, on->place[pair->born] - 1, pair->delta};
  }
  int64_t *keys = MEMPLAN_NEW(&on->instance.arena, int64_t, n);
  if (keys == NULL) {
    return fail_nomem(on);
  }
  for (size_t k = 0; k < n; k++) {
    keys[k] = nogood->links[k];
  }
  return !has_repeated(keys, (int32_t)n) || fail(on, "a link is named twice in a nogood");
}

// ---- the proof

static memplan_status replay(reading *on, const json_t *proof, int64_t claim, memplan_error *error) {
  memplan_problem inner = {.instance = on->instance, .has_instance = true, .path = "-", .format = "json"};
  memplan_check_result result;
  inner.options = memplan_problem_options_default();
  memplan_status status = memplan_check_certificate_lines(&inner, proof, on->meter, &result, error);
  if (status == MEMPLAN_OK && !result.proven) {
    (void)snprintf(on->reason, on->size, "the proof of a nogood: %.200s", result.reason);
  } else if (status == MEMPLAN_OK && result.claim < claim) {
    (void)fail(on, "a nogood is proven for less than the claim");
  }
  return status;
}

// A nogood that contradicts itself, whatever the capacity, needs no proof.
static memplan_status prove(reading *on, const json_t *proof, int64_t claim, memplan_error *error) {
  const memplan_graph *graph = on->model->ordering->graph;
  memplan_error contradiction = {.message = ""};
  memplan_pool *pool = MEMPLAN_NEW(&on->instance.arena, memplan_pool, 1);
  if (pool == NULL) {
    return memplan_fail_nomem(error);
  }
  if (!memplan_check_meter_spend(on->meter, (int64_t)on->instance.n_buffers * on->instance.n_buffers)) {
    (void)fail(on, memplan_check_meter_spent);
    return MEMPLAN_OK;
  }
  *pool = (memplan_pool){.id = "arena", .capacity = -1};
  if (graph->n_pools == 1) {
    pool->reserved = graph->pools[0].reserved;
    pool->n_reserved = graph->pools[0].n_reserved;
  }
  on->instance.pools = pool;
  on->instance.n_pools = 1;
  on->instance.name = on->instance.source = "";
  memplan_status status = memplan_instance_resolve(&on->instance, 1, &contradiction);
  if (status == MEMPLAN_INPUT || status == MEMPLAN_UNSUPPORTED) {
    if (!on->instance.contradiction) {
      (void)fail(on, "the placement of a nogood passes a limit of the model: nothing is proven");
    }
    return MEMPLAN_OK;
  }
  if (status != MEMPLAN_OK) {
    return memplan_fail(error, status, "%s", contradiction.message);
  }
  return replay(on, proof, claim, error);
}

memplan_status memplan_check_nogood_read(const memplan_check_joint_model *model, const json_t *line, int64_t claim,
                                         memplan_check_meter *meter, memplan_arena *arena, memplan_check_nogood *nogood,
                                         char *reason, size_t size, memplan_error *error) {
  memplan_arena scratch = {0};
  *nogood = (memplan_check_nogood){.n_overlaps = 0};
  reading on = {.model = model,
                .arena = arena,
                .place = MEMPLAN_NEW(&scratch, int32_t, model->n_items),
                .reached = MEMPLAN_NEW(&scratch, bool, model->n_ops),
                .stack = MEMPLAN_NEW(&scratch, int32_t, model->n_ops),
                .meter = meter,
                .reason = reason,
                .size = size};
  memplan_instance_init(&on.instance);
  on.nomem = on.place == NULL || on.reached == NULL || on.stack == NULL;
  bool good = !on.nomem && read_items(&on, json_object_get(line, "items")) &&
              read_overlaps(&on, json_object_get(line, "overlaps"), json_object_get(line, "always"), nogood) &&
              read_links(&on, json_object_get(line, "links"), nogood);
  memplan_status status = on.nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
  if (good) {
    status = prove(&on, json_object_get(line, "proof"), claim, error);
  }
  memplan_instance_free(&on.instance);
  memplan_arena_free(&scratch);
  return status;
}
