// SPDX-License-Identifier: Apache-2.0
// A lemma is first tested by itself, then its premises against what is known; if one is missing the lemma is passed
// over, and a step that then reaches no contradiction fails.
//
// Why lemmas hold: what is live while one operator runs is pairwise apart, but for the output of a chosen pair of that
// operator and its input; of such an output only the window beyond the input counts.
#include "eval/check_joint.h"

#include "eval/check_clauses.h"
#include "eval/check_cut.h"
#include "eval/check_joint_replay.h"
#include "eval/check_joint_window.h"
#include "eval/check_log.h"
#include "eval/check_meter.h"
#include "model/base/names.h"

#include <jansson.h>

enum { most_ops = 400 };
static const int64_t most_variables = 1 << 22;

typedef struct checker {
  const memplan_problem *problem;
  memplan_check_result *result;
  memplan_arena arena;
  memplan_ordering ordering;
  memplan_check_joint_model model;
  memplan_joint_replay *replay;
  const int64_t *workspace;              // of the ordering
  memplan_precedence_check *precedences; // NULL: none so far
  bool windowed, begun;                  // of a window; clauses have begun
  size_t length;                         // of the certificate
  memplan_check_meter meter;
  memplan_check_clauses clauses;
  int64_t *mark, mark_now; // by item: in the lemma
  int64_t *best, *next;    // by item, while pairs are looked at: what its best pairs save
  int32_t *best_pair;
} checker;

static bool fail(checker *check, const char *reason) { return memplan_check_clauses_refuse(&check->clauses, reason); }

static bool spend(checker *check, int64_t looks) { return memplan_check_clauses_spend(&check->clauses, looks); }

// ---- members of a lemma

static int64_t size_of(const void *owner, int32_t item) {
  const checker *check = owner;
  return check->model.items[item].reserved ? 0 : check->model.items[item].bytes;
}

// A member from `at` on, of an item that the lemma has not named yet; false at the end or if it is none.
static bool read_member(checker *check, int64_t n, int64_t *at, memplan_check_window *member) {
  if (!memplan_check_clauses_read_window(&check->clauses, n, at, member) ||
      check->mark[member->item] == check->mark_now) {
    return false;
  }
  check->mark[member->item] = check->mark_now;
  return true;
}

// Is the member known to take part while the operator runs?
static bool is_present(const checker *check, const memplan_check_window *member, int32_t op) {
  const memplan_joint_replay *replay = check->replay;
  if (!memplan_joint_replay_holds(replay, memplan_joint_replay_dead(replay, member->item, op) ^ 1) ||
      !memplan_joint_replay_holds(replay, memplan_joint_replay_unborn(replay, member->item, op) ^ 1)) {
    return false;
  }
  bool apart = true;
  for (int32_t k = 0; k < check->model.n_pairs; k++) {
    const memplan_check_joint_pair *pair = &check->model.pairs[k];
    if (pair->op != op || pair->born != member->item) {
      continue;
    }
    int32_t chosen = memplan_joint_replay_choice(replay, k);
    if (memplan_joint_replay_holds(replay, chosen)) {
      return member->low >= check->model.items[pair->dying].bytes - pair->delta;
    }
    apart = apart && memplan_joint_replay_holds(replay, chosen ^ 1);
  }
  return apart;
}

static bool add_length(checker *check, int64_t *sum, const memplan_check_window *member) {
  *sum += member->high - member->low;
  return *sum <= 2 * memplan_check_number_limit || fail(check, "a lemma is longer than any arena");
}

// ---- lemmas

// [0, v, A, B, members]: a contradiction if all lie inside.
static bool use_overload(checker *check, int32_t op, int64_t n) {
  const int64_t *lemma = check->clauses.log.lemma;
  int64_t at = 4, sum = 0;
  bool premises = true;
  if (n < 4) {
    return fail(check, "a lemma is too short");
  }
  while (at < n) {
    memplan_check_window member;
    if (!read_member(check, n, &at, &member)) {
      return fail(check, "a lemma names a member that is none, or twice");
    }
    if (!add_length(check, &sum, &member)) {
      return false;
    }
    premises = premises && is_present(check, &member, op) &&
               memplan_check_clauses_starts_from(&check->clauses, &member, 0, lemma[2]) &&
               memplan_check_clauses_ends_by(&check->clauses, &member, 0, lemma[3]);
  }
  if (sum == 0 || sum <= lemma[3] - lemma[2]) {
    return fail(check, "an overload lemma is wrong: it has no members, or they fit");
  }
  if (premises) {
    memplan_check_bounds_contradict(check->clauses.bounds);
  }
  return true;
}

// [1, v, d, F, P, B, goal, member, (pushes, member)…]: if the first one ended by B all would lie in [F, B); so it comes
// after all others, and behind those that push.
static bool use_edge(checker *check, int32_t op, int64_t n) {
  const int64_t *lemma = check->clauses.log.lemma;
  if (n < 8 || lemma[2] < 0 || lemma[2] > 1) {
    return fail(check, "a lemma is too short");
  }
  int64_t d = lemma[2], floor = lemma[3], push = lemma[4], end = lemma[5], goal = lemma[6];
  int64_t at = 7, sum = 0, push_sum = 0;
  memplan_check_window own;
  if (!read_member(check, n, &at, &own)) {
    return fail(check, "a lemma names a member that is none");
  }
  if (!add_length(check, &sum, &own)) {
    return false;
  }
  bool premises = is_present(check, &own, op) && memplan_check_clauses_starts_from(&check->clauses, &own, d, floor);
  while (at < n) {
    memplan_check_window member;
    int64_t pushes = lemma[at++];
    if (pushes < 0 || pushes > 1 || !read_member(check, n, &at, &member)) {
      return fail(check, "a lemma names a member that is none, or twice");
    }
    if (!add_length(check, &sum, &member)) {
      return false;
    }
    push_sum += pushes == 1 ? member.high - member.low : 0;
    premises = premises && is_present(check, &member, op) &&
               memplan_check_clauses_starts_from(&check->clauses, &member, d, pushes == 1 ? push : floor) &&
               memplan_check_clauses_ends_by(&check->clauses, &member, d, end);
  }
  if (push < floor || push_sum == 0 || floor + sum <= end || push + push_sum < goal) {
    return fail(check, "an edge lemma is wrong: there is room");
  }
  if (premises) {
    int64_t shift = d == 0 ? own.low : -own.high;
    memplan_check_bounds_raise(check->clauses.bounds, 2 * own.item + (int32_t)d, goal - shift);
  }
  return true;
}

// What the pairs of the operator still can save, by the item that is born.
static int64_t find_savings(checker *check, int32_t op) {
  int64_t sum = 0;
  for (int32_t k = 0; k < check->model.n_pairs; k++) {
    const memplan_check_joint_pair *pair = &check->model.pairs[k];
    if (pair->op == op) {
      check->best[pair->born] = check->next[pair->born] = 0;
      check->best_pair[pair->born] = -1;
    }
  }
  for (int32_t k = 0; k < check->model.n_pairs; k++) {
    const memplan_check_joint_pair *pair = &check->model.pairs[k];
    int32_t chosen = memplan_joint_replay_choice(check->replay, k);
    if (pair->op != op || memplan_joint_replay_holds(check->replay, chosen ^ 1)) {
      continue;
    }
    int64_t *best = &check->best[pair->born], *next = &check->next[pair->born];
    if (pair->shared > *best) {
      sum += pair->shared - *best;
      *next = *best;
      *best = pair->shared;
      check->best_pair[pair->born] = k;
    } else if (pair->shared > *next) {
      *next = pair->shared;
    }
  }
  return sum;
}

// [2, v]
static bool use_load(checker *check, int32_t op, int64_t n) {
  memplan_joint_replay *replay = check->replay;
  memplan_check_bounds *bounds = check->clauses.bounds;
  int32_t height = 2 * check->model.n_items;
  if (n != 2) {
    return fail(check, "a lemma is too long");
  }
  if (!spend(check, 2 * ((int64_t)check->model.n_items + check->model.n_pairs))) {
    return false;
  }
  int64_t sum = -find_savings(check, op);
  for (int32_t item = 0; item < check->model.n_items; item++) {
    bool live = memplan_joint_replay_holds(replay, memplan_joint_replay_dead(replay, item, op) ^ 1) &&
                memplan_joint_replay_holds(replay, memplan_joint_replay_unborn(replay, item, op) ^ 1);
    sum += live && !check->model.items[item].reserved ? check->model.items[item].bytes : 0;
  }
  memplan_check_bounds_raise(bounds, height, sum);
  if (memplan_check_bounds_failed(bounds)) {
    return true;
  }
  // all that follows from this sum is drawn from the same knowledge: what is drawn first only adds to it
  int64_t most = -bounds->value[height + 1];
  for (int32_t item = 0; item < check->model.n_items && !memplan_check_bounds_failed(bounds); item++) {
    if (check->model.items[item].reserved || sum + check->model.items[item].bytes <= most) {
      continue;
    }
    int32_t dead = memplan_joint_replay_dead(replay, item, op), unborn = memplan_joint_replay_unborn(replay, item, op);
    bool born = memplan_joint_replay_holds(replay, unborn ^ 1), alive = memplan_joint_replay_holds(replay, dead ^ 1);
    if (born && !alive) {
      memplan_joint_replay_set(replay, dead);
    } else if (alive && !born) {
      memplan_joint_replay_set(replay, unborn);
    }
  }
  for (int32_t k = 0; k < check->model.n_pairs && !memplan_check_bounds_failed(bounds); k++) {
    const memplan_check_joint_pair *pair = &check->model.pairs[k];
    if (pair->op == op && check->best_pair[pair->born] == k &&
        sum + check->best[pair->born] - check->next[pair->born] > most) {
      memplan_joint_replay_set(replay, memplan_joint_replay_choice(replay, k));
    }
  }
  return true;
}

static bool use_lemma(void *owner, const json_t *array) {
  checker *check = owner;
  int64_t n;
  if (!memplan_check_clauses_read_lemma(&check->clauses, array, &n)) {
    return false;
  }
  if (n < 2 || check->clauses.log.lemma[1] < 0 || check->clauses.log.lemma[1] >= check->model.n_ops) {
    return fail(check, "a lemma names no operator");
  }
  int32_t op = (int32_t)check->clauses.log.lemma[1];
  if (!spend(check, n * (1 + (int64_t)check->model.n_pairs))) { // each member is looked for among the pairs
    return false;
  }
  check->mark_now++;
  switch (check->clauses.log.lemma[0]) {
  case 0:
    return use_overload(check, op, n);
  case 1:
    return use_edge(check, op, n);
  case 2:
    return use_load(check, op, n);
  default:
    return fail(check, "a lemma of unknown kind");
  }
}

// ---- precedences

// A line of a section that shows one.
static memplan_status read_precedence(checker *check, const json_t *line, memplan_error *error) {
  if (check->windowed || check->begun) {
    (void)fail(check, "the line is no clause: precedences stand before all clauses, and not in one of a window");
    return MEMPLAN_OK;
  }
  if (check->precedences == NULL) {
    MEMPLAN_TRY(memplan_precedence_check_new(check->problem, check->workspace, check->length, check->result,
                                             &check->precedences, error));
  }
  return check->result->reason[0] == '\0' ? memplan_precedence_check_line(check->precedences, line, error) : MEMPLAN_OK;
}

// What the sections have shown holds for all that follows.
static memplan_status take_precedences(checker *check, memplan_error *error) {
  const memplan_check_bounds *bounds = check->clauses.bounds;
  int64_t n = 0;
  check->begun = true;
  if (check->precedences == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_precedence_check_end(check->precedences, &n, error));
  for (int64_t k = 0; k < n && check->result->reason[0] == '\0' && !memplan_check_bounds_failed(bounds); k++) {
    int32_t before, after;
    memplan_precedence_check_get(check->precedences, k, &before, &after);
    memplan_joint_replay_set(check->replay, memplan_joint_replay_turn(check->replay, before, after));
  }
  check->clauses.nomem = check->clauses.nomem || bounds->nomem;
  check->clauses.proven = memplan_check_bounds_failed(bounds);
  return MEMPLAN_OK;
}

static memplan_status read_step(checker *check, const json_t *line, memplan_error *error) {
  if (json_object_get(line, "c") == NULL) {
    return read_precedence(check, line, error);
  }
  if (!check->begun) {
    MEMPLAN_TRY(take_precedences(check, error));
  }
  if (check->result->reason[0] == '\0' && !check->clauses.proven && !check->clauses.nomem) {
    check->result->steps++;
    (void)memplan_check_clauses_step(&check->clauses, line);
  }
  return MEMPLAN_OK;
}

// ---- the first line

// The operators of a window, as the certificate numbers them. False: they are none.
static bool read_ops(checker *check, const json_t *list, int32_t *ops) {
  const memplan_graph *graph = &check->problem->graph;
  memplan_names names = {0};
  size_t n = json_array_size(list);
  bool good = true;
  for (int32_t op = 0; op < graph->n_ops && !check->clauses.nomem; op++) {
    check->clauses.nomem = memplan_names_add(&names, graph->ops[op].id, op) == -2;
  }
  for (size_t k = 0; k < n && good && !check->clauses.nomem; k++) {
    const char *id = json_string_value(json_array_get(list, k));
    ops[k] = id != NULL ? memplan_names_find(&names, id) : -1;
    good = ops[k] >= 0 || fail(check, "an operator of the window is none of the model");
  }
  memplan_names_free(&names);
  return good && !check->clauses.nomem;
}

// The window that the first line names, from the whole graph.
static memplan_status cut_window(checker *check, const json_t *list, const char **reason, memplan_error *error) {
  const memplan_check_joint_model whole = check->model;
  size_t n = json_array_size(list);
  if (n == 0 || n > most_ops) {
    *reason = "a window names 1 to 400 operators";
    return MEMPLAN_OK;
  }
  int32_t *ops = MEMPLAN_NEW(&check->arena, int32_t, n);
  if (ops == NULL) {
    return memplan_fail_nomem(error);
  }
  if (!read_ops(check, list, ops)) {
    return check->clauses.nomem ? memplan_fail_nomem(error) : MEMPLAN_OK;
  }
  return memplan_check_joint_window_cut(&whole, ops, (int32_t)n, &check->arena, &check->model, reason, error);
}

// The lists by which the certificate numbers things are those of the model.
static bool read_lists(checker *check, const json_t *head) {
  return memplan_check_joint_model_is_named(&check->model, head) ||
         fail(check, check->model.ops == NULL
                         ? "its operators, items or pairs are not those of the model, in their order: if operators "
                           "or tensors of the file were reordered since, check it against the file as it was"
                         : "its items or pairs are not those of its window of the model, in their order");
}

// The model that is spoken of, scaled; its result has a reason if there is none.
static memplan_status build_model(checker *check, const json_t *head, int64_t unit, memplan_error *error) {
  const char *reason = NULL;
  memplan_check_joint_model *model = &check->model;
  MEMPLAN_TRY(memplan_check_joint_model_build(&check->ordering, &check->arena, model, &reason, error));
  check->windowed = json_is_true(json_object_get(head, "window"));
  if (reason == NULL && check->windowed) {
    MEMPLAN_TRY(cut_window(check, json_object_get(head, "ops"), &reason, error));
  }
  if (reason == NULL && check->result->reason[0] == '\0') {
    reason = memplan_check_joint_model_scale(model, unit, check->result->claim);
  }
  if (reason == NULL && (model->n_ops > most_ops || memplan_joint_replay_count(model) > most_variables)) {
    reason = "the model has more operators and items than such a certificate is checked for";
  }
  if (reason != NULL) {
    fail(check, reason);
  }
  return MEMPLAN_OK;
}

static memplan_status read_head(checker *check, const json_t *head, memplan_error *error) {
  int64_t unit = 0;
  memplan_check_joint_model *model = &check->model;
  if (!memplan_check_read_number(json_object_get(head, "unit"), &unit) || unit < 1) {
    fail(check, "the first line lacks a unit");
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(build_model(check, head, unit, error));
  if (check->result->reason[0] != '\0' || !read_lists(check, head)) {
    return MEMPLAN_OK;
  }
  check->mark = MEMPLAN_NEW(&check->arena, int64_t, model->n_items);
  check->best = MEMPLAN_NEW(&check->arena, int64_t, model->n_items);
  check->next = MEMPLAN_NEW(&check->arena, int64_t, model->n_items);
  check->best_pair = MEMPLAN_NEW(&check->arena, int32_t, model->n_items);
  int64_t size = memplan_joint_replay_count(model);
  check->meter = memplan_check_meter_start(check->length, size);
  check->replay = memplan_joint_replay_new(model, &check->meter, memplan_check_meter_changes(check->length, size));
  if (check->mark == NULL || check->best == NULL || check->next == NULL || check->best_pair == NULL ||
      check->replay == NULL) {
    return memplan_fail_nomem(error);
  }
  check->clauses.bounds = memplan_joint_replay_bounds(check->replay);
  check->clauses.proven = memplan_check_bounds_failed(check->clauses.bounds);
  return MEMPLAN_OK;
}

// ---- the whole

static memplan_status check_lines(checker *check, const char *text, size_t length, memplan_error *error) {
  memplan_status status = MEMPLAN_OK;
  size_t at = 0;
  while (status == MEMPLAN_OK && at < length && !check->clauses.proven && check->result->reason[0] == '\0' &&
         !check->clauses.nomem) {
    json_t *line = memplan_check_read_line(text, length, &at);
    check->result->line++;
    if (!json_is_object(line)) {
      fail(check, "the line is no JSON object");
    } else if (check->result->line == 1) {
      status = read_head(check, line, error);
    } else {
      status = read_step(check, line, error);
    }
    json_decref(line);
  }
  if (status == MEMPLAN_OK && !check->begun && !check->clauses.proven && check->result->reason[0] == '\0' &&
      !check->clauses.nomem) {
    status = take_precedences(check, error);
  }
  if (status == MEMPLAN_OK && check->clauses.nomem) {
    status = memplan_fail_nomem(error);
  }
  return status;
}

memplan_status memplan_check_joint(const memplan_problem *problem, const int64_t *workspace, const char *text,
                                   size_t length, memplan_check_result *result, memplan_error *error) {
  checker check = {.problem = problem, .workspace = workspace, .result = result, .length = length};
  check.clauses =
      (memplan_check_clauses){.result = result, .use_lemma = use_lemma, .size_of = size_of, .owner = &check};
  result->every_order = true;
  result->line = 0;
  memplan_status status = memplan_ordering_init(&check.ordering, &problem->graph, &problem->options, workspace, error);
  if (status == MEMPLAN_INPUT) {
    (void)fail(&check, "the sizes of the graph add up to too much");
    status = MEMPLAN_OK;
  } else if (status == MEMPLAN_OK) {
    status = check_lines(&check, text, length, error);
  }
  result->proven = status == MEMPLAN_OK && check.clauses.proven && result->reason[0] == '\0';
  if (status == MEMPLAN_OK && !result->proven) {
    fail(&check, "the certificate ends before its claim is proven");
  }
  memplan_precedence_check_free(check.precedences);
  memplan_joint_replay_free(check.replay);
  memplan_check_clauses_free(&check.clauses);
  memplan_arena_free(&check.arena);
  memplan_ordering_free(&check.ordering);
  return status;
}
