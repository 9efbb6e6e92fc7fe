// SPDX-License-Identifier: Apache-2.0
// GLPK's branch and cut on a model: the one file that knows GLPK.
//
// Lazy rows stay out of the problem until a relaxation violates them. Cuts of the program's own, and plans made by
// rounding, come from each relaxation, by the caller; a better plan is a ceiling at all later nodes. Solutions go to
// the caller at once, so that none is lost when a limit ends the search. With a guide, the bounds of each node are
// propagated by all rows, lazy ones too, before its relaxation is solved, and what is branched upon is what most
// follows from, by trying both sides; a node without solution is closed by a row that nothing meets. GLPK ends the
// process on a fault of its own unless its error hook leaves by a long jump; nothing of ours is allocated between the
// jump's two ends but in an arena outside.
#include "solvers/ilp_solver.h"

#include "model/base/clock.h"
#include "solvers/techniques.h"

#include <glpk.h>

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { rows_per_round = 200, most_scaled = 300000, most_candidates = 16, looks_per_node = 200000 };
enum { rounds_at_root = 20, own_cuts = 101, lazy_at_once = 4000 };

static const double lazy_tolerance = 1e-5, bound_tolerance = 1e-6;

typedef struct solver {
  const memplan_ilp_run *run;
  memplan_ilp_answer *answer;
  jmp_buf leave;
  char message[256]; // the last line that GLPK had to say
  glp_prob *problem;
  int64_t *value;  // by column
  double *scratch; // by column: the relaxation's solution
  int32_t *index;  // columns of a row, from 1
  double *factor;
  memplan_ilp_propagator *guide; // NULL: none
  int64_t looked;                // of the guide, before
  int32_t depth;                 // of the guide, before
  int last_iterations;
  memplan_ilp cuts; // of the relaxation at hand
  int rounds;       // of cuts
  bool waits;       // lazy rows do
} solver;

bool memplan_ilp_available(void) { return true; }

const char *memplan_ilp_solver_name(void) { return "GLPK"; }

static int hear(void *info, const char *text) {
  solver *state = info;
  // Where in its own files it noticed is of no use to anybody here.
  if (text[0] != '\n' && text[0] != '\0' && strncmp(text, "Error detected", 14) != 0) {
    (void)snprintf(state->message, sizeof state->message, "%.200s", text);
    state->message[strcspn(state->message, "\n")] = '\0';
  }
  return 1; // nothing is printed
}

static void fault(void *info) {
  solver *state = info;
  longjmp(state->leave, 1);
}

// ---- the problem

static int bound_type(bool lower, bool upper, bool equal) {
  return equal ? GLP_FX : lower && upper ? GLP_DB : lower ? GLP_LO : upper ? GLP_UP : GLP_FR;
}

static void set_row(solver *state, int row, const memplan_ilp_row *entry) {
  const memplan_ilp *model = state->run->model;
  for (int32_t t = 0; t < entry->n_terms; t++) {
    state->index[t + 1] = model->terms[entry->first + t].column + 1;
    state->factor[t + 1] = (double)model->terms[entry->first + t].factor;
  }
  bool lower = entry->lower != -MEMPLAN_ILP_NONE, upper = entry->upper != MEMPLAN_ILP_NONE;
  glp_set_mat_row(state->problem, row, entry->n_terms, state->index, state->factor);
  glp_set_row_bnds(state->problem, row, bound_type(lower, upper, lower && upper && entry->lower == entry->upper),
                   lower ? (double)entry->lower : 0.0, upper ? (double)entry->upper : 0.0);
}

static bool is_off(const solver *state, uint64_t technique) { return (state->run->without & technique) != 0; }

// A few rows more cost less than the rounds in which each of them is missed.
static bool can_wait(const solver *state) {
  const memplan_ilp *model = state->run->model;
  int32_t n_lazy = 0;
  for (int32_t k = 0; k < model->n_rows; k++) {
    n_lazy += model->rows[k].lazy;
  }
  return !is_off(state, MEMPLAN_TECHNIQUE_ILP_LAZY) &&
         (n_lazy > lazy_at_once || is_off(state, MEMPLAN_TECHNIQUE_ILP_AT_ONCE));
}

static bool is_lazy(const solver *state, const memplan_ilp_row *row) { return row->lazy && state->waits; }

static void load(solver *state) {
  const memplan_ilp *model = state->run->model;
  const memplan_ilp_propagator *guide = state->guide;
  glp_add_cols(state->problem, model->n_columns + 1);
  for (int32_t k = 0; k < model->n_columns; k++) {
    const memplan_ilp_column *column = &model->columns[k];
    int64_t low = guide != NULL ? guide->lower[k] : column->lower,
            high = guide != NULL ? guide->upper[k] : column->upper;
    bool upper = high != MEMPLAN_ILP_NONE;
    glp_set_col_kind(state->problem, k + 1, column->kind == MEMPLAN_ILP_CONTINUOUS ? GLP_CV : GLP_IV);
    glp_set_col_bnds(state->problem, k + 1, bound_type(true, upper, upper && low == high), (double)low,
                     upper ? (double)high : 0.0);
    glp_set_obj_coef(state->problem, k + 1, (double)column->cost);
  }
  // The last column is 0 as its row wants it; a node whose bound for it is 1 is closed.
  int closed = model->n_columns + 1;
  glp_set_col_bnds(state->problem, closed, GLP_FX, 0.0, 0.0);
  state->index[1] = closed;
  state->factor[1] = 1.0;
  glp_set_mat_row(state->problem, glp_add_rows(state->problem, 1), 1, state->index, state->factor);
  glp_set_row_bnds(state->problem, 1, GLP_FX, 0.0, 0.0);
  for (int32_t k = 0; k < model->n_rows; k++) {
    if (!is_lazy(state, &model->rows[k])) {
      set_row(state, glp_add_rows(state->problem, 1), &model->rows[k]);
    }
  }
}

// ---- callbacks

static void count_work(solver *state) {
  int iterations = glp_get_it_cnt(state->problem);
  int64_t more = (int64_t)iterations - state->last_iterations;
  state->answer->iterations += more;
  state->answer->work += more * glp_get_num_rows(state->problem);
  state->last_iterations = iterations;
  if (state->guide != NULL) {
    state->answer->work += state->guide->looked - state->looked;
    state->looked = state->guide->looked;
  }
}

static memplan_stop reached(const solver *state) {
  const memplan_limits *limits = state->run->limits;
  memplan_stop stop = memplan_limits_reached(limits);
  return stop == MEMPLAN_STOP_DONE && limits->work >= 0 && state->answer->work > limits->work ? MEMPLAN_STOP_WORK
                                                                                              : stop;
}

static void read_relaxation(solver *state, glp_tree *tree) {
  state->problem = glp_ios_get_prob(tree);
  for (int32_t k = 0; k < state->run->model->n_columns; k++) {
    state->scratch[k] = glp_get_col_prim(state->problem, k + 1);
  }
}

// A row that is added belongs to the node at hand and those below it: elsewhere the same one may be missing again.
static void add_violated(solver *state, glp_tree *tree) {
  const memplan_ilp *model = state->run->model;
  int n_added = 0;
  read_relaxation(state, tree);
  for (int32_t k = 0; k < model->n_rows && n_added < rows_per_round; k++) {
    const memplan_ilp_row *row = &model->rows[k];
    if (!is_lazy(state, row)) {
      continue;
    }
    double sum = 0.0;
    for (int32_t t = 0; t < row->n_terms; t++) {
      sum += (double)model->terms[row->first + t].factor * state->scratch[model->terms[row->first + t].column];
    }
    if ((row->lower != -MEMPLAN_ILP_NONE && sum < (double)row->lower - lazy_tolerance) ||
        (row->upper != MEMPLAN_ILP_NONE && sum > (double)row->upper + lazy_tolerance)) {
      set_row(state, glp_add_rows(state->problem, 1), row);
      n_added++;
    }
  }
  state->answer->lazy_rows += n_added;
}

// At the root only: below it the guide closes most nodes before they need any.
static void add_cuts(solver *state, glp_tree *tree) {
  if (state->run->cut == NULL || glp_ios_node_level(tree, glp_ios_curr_node(tree)) > 0 ||
      state->rounds++ >= rounds_at_root) {
    return;
  }
  read_relaxation(state, tree);
  memplan_ilp_free(&state->cuts);
  state->answer->work += state->run->cut(state->run->context, state->scratch, &state->cuts);
  for (int32_t k = 0; k < state->cuts.n_rows && !state->cuts.out_of_memory; k++) {
    const memplan_ilp_row *row = &state->cuts.rows[k];
    for (int32_t t = 0; t < row->n_terms; t++) {
      state->index[t + 1] = state->cuts.terms[row->first + t].column + 1;
      state->factor[t + 1] = (double)state->cuts.terms[row->first + t].factor;
    }
    bool lower = row->lower != -MEMPLAN_ILP_NONE;
    glp_ios_add_row(tree, NULL, own_cuts, 0, row->n_terms, state->index, state->factor, lower ? GLP_LO : GLP_UP,
                    (double)(lower ? row->lower : row->upper));
    state->answer->cuts++;
  }
}

static void round_relaxation(solver *state, glp_tree *tree) {
  if (state->run->round == NULL || is_off(state, MEMPLAN_TECHNIQUE_ILP_ROUNDING)) {
    return;
  }
  read_relaxation(state, tree);
  int64_t objective = state->run->round(state->run->context, state->scratch, &state->answer->work);
  if (objective < state->answer->best) {
    state->answer->best = objective;
    state->answer->rounded++;
  }
}

static void take_solution(solver *state, glp_tree *tree) {
  const memplan_ilp *model = state->run->model;
  state->problem = glp_ios_get_prob(tree);
  for (int32_t k = 0; k < model->n_columns; k++) {
    state->value[k] = (int64_t)llround(glp_get_col_prim(state->problem, k + 1));
  }
  int64_t objective = state->run->found(state->run->context, state->value);
  if (objective < state->answer->best) {
    state->answer->best = objective;
  }
}

// ---- the guide

static bool is_guided(const solver *state) {
  return state->guide != NULL && !is_off(state, MEMPLAN_TECHNIQUE_ILP_GUIDE);
}

static void go_back(const solver *state) {
  while (state->guide != NULL && state->guide->depth > state->depth) {
    memplan_ilp_undo(state->guide);
  }
}

// Its bounds become those of the node at hand, less what cannot beat the best plan. False: nothing is left.
static bool follow(solver *state, glp_tree *tree) {
  memplan_ilp_propagator *guide = state->guide;
  go_back(state);
  memplan_ilp_mark(guide);
  state->problem = glp_ios_get_prob(tree);
  for (int32_t k = 0; k < state->run->model->n_columns; k++) {
    double low = ceil(glp_get_col_lb(state->problem, k + 1) - bound_tolerance);
    double high = floor(glp_get_col_ub(state->problem, k + 1) + bound_tolerance);
    if ((low > (double)guide->lower[k] || high < (double)guide->upper[k]) &&
        !memplan_ilp_tighten(guide, k, low > (double)guide->lower[k] ? (int64_t)low : guide->lower[k],
                             high < (double)guide->upper[k] ? (int64_t)high : guide->upper[k])) {
      return false;
    }
  }
  int64_t most = state->answer->best == MEMPLAN_ILP_NONE ? MEMPLAN_ILP_NUMBER : state->answer->best - 1;
  return memplan_ilp_tighten(guide, state->run->objective, -MEMPLAN_ILP_NUMBER, most) && memplan_ilp_propagate(guide);
}

static void propagate(solver *state, glp_tree *tree) {
  const memplan_ilp_propagator *guide = state->guide;
  int32_t n = state->run->model->n_columns;
  bool probes = !is_off(state, MEMPLAN_TECHNIQUE_ILP_PROBING);
  if (!follow(state, tree) || (probes && !memplan_ilp_probe(state->run->guide, looks_per_node, state->run->limits))) {
    glp_set_col_bnds(state->problem, n + 1, GLP_FX, 1.0, 1.0);
    return;
  }
  for (int32_t k = 0; k < n; k++) {
    double low = (double)guide->lower[k], high = (double)guide->upper[k];
    if (guide->upper[k] != MEMPLAN_ILP_NONE &&
        (glp_get_col_lb(state->problem, k + 1) < low || glp_get_col_ub(state->problem, k + 1) > high)) {
      glp_set_col_bnds(state->problem, k + 1, bound_type(true, true, guide->lower[k] == guide->upper[k]), low, high);
    }
  }
}

typedef struct candidate {
  int32_t column, rank;
  double distance; // from one half
} candidate;

static bool comes_before(const candidate *a, const candidate *b) {
  return a->rank != b->rank ? a->rank < b->rank : a->distance < b->distance;
}

// Keeps the list sorted, and the best ones in it. Of equal ones the earlier column comes first.
static int32_t insert(candidate *list, int32_t count, candidate one) {
  int32_t k = count;
  if (count == most_candidates) {
    k--;
    if (!comes_before(&one, &list[k])) {
      return count;
    }
  }
  for (; k > 0 && comes_before(&one, &list[k - 1]); k--) {
    list[k] = list[k - 1];
  }
  list[k] = one;
  return count < most_candidates ? count + 1 : count;
}

static void choose_branch(solver *state, glp_tree *tree) {
  const memplan_ilp *model = state->run->model;
  candidate list[most_candidates];
  int32_t count = 0, best = -1;
  int64_t most = -1;
  if (!follow(state, tree)) {
    return; // its two sides are closed then
  }
  for (int32_t k = 0; k < model->n_columns; k++) {
    if (model->columns[k].kind == MEMPLAN_ILP_BINARY && glp_ios_can_branch(tree, k + 1) != 0) {
      double value = glp_get_col_prim(state->problem, k + 1);
      count = insert(list, count, (candidate){k, model->columns[k].rank, fabs(value - 0.5)});
    }
  }
  for (int32_t k = 0; k < count && list[k].rank == list[0].rank; k++) {
    int64_t zero = memplan_ilp_try(state->guide, list[k].column, 0);
    int64_t one = memplan_ilp_try(state->guide, list[k].column, 1);
    int64_t score = zero < 0 || one < 0 ? INT64_MAX : zero * one;
    if (score > most) {
      most = score;
      best = list[k].column;
    }
  }
  if (best >= 0) {
    glp_ios_branch_upon(tree, best + 1, glp_get_col_prim(state->problem, best + 1) > 0.5 ? GLP_UP_BRNCH : GLP_DN_BRNCH);
  }
}

// Without a guide a plan made by rounding is a ceiling all the same: GLPK does not know of it.
static void lower_ceiling(solver *state, glp_tree *tree) {
  int column = state->run->objective + 1;
  if (state->answer->rounded == 0) {
    return;
  }
  state->problem = glp_ios_get_prob(tree);
  double low = glp_get_col_lb(state->problem, column), most = (double)(state->answer->best - 1);
  if (low > most) {
    int closed = state->run->model->n_columns + 1;
    glp_set_col_bnds(state->problem, closed, GLP_FX, 1.0, 1.0);
  } else if (glp_get_col_ub(state->problem, column) > most) {
    glp_set_col_bnds(state->problem, column, bound_type(true, true, low >= most), low, most);
  }
}

static void callback(glp_tree *tree, void *info) {
  solver *state = info;
  count_work(state);
  if (glp_ios_reason(tree) == GLP_IPREPRO) {
    if (is_guided(state)) {
      propagate(state, tree);
    } else {
      lower_ceiling(state, tree);
    }
  } else if (glp_ios_reason(tree) == GLP_IROWGEN) {
    add_violated(state, tree);
  } else if (glp_ios_reason(tree) == GLP_ICUTGEN) {
    add_cuts(state, tree);
  } else if (glp_ios_reason(tree) == GLP_IHEUR) {
    round_relaxation(state, tree);
  } else if (glp_ios_reason(tree) == GLP_IBRANCH && is_guided(state)) {
    choose_branch(state, tree);
  } else if (glp_ios_reason(tree) == GLP_IBINGO) {
    take_solution(state, tree);
  }
  memplan_stop stop = reached(state);
  if (stop != MEMPLAN_STOP_DONE || state->answer->best <= state->run->goal) {
    state->answer->stop = stop;
    int node = glp_ios_best_node(tree);
    if (node != 0) {
      double bound = ceil(glp_ios_node_bound(tree, node) - 1e-5);
      if (bound > (double)state->answer->bound && bound < (double)MEMPLAN_ILP_NUMBER) {
        state->answer->bound = (int64_t)bound;
      }
    }
    glp_ios_terminate(tree);
  }
  int active = 0, all = 0, total = 0;
  glp_ios_tree_size(tree, &active, &all, &total);
  state->answer->nodes = total;
}

// ---- the run

static int time_left(const solver *state) {
  const memplan_limits *limits = state->run->limits;
  if (limits->deadline_us < 0) {
    return INT_MAX;
  }
  int64_t left = (limits->deadline_us - memplan_clock_us()) / 1000;
  return left >= INT_MAX ? INT_MAX : left > 0 ? (int)left : 0;
}

// As many iterations as the work that is left pays for.
static int iterations_left(const solver *state) {
  int64_t work = state->run->limits->work, rows = glp_get_num_rows(state->problem);
  int64_t left = work < 0 ? INT_MAX : (work - state->answer->work) / (rows > 0 ? rows : 1) + 1;
  return left >= INT_MAX ? INT_MAX : left > 0 ? (int)left : 0;
}

static memplan_status fail_solver(const solver *state, const char *what, memplan_error *error) {
  return memplan_fail(error, MEMPLAN_INTERNAL, "GLPK ended the integer program '%s' (%s%s%s)", state->run->model->title,
                      what, state->message[0] != '\0' ? ": " : "", state->message);
}

static memplan_status solve_relaxation(solver *state, bool *done, memplan_error *error) {
  glp_smcp parameters;
  *done = true;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  state->answer->stop = reached(state);
  if (state->answer->stop != MEMPLAN_STOP_DONE) {
    return MEMPLAN_OK;
  }
  if (glp_get_num_nz(state->problem) <= most_scaled) { // it cannot be interrupted
    glp_scale_prob(state->problem, GLP_SF_AUTO);
  }
  glp_adv_basis(state->problem, 0);
  parameters.tm_lim = time_left(state);
  parameters.it_lim = iterations_left(state);
  int code = glp_simplex(state->problem, &parameters);
  count_work(state);
  if (code == GLP_ETMLIM || code == GLP_EITLIM) {
    state->answer->stop = code == GLP_ETMLIM ? MEMPLAN_STOP_TIME : MEMPLAN_STOP_WORK;
    return MEMPLAN_OK;
  }
  if (code != 0) {
    return fail_solver(state, "its relaxation could not be solved", error);
  }
  int status = glp_get_status(state->problem);
  if (status == GLP_NOFEAS || status == GLP_INFEAS) {
    state->answer->outcome = MEMPLAN_INFEASIBLE;
    return MEMPLAN_OK;
  }
  if (status != GLP_OPT) {
    return fail_solver(state, "its relaxation has no optimum", error);
  }
  double bound = ceil(glp_get_obj_val(state->problem) - 1e-5);
  state->answer->bound = bound > 0 ? (int64_t)bound : 0;
  state->answer->stop = reached(state);
  *done = state->answer->stop != MEMPLAN_STOP_DONE;
  return MEMPLAN_OK;
}

// With the guide, which closes most nodes, the cuts of most families cost more than they save.
static int choose_cuts(const solver *state, uint64_t technique, bool guided) {
  return !is_off(state, technique) && (guided || !is_guided(state)) ? GLP_ON : GLP_OFF;
}

static memplan_status branch(solver *state, memplan_error *error) {
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.br_tech = GLP_BR_DTH;
  parameters.bt_tech = GLP_BT_BLB;
  parameters.sr_heur = GLP_OFF; // its solutions know nothing of lazy rows, nor come by the callback
  parameters.mir_cuts = choose_cuts(state, MEMPLAN_TECHNIQUE_ILP_MIR, true);
  parameters.gmi_cuts = choose_cuts(state, MEMPLAN_TECHNIQUE_ILP_GOMORY, false);
  parameters.clq_cuts = choose_cuts(state, MEMPLAN_TECHNIQUE_ILP_CLIQUES, false);
  parameters.cov_cuts = choose_cuts(state, MEMPLAN_TECHNIQUE_ILP_COVERS, false);
  parameters.cb_func = callback;
  parameters.cb_info = state;
  parameters.tm_lim = time_left(state);
  int code = glp_intopt(state->problem, &parameters);
  memplan_ilp_answer *answer = state->answer;
  if (code == GLP_ETMLIM) {
    answer->stop = MEMPLAN_STOP_TIME;
  } else if (code != 0 && code != GLP_ESTOP) {
    return fail_solver(state, "its branch and cut failed", error);
  }
  bool exhausted = code == 0;
  if (exhausted) {
    answer->outcome = answer->best == MEMPLAN_ILP_NONE && glp_mip_status(state->problem) != GLP_OPT ? MEMPLAN_INFEASIBLE
                                                                                                    : MEMPLAN_OPTIMAL;
    if (answer->outcome == MEMPLAN_OPTIMAL) {
      bool held = glp_mip_status(state->problem) == GLP_OPT; // else the guide has closed all that was not better
      int64_t least = held ? (int64_t)llround(glp_mip_obj_val(state->problem)) : answer->best;
      answer->bound = least < answer->best ? least : answer->best;
    }
  } else {
    answer->outcome = answer->best == MEMPLAN_ILP_NONE ? MEMPLAN_UNKNOWN : MEMPLAN_FEASIBLE;
  }
  return MEMPLAN_OK;
}

static memplan_status run_guarded(solver *state, memplan_error *error) {
  if (setjmp(state->leave) != 0) {
    bool memory = strstr(state->message, "memory") != NULL;
    if (strstr(state->message, "limit exceeded") != NULL) {
      state->answer->stop = MEMPLAN_STOP_MEMORY;
      state->answer->outcome = state->answer->best == MEMPLAN_ILP_NONE ? MEMPLAN_UNKNOWN : MEMPLAN_FEASIBLE;
      return MEMPLAN_OK;
    }
    return memory ? memplan_fail(error, MEMPLAN_NOMEM, "out of memory: GLPK needs more for the integer program '%s'",
                                 state->run->model->title)
                  : fail_solver(state, "an error of its own", error);
  }
  glp_error_hook(fault, state);
  glp_term_hook(hear, state);
  if (state->run->memory > 0) {
    int64_t mebibytes = state->run->memory >> 20;
    glp_mem_limit(mebibytes < 1 ? 1 : mebibytes < INT_MAX ? (int)mebibytes : INT_MAX);
  }
  state->problem = glp_create_prob();
  state->waits = can_wait(state);
  load(state);
  bool done = false;
  MEMPLAN_TRY(solve_relaxation(state, &done, error));
  return done ? MEMPLAN_OK : branch(state, error);
}

memplan_status memplan_ilp_solve(const memplan_ilp_run *run, memplan_ilp_answer *answer, memplan_error *error) {
  memplan_arena arena = {0};
  *answer = (memplan_ilp_answer){.outcome = MEMPLAN_UNKNOWN, .stop = MEMPLAN_STOP_DONE, .best = MEMPLAN_ILP_NONE};
  MEMPLAN_TRY(memplan_ilp_status(run->model, error));
  solver *state = MEMPLAN_NEW(&arena, solver, 1);
  if (state == NULL) {
    return memplan_fail_nomem(error);
  }
  state->run = run;
  state->answer = answer;
  state->value = MEMPLAN_NEW(&arena, int64_t, run->model->n_columns);
  state->scratch = MEMPLAN_NEW(&arena, double, run->model->n_columns);
  if (run->guide != NULL) {
    state->guide = run->guide->work;
    state->looked = state->guide->looked;
    state->depth = state->guide->depth;
  }
  state->index = MEMPLAN_NEW(&arena, int32_t, (int64_t)run->model->n_columns + 2);
  state->factor = MEMPLAN_NEW(&arena, double, (int64_t)run->model->n_columns + 2);
  memplan_status status = memplan_fail_nomem(error);
  if (state->value != NULL && state->scratch != NULL && state->index != NULL && state->factor != NULL) {
    status = run_guarded(state, error);
    glp_free_env();
    go_back(state);
    memplan_ilp_free(&state->cuts);
  }
  memplan_arena_free(&arena);
  return status;
}
