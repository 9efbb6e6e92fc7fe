// SPDX-License-Identifier: Apache-2.0
// Worked examples on graphs whose numbers were found by hand or by brute force: orders, views, in-place operators,
// roles.
#include "tests/support/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/solved.h"

#define MIB ((int64_t)1 << 20)

// ---- orders

static void chain_graph(memplan_problem *problem, memplan_inplace_mode inplace) {
  build_graph(problem);
  problem->options.inplace = inplace;
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "x", 256 * MIB, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "w1", 1024 * MIB, MEMPLAN_ROLE_WEIGHT);
  build_tensor(graph, "w2", 1024 * MIB, MEMPLAN_ROLE_WEIGHT);
  build_tensor(graph, "bias", 128 * MIB, MEMPLAN_ROLE_WEIGHT);
  build_tensor(graph, "t1", 512 * MIB, 0);
  build_tensor(graph, "t2", 2048 * MIB, 0);
  build_tensor(graph, "t3", 2048 * MIB, 0);
  build_tensor(graph, "t4", 512 * MIB, 0);
  build_tensor(graph, "t5", 128 * MIB, 0);
  build_tensor(graph, "out", 128 * MIB, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "N1", "x", "t1");
  build_op(graph, "N2", "t1 w1", "t2");
  build_inplace(graph, build_op(graph, "N3", "t2", "t3"), "t3", "t2");
  build_op(graph, "N4", "t3 w2", "t4");
  build_op(graph, "N5", "t4", "t5");
  build_op(graph, "N6", "t5 bias", "out");
}

static void relu_in_place_saves_a_third(void **state) {
  (void)state;
  memplan_problem problem;
  chain_graph(&problem, MEMPLAN_INPLACE_NONE);
  assert_int_equal(solved_given_peak(&problem), 4096 * MIB);
  memplan_problem_free(&problem);
  chain_graph(&problem, MEMPLAN_INPLACE_SAFE);
  assert_int_equal(solved_given_peak(&problem), 2560 * MIB);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 2560 * MIB);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(result.solution.weight_bytes, 2176 * MIB);
  solved_release(&result);
}

typedef struct order_search {
  const memplan_problem *problem;
  memplan_ordering ordering;
  int64_t least;
  int64_t count;
} order_search;

static bool lower_order_peak(void *context, const int32_t *order) {
  order_search *search = context;
  memplan_arena arena = {0};
  memplan_profile profile;
  assert_int_equal(memplan_ordering_profile(&search->ordering, order, &arena, &profile, NULL), MEMPLAN_OK);
  search->least = search->count++ == 0 || profile.peak < search->least ? profile.peak : search->least;
  memplan_arena_free(&arena);
  return true;
}

static order_search search_orders(memplan_problem *problem) {
  oracle_precedence precedence;
  assert_true(oracle_graph_is_legal(&problem->graph, &precedence));
  build_finish(problem);
  order_search search = {.problem = problem};
  assert_int_equal(memplan_ordering_init(&search.ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  (void)oracle_for_each_order(&problem->graph, &precedence, lower_order_peak, &search);
  memplan_ordering_free(&search.ordering);
  return search;
}

// The microcontroller network of Samsung/ONE issue 8089, sizes in units of 32 bytes.
static void reordering_a_small_network(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  static const struct {
    const char *id;
    int64_t bytes;
  } tensors[] = {{"x", 1568}, {"t1", 3136}, {"t2", 1568}, {"t3", 512},
                 {"t4", 512}, {"t5", 256},  {"t6", 256},  {"t7", 512}};
  for (size_t i = 0; i < 8; i++) {
    build_tensor(graph, tensors[i].id, tensors[i].bytes / 32,
                 i == 0   ? MEMPLAN_ROLE_INPUT
                 : i == 7 ? MEMPLAN_ROLE_OUTPUT
                          : 0);
  }
  build_op(graph, "op1", "x", "t1");
  build_op(graph, "op2", "t1", "t2");
  build_op(graph, "op3", "t2", "t3");
  build_op(graph, "op4", "t1", "t4");
  build_op(graph, "op5", "t3", "t5");
  build_op(graph, "op6", "t4", "t6");
  build_op(graph, "op7", "t5 t6", "t7");
  order_search search = search_orders(&problem);
  assert_int_equal(search.count, 10);
  assert_int_equal(search.least, 4960 / 32);
  solved given = solved_by(&problem, "given", NULL);
  assert_int_equal(given.solution.order_peak, 5216 / 32);
  memplan_solution_free(&given.solution);
  solved best = solved_by(&problem, NULL, NULL);
  assert_int_equal(best.solution.plan.peak, 4960 / 32);
  solved_release(&best);
}

// Operator i writes tensor i of the given size and reads the tensors in `reads` ("" or numbers); tensors without reader
// are outputs.
static void numbered_graph(memplan_problem *problem, const int64_t *sizes, const char *const *reads, int32_t count,
                           const char *outputs) {
  build_graph(problem);
  for (int32_t i = 0; i < count; i++) {
    char id[2] = {(char)('0' + i), '\0'};
    build_tensor(&problem->graph, id, sizes[i], strchr(outputs, id[0]) != NULL ? MEMPLAN_ROLE_OUTPUT : 0);
  }
  for (int32_t i = 0; i < count; i++) {
    char id[2] = {(char)('0' + i), '\0'};
    char op[4] = {'o', 'p', id[0], '\0'};
    build_op(&problem->graph, op, reads[i], id);
  }
}

// Least arena and least order peak over all orders; also that solve and its bounds keep to them.
static void assert_joint(memplan_problem *problem, int64_t joint, int64_t order_optimum) {
  oracle_precedence precedence;
  assert_true(oracle_graph_is_legal(&problem->graph, &precedence));
  build_finish(problem);
  const int64_t workspace[ORACLE_OPS] = {0};
  int64_t order_found;
  int64_t found = oracle_joint_optimum(&problem->graph, &problem->options, workspace, &precedence, 40, &order_found);
  assert_int_equal(found, joint);
  assert_int_equal(order_found, order_optimum);
  solved result = solved_by(problem, NULL, NULL);
  assert_true(result.solution.plan.peak >= joint);
  assert_true(result.solution.plan.lower_bound <= joint);
  assert_true(result.solution.order_lower_bound <= order_optimum);
  assert_true(result.solution.order_peak >= order_optimum);
  solved_release(&result);
}

static void the_order_peak_is_not_the_arena(void **state) {
  (void)state;
  memplan_problem problem;
  const int64_t sizes[] = {2, 2, 1, 1, 1, 2, 2};
  // The order is forced: each operator also comes after the one before it.
  const char *const gap[] = {"", "0", "1", "1 2", "2 3", "3 4", "5"};
  numbered_graph(&problem, sizes, gap, 7, "6");
  for (int32_t i = 1; i < 7; i++) {
    char op[4] = {'o', 'p', (char)('0' + i - 1), '\0'};
    build_after(&problem.graph, &problem.graph.ops[i], op);
  }
  assert_joint(&problem, 5, 4);
  // Both orders have the peak 4, one of them needs an arena of 5.
  const char *const order[] = {"", "0", "1", "1", "2", "3 4", "5"};
  numbered_graph(&problem, sizes, order, 7, "6");
  assert_joint(&problem, 4, 4);
}

static int64_t arena_of_order(memplan_problem *problem, const int32_t *order) {
  const int64_t workspace[ORACLE_OPS] = {0};
  oracle_items items;
  oracle_find_items(&problem->graph, &problem->options, workspace, order, &items);
  oracle_choice none = {.count = 0};
  assert_int_equal(oracle_order_peak(&problem->graph, &problem->options, &items, order), 4);
  return oracle_placement_optimum(&problem->graph, &problem->options, &items, order, &none, 20, NULL);
}

static void two_orders_of_one_peak_need_different_arenas(void **state) {
  (void)state;
  memplan_problem problem;
  const int64_t sizes[] = {2, 2, 1, 1, 1, 2, 2};
  const char *const reads[] = {"", "0", "1", "1", "2", "3 4", "5"};
  numbered_graph(&problem, sizes, reads, 7, "6");
  build_finish(&problem);
  const int32_t first[] = {0, 1, 2, 3, 4, 5, 6};
  const int32_t second[] = {0, 1, 2, 4, 3, 5, 6};
  assert_int_equal(arena_of_order(&problem, first), 5);
  assert_int_equal(arena_of_order(&problem, second), 4);
  memplan_problem_free(&problem);
}

typedef struct best_orders {
  const memplan_problem *problem;
  int64_t peak;  // only orders with this one
  int64_t arena; // the least of theirs
  int32_t orders;
} best_orders;

static bool place_best_order(void *context, const int32_t *order) {
  best_orders *search = context;
  const memplan_graph *graph = &search->problem->graph;
  const int64_t workspace[ORACLE_OPS] = {0};
  oracle_items items;
  oracle_find_items(graph, &search->problem->options, workspace, order, &items);
  if (oracle_order_peak(graph, &search->problem->options, &items, order) == search->peak) {
    oracle_choice none = {.count = 0};
    int64_t arena = oracle_placement_optimum(graph, &search->problem->options, &items, order, &none, 20, NULL);
    assert_true(arena >= search->peak);
    search->arena = arena < search->arena ? arena : search->arena;
    search->orders++;
  }
  return true;
}

// The least peak is 12. Its orders need 14, and one with the peak 13 does with 13.
static void the_best_plan_may_use_a_worse_order(void **state) {
  (void)state;
  memplan_problem problem;
  oracle_precedence precedence;
  const int64_t sizes[] = {6, 6, 3, 2, 4, 6, 6};
  const char *const reads[] = {"", "0", "1", "1", "2", "3 4", ""};
  numbered_graph(&problem, sizes, reads, 7, "56");
  build_finish(&problem);
  assert_true(oracle_graph_is_legal(&problem.graph, &precedence));
  best_orders search = {.problem = &problem, .peak = 12, .arena = INT64_MAX};
  (void)oracle_for_each_order(&problem.graph, &precedence, place_best_order, &search);
  assert_true(search.orders > 0);
  assert_int_equal(search.arena, 14);
  memplan_problem_free(&problem);
  numbered_graph(&problem, sizes, reads, 7, "56");
  assert_joint(&problem, 13, 12);
}

typedef struct forced_search {
  const memplan_problem *problem;
  int32_t input; // that operator 5 takes over
  const oracle_items *items;
  const int32_t *order;
  int64_t least;
} forced_search;

static void place_forced(void *context, const oracle_choice *choice) {
  forced_search *search = context;
  if (choice->count != 1 || choice->pairs[0].input != search->input) {
    return;
  }
  int64_t arena = oracle_placement_optimum(&search->problem->graph, &search->problem->options, search->items,
                                           search->order, choice, search->least, NULL);
  search->least = arena >= 0 ? arena : search->least;
}

static bool order_forced(void *context, const int32_t *order) {
  forced_search *search = context;
  const memplan_graph *graph = &search->problem->graph;
  const int64_t workspace[ORACLE_OPS] = {0};
  oracle_items items;
  oracle_find_items(graph, &search->problem->options, workspace, order, &items);
  search->items = &items;
  search->order = order;
  oracle_for_each_choice(graph, &search->problem->options, &items, order, place_forced, search);
  return true;
}

// Least arena if operator 5 takes over that input.
static int64_t forced_arena(const memplan_problem *problem, int32_t input) {
  oracle_precedence precedence;
  assert_true(oracle_graph_is_legal(&problem->graph, &precedence));
  forced_search search = {.problem = problem, .input = input, .least = 20};
  (void)oracle_for_each_order(&problem->graph, &precedence, order_forced, &search);
  return search.least;
}

// Operator 5 may write over one of its inputs. Doing so, or over the wrong one, costs a byte.
static void taking_over_an_input_is_a_decision(void **state) {
  (void)state;
  memplan_problem problem;
  const int64_t declining[] = {2, 2, 1, 1, 1, 1, 2, 2};
  const char *const decline_reads[] = {"", "0", "1", "1 2", "2 3", "3 4", "4 5", ""};
  numbered_graph(&problem, declining, decline_reads, 8, "67");
  build_inplace(&problem.graph, &problem.graph.ops[5], "5", "3");
  assert_int_equal(forced_arena(&problem, 3), 5);
  assert_joint(&problem, 4, 4);
  const int64_t choosing[] = {1, 2, 2, 1, 1, 1, 2, 2};
  const char *const choose_reads[] = {"", "", "1", "2", "2 3", "0 3 4", "4 5", "6"};
  numbered_graph(&problem, choosing, choose_reads, 8, "7");
  build_inplace(&problem.graph, &problem.graph.ops[5], "5", "0");
  build_inplace(&problem.graph, &problem.graph.ops[5], "5", "3");
  assert_int_equal(forced_arena(&problem, 0), 5);
  assert_int_equal(forced_arena(&problem, 3), 4);
  assert_joint(&problem, 4, 4);
}

// ---- views and in-place operators

// a, a view of it, three results that nobody reads, and a late use of the view.
static void view_graph(memplan_problem *problem, unsigned view_roles, bool use) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "a", 64, 0);
  graph->tensors[build_view(graph, "v", 64, "a", 0)].roles = (uint8_t)view_roles;
  build_tensor(graph, "r2", 64, 0);
  build_tensor(graph, "r3", 64, 0);
  build_tensor(graph, "r4", 64, 0);
  build_op(graph, "op0", "", "a");
  build_op(graph, "op1", "a", "v");
  build_op(graph, "op2", "", "r2");
  build_op(graph, "op3", "", "r3");
  build_op(graph, "op4", "", "r4");
  if (use) {
    build_op(graph, "op5", "v", "");
  }
}

static void a_view_keeps_its_buffer(void **state) {
  (void)state;
  memplan_problem problem;
  view_graph(&problem, 0, true);
  order_search search = search_orders(&problem);
  assert_int_equal(search.least, 64);
  solved given = solved_by(&problem, "given", NULL);
  assert_int_equal(given.solution.plan.peak, 128);
  assert_int_equal(given.solution.plan.n_placed, 4);
  solved_release(&given);
  view_graph(&problem, MEMPLAN_ROLE_OUTPUT, false);
  assert_int_equal(solved_given_peak(&problem), 128);
  memplan_problem_free(&problem);
}

static void diamond_graph(memplan_problem *problem, memplan_inplace_mode inplace) {
  build_graph(problem);
  problem->options.inplace = inplace;
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "a", 100, 0);
  build_tensor(graph, "b", 100, 0);
  build_tensor(graph, "c", 100, 0);
  build_tensor(graph, "d", 100, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "op0", "", "a");
  build_inplace(graph, build_op(graph, "relu", "a", "b"), "b", "a");
  build_inplace(graph, build_op(graph, "sigmoid", "a", "c"), "c", "a");
  memplan_op *add = build_op(graph, "add", "b c", "d");
  build_inplace(graph, add, "d", "b");
  build_inplace(graph, add, "d", "c");
}

static void only_the_last_reader_takes_over(void **state) {
  (void)state;
  memplan_problem problem;
  diamond_graph(&problem, MEMPLAN_INPLACE_NONE);
  assert_int_equal(solved_given_peak(&problem), 300);
  memplan_problem_free(&problem);
  diamond_graph(&problem, MEMPLAN_INPLACE_SAFE);
  assert_int_equal(solved_given_peak(&problem), 200);
  solved result = solved_by(&problem, "given", NULL);
  assert_int_equal(result.solution.plan.n_inplace, 2);
  assert_string_equal(result.solution.plan.inplace[0].output, "c");
  assert_string_equal(result.solution.plan.inplace[0].input, "a");
  assert_string_equal(result.solution.plan.inplace[1].output, "d");
  solved_release(&result);
}

// Relu of an input, a weight, an output, a buffer with another view still to be read.
static int64_t relu_peak(unsigned roles, bool donatable, bool writable, bool later_view) {
  memplan_problem problem;
  build_graph(&problem);
  problem.options.inputs_writable = writable;
  problem.options.weights = MEMPLAN_WEIGHTS_RESIDENT;
  memplan_graph *graph = &problem.graph;
  int32_t x = build_tensor(graph, "x", 10, roles);
  graph->tensors[x].donatable = donatable;
  build_tensor(graph, "y", 10, 0);
  build_view(graph, "v", 4, "x", 6);
  if ((roles & ~(unsigned)MEMPLAN_ROLE_OUTPUT) == 0) {
    build_op(graph, "make", "", "x");
  }
  build_inplace(graph, build_op(graph, "relu", "x", "y"), "y", "x");
  build_op(graph, "use", later_view ? "y v" : "y", "");
  int64_t peak = solved_given_peak(&problem);
  memplan_problem_free(&problem);
  return peak;
}

static void forbidden_storage_is_not_written_over(void **state) {
  (void)state;
  assert_int_equal(relu_peak(0, false, false, false), 10);
  assert_int_equal(relu_peak(0, false, false, true), 20);
  assert_int_equal(relu_peak(MEMPLAN_ROLE_INPUT, false, false, false), 20);
  assert_int_equal(relu_peak(MEMPLAN_ROLE_INPUT, true, false, false), 10);
  assert_int_equal(relu_peak(MEMPLAN_ROLE_INPUT, false, true, false), 10);
  assert_int_equal(relu_peak(MEMPLAN_ROLE_INPUT, true, true, true), 20);
  assert_int_equal(relu_peak(MEMPLAN_ROLE_WEIGHT, false, true, false), 20);
  assert_int_equal(relu_peak(MEMPLAN_ROLE_VARIABLE, false, true, false), 20);
  assert_int_equal(relu_peak(MEMPLAN_ROLE_OUTPUT, false, true, false), 20);
}

// A larger output may take over a smaller input, and then needs its own size.
static void a_chosen_pair_counts_its_maximum(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "a", 4096, 0);
  build_tensor(graph, "b", 512, 0);
  build_tensor(graph, "c", 4096, 0);
  build_tensor(graph, "d", 1024, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "make", "", "a");
  build_inplace(graph, build_op(graph, "quantize", "a", "b"), "b", "a");
  build_inplace(graph, build_op(graph, "dequantize", "b", "c"), "c", "b");
  build_inplace(graph, build_op(graph, "requantize", "c", "d"), "d", "c");
  assert_int_equal(solved_given_peak(&problem), 4096);
  memplan_problem_free(&problem);
}

// Concat whose inputs are pieces of its output: the output lives from the first piece on.
static int64_t concat_peak(bool pieces) {
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "P", 200, 0);
  build_tensor(graph, "c", 200, MEMPLAN_ROLE_OUTPUT);
  if (pieces) {
    build_view(graph, "e1", 100, "c", 0);
    build_view(graph, "e2", 100, "c", 100);
  } else {
    build_tensor(graph, "e1", 100, 0);
    build_tensor(graph, "e2", 100, 0);
  }
  build_op(graph, "op0", "", "P");
  build_op(graph, "op1", "P", "e1");
  build_op(graph, "op2", "P", "e2");
  build_op(graph, "op3", "e1 e2", "c");
  build_finish(&problem);
  solved result = solved_by(&problem, "given", NULL);
  int64_t peak = result.solution.plan.peak;
  int64_t of_p = solved_offset(&result, "P");
  int64_t of_c = solved_offset(&result, "c");
  assert_true(!pieces || of_p + 200 <= of_c || of_c + 200 <= of_p);
  solved_release(&result);
  return peak;
}

static void concat_without_copy(void **state) {
  (void)state;
  assert_int_equal(concat_peak(true), 400);
  assert_int_equal(concat_peak(false), 400);
}

// ---- workspace, roles, order rules

static void workspace_is_live_at_its_step_only(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "in", 100, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "mid", 100, 0);
  build_tensor(graph, "out", 100, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "op1", "in", "mid")->workspace = 500;
  build_op(graph, "op2", "mid", "out");
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 700);
  (void)solved_offset(&result, "op1#workspace");
  assert_int_equal(result.solution.load[1], 200);
  solved_release(&result);
}

static void variables_live_for_the_whole_run(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "cache", 50, MEMPLAN_ROLE_VARIABLE);
  build_tensor(graph, "x", 10, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "y", 10, 0);
  build_tensor(graph, "z", 10, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "first", "x", "y");
  build_op(graph, "update", "y cache", "cache");
  build_op(graph, "last", "y", "z");
  assert_int_equal(solved_given_peak(&problem), 70);
  memplan_problem_free(&problem);
}

static int64_t io_peak(memplan_io io) {
  memplan_problem problem;
  build_graph(&problem);
  problem.options.io = io;
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "x", 100, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "a", 100, 0);
  build_tensor(graph, "y", 100, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "op1", "x", "a");
  build_op(graph, "op2", "a", "y");
  int64_t peak = solved_given_peak(&problem);
  memplan_problem_free(&problem);
  return peak;
}

static void io_policies(void **state) {
  (void)state;
  assert_int_equal(io_peak(MEMPLAN_IO_EXTERNAL), 100);
  assert_int_equal(io_peak(MEMPLAN_IO_ARENA), 200);
  assert_int_equal(io_peak(MEMPLAN_IO_PERSISTENT), 300);
}

// b is never read: it is there at its own step, and there alone.
static void an_unused_output_lives_at_its_step(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "in", 100, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "a", 40, 0);
  build_tensor(graph, "b", 60, 0);
  build_tensor(graph, "t", 70, 0);
  build_tensor(graph, "y", 10, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "split", "in", "a b");
  build_op(graph, "other", "", "t");
  build_op(graph, "join", "a t", "y");
  build_finish(&problem);
  solved result = solved_by(&problem, "given", NULL);
  assert_int_equal(result.solution.plan.peak, 200);
  assert_int_equal(result.solution.load[0], 200);
  assert_int_equal(result.solution.load[1], 110);
  solved_release(&result);
}

static void order_rules_are_kept(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "s", 8, MEMPLAN_ROLE_VARIABLE);
  build_tensor(graph, "x", 4, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "y", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "write1", "x s", "s");
  build_op(graph, "write2", "x s", "s");
  build_op(graph, "random", "", "");
  build_after(graph, build_op(graph, "later", "x", "y"), "random");
  order_search search = search_orders(&problem);
  // write1 before write2, random before later: 4! / 4 interleavings
  assert_int_equal(search.count, 6);
  memplan_problem_free(&problem);

  build_graph(&problem);
  for (int32_t i = 0; i < 4; i++) {
    char id[4] = {'o', 'p', (char)('0' + i), '\0'};
    memplan_op *op = build_op(&problem.graph, id, "", "");
    op->group = i == 1 || i == 2 ? 0 : -1;
  }
  problem.graph.groups[0] = "fused";
  problem.graph.n_groups = 1;
  search = search_orders(&problem);
  assert_int_equal(search.count, 12);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relu_in_place_saves_a_third),
      cmocka_unit_test(reordering_a_small_network),
      cmocka_unit_test(the_order_peak_is_not_the_arena),
      cmocka_unit_test(two_orders_of_one_peak_need_different_arenas),
      cmocka_unit_test(the_best_plan_may_use_a_worse_order),
      cmocka_unit_test(taking_over_an_input_is_a_decision),
      cmocka_unit_test(a_view_keeps_its_buffer),
      cmocka_unit_test(only_the_last_reader_takes_over),
      cmocka_unit_test(forbidden_storage_is_not_written_over),
      cmocka_unit_test(a_chosen_pair_counts_its_maximum),
      cmocka_unit_test(concat_without_copy),
      cmocka_unit_test(workspace_is_live_at_its_step_only),
      cmocka_unit_test(variables_live_for_the_whole_run),
      cmocka_unit_test(io_policies),
      cmocka_unit_test(an_unused_output_lives_at_its_step),
      cmocka_unit_test(order_rules_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
