// SPDX-License-Identifier: Apache-2.0
#include "eval/verify_hint.h"

#include "eval/option_table.h"
#include "eval/other_problem.h"

#include <string.h>
#include <sys/stat.h>

typedef struct variant {
  bool pin, rename;
  const char *options;
} variant;

// Is the fingerprint of the file under these options that of the plan?
static bool matches(const char *path, const char *from, const memplan_problem_options *options, const char *wanted) {
  memplan_problem problem;
  memplan_problem_init(&problem);
  bool same = memplan_read(path, from, options, &problem, NULL) == MEMPLAN_OK && wanted != NULL &&
              strcmp(problem.fingerprint, wanted) == 0;
  memplan_problem_free(&problem);
  return same;
}

// The options of the plan alone, as if none had been given.
static memplan_status plan_settings(const memplan_plan *plan, memplan_settings *settings) {
  char name[] = "verify";
  char *arguments[] = {name, NULL};
  memplan_options none = {0};
  memplan_status status = memplan_options_parse(&none, memplan_option_table(), MEMPLAN_OPTION_COUNT,
                                                MEMPLAN_COMMAND_VERIFY, 1, arguments, NULL);
  if (status == MEMPLAN_OK) {
    status = memplan_settings_adopt(settings, plan->problem, &none, NULL);
  }
  memplan_options_free(&none);
  return status;
}

// Whether the file has the plan's fingerprint under other options; if so, the note says which.
static bool hint_options(memplan_context *context, const char *path, const memplan_problem *problem,
                         const memplan_plan *plan) {
  static const variant variants[] = {{false, false, NULL},
                                     {true, false, "--pin"},
                                     {false, true, "--dup-ids rename"},
                                     {true, true, "--pin --dup-ids rename"}};
  memplan_settings settings = {0};
  const variant *found = NULL;
  if (plan_settings(plan, &settings) == MEMPLAN_OK) {
    size_t n = problem->has_instance ? sizeof variants / sizeof *variants : 1;
    for (size_t i = 0; i < n && found == NULL; i++) {
      settings.problem.pin_offsets = variants[i].pin;
      settings.problem.rename_dups = variants[i].rename;
      found = matches(path, context->settings.from, &settings.problem, plan->fingerprint) ? &variants[i] : NULL;
    }
  }
  memplan_settings_free(&settings);
  if (found != NULL && found->options == NULL) {
    memplan_console_note(&context->console, "the plan is one for this file under the options that it was made "
                                            "with: leave out those given here that change the problem");
  } else if (found != NULL) {
    memplan_console_note(&context->console, "the plan was made with %s: give it here too", found->options);
  }
  return found != NULL;
}

static void hint_difference(memplan_context *context, memplan_problem *problem, const memplan_plan *plan) {
  memplan_arena arena = {0};
  char text[800];
  int32_t n = problem->has_graph ? plan->n_order : plan->n_placed;
  const char **ids = MEMPLAN_NEW(&arena, const char *, n);
  for (int32_t k = 0; k < n && ids != NULL; k++) {
    ids[k] = problem->has_graph ? plan->order[k] : plan->placed[k].id;
  }
  const memplan_known_problem known = {.fingerprint = plan->fingerprint != NULL ? plan->fingerprint : "",
                                       .options = plan->problem,
                                       .ids = ids,
                                       .n_ids = n};
  const char *phrase = ids != NULL ? memplan_other_problem_text(problem, &known, text, sizeof text) : NULL;
  if (phrase != NULL) {
    memplan_console_note(&context->console, "the plan was made for another problem than this: %s", phrase);
  }
  memplan_arena_free(&arena);
}

void memplan_verify_hint(memplan_context *context, const char *path, memplan_problem *problem,
                         const memplan_plan *plan) {
  struct stat kind;
  if (strcmp(path, "-") != 0 && stat(path, &kind) == 0 && S_ISREG(kind.st_mode) &&
      hint_options(context, path, problem, plan)) {
    return;
  }
  bool pools = problem->has_instance ? problem->instance.n_pools > 1 : problem->graph.n_pools > 1;
  if (pools && context->settings.problem.n_pin_pools == 0) {
    memplan_console_note(&context->console, "if the plan was made with --pin-space, give the same here");
  }
  hint_difference(context, problem, plan);
}
