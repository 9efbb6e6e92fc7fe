// SPDX-License-Identifier: Apache-2.0
// The first line, then nogoods, then the search. A nogood with nothing that could be otherwise ends the proof.
#include "eval/check_nogoods.h"

#include "eval/check_nogood_search.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

enum {
  most_nogoods = 4096,
  size_share = 64 // a line may look at each operator and item several times
};

typedef struct checker {
  memplan_check_result *result;
  memplan_arena arena;
  memplan_ordering ordering;
  memplan_check_joint_model model;
  memplan_check_nogood *nogoods;
  int32_t n_nogoods;
  memplan_nogood_search *search;
  size_t length;             // of the certificate
  memplan_check_meter meter; // of the nogoods, their proofs, and the search
} checker;

static bool fail(checker *check, const char *reason) {
  if (check->result->reason[0] == '\0') {
    (void)snprintf(check->result->reason, sizeof check->result->reason, "%s", reason);
  }
  return false;
}

// The lists by which everything else is numbered.
static bool check_lists(checker *check, const json_t *head) {
  return memplan_check_joint_model_is_named(&check->model, head) ||
         fail(check, "its operators, items or pairs are not those of the model, in their order");
}

static memplan_status read_head(checker *check, const json_t *head, memplan_error *error) {
  const char *reason;
  MEMPLAN_TRY(memplan_check_joint_model_build(&check->ordering, &check->arena, &check->model, &reason, error));
  reason = reason != NULL ? reason : memplan_check_joint_model_scale(&check->model, 1, check->result->claim);
  if (reason != NULL) {
    (void)fail(check, reason);
    return MEMPLAN_OK;
  }
  const memplan_check_joint_model *model = &check->model;
  check->meter = memplan_check_meter_start(check->length, size_share * ((int64_t)model->n_ops + model->n_items));
  if (check_lists(check, head)) {
    check->nogoods = MEMPLAN_NEW(&check->arena, memplan_check_nogood, most_nogoods);
    return check->nogoods != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}

// `rest`: bytes of the certificate behind the line.
static memplan_status read_line(checker *check, const json_t *line, size_t rest, memplan_error *error) {
  memplan_check_result *result = check->result;
  result->steps++;
  if (check->search != NULL) {
    return memplan_nogood_search_line(check->search, line, rest, error);
  }
  if (json_object_get(line, "search") != NULL) {
    return memplan_nogood_search_new(&check->model, check->nogoods, check->n_nogoods, line, &check->meter, result,
                                     &check->search, error);
  }
  if (check->n_nogoods == most_nogoods) {
    (void)fail(check, "it has more than 4096 nogoods");
    return MEMPLAN_OK;
  }
  memplan_check_nogood *nogood = &check->nogoods[check->n_nogoods++];
  MEMPLAN_TRY(memplan_check_nogood_read(&check->model, line, result->claim, &check->meter, &check->arena, nogood,
                                        result->reason, sizeof result->reason, error));
  result->proven = result->reason[0] == '\0' && nogood->n_overlaps + nogood->n_links == 0;
  return MEMPLAN_OK;
}

static memplan_status check_lines(checker *check, const char *text, size_t length, memplan_error *error) {
  memplan_check_result *result = check->result;
  memplan_status status = MEMPLAN_OK;
  size_t at = 0;
  result->line = 0;
  while (status == MEMPLAN_OK && at < length && !result->proven && result->reason[0] == '\0') {
    const char *end = memchr(text + at, '\n', length - at);
    size_t own = end != NULL ? (size_t)(end - text) - at : length - at;
    json_t *line = json_loadb(text + at, own, JSON_REJECT_DUPLICATES, NULL);
    result->line++;
    at += own + 1;
    if (!json_is_object(line)) {
      (void)fail(check, "the line is no JSON object");
    } else {
      size_t rest = at < length ? length - at : 0;
      status = result->line == 1 ? read_head(check, line, error) : read_line(check, line, rest, error);
    }
    json_decref(line);
  }
  if (check->search != NULL && result->reason[0] == '\0') {
    result->proven = memplan_nogood_search_is_closed(check->search);
  }
  if (status == MEMPLAN_OK && !result->proven) {
    (void)fail(check, "the certificate ends before its claim is proven");
  }
  return status;
}

memplan_status memplan_check_nogoods(const memplan_problem *problem, const int64_t *workspace, const char *text,
                                     size_t length, memplan_check_result *result, memplan_error *error) {
  checker check = {.result = result, .length = length};
  result->every_order = true;
  result->proven = false;
  memplan_status status = memplan_ordering_init(&check.ordering, &problem->graph, &problem->options, workspace, error);
  if (status == MEMPLAN_OK) {
    status = check_lines(&check, text, length, error);
  }
  memplan_nogood_search_free(check.search);
  memplan_ordering_free(&check.ordering);
  memplan_arena_free(&check.arena);
  result->proven = result->proven && status == MEMPLAN_OK && result->reason[0] == '\0';
  return status;
}
