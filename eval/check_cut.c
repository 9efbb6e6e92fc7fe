// SPDX-License-Identifier: Apache-2.0
// Each line's flow is checked against what it runs through and added to what the operators get; what is claimed of an
// operator follows from these sums. The order problem of the graph comes from the model, and nothing from the search.
//
// Probing: what a section assumes cannot be in an order below the claim, so the opposite precedence joins those of the
// graph for the sections after it, and for the search that may follow.
#include "eval/check_cut.h"

#include "eval/check_log.h"
#include "eval/check_meter.h"
#include "eval/check_order_search.h"
#include "model/base/grow.h"
#include "model/base/names.h"
#include "model/base/number.h"
#include "model/ordering.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  most_pairs = 64,  // of one operator whose losses count
  graph_share = 256 // times the size of the graph: a section may look at all of it
};

typedef enum side { FREE = 0, BEFORE, NOT_BEFORE } side;

typedef struct found_edge {
  int32_t before, after;
  int32_t next_before, next_after; // of those with the same `after`, the same `before`
} found_edge;

typedef struct checker {
  const memplan_problem *problem;
  memplan_check_result *result;
  memplan_arena arena, section; // the latter for one section
  memplan_ordering ordering;
  memplan_names ops, cells; // by id
  bool probing;
  bool may_search; // a search may follow
  bool has_ideal;
  size_t length;             // of the certificate
  memplan_check_meter meter; // of what sections reach
  int64_t looks;
  memplan_search_check *search;
  int32_t op;    // of the section, -1: none has begun
  int32_t other; // that is assumed to run before it, or not; -1: no assumption
  bool other_before;
  bool cyclic;             // the operator has to run before itself
  side *side;              // by operator
  int64_t *gets;           // by operator, less what it gives
  int64_t *through;        // by cell: flow so far
  bool *touched;           // by cell: counted for the operator, so that no flow may run through it
  int32_t *mark, mark_now; // by operator
  int64_t given;           // from the start and from pairs
  // the pairs of the operator
  bool *possible;
  int32_t *chosen, *component;
  int64_t *lost; // by pair: flow so far
  int64_t saving;
  bool done; // nothing more is needed
  // precedences found: lists by operator
  int32_t *found_before, *found_after; // heads, -1: none
  found_edge *found;
  int64_t n_found, found_room;
  int32_t *stack;
} checker;

static bool fail(checker *check, const char *reason) {
  if (check->result->reason[0] == '\0') {
    (void)snprintf(check->result->reason, sizeof check->result->reason, "%.255s", reason);
  }
  return false;
}

// Sums stay within a range in which one more cannot overflow.
static bool add(checker *check, int64_t *sum, int64_t bytes) {
  *sum += bytes;
  return (*sum <= MEMPLAN_SIZE_LIMIT && *sum >= -MEMPLAN_SIZE_LIMIT) || fail(check, "the flows add up to too much");
}

static bool read_bytes(checker *check, const json_t *value, int64_t *bytes) {
  *bytes = json_is_integer(value) ? json_integer_value(value) : -1;
  return (*bytes >= 0 && *bytes <= MEMPLAN_SIZE_LIMIT) || fail(check, "a flow is no number of bytes");
}

static bool read_op(checker *check, const json_t *value, int32_t *op) {
  const char *id = json_string_value(value);
  *op = id != NULL ? memplan_names_find(&check->ops, id) : -1;
  return *op >= 0 || fail(check, "an operator is named that the graph does not have");
}

// ---- lines

// Shares [op, bytes] that add up to `bytes`, of operators that are marked; what they get has this sign.
static bool read_shares(checker *check, const json_t *shares, int64_t bytes, int64_t sign) {
  int64_t sum = 0;
  for (size_t k = 0; k < json_array_size(shares); k++) {
    const json_t *share = json_array_get(shares, k);
    int32_t op;
    int64_t part;
    if (!read_op(check, json_array_get(share, 0), &op) || !read_bytes(check, json_array_get(share, 1), &part)) {
      return false;
    }
    if (check->mark[op] != check->mark_now) {
      return fail(check, "a flow runs to or from an operator that has no part in it");
    }
    if (!add(check, &sum, part) || !add(check, &check->gets[op], sign * part)) {
      return false;
    }
  }
  return sum == bytes || fail(check, "the shares of a flow do not add up to it");
}

static void mark(checker *check, const int32_t *ops, int32_t count) {
  check->mark_now++;
  for (int32_t k = 0; k < count; k++) {
    check->mark[ops[k]] = check->mark_now;
  }
}

static bool read_cell(checker *check, const json_t *line) {
  const memplan_ordering *ordering = &check->ordering;
  const char *id = json_string_value(json_object_get(line, "cell"));
  int32_t index = id != NULL ? memplan_names_find(&check->cells, id) : -1;
  int64_t bytes;
  if (index < 0 || check->touched[index]) {
    return fail(check,
                "a flow runs through something that is not live between operators, or that the operator touches");
  }
  const memplan_cell *cell = &ordering->cells[index];
  if (!read_bytes(check, json_object_get(line, "bytes"), &bytes) || !add(check, &check->through[index], bytes)) {
    return false;
  }
  if (check->through[index] > cell->bytes) {
    return fail(check, "a flow is larger than what it runs through");
  }
  if (cell->init) {
    if (!add(check, &check->given, bytes)) {
      return false;
    }
  } else {
    mark(check, ordering->births + cell->first_birth, cell->n_births);
    if (!read_shares(check, json_object_get(line, "in"), bytes, -1)) {
      return false;
    }
  }
  mark(check, ordering->deaths + cell->first_death, cell->n_deaths);
  return cell->keep || read_shares(check, json_object_get(line, "out"), bytes, 1);
}

static int64_t best_saving(checker *check, int32_t except) {
  const memplan_ordering *ordering = &check->ordering;
  int32_t first = ordering->pair_first[check->op], count = ordering->pair_first[check->op + 1] - first;
  bool kept = except >= 0 && check->possible[except];
  if (except >= 0) {
    check->possible[except] = false;
  }
  memplan_matching matching;
  if (!memplan_pairs_match(ordering->pairs, first, count, check->possible, check->chosen, &matching)) {
    matching.most = -1;
  }
  if (except >= 0) {
    check->possible[except] = kept;
  }
  return matching.most;
}

// The pair of the operator, counted from its first; -1: it has none such.
static int32_t find_pair(const checker *check, const char *output, const char *input) {
  const memplan_ordering *ordering = &check->ordering;
  const memplan_tensor *tensors = ordering->graph->tensors;
  int32_t first = ordering->pair_first[check->op], count = ordering->pair_first[check->op + 1] - first;
  for (int32_t k = 0; k < count && output != NULL && input != NULL; k++) {
    if (strcmp(tensors[ordering->pairs[first + k].output].id, output) == 0 &&
        strcmp(tensors[ordering->pairs[first + k].input].id, input) == 0) {
      return k;
    }
  }
  return -1;
}

// Has flow gone through another pair that is entangled with this one?
static bool is_taken(const checker *check, int32_t pair) {
  const memplan_ordering *ordering = &check->ordering;
  int32_t count = ordering->pair_first[check->op + 1] - ordering->pair_first[check->op];
  for (int32_t k = 0; k < count; k++) {
    if (k != pair && check->lost[k] > 0 && check->component[k] == check->component[pair]) {
      return true;
    }
  }
  return false;
}

static bool read_pair(checker *check, const json_t *line) {
  const memplan_ordering *ordering = &check->ordering;
  const json_t *names = json_object_get(line, "pair");
  int32_t first = ordering->pair_first[check->op], count = ordering->pair_first[check->op + 1] - first;
  int32_t index =
      find_pair(check, json_string_value(json_array_get(names, 0)), json_string_value(json_array_get(names, 1)));
  int64_t bytes;
  if (index < 0 || !check->possible[index] || count > most_pairs || is_taken(check, index)) {
    return fail(check, "a pair is named that is never chosen, or beside another one with the same buffer");
  }
  if (!read_bytes(check, json_object_get(line, "bytes"), &bytes) || !add(check, &check->lost[index], bytes) ||
      !add(check, &check->given, bytes)) {
    return false;
  }
  int64_t without = best_saving(check, index);
  if (without < 0 || check->lost[index] > check->saving - without) {
    return fail(check, "a pair loses less than its flow");
  }
  const memplan_cell *input = &ordering->cells[ordering->cell_of_storage[ordering->pairs[first + index].input_storage]];
  mark(check, ordering->deaths + input->first_death, input->n_deaths);
  check->mark[check->op] = 0;
  return read_shares(check, json_object_get(line, "out"), bytes, 1);
}

static bool read_precedence(checker *check, const json_t *line) {
  const memplan_ordering *ordering = &check->ordering;
  int32_t before, after;
  int64_t bytes;
  if (!read_op(check, json_object_get(line, "before"), &before) ||
      !read_op(check, json_object_get(line, "after"), &after) ||
      !read_bytes(check, json_object_get(line, "bytes"), &bytes)) {
    return false;
  }
  bool known = false;
  for (int32_t k = ordering->pred_first[after]; k < ordering->pred_first[after + 1] && !known; k++) {
    known = ordering->pred[k] == before;
  }
  for (int32_t k = check->found_before[after]; k >= 0 && !known; k = check->found[k].next_before) {
    known = check->found[k].before == before;
  }
  if (!known) {
    return fail(check, "a flow runs between operators of which none is a predecessor of the other");
  }
  return add(check, &check->gets[before], bytes) && add(check, &check->gets[after], -bytes);
}

static bool read_ideal(checker *check, const json_t *ideal) {
  const memplan_ordering *ordering = &check->ordering;
  if (check->has_ideal) {
    return fail(check, "an ideal is stated twice");
  }
  check->has_ideal = true;
  check->mark_now++;
  for (size_t k = 0; k < json_array_size(ideal); k++) {
    int32_t op;
    if (!read_op(check, json_array_get(ideal, k), &op)) {
      return false;
    }
    check->mark[op] = check->mark_now;
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    bool inside = check->mark[op] == check->mark_now;
    bool fits = inside ? check->side[op] != NOT_BEFORE : check->side[op] != BEFORE;
    for (int32_t k = ordering->pred_first[op]; k < ordering->pred_first[op + 1]; k++) {
      fits = fits && (!inside || check->mark[ordering->pred[k]] == check->mark_now);
    }
    if (!fits) {
      return fail(check, "the operator cannot run directly after the operators of the ideal");
    }
  }
  check->mark_now++;
  return true;
}

// ---- the operator

static void put(checker *check, int32_t op, side wanted, int32_t *count) {
  check->looks++;
  check->cyclic = check->cyclic || (check->side[op] != FREE && check->side[op] != wanted);
  if (check->side[op] == FREE) {
    check->side[op] = wanted;
    check->stack[(*count)++] = op;
  }
}

// Puts what runs before (after) the operator on a side.
static void reach(checker *check, int32_t start, side wanted) {
  const memplan_ordering *ordering = &check->ordering;
  bool before = wanted == BEFORE;
  const int32_t *first = before ? ordering->pred_first : ordering->succ_first;
  const int32_t *list = before ? ordering->pred : ordering->succ;
  int32_t count = 0;
  check->stack[count++] = start;
  while (count > 0) {
    int32_t op = check->stack[--count];
    for (int32_t k = first[op]; k < first[op + 1]; k++) {
      put(check, list[k], wanted, &count);
    }
    int32_t at = before ? check->found_before[op] : check->found_after[op];
    while (at >= 0) {
      put(check, before ? check->found[at].before : check->found[at].after, wanted, &count);
      at = before ? check->found[at].next_before : check->found[at].next_after;
    }
  }
}

// May the pair be available, as far as ancestors and descendants tell?
static bool is_possible(const checker *check, const memplan_pair *pair) {
  const memplan_ordering *ordering = &check->ordering;
  const memplan_cell *output = &ordering->cells[ordering->cell_of_storage[pair->output_storage]];
  const memplan_cell *input = &ordering->cells[ordering->cell_of_storage[pair->input_storage]];
  bool possible = true;
  for (int32_t k = 0; k < input->n_deaths; k++) {
    int32_t other = ordering->deaths[input->first_death + k];
    possible = possible && (other == check->op || check->side[other] != NOT_BEFORE);
  }
  for (int32_t k = 0; k < output->n_births; k++) {
    possible = possible && check->side[ordering->births[output->first_birth + k]] != BEFORE;
  }
  return possible;
}

// Pairs with an output or an input in common, directly or through others, get the same number.
static void find_components(checker *check, int32_t first, int32_t count) {
  const memplan_pair *pairs = check->ordering.pairs + first;
  for (int32_t k = 0; k < count && count <= most_pairs; k++) {
    check->component[k] = k;
    for (int32_t other = 0; other < k; other++) {
      int32_t old = check->component[other];
      bool shares = check->possible[k] && check->possible[other];
      shares = shares && (pairs[k].input_storage == pairs[other].input_storage ||
                          pairs[k].output_storage == pairs[other].output_storage);
      for (int32_t m = 0; m < k && shares && old != check->component[k]; m++) {
        check->component[m] = check->component[m] == old ? check->component[k] : check->component[m];
      }
    }
  }
}

static memplan_status start_pairs(checker *check, memplan_error *error) {
  const memplan_ordering *ordering = &check->ordering;
  int32_t first = ordering->pair_first[check->op], count = ordering->pair_first[check->op + 1] - first;
  check->possible = MEMPLAN_NEW(&check->section, bool, count);
  check->chosen = MEMPLAN_NEW(&check->section, int32_t, count);
  check->component = MEMPLAN_NEW(&check->section, int32_t, count);
  check->lost = MEMPLAN_NEW(&check->section, int64_t, count);
  if (check->possible == NULL || check->chosen == NULL || check->component == NULL || check->lost == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < count; k++) {
    check->possible[k] = is_possible(check, &ordering->pairs[first + k]);
  }
  find_components(check, first, count);
  check->saving = best_saving(check, -1);
  return check->saving >= 0 ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static bool name_everything(checker *check) {
  const memplan_ordering *ordering = &check->ordering;
  const memplan_graph *graph = ordering->graph;
  bool good = true;
  for (int32_t op = 0; op < ordering->n_ops && good; op++) {
    good = memplan_names_add(&check->ops, graph->ops[op].id, op) != -2;
  }
  for (int32_t cell = 0; cell < ordering->n_cells && good; cell++) {
    const memplan_cell *entry = &ordering->cells[cell];
    const char *id = entry->storage >= 0 ? graph->tensors[graph->storages[entry->storage].root].id
                                         : ordering->workspace_name[entry->op];
    good = memplan_names_add(&check->cells, id, cell) != -2;
  }
  return good;
}

// Memory for sections.
static memplan_status start(checker *check, memplan_error *error) {
  const memplan_ordering *ordering = &check->ordering;
  int32_t n_ops = ordering->n_ops;
  check->side = MEMPLAN_NEW(&check->arena, side, n_ops);
  check->gets = MEMPLAN_NEW(&check->arena, int64_t, n_ops);
  check->mark = MEMPLAN_NEW(&check->arena, int32_t, n_ops);
  check->through = MEMPLAN_NEW(&check->arena, int64_t, ordering->n_cells);
  check->touched = MEMPLAN_NEW(&check->arena, bool, ordering->n_cells);
  check->found_before = MEMPLAN_NEW(&check->arena, int32_t, n_ops);
  check->found_after = MEMPLAN_NEW(&check->arena, int32_t, n_ops);
  check->stack = MEMPLAN_NEW(&check->arena, int32_t, n_ops);
  if (check->side == NULL || check->gets == NULL || check->mark == NULL || check->through == NULL ||
      check->touched == NULL || check->found_before == NULL || check->found_after == NULL || check->stack == NULL ||
      !name_everything(check)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < n_ops; op++) {
    check->found_before[op] = check->found_after[op] = -1;
  }
  int64_t size = (int64_t)n_ops + ordering->n_cells + (n_ops > 0 ? ordering->pred_first[n_ops] : 0);
  check->meter = memplan_check_meter_start(check->length, graph_share * size);
  return MEMPLAN_OK;
}

static void touch(checker *check) {
  const memplan_ordering *ordering = &check->ordering;
  for (int32_t k = ordering->op_cell_first[check->op]; k < ordering->op_cell_first[check->op + 1]; k++) {
    const memplan_cell *cell = &ordering->cells[ordering->op_cells[k]];
    bool touched = !cell->keep;
    for (int32_t b = 0; b < cell->n_births && !touched; b++) {
      touched = ordering->births[cell->first_birth + b] == check->op;
    }
    check->touched[ordering->op_cells[k]] = touched;
  }
}

// What is assumed of another operator.
static bool read_assumption(checker *check, const json_t *line) {
  const json_t *before = json_object_get(line, "before"), *not_before = json_object_get(line, "not_before");
  check->other = -1;
  check->other_before = before != NULL;
  if (!check->probing || (before == NULL && not_before == NULL)) {
    return true;
  }
  if (!read_op(check, before != NULL ? before : not_before, &check->other)) {
    return false;
  }
  return check->side[check->other] == FREE ||
         fail(check, "something is assumed of an operator that runs before or after this one in any case");
}

static memplan_status begin_section(checker *check, const json_t *line, memplan_error *error) {
  const memplan_ordering *ordering = &check->ordering;
  memset(check->side, 0, (size_t)ordering->n_ops * sizeof *check->side);
  memset(check->gets, 0, (size_t)ordering->n_ops * sizeof *check->gets);
  memset(check->through, 0, (size_t)ordering->n_cells * sizeof *check->through);
  memset(check->touched, 0, (size_t)ordering->n_cells * sizeof *check->touched);
  check->given = 0;
  check->looks = 0;
  memplan_arena_free(&check->section);
  if (!read_op(check, json_object_get(line, "op"), &check->op)) {
    return MEMPLAN_OK;
  }
  check->side[check->op] = NOT_BEFORE;
  reach(check, check->op, BEFORE);
  reach(check, check->op, NOT_BEFORE);
  if (check->cyclic || !read_assumption(check, line)) {
    return MEMPLAN_OK;
  }
  touch(check);
  MEMPLAN_TRY(start_pairs(check, error));
  // What follows for others from the assumption holds for the flow, but pairs are judged without it.
  if (check->other >= 0) {
    side wanted = check->other_before ? BEFORE : NOT_BEFORE;
    check->side[check->other] = wanted;
    reach(check, check->other, wanted);
  }
  if (!memplan_check_meter_spend(&check->meter, check->looks + ordering->n_ops + ordering->n_cells)) {
    (void)fail(check, memplan_check_meter_spent);
  }
  return MEMPLAN_OK;
}

static memplan_status add_found(checker *check, int32_t before, int32_t after, memplan_error *error) {
  found_edge *found = check->n_found < INT32_MAX ? memplan_grow_in(&check->arena, check->found, check->n_found,
                                                                   &check->found_room, sizeof *found)
                                                 : NULL;
  if (found == NULL) {
    return memplan_fail_nomem(error);
  }
  check->found = found;
  int32_t index = (int32_t)check->n_found++;
  found[index] = (found_edge){before, after, check->found_before[after], check->found_after[before]};
  check->found_before[after] = check->found_after[before] = index;
  return MEMPLAN_OK;
}

// Is as much in memory while the operator runs? Then nothing is left of the claim's opposite, or of the assumption.
static memplan_status end_section(checker *check, memplan_error *error) {
  const memplan_ordering *ordering = &check->ordering;
  int64_t bytes = check->given;
  bool good = true;
  for (int32_t op = 0; op < ordering->n_ops && good; op++) {
    if (check->side[op] == BEFORE || (check->side[op] == FREE && check->gets[op] > 0)) {
      good = add(check, &bytes, -check->gets[op]);
    }
  }
  good = good && add(check, &bytes, -check->saving);
  for (int32_t cell = 0; cell < ordering->n_cells && good; cell++) {
    good = !check->touched[cell] || add(check, &bytes, ordering->cells[cell].bytes);
  }
  good = good && add(check, &bytes, ordering->workspace[check->op]) && add(check, &bytes, ordering->base);
  if (!good || bytes < check->result->claim) {
    (void)fail(check, "less than the claim is in memory while the operator runs");
  } else if (check->other < 0) {
    check->done = check->result->proven = true;
  } else {
    return check->other_before ? add_found(check, check->op, check->other, error)
                               : add_found(check, check->other, check->op, error);
  }
  return MEMPLAN_OK;
}

// All inputs at the first step, or all outputs at the last one.
static void check_ends(checker *check, bool inputs) {
  const memplan_ordering *ordering = &check->ordering;
  int64_t bytes = memplan_add_saturated(ordering->base, inputs ? ordering->first_step : 0);
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    const memplan_cell *entry = &ordering->cells[cell];
    bytes = memplan_add_saturated(bytes, (inputs ? entry->init : entry->keep) ? entry->bytes : 0);
  }
  check->result->proven = bytes >= check->result->claim;
  check->done = true;
  if (!check->result->proven) {
    (void)fail(check, inputs ? "the inputs are smaller than the claim" : "the outputs are smaller than the claim");
  }
}

// ---- the whole

// Format, fingerprint and claim were looked at before.
static memplan_status read_head(checker *check, const json_t *head, memplan_error *error) {
  const char *kind = check->result->kind;
  if (strcmp(kind, "inputs") == 0 || strcmp(kind, "outputs") == 0) {
    check_ends(check, strcmp(kind, "inputs") == 0);
  } else if (check->ordering.one_order) {
    (void)fail(check, "the sizes of the graph add up to too much");
  } else if (strcmp(kind, "cut") == 0 || strcmp(kind, "probe") == 0 || strcmp(kind, "order-search") == 0) {
    check->probing = strcmp(kind, "cut") != 0;
    check->may_search = strcmp(kind, "order-search") == 0;
    MEMPLAN_TRY(start(check, error));
    return check->probing ? MEMPLAN_OK : begin_section(check, head, error);
  } else {
    (void)fail(check, "certificates about every order are of kind cut, probe, order-search, inputs or outputs");
  }
  return MEMPLAN_OK;
}

// With the precedences found before it.
static memplan_status begin_search(checker *check, const json_t *line, memplan_error *error) {
  if (check->op >= 0) {
    MEMPLAN_TRY(end_section(check, error));
  }
  if (check->done || check->result->reason[0] != '\0') {
    return MEMPLAN_OK;
  }
  int32_t n = (int32_t)check->n_found;
  int32_t *before = MEMPLAN_NEW(&check->arena, int32_t, n), *after = MEMPLAN_NEW(&check->arena, int32_t, n);
  if (before == NULL || after == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < n; k++) {
    before[k] = check->found[k].before;
    after[k] = check->found[k].after;
  }
  return memplan_search_check_new(&check->ordering, before, after, n, line, check->result, &check->search, error);
}

// A line after the first: of the section, or the first of the next one, or of the search. `rest`: bytes behind it.
static memplan_status read_line(checker *check, const json_t *line, size_t rest, memplan_error *error) {
  check->result->steps++;
  if (check->search != NULL) {
    return memplan_search_check_line(check->search, line, rest, error);
  }
  if (check->may_search && json_object_get(line, "search") != NULL) {
    return begin_search(check, line, error);
  }
  if (check->probing && json_object_get(line, "op") != NULL) {
    if (check->op >= 0) {
      MEMPLAN_TRY(end_section(check, error));
    }
    if (check->result->reason[0] == '\0' && !check->done) {
      MEMPLAN_TRY(begin_section(check, line, error));
    }
    check->done = check->done || check->cyclic;
    check->result->proven = check->done;
  } else if (check->op < 0) {
    (void)fail(check, "the first section does not name its operator");
  } else if (json_object_get(line, "cell") != NULL) {
    (void)read_cell(check, line);
  } else if (json_object_get(line, "pair") != NULL) {
    (void)read_pair(check, line);
  } else if (json_object_get(line, "ideal") != NULL && !check->probing) {
    (void)read_ideal(check, json_object_get(line, "ideal"));
  } else {
    (void)read_precedence(check, line);
  }
  return MEMPLAN_OK;
}

static memplan_status check_lines(checker *check, const char *text, size_t length, memplan_error *error) {
  memplan_status status = MEMPLAN_OK;
  size_t at = 0;
  while (status == MEMPLAN_OK && at < length && !check->done && check->result->reason[0] == '\0') {
    json_t *line = memplan_check_read_line(text, length, &at);
    check->result->line++;
    if (!json_is_object(line)) {
      (void)fail(check, "the line is no JSON object");
    } else if (check->result->line == 1) {
      status = read_head(check, line, error);
    } else {
      status = read_line(check, line, at < length ? length - at : 0, error);
    }
    json_decref(line);
  }
  if (check->search != NULL) {
    check->done = check->result->proven =
        check->result->reason[0] == '\0' && memplan_search_check_is_closed(check->search);
  } else if (status == MEMPLAN_OK && check->result->reason[0] == '\0' && !check->done && check->op >= 0) {
    status = end_section(check, error);
  }
  if (status == MEMPLAN_OK && check->result->reason[0] == '\0' && !check->done) {
    (void)fail(check, "the certificate ends before its claim is proven");
  }
  return status;
}

static void finish(checker *check) {
  memplan_search_check_free(check->search);
  memplan_names_free(&check->ops);
  memplan_names_free(&check->cells);
  memplan_ordering_free(&check->ordering);
  memplan_arena_free(&check->section);
  memplan_arena_free(&check->arena);
}

memplan_status memplan_check_cut(const memplan_problem *problem, const int64_t *workspace, const char *text,
                                 size_t length, memplan_check_result *result, memplan_error *error) {
  checker check = {.problem = problem, .result = result, .length = length, .op = -1, .other = -1};
  result->every_order = true;
  result->line = 0;
  memplan_status status = memplan_ordering_init(&check.ordering, &problem->graph, &problem->options, workspace, error);
  if (status == MEMPLAN_INPUT) {
    (void)fail(&check, "the sizes of the graph add up to too much");
    status = MEMPLAN_OK;
  } else if (status == MEMPLAN_OK) {
    status = check_lines(&check, text, length, error);
  }
  finish(&check);
  result->proven = result->proven && status == MEMPLAN_OK && result->reason[0] == '\0';
  return status;
}

// ---- precedences alone

struct memplan_precedence_check {
  checker own;
};

memplan_status memplan_precedence_check_new(const memplan_problem *problem, const int64_t *workspace, size_t length,
                                            memplan_check_result *result, memplan_precedence_check **made,
                                            memplan_error *error) {
  *made = calloc(1, sizeof **made);
  if (*made == NULL) {
    return memplan_fail_nomem(error);
  }
  checker *check = &(*made)->own;
  *check = (checker){.problem = problem, .result = result, .length = length, .probing = true, .op = -1, .other = -1};
  memplan_status status = memplan_ordering_init(&check->ordering, &problem->graph, &problem->options, workspace, error);
  if (status == MEMPLAN_INPUT || (status == MEMPLAN_OK && check->ordering.one_order)) {
    (void)fail(check, "the sizes of the graph add up to too much");
    return MEMPLAN_OK;
  }
  return status == MEMPLAN_OK ? start(check, error) : status;
}

void memplan_precedence_check_free(memplan_precedence_check *made) {
  if (made != NULL) {
    finish(&made->own);
    free(made);
  }
}

// A section that assumes nothing shows the whole claim, and is not one of these.
static void refuse_whole(checker *check) {
  if (check->done) {
    (void)fail(check, "a section shows no precedence but the claim itself: this is a certificate of kind probe");
  }
}

memplan_status memplan_precedence_check_line(memplan_precedence_check *made, const json_t *line, memplan_error *error) {
  MEMPLAN_TRY(read_line(&made->own, line, 0, error));
  refuse_whole(&made->own);
  return MEMPLAN_OK;
}

memplan_status memplan_precedence_check_end(memplan_precedence_check *made, int64_t *n, memplan_error *error) {
  checker *check = &made->own;
  if (check->op >= 0 && check->result->reason[0] == '\0') {
    MEMPLAN_TRY(end_section(check, error));
    refuse_whole(check);
  }
  *n = check->n_found;
  return MEMPLAN_OK;
}

void memplan_precedence_check_get(const memplan_precedence_check *made, int64_t index, int32_t *before,
                                  int32_t *after) {
  *before = made->own.found[index].before;
  *after = made->own.found[index].after;
}
