// SPDX-License-Identifier: Apache-2.0
// Both ways begin alike: a first plan by quick methods, and the program made with its peak as the ceiling. On the way
// back the first plan's order, choice and offsets are replaced by those of the solution.
#include "solvers/ilp_export.h"

#include "solvers/ilp_joint.h"
#include "solvers/ilp_methods.h"
#include "solvers/ilp_placement.h"
#include "solvers/ilp_settle.h"
#include "solvers/ilp_write.h"
#include "solvers/place.h"
#include "solvers/prepare.h"

#include <inttypes.h>
#include <string.h>

typedef struct program {
  const memplan_problem *problem;
  memplan_solve_options solve;
  const memplan_method *method;
  memplan_solution *first;
  memplan_arena arena;
  memplan_prepared prepared;
  bool is_prepared;
  memplan_ilp model;
  memplan_joint_graph graph;
  memplan_ilp_order order;
  memplan_place_problem place_problem;
  memplan_ilp_place place;
} program;

static memplan_status find_method(program *work, const char *name, memplan_error *error) {
  static const memplan_method *const methods[] = {&memplan_ilp_place_method, &memplan_ilp_order_method,
                                                  &memplan_ilp_order_steps_method, &memplan_ilp_joint_method,
                                                  &memplan_ilp_joint_steps_method};
  work->method = work->problem->has_graph ? &memplan_ilp_joint_method : &memplan_ilp_place_method;
  bool found = name == NULL;
  for (size_t k = 0; !found && k < sizeof methods / sizeof *methods; k++) {
    if (strcmp(methods[k]->name, name) == 0) {
      work->method = methods[k];
      found = true;
    }
  }
  if (!found) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "method '%s' is no integer program; there are ilp-place, ilp-order, ilp-order-steps, ilp-joint "
                        "and ilp-joint-steps",
                        name);
  }
  if (!work->problem->has_graph && work->method->kind != MEMPLAN_METHOD_PLACE) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "method '%s' needs a graph: lifetimes have no order", name);
  }
  return MEMPLAN_OK;
}

static bool in_steps(const program *work) {
  return work->method == &memplan_ilp_order_steps_method || work->method == &memplan_ilp_joint_steps_method;
}

static bool is_program(const char *name) { return name != NULL && strncmp(name, "ilp-", 4) == 0; }

// The program is not run here, and what the heuristics find is enough to begin with.
static void choose_quick(program *work) {
  memplan_solve_options *quick = &work->solve;
  quick->limits.work = 0;
  quick->joint = NULL;
  quick->order = is_program(quick->order) ? NULL : quick->order;
  quick->place = is_program(quick->place) ? NULL : quick->place;
  if (work->method->kind == MEMPLAN_METHOD_PLACE && work->problem->has_graph && quick->order == NULL) {
    quick->order = "given";
    quick->fixed_order = true;
  }
}

static memplan_status find_first(program *work, memplan_error *error) {
  choose_quick(work);
  MEMPLAN_TRY(memplan_solve(work->problem, &work->solve, work->first, error));
  if (!work->first->has_plan) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "there is no first plan to make the integer program from: %s",
                        work->first->infeasible != NULL ? work->first->infeasible : "none that fits was found");
  }
  return MEMPLAN_OK;
}

static memplan_status build_placement(program *work, memplan_error *error) {
  const memplan_instance *instance = memplan_solution_instance(work->problem, work->first);
  if (instance->n_pools > 1) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "it has %d pools, and the integer program knows one",
                        instance->n_pools);
  }
  MEMPLAN_TRY(memplan_ilp_place_problem(instance, &work->arena, &work->place_problem, error));
  const char **ids = memplan_ilp_item_ids(instance, &work->place_problem, &work->arena);
  if (ids == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t ceiling = memplan_instance_peak(instance, work->first->offset) / work->place_problem.unit;
  int64_t bound = memplan_ilp_section_load(&work->place_problem);
  work->model.unit = work->place_problem.unit;
  return memplan_ilp_place_build(&work->place_problem, ids, bound, ceiling, &work->model, &work->place, error);
}

static memplan_status build_order(program *work, memplan_error *error) {
  work->is_prepared = true; // to be freed also after a failure
  MEMPLAN_TRY(memplan_prepare(&work->problem->graph, &work->problem->options, &work->solve, &work->prepared, error));
  bool placed = work->method->kind == MEMPLAN_METHOD_JOINT;
  MEMPLAN_TRY(memplan_joint_graph_init(&work->graph, &work->prepared.ordering, placed, &work->arena, error));
  work->model.unit = work->graph.unit;
  int64_t unit = work->graph.unit, peak = placed ? work->first->plan.peak : work->first->order_peak;
  int64_t ceiling = peak / unit + (peak % unit != 0);
  return placed ? memplan_ilp_joint_build(&work->graph, in_steps(work), 0, ceiling, &work->model, &work->arena,
                                          &work->order, error)
                : memplan_ilp_order_build(&work->graph, in_steps(work), 0, ceiling, &work->model, &work->arena,
                                          &work->order, error);
}

static memplan_status make(program *work, const memplan_problem *problem, const memplan_solve_options *solve,
                           const char *method, memplan_solution *first, memplan_error *error) {
  *work = (program){.problem = problem, .solve = *solve, .first = first};
  memplan_ilp_init(&work->model);
  MEMPLAN_TRY(find_method(work, method, error));
  work->model.title = work->method->name;
  MEMPLAN_TRY(find_first(work, error));
  return work->method->kind == MEMPLAN_METHOD_PLACE ? build_placement(work, error) : build_order(work, error);
}

static void release(program *work) {
  memplan_ilp_free(&work->model);
  if (work->is_prepared) {
    memplan_prepared_free(&work->prepared);
  }
  memplan_arena_free(&work->arena);
}

// What rows and terms take as text, where bounds and comments add some more. O(terms).
static int64_t count_bytes(const memplan_ilp *model, memplan_ilp_syntax syntax) {
  int64_t bytes = 0;
  for (int32_t k = 0; k < model->n_rows; k++) {
    const memplan_ilp_row *row = &model->rows[k];
    bool twice = row->lower != -MEMPLAN_ILP_NONE && row->upper != MEMPLAN_ILP_NONE && row->lower < row->upper;
    int64_t name = (int64_t)strlen(row->name), terms = 0;
    for (int32_t t = 0; t < row->n_terms; t++) {
      terms += (int64_t)strlen(model->columns[model->terms[row->first + t].column].name) + 5;
    }
    bytes += syntax == MEMPLAN_ILP_MPS ? terms + (row->n_terms + 2) * name + 14 : (twice ? 2 : 1) * (terms + name + 8);
  }
  return bytes;
}

static memplan_status check_size(const program *work, memplan_ilp_syntax syntax, int64_t most, memplan_error *error) {
  const memplan_ilp *model = &work->model;
  int64_t bytes = count_bytes(model, syntax);
  if (bytes <= most) {
    return MEMPLAN_OK;
  }
  return memplan_fail(
      error, MEMPLAN_UNSUPPORTED,
      "the program %s has %" PRId32 " columns, %" PRId32 " rows and %" PRId64 " terms, more than %" PRId64
      " MiB of text: give --program-limit %" PRId64 "M to write it all the same, or another --method",
      work->method->name, model->n_columns, model->n_rows, model->n_terms, bytes >> 20, (bytes >> 20) + 1);
}

memplan_status memplan_ilp_export(const memplan_problem *problem, const memplan_solve_options *solve,
                                  const char *method, memplan_ilp_syntax syntax, int64_t most_bytes, char **text,
                                  size_t *length, memplan_error *error) {
  program work;
  memplan_solution first;
  memplan_solution_init(&first);
  *text = NULL;
  *length = 0;
  memplan_status status = make(&work, problem, solve, method, &first, error);
  if (status == MEMPLAN_OK) {
    status = check_size(&work, syntax, most_bytes, error);
  }
  if (status == MEMPLAN_OK) {
    status = syntax == MEMPLAN_ILP_LP ? memplan_ilp_lp_text(&work.model, text, length, error)
                                      : memplan_ilp_mps_text(&work.model, text, length, error);
  }
  release(&work);
  memplan_solution_free(&first);
  return status;
}

// ---- back

static memplan_status fail_decisions(memplan_error *error) {
  return memplan_fail(error, MEMPLAN_INPUT,
                      "the decisions of the solution contradict each other: it does not meet the rows of the program");
}

static memplan_status store_offsets(program *work, const memplan_instance *instance, const int64_t *offset,
                                    const int32_t *pool, memplan_error *error) {
  memplan_solution *solution = work->first;
  memplan_placement placement = {.offset = offset, .pool = pool};
  MEMPLAN_TRY(memplan_placement_copy(&placement, instance->n_blocks, &solution->arena, error));
  solution->offset = placement.offset;
  solution->pool = placement.pool;
  solution->place_method = work->method->name;
  solution->plan.n_placed = solution->plan.n_slots = 0;
  return memplan_assemble_offsets(instance, &placement, &solution->plan, error);
}

static memplan_status take_placement(program *work, const int64_t *value, memplan_error *error) {
  const memplan_instance *instance = memplan_solution_instance(work->problem, work->first);
  const memplan_place_problem *problem = &work->place_problem;
  int64_t *wish = MEMPLAN_NEW(&work->arena, int64_t, problem->n_items);
  int64_t *settled = MEMPLAN_NEW(&work->arena, int64_t, problem->n_items);
  int64_t *offset = MEMPLAN_NEW(&work->arena, int64_t, instance->n_blocks);
  int32_t *pool = MEMPLAN_NEW(&work->arena, int32_t, instance->n_blocks);
  if (wish == NULL || settled == NULL || offset == NULL || pool == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_ilp_place_read(&work->place, value, wish);
  int64_t height = memplan_ilp_settle(problem, wish, settled);
  if (height == INT64_MAX || !memplan_place_problem_holds(problem, settled, height)) {
    return fail_decisions(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) { // of empty blocks only the pin counts
    offset[block] = instance->blocks[block].pin >= 0 ? instance->blocks[block].pin : 0;
  }
  for (int32_t item = 0; item < problem->n_items; item++) {
    offset[problem->block[item]] = settled[item] * problem->unit;
  }
  return store_offsets(work, instance, offset, pool, error);
}

// The instance of the order and choice takes the place of the first plan's.
static memplan_status take_order(program *work, const int64_t *value, memplan_error *error) {
  memplan_solution *solution = work->first;
  const memplan_ordering *ordering = &work->prepared.ordering;
  int32_t *order = MEMPLAN_NEW(&solution->arena, int32_t, ordering->n_ops);
  int32_t *choice = MEMPLAN_NEW(&solution->arena, int32_t, ordering->n_pairs);
  int32_t *storage_buffer = MEMPLAN_NEW(&work->arena, int32_t, ordering->graph->n_storages);
  int32_t *op_buffer = MEMPLAN_NEW(&work->arena, int32_t, ordering->n_ops);
  int32_t n_choices = 0;
  memplan_profile profile;
  if (order == NULL || choice == NULL || storage_buffer == NULL || op_buffer == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_status status = memplan_ilp_order_read(&work->order, value, order, choice, &n_choices, error);
  if (status != MEMPLAN_OK) {
    return status == MEMPLAN_INPUT ? fail_decisions(error) : status;
  }
  MEMPLAN_TRY(memplan_ordering_profile(ordering, order, &solution->arena, &profile, error));
  if (!work->order.placed) {
    n_choices = profile.n_choices;
    MEMPLAN_TRY(memplan_ordering_filter(ordering, profile.choice, &n_choices, error));
    choice = profile.choice;
  }
  memplan_instance_free(&solution->instance);
  MEMPLAN_TRY(memplan_ordering_lower(ordering, order, choice, n_choices, &solution->instance, storage_buffer, op_buffer,
                                     error));
  solution->order = order;
  solution->load = profile.load;
  solution->order_peak = profile.peak;
  solution->order_outcome = profile.peak == solution->order_lower_bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  solution->order_method = work->method->name;
  solution->plan.n_order = solution->plan.n_inplace = 0;
  MEMPLAN_TRY(memplan_assemble_order(ordering, order, choice, n_choices, &solution->plan, error));
  if (!work->order.placed) {
    memplan_solve_options quick = work->solve;
    memplan_place_news news = {.peak = INT64_MAX};
    memplan_place_result found;
    quick.place = NULL;
    MEMPLAN_TRY(memplan_place_best(&solution->instance, &quick, &news, &work->arena, &found, error));
    if (found.method == NULL) {
      return memplan_fail(error, MEMPLAN_UNSUPPORTED, "no placement was found on the order of the solution");
    }
    MEMPLAN_TRY(store_offsets(work, &solution->instance, found.placement.offset, found.placement.pool, error));
    solution->place_method = found.method->name;
    return MEMPLAN_OK;
  }
  int64_t *offset = NULL, peak = 0;
  MEMPLAN_TRY(memplan_ilp_joint_place(&work->order, value, &solution->instance, storage_buffer, op_buffer, &work->arena,
                                      &offset, &peak, error));
  int32_t *pool = MEMPLAN_NEW(&work->arena, int32_t, solution->instance.n_blocks);
  if (pool == NULL) {
    return memplan_fail_nomem(error);
  }
  return peak == MEMPLAN_ILP_NONE ? fail_decisions(error)
                                  : store_offsets(work, &solution->instance, offset, pool, error);
}

// Whatever the file said: only a plan that verify accepts goes out.
static memplan_status finish(program *work, memplan_error *error) {
  memplan_solution *solution = work->first;
  memplan_plan *plan = &solution->plan;
  plan->outcome = plan->peak == plan->lower_bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  if (!plan->bound.joint && work->method->kind != MEMPLAN_METHOD_PLACE) {
    plan->bound = (memplan_bound){.kind = MEMPLAN_BOUND_NONE, .step = -1};
    plan->lower_bound = 0;
    plan->outcome = MEMPLAN_FEASIBLE;
  }
  plan->bound.step = plan->bound.op != NULL ? -1 : plan->bound.step; // the operator runs elsewhere now
  solution->outcome = plan->outcome;
  memplan_problem unlimited = *work->problem;
  unlimited.options.capacity = -1;
  memplan_report report;
  memplan_report_init(&report);
  memplan_status status = memplan_verify(&unlimited, plan, &report, error);
  if (status == MEMPLAN_OK && !report.valid) {
    status = memplan_fail(error, MEMPLAN_INPUT, "the solution leads to no valid plan: %s", report.violations[0].text);
  }
  memplan_report_free(&report);
  return status;
}

static memplan_status take(program *work, const char *text, size_t length, memplan_error *error) {
  int64_t *value = MEMPLAN_NEW(&work->arena, int64_t, work->model.n_columns);
  if (value == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_ilp_solution_read(&work->model, text, length, value, error));
  MEMPLAN_TRY(work->method->kind == MEMPLAN_METHOD_PLACE ? take_placement(work, value, error)
                                                         : take_order(work, value, error));
  return finish(work, error);
}

memplan_status memplan_ilp_import(const memplan_problem *problem, const memplan_solve_options *solve,
                                  const char *method, const char *text, size_t length, memplan_solution *solution,
                                  memplan_error *error) {
  program work;
  memplan_status status = make(&work, problem, solve, method, solution, error);
  if (status == MEMPLAN_OK) {
    status = take(&work, text, length, error);
  }
  release(&work);
  return status;
}
