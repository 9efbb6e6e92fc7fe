// SPDX-License-Identifier: Apache-2.0
// `memplan explain`: what fills the memory, which buffers block a capacity, and what keeps two buffers apart.
#include "eval/command.h"
#include "eval/explain_report.h"
#include "eval/inputs.h"
#include "eval/option_table.h"
#include "eval/output.h"
#include "eval/planned.h"
#include "model/base/quote.h"
#include "solvers/explain_fits.h"

typedef struct question {
  memplan_context *context;
  memplan_problem problem;
  memplan_plan plan;
  memplan_subject subject;
  const memplan_option_value *pair, *plan_path, *capacity;
  memplan_solve_options solve; // limits started
  bool invalid;                // the plan is
} question;

static memplan_status check_options(const question *asked, memplan_error *error) {
  const memplan_options *options = &asked->context->options;
  if (asked->plan_path->given && memplan_option_get(options, MEMPLAN_OPTION_ORDER)->given) {
    return memplan_fail(error, MEMPLAN_INPUT, "--order and --plan: the plan has its own order, so give one of the two");
  }
  if (asked->pair->given && asked->capacity->given) {
    return memplan_fail(error, MEMPLAN_INPUT, "--capacity and --pair are two questions: ask one of them at a time");
  }
  return MEMPLAN_OK;
}

static memplan_status read_problem(question *asked, memplan_error *error) {
  if (asked->plan_path->given) {
    return memplan_planned_read(asked->context, asked->plan_path->text, &asked->problem, &asked->plan, &asked->invalid,
                                error);
  }
  asked->context->settings.problem.capacity = -1;
  return memplan_inputs_read(asked->context, asked->context->options.arguments[0], &asked->problem, error);
}

static memplan_status ask_capacity(question *asked, memplan_explanation *explanation, memplan_error *error) {
  const memplan_instance *instance = asked->subject.instance;
  int64_t capacity = asked->capacity->given ? asked->capacity->number : -1;
  explanation->has_capacity = capacity >= 0;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    explanation->has_capacity |= instance->pools[pool].capacity >= 0;
  }
  if (!explanation->has_capacity) {
    return MEMPLAN_OK;
  }
  const memplan_capacity_task task = {
      .instance = instance, .capacity = capacity, .solve = &asked->solve, .fits = memplan_blocks_fit};
  MEMPLAN_TRY(memplan_capacity_explain(&task, &asked->subject.arena, &explanation->capacity, error));
  if (explanation->capacity.fit != MEMPLAN_FIT_NO) {
    return MEMPLAN_OK;
  }
  return memplan_capacity_scope(&asked->subject, &explanation->capacity, &asked->solve, &explanation->scope,
                                &explanation->bound, error);
}

static memplan_status answer(question *asked, memplan_explanation *explanation, memplan_error *error) {
  MEMPLAN_TRY(check_options(asked, error));
  MEMPLAN_TRY(read_problem(asked, error));
  const memplan_subject_options options = {
      .solve = &asked->solve, .plan = asked->plan_path->given ? &asked->plan : NULL, .plain = asked->pair->given};
  explanation->problem = &asked->problem;
  explanation->subject = &asked->subject;
  explanation->plan_path = asked->plan_path->given ? asked->plan_path->text : NULL;
  explanation->plan_peak = asked->plan.peak;
  explanation->order_path = asked->solve.listed != NULL ? asked->solve.listed->path : NULL;
  memplan_status status = memplan_subject_init(&asked->subject, &asked->problem, &options, error);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(asked->problem.path).text);
    return status;
  }
  if (asked->pair->given) {
    explanation->has_pair = true;
    return memplan_pair_explain(&asked->subject, asked->pair->list[0], asked->pair->list[1], -1, &explanation->pair,
                                error);
  }
  MEMPLAN_TRY(memplan_subject_filling(&asked->subject, &explanation->filling, error));
  return ask_capacity(asked, explanation, error);
}

static memplan_status write_report(const memplan_context *context, const memplan_explanation *explanation,
                                   memplan_error *error) {
  memplan_output output;
  memplan_status status = MEMPLAN_OK;
  memplan_style style = context->settings.style;
  if (context->console.quiet && !context->settings.style_given) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_output_open(&output, context->settings.output, error));
  if (style == MEMPLAN_STYLE_TEXT) {
    memplan_explanation_write_text(explanation, output.file);
  } else if (style == MEMPLAN_STYLE_JSON) {
    memplan_explanation_write_json(explanation, output.file);
  } else {
    status = memplan_explanation_write_grid(explanation, style, output.file, error);
  }
  if (status != MEMPLAN_OK) {
    memplan_output_drop(&output);
    return status;
  }
  return memplan_output_close(&output, error);
}

static memplan_exit code_of(const memplan_explanation *explanation) {
  if (!explanation->has_capacity || explanation->capacity.fit == MEMPLAN_FIT_YES) {
    return MEMPLAN_EXIT_GOAL;
  }
  // Another order may fit where only this one is refuted.
  bool proven = explanation->capacity.fit == MEMPLAN_FIT_NO && explanation->scope == MEMPLAN_SCOPE_PROBLEM;
  return proven ? MEMPLAN_EXIT_INFEASIBLE : MEMPLAN_EXIT_NO_PLAN;
}

static memplan_exit run(memplan_context *context) {
  memplan_error error = {0};
  question asked = {.context = context,
                    .pair = memplan_option_get(&context->options, MEMPLAN_OPTION_PAIR),
                    .plan_path = memplan_option_get(&context->options, MEMPLAN_OPTION_PLAN),
                    .capacity = memplan_option_get(&context->options, MEMPLAN_OPTION_CAPACITY),
                    .solve = context->settings.solve};
  memplan_explanation explanation = {.verbose = context->console.verbose};
  asked.solve.limits.cancel = context->cancel;
  asked.solve.limits = memplan_limits_start(&asked.solve.limits);
  memplan_problem_init(&asked.problem);
  memplan_plan_init(&asked.plan);
  memplan_status status = answer(&asked, &explanation, &error);
  if (status == MEMPLAN_OK) {
    status = write_report(context, &explanation, &error);
  }
  memplan_exit code = code_of(&explanation);
  if (status != MEMPLAN_OK) {
    code = memplan_context_fail(context, status, &error);
    code = asked.invalid ? MEMPLAN_EXIT_INVALID : code;
  }
  memplan_subject_free(&asked.subject);
  memplan_plan_free(&asked.plan);
  memplan_problem_free(&asked.problem);
  return code;
}

const memplan_command memplan_command_explain = {
    .name = "explain",
    .bit = MEMPLAN_COMMAND_EXPLAIN,
    .arguments = "FILE",
    .min_arguments = 1,
    .max_arguments = 1,
    .summary = "what fills the memory, what blocks a capacity, what keeps two buffers apart",
    .details = "Shows the buffers that are live where most memory is needed, with --plan where the plan's peak is. "
               "With --capacity, or where the pools have one, it also says whether everything fits, and if not, by how "
               "much, and which few buffers already block it: without any one of them, the others fit. With --pair it "
               "says whether two buffers or tensors may share bytes, and what forbids it: their lifetimes, alignments, "
               "views of one buffer, rules, colocations, fixed offsets, pools or capacities.\n\n"
               "For a model all this holds for one order of its operators: the given one, that of --order, or the "
               "plan's; the answer says where it holds for every order. The exit code is 0 if the question is answered "
               "and everything fits, 20 if no order lets it fit, 30 if that stays open: also where it does not fit "
               "with this order and another one may (`memplan solve --capacity` looks for one).",
    .example = "memplan explain model.onnx --capacity 512K",
    .run = run,
};
