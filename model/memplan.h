// SPDX-License-Identifier: Apache-2.0
// memplan: exact offline memory planner for neural-network graphs. The one header that programs include, from C17 or
// C++; the headers that it includes are installed for it alone.
//
//   memplan_error error;
//   memplan_problem problem;   memplan_problem_init(&problem);
//   memplan_solution solution; memplan_solution_init(&solution);
//   if (memplan_read("model.onnx", NULL, NULL, &problem, &error) == MEMPLAN_OK &&
//       memplan_solve(&problem, NULL, &solution, &error) == MEMPLAN_OK) {
//     printf("%lld bytes\n", (long long)solution.plan.peak);
//   }
//   memplan_solution_free(&solution);
//   memplan_problem_free(&problem);
//
// Everything that can fail returns a memplan_status; on failure `error` (may be NULL) holds one sentence. No function
// of the library exits, prints or keeps global state: calls on different objects may run at the same time.
//
// Each object is initialised by its *_init, filled by one call, and freed by its *_free, also after a failure.
// Solutions and bounds point into the problem that they belong to: free them before it. A plan read from a file, a
// report and an export report stand alone. Strings returned as `char *` are freed by free().
#ifndef MEMPLAN_H
#define MEMPLAN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "model/graph.h"
#include "model/instance.h"
#include "model/listed_order.h"
#include "model/method.h"
#include "model/ordering.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/verify.h"

const char *memplan_version(void); // "0.1.0"

// ---- reading (implemented in instances/)

// Reads a file ("-": standard input) in `format` ("onnx", "csv", …; NULL: told from its content and name), resolves it
// under the options (NULL: memplan_problem_options_default) and computes its fingerprint. `problem` must be initialised
// and empty; it keeps copies of the options. Warnings are in the graph or instance.
memplan_status memplan_read(const char *path, const char *format, const memplan_problem_options *options,
                            memplan_problem *problem, memplan_error *error);

// memplan_read on `length` bytes in memory, which are not needed afterwards. `path` is used in messages, for the
// extension and as problem->path.
memplan_status memplan_read_text(const char *text, size_t length, const char *path, const char *format,
                                 const memplan_problem_options *options, memplan_problem *problem,
                                 memplan_error *error);

// Reads a plan file (memplan-plan JSON), or one in memory. `plan` must be initialised and empty. `strict`: unknown keys
// are errors.
memplan_status memplan_plan_read(const char *path, bool strict, memplan_plan *plan, memplan_error *error);
memplan_status memplan_plan_read_text(const char *text, size_t length, const char *path, bool strict,
                                      memplan_plan *plan, memplan_error *error);

// Reads an order: the ids of operators, one a line (blank lines, and those that begin
// with "# ", are skipped), or what a plan file says. Whether the ids
// are those of a model is not looked at before the order is used. `listed` must be initialised and empty. "-": standard
// input. MEMPLAN_INPUT: an empty file, a line with a zero in it, or no valid plan.
memplan_status memplan_listed_order_read(const char *path, memplan_listed_order *listed, memplan_error *error);
memplan_status memplan_listed_order_read_text(const char *text, size_t length, const char *path,
                                              memplan_listed_order *listed, memplan_error *error);

// What a file holds as far as it can be told without a resolved problem: also where memplan_read refuses it because
// dimensions or shapes are unknown. Counts speak of the main graph as it would be planned: operators are those that
// folding leaves, tensors the inputs and the results of these operators (of an instance: its buffers).
typedef struct memplan_survey {
  memplan_arena arena;          // owns the names
  int64_t operators, tensors;   // -1: the format does not tell
  int64_t tensors_known;        // whose size in bytes is known
  const char **unknown_symbols; // dimensions that have a name and no value, sorted: what --dim can give
  int32_t n_unknown_symbols;
  const char **unknown_tensors;  // the first tensors without a size, in the order of the file, each with the
  int32_t n_unknown_listed;      // operator that makes it and its type: "'y' of operator 'n' (NonZero)"
  int64_t unknown_tensors_total; // listed or not
} memplan_survey;

void memplan_survey_init(memplan_survey *survey);
void memplan_survey_free(memplan_survey *survey);

// Reads a file as memplan_read does and infers shapes as far as it gets. `survey` must be initialised and empty. Fails
// only where the file itself cannot be read or breaks its format. For formats other than ONNX only counts are given.
memplan_status memplan_survey_file(const char *path, const char *format, const memplan_problem_options *options,
                                   memplan_survey *survey, memplan_error *error);

// ---- methods (implemented in heuristics/)

// All registered heuristics, NULL-terminated, in a fixed order.
const memplan_method *const *memplan_heuristics(void);
const memplan_method *memplan_heuristic_find(memplan_method_kind kind, const char *name);

// ---- solving (implemented in solvers/)

// All registered methods, by index from 0, in a fixed order: the heuristics, then the exact ones. NULL after the last.
const memplan_method *memplan_method_at(int32_t index);

// A part of the exact searches that can be switched off. NULL after the last, of at most 64.
typedef struct memplan_technique {
  const char *name;
  const char *text; // one line
} memplan_technique;

const memplan_technique *memplan_technique_at(int32_t index);

// What is made small where there are several pools: their peaks from the last pool to the first (the model's own
// order), or before these their sum, the largest of them, or the peak of one pool.
typedef enum memplan_minimize {
  MEMPLAN_MINIMIZE_PEAK = 0,
  MEMPLAN_MINIMIZE_TOTAL,
  MEMPLAN_MINIMIZE_MAX,
  MEMPLAN_MINIMIZE_POOL
} memplan_minimize;

typedef struct memplan_solve_options {
  const char *order;                  // name of an order method; NULL: all of them
  const memplan_listed_order *listed; // with the order MEMPLAN_ORDER_FILE: the order that is meant, which is part of
                                      // the problem as a fixed given one is. Graphs only; a body that it does not order
                                      // gets the best order
  const char *place;                  // name of a placement method; NULL: all of them
  const char *joint; // name of a method for order and placement together, which improves on what the others find; NULL:
                     // none. Graphs only
  const memplan_plan *start; // a plan to begin with, or NULL: refused with MEMPLAN_INPUT unless it is valid under the
                             // problem's options but for a capacity, whatever it was made under. What is found is never
                             // worse
  const char *start_path;    // of its file, for messages; NULL: "the plan to begin with"
  bool fixed_order; // the given order is part of the problem: bounds and "optimal" speak of it alone (with order
                    // "given")
  memplan_limits limits;
  memplan_params params;
  int64_t gap_millionths; // stop at this relative gap, in millionths; 0: only at the bound
  memplan_minimize minimize;
  const char *minimize_pool; // for MEMPLAN_MINIMIZE_POOL: its id
  bool own_objective; // MEMPLAN_MINIMIZE_PEAK too stands in the place of the least reuse cost that a problem may ask
                      // for, as the others do; false: it does not
  uint64_t without;   // techniques of the exact searches that are switched off, for measurements: bit i is
                      // memplan_technique_at(i). Proven results stay the same
} memplan_solve_options;

memplan_solve_options memplan_solve_options_default(void);

// Where the time of a solution went. What runs side by side shares its time by the work done.
typedef enum memplan_stage {
  MEMPLAN_STAGE_BOUNDS = 0, // before any plan
  MEMPLAN_STAGE_ORDERS,
  MEMPLAN_STAGE_PLACEMENT, // on orders, or of an instance all of it
  MEMPLAN_STAGE_ENGINE,    // over orders, choices, pools and offsets of the whole graph
  MEMPLAN_STAGE_WINDOWS,   // the same over parts of it, for bounds and for better plans
  MEMPLAN_STAGE_NOGOODS,   // orders cut off by what cannot be placed
  MEMPLAN_STAGE_PROGRAM,   // integer program of a method for order and placement together
  MEMPLAN_STAGE_COUNT
} memplan_stage;

const char *memplan_stage_name(memplan_stage stage); // "bounds", …

typedef struct memplan_solution {
  memplan_arena arena;
  memplan_outcome outcome; // infeasible only with a capacity
  bool of_order;           // several pools: it is that of the given order; another one may admit a better plan
  memplan_stop stop;
  memplan_plan plan; // empty if none was found
  bool has_plan;
  int64_t order_peak;        // of the plan's order; for an instance the load
  int64_t order_lower_bound; // for every order
  memplan_outcome order_outcome;
  int64_t naive_bytes, weight_bytes, external_bytes;
  bool naive_saturated;
  const char *order_method, *place_method; // that gave the plan
  int64_t nodes;
  int64_t stage_us[MEMPLAN_STAGE_COUNT]; // wall clock; never decides anything
  int64_t floating_bound; // of a method that asked a solver that counts in floating point: what it minimises (the
                          // arena, the placement on the plan's order, or the order peak) cannot be smaller, as that
                          // solver claims; proves nothing. 0: none
  // for reports and figures: the placement problem that a graph became on the plan's order, and offsets by block of
  // memplan_solution_instance
  memplan_instance instance;
  bool has_instance;
  const int64_t *offset;
  const int32_t *pool;
  const int32_t *order;   // operators by step, NULL for an instance
  const int64_t *load;    // load of each step of the order (graphs), NULL for an instance
  const char *unplaced;   // without a plan and a proof: a buffer that found no place, or NULL
  const char *refused;    // without a plan and a proof: why pins and the like allow none on an order tried, or NULL
  const char *infeasible; // why, for MEMPLAN_INFEASIBLE: one sentence
} memplan_solution;

// The placement problem that the solution's offsets belong to: the problem's own instance, or the one that its graph
// became. NULL if there is none.
const memplan_instance *memplan_solution_instance(const memplan_problem *problem, const memplan_solution *solution);

// Is there a plan, and does it fit the problem's capacity, if it has one?
bool memplan_solution_fits(const memplan_problem *problem, const memplan_solution *solution);

void memplan_solution_init(memplan_solution *solution);
void memplan_solution_free(memplan_solution *solution);

// Solves: bounds, orders, placements; every plan it returns has passed memplan_verify. `options` NULL: defaults.
memplan_status memplan_solve(const memplan_problem *problem, const memplan_solve_options *options,
                             memplan_solution *solution, memplan_error *error);

// Lower bounds only, with witnesses, strongest first. For graphs they hold for every order (joint); where a graph has
// bodies, those are planned first, as memplan_solve would, since their peaks are workspace of their operators. With
// several pools: first that of the largest peak, then those of single pools from the last one to the first.
typedef struct memplan_bounds {
  memplan_arena arena;
  memplan_bound *bounds;
  int32_t n_bounds;
  const int64_t *workspace; // of a graph: the workspace of each operator that the bounds count; NULL for an instance
  const bool
      *before; // of a graph with a cut bound: has the operator run where that of the bound needs the least? or NULL
} memplan_bounds;

void memplan_bounds_free(memplan_bounds *bounds);
memplan_status memplan_find_bounds(const memplan_problem *problem, const memplan_solve_options *options,
                                   memplan_bounds *bounds, memplan_error *error);

// A proof of a bound, as text for `memplan check` (JSON lines).
typedef struct memplan_certificate {
  char *text; // malloc'd; NULL: there is none
  size_t length;
  const char *kind; // "load", "clique", "clauses"; of every order "cut", "probe", "order-search", "inputs", "outputs",
                    // "joint-clauses", "nogoods"; of several pools "pools"; or "none"
  int64_t claim;    // bytes that no placement is below; of kind pools: that of the pool that needs most
  bool every_order; // of a graph: nor any plan
  const char *missing; // one phrase: why there is none, or none that would say more; never NULL where the plan is
                       // optimal and the certificate does not show that; else NULL: nothing is missing
} memplan_certificate;

// The certificate of a solution's bound: of a load its time, of a clique its buffers, else a log of clauses that the
// precedence engine finds anew within the limits. Of a graph whose plan is as good as any on any order it speaks
// of every order, if a flow, a row of flows, the log of a closed search, or one of the joint engine shows that; else of
// placements on the plan's order with the plan's in-place pairs, and claims the plan's peak, or if that is not proven
// the bound of every order, or the load. Of several pools it claims what each of them has to hold of what may lie in it
// alone, of a graph on every order if that can be shown. Without a plan the bound of every order is proven, or a pool
// that does not hold that, of a graph on every order too. What takes more than `most_bytes` is left out, and where it
// would have shown that a plan is optimal, nothing that says less takes its place; what is not proven is left out too.
// That is no failure, and the certificate says why. `limits` is not NULL. `certificate` is freed by
// memplan_certificate_free.
memplan_status memplan_certify(const memplan_problem *problem, const memplan_solution *solution,
                               const memplan_limits *limits, int64_t most_bytes, memplan_certificate *certificate,
                               memplan_error *error);
// The certificate of the largest of the bounds that has one within the limits, of a graph of every order; of several
// pools that of the bound of each. No plan is needed. What is missing then is why none that is larger was proven.
memplan_status memplan_certify_bounds(const memplan_problem *problem, const memplan_bounds *bounds,
                                      const memplan_limits *limits, int64_t most_bytes,
                                      memplan_certificate *certificate, memplan_error *error);
// Why no solution of a problem can have a certificate, as far as the problem alone tells; NULL: it may have one.
const char *memplan_certify_refusal(const memplan_problem *problem);
void memplan_certificate_free(memplan_certificate *certificate);

// ---- writing (implemented in instances/)

// Writes a plan to a temporary name and renames it; "-": standard output. In memory: memplan_plan_text.
memplan_status memplan_plan_write(const memplan_plan *plan, const char *path, memplan_error *error);

// What an export could not carry but need not refuse.
typedef struct memplan_export_report {
  memplan_arena arena;
  const char **warnings; // one line each
  int32_t n_warnings;
} memplan_export_report;

void memplan_export_report_init(memplan_export_report *report);
void memplan_export_report_free(memplan_export_report *report);

typedef struct memplan_export_options {
  // Workspace of each operator in bytes with its bodies' planned peaks, for a graph with control flow; NULL: the
  // graph's own, and then a graph with bodies is refused unless the problem ignores them.
  const int64_t *workspace;
  // Where a malloc'd text of pairs of buffers that may not share memory goes, for the format csv, which then holds no
  // lifetimes: what memplan_problem_options.conflicts_path reads. NULL: lifetimes are written as they are.
  char **conflicts;
} memplan_export_options;

// Writes a problem, or a problem with its solution, to `path` ("-": standard output) in `format` (as `memplan list
// formats` names them; NULL: from the path's extension; "json" stands for the JSON form of the problem). What the
// format cannot carry is never dropped silently: it is refused by name (MEMPLAN_UNSUPPORTED), or listed in the report
// where the result still says the truth.
//
//   graph-json     needs a graph
//   instance-json  an instance; a graph becomes one on the order of the solution, or without one on the given
//                  order without in-place choices
//   csv formats    the same, with the offsets of the solution if there is one
//   plan-json      needs a solution
//
// `solution`, `options` and `report` may be NULL.
memplan_status memplan_export(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                              const memplan_export_options *options, const char *path, memplan_export_report *report,
                              memplan_error *error);

// Writes the ONNX model that the problem was read from with its nodes, and those of its bodies, in the order of a plan
// that is valid for the problem; every other byte stays as it was. Nodes that planning left out stand where what they
// read is made before. The file is read again, as it is on disk now, and its weights are copied without being loaded.
// MEMPLAN_UNSUPPORTED: another format, standard input, or an order that no list of the model's nodes has. `report` may
// be NULL.
memplan_status memplan_reorder(const memplan_problem *problem, const memplan_plan *plan, const char *path,
                               memplan_export_report *report, memplan_error *error);

// The same into a malloc'd text.
memplan_status memplan_export_text(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                                   const memplan_export_options *options, char **text, size_t *length,
                                   memplan_export_report *report, memplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
