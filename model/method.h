// SPDX-License-Identifier: Apache-2.0
// One descriptor for every heuristic and every exact solver, so that a bench, a table, a test or the portfolio never
// needs to know which method it holds.
#ifndef MEMPLAN_METHOD_H
#define MEMPLAN_METHOD_H

#include "model/instance.h"
#include "model/ordering.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum memplan_method_kind {
  MEMPLAN_METHOD_ORDER = 0,
  MEMPLAN_METHOD_PLACE,
  MEMPLAN_METHOD_JOINT
} memplan_method_kind;

typedef enum memplan_outcome {
  MEMPLAN_UNKNOWN = 0,
  MEMPLAN_FEASIBLE,
  MEMPLAN_OPTIMAL,
  MEMPLAN_INFEASIBLE
} memplan_outcome;

typedef enum memplan_stop {
  MEMPLAN_STOP_DONE = 0,
  MEMPLAN_STOP_TIME,
  MEMPLAN_STOP_WORK,
  MEMPLAN_STOP_MEMORY,
  MEMPLAN_STOP_INTERRUPTED
} memplan_stop;

const char *memplan_outcome_name(memplan_outcome outcome); // "optimal", …
const char *memplan_stop_name(memplan_stop stop);          // "done", "time", …

// What a search has reached.
typedef struct memplan_progress {
  const char *source;  // methods of the plan: "lpmf+skyline", "optimal"
  int64_t peak;        // of the best plan, -1: none yet
  int64_t lower_bound; // of every plan
  int64_t nodes;       // of the search that reports; 0: methods without a search
  int64_t order_peak;  // of the best order, told by searches of orders, which have no plan yet; 0: others
} memplan_progress;

typedef struct memplan_limits {
  int64_t time_ms;     // wall clock, -1: none; a safety stop that makes results irreproducible
  int64_t deadline_us; // when time_ms ends, by memplan_clock_us; -1 until memplan_limits_start sets it
  int64_t work;        // ticks of exact search, -1: none; a tick is about one look at a bound or a section member
  int64_t memory;      // bytes that the exact searches, integer programs too, may hold together, 0: the default
  int32_t threads;     // 0: all
  uint64_t seed;
  const volatile int *cancel;                                   // set to non-zero by a signal handler; may be NULL
  void (*progress)(void *context, const memplan_progress *now); // after improvements and each epoch; may be NULL
  void *context;
} memplan_limits;

// Ticks of an exact search before it ends with what it has: about a minute of one core of 2025.
#define MEMPLAN_WORK_DEFAULT INT64_C(6000000000)

memplan_limits memplan_limits_default(void);

// The ticks that an exact search may spend: the limit, or MEMPLAN_WORK_DEFAULT where there is none.
int64_t memplan_limits_work(const memplan_limits *limits);

#define MEMPLAN_MEMORY_DEFAULT (INT64_C(2) << 30)

// The memory of the limits, or the default.
int64_t memplan_limits_memory(const memplan_limits *limits);

// Limits (started) for a search that may spend so much work, one of `parts` parts of the time that is left, and says
// nothing of its progress. A part that ends by the time has to be told of the whole: what follows depends on the clock.
memplan_limits memplan_limits_slice(const memplan_limits *limits, int64_t work, int32_t parts);

// The limits of one of `parts` searches that hold their memory at the same time.
memplan_limits memplan_limits_part(const memplan_limits *limits, int32_t parts);

// The limits with their clock running: sets the deadline unless it is set, so that parts of a solve share one.
memplan_limits memplan_limits_start(const memplan_limits *limits);

// MEMPLAN_STOP_INTERRUPTED or _TIME if that is over (of started limits), else MEMPLAN_STOP_DONE.
memplan_stop memplan_limits_reached(const memplan_limits *limits);

// Parameters of single methods. A zeroed struct is not the default: use memplan_params_default.
typedef struct memplan_params {
  int64_t score_released, score_path, score_added; // weighted-score: 500, 300, -200
} memplan_params;

memplan_params memplan_params_default(void);

// What a method is run on: `ordering` for an order or joint method, `instance` for a placement method.
typedef struct memplan_task {
  const memplan_ordering *ordering;
  const memplan_instance *instance;
  const memplan_params *params;
  int64_t below;    // joint methods: only plans with a smaller peak are of use; 0: any
  int64_t bound;    // joint methods: a lower bound known before
  uint64_t without; // joint methods: techniques switched off, as in memplan_solve_options
} memplan_task;

// What it gives back. The caller provides the arrays (n_ops, n_pairs, n_blocks); `slot` may be NULL. A joint method's
// offsets are by block of the instance that memplan_ordering_lower makes of its order and choice; it may have as many
// as the graph has storages, workspaces and residents together.
typedef struct memplan_method_result {
  int32_t *order;  // order and joint methods: a valid order
  int32_t *choice; // joint methods: in-place pairs in step order, n_choices of them
  int32_t n_choices;
  int64_t *offset; // placement and joint methods: offset by block
  int32_t *pool;   // placement and joint methods: pool by block
  int32_t *slot;   // methods that assign slots: slot by block, else -1 throughout
  int32_t n_slots; // 0 for methods without slots
  memplan_outcome outcome;
  memplan_stop stop;
  int32_t failed_block; // placement with capacities: the first block that fits in none of its pools, or -1
  int64_t nodes;
  int64_t bound;          // exact joint methods: no plan has a smaller peak, proven; 0: none
  int64_t floating_bound; // what the method minimises cannot be smaller, as a solver claims in floating point; 0: none
} memplan_method_result;

typedef struct memplan_method {
  const char *name;
  memplan_method_kind kind;
  const char *summary;    // one line
  const char *reference;  // paper or program it follows
  const char *complexity; // in operators/edges or blocks n and overlaps k
  bool exact, seeded, anytime;
  bool on_request;         // run only where it is asked for by name, not among all methods
  bool (*available)(void); // does this build have what it needs? NULL: yes
  const char *declines;    // what it cannot handle, NULL: nothing
  // NULL: can handle everything. Returns false with a reason in `error` for a task that it must decline.
  bool (*accepts)(const memplan_task *task, memplan_error *error);
  memplan_status (*run)(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                        memplan_error *error);
} memplan_method;

#endif
