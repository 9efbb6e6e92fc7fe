// SPDX-License-Identifier: Apache-2.0
// Depth-first over sets on one state. Each move leads to a set Y, and from there safe commits to a set Z; both are
// kept, so that a move to any of them is known to lead nowhere. A line is written when a set Y is met for the first
// time: the line that it comes from, what has run since then, and the commits. All sets that a line depends on hold
// more operators than its own, so that nothing depends on itself whatever the order of the lines.
#include "solvers/order_log.h"

#include "model/base/grow.h"
#include "model/base/set_table.h"
#include "solvers/order_commit.h"

#include <inttypes.h>
#include <stdlib.h>

// A set whose moves are being tried.
typedef struct frame {
  int32_t line;
  int32_t n_done;           // operators
  int64_t live;             // bytes
  int64_t begin, next, end; // its moves on the stack
} frame;

struct memplan_order_log {
  memplan_arena arena;
  memplan_order_state state;
  memplan_order_commit commit;
  memplan_set_table sets;
  memplan_order_log_outcome outcome;
  int64_t threshold, most_text, most_memory, text;
  frame *frames;
  int32_t n_frames;
  int32_t *stack; // operators of moves
  int64_t n_stack, stack_capacity;
  memplan_order_move *moves; // scratch
  // by line: line it comes from, number of operators run, these, number of commits, and of each its length and
  // operators
  int32_t *numbers;
  int64_t n_numbers, number_capacity;
  int32_t n_lines;
};

memplan_status memplan_order_log_new(const memplan_order_tables *tables, int64_t threshold, int64_t most_text,
                                     int64_t most_memory, memplan_order_log **log, memplan_error *error) {
  memplan_order_log *made = calloc(1, sizeof *made);
  *log = made;
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = tables->problem->n_ops;
  memplan_order_rules rules = memplan_order_rules_default();
  made->threshold = threshold;
  made->most_text = most_text;
  made->most_memory = most_memory;
  memplan_set_table_init(&made->sets, n);
  memplan_status status = memplan_order_state_init(&made->state, tables, &made->arena, error);
  if (status == MEMPLAN_OK) {
    status = memplan_order_commit_init(&made->commit, &made->state, &rules, &made->arena, error);
  }
  if (status == MEMPLAN_OK) {
    made->frames = MEMPLAN_NEW(&made->arena, frame, (int64_t)n + 2);
    made->moves = MEMPLAN_NEW(&made->arena, memplan_order_move, (int64_t)n + 1);
    made->commit.ends = MEMPLAN_NEW(&made->arena, int32_t, (int64_t)n + 1);
    bool good = made->frames != NULL && made->moves != NULL && made->commit.ends != NULL;
    status = good ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  if (status != MEMPLAN_OK) {
    memplan_order_log_free(made);
    *log = NULL;
    return status;
  }
  made->commit.threshold = threshold;
  // What may come last is not committed if the last step bears more: the checker need not know the largest such load.
  made->commit.last_load = tables->problem->last > 0 ? INT64_MAX : 0;
  return MEMPLAN_OK;
}

void memplan_order_log_free(memplan_order_log *log) {
  if (log != NULL) {
    memplan_set_table_free(&log->sets);
    free(log->stack);
    free(log->numbers);
    memplan_arena_free(&log->arena);
    free(log);
  }
}

// ---- lines

static int64_t text_of(int32_t number) {
  int64_t digits = 2; // with a comma
  for (; number >= 10; number /= 10) {
    digits++;
  }
  return digits;
}

static bool put(memplan_order_log *log, int32_t number) {
  int32_t *numbers = memplan_grow_heap(log->numbers, log->n_numbers, &log->number_capacity, sizeof *numbers);
  if (numbers == NULL) {
    return false;
  }
  log->numbers = numbers;
  numbers[log->n_numbers++] = number;
  log->text += text_of(number);
  return true;
}

static bool put_steps(memplan_order_log *log, int32_t from, int32_t end) {
  bool good = put(log, end - from);
  for (int32_t step = from; step < end && good; step++) {
    good = put(log, log->state.sequence[step]);
  }
  return good;
}

// The line of a set reached from another line's by the steps from … met - 1, and its commits after that.
static bool add_line(memplan_order_log *log, int32_t parent, int32_t from, int32_t met) {
  bool good = put(log, parent) && put_steps(log, from, met) && put(log, log->commit.n_ends) && log->n_lines < INT32_MAX;
  for (int32_t k = 0; k < log->commit.n_ends && good; k++) {
    good = put_steps(log, met, log->commit.ends[k]);
    met = log->commit.ends[k];
  }
  log->n_lines += good;
  return good;
}

// ---- search

static int compare_moves(const void *a, const void *b) {
  const memplan_order_move *x = a, *y = b;
  if (x->after != y->after) {
    return x->after > y->after ? 1 : -1;
  }
  return (x->op > y->op) - (x->op < y->op);
}

static bool open_frame(memplan_order_log *log) {
  frame *top = &log->frames[log->n_frames];
  *top = (frame){.line = log->n_lines,
                 .n_done = log->state.n_done,
                 .live = log->state.live,
                 .begin = log->n_stack,
                 .next = log->n_stack};
  int32_t count = memplan_order_commit_moves(&log->commit, log->moves), kept = 0;
  for (int32_t k = 0; k < count; k++) {
    if (log->moves[k].load <= log->threshold) {
      log->moves[kept++] = log->moves[k];
    }
  }
  if (kept > 1) {
    qsort(log->moves, (size_t)kept, sizeof *log->moves, compare_moves);
  }
  log->state.ticks += 8 + 4 * (int64_t)kept;
  for (int32_t k = 0; k < kept; k++) {
    int32_t *stack = memplan_grow_heap(log->stack, log->n_stack, &log->stack_capacity, sizeof *stack);
    if (stack == NULL) {
      return false;
    }
    log->stack = stack;
    stack[log->n_stack++] = log->moves[k].op;
  }
  top->end = log->n_stack;
  log->n_frames++;
  return true;
}

static void go_back(memplan_order_log *log, int32_t n_done) {
  while (log->state.n_done > n_done) {
    memplan_order_state_undo(&log->state);
  }
}

// The state has come to a set, by steps since that of another line; the state goes back there if nothing is left to do.
static bool enter(memplan_order_log *log, int32_t parent, int32_t from) {
  bool is_new;
  const frame *above = log->n_frames > 0 ? &log->frames[log->n_frames - 1] : NULL;
  if (memplan_set_table_add(&log->sets, log->state.done, &is_new) < 0) {
    return false;
  }
  if (!is_new) {
    go_back(log, from);
    return true;
  }
  int32_t met = log->state.n_done;
  memplan_order_commit_run(&log->commit, true, above != NULL ? above->n_done : -1, above != NULL ? above->live : 0);
  if (!add_line(log, parent, from, met)) {
    return false;
  }
  if (log->state.n_done == log->state.problem->n_ops) {
    log->outcome = MEMPLAN_ORDER_LOG_FOUND;
    return true;
  }
  if (log->state.n_done > met && memplan_set_table_add(&log->sets, log->state.done, &is_new) < 0) {
    return false;
  }
  if (!is_new) {
    go_back(log, from);
    return true;
  }
  return open_frame(log);
}

static bool step(memplan_order_log *log) {
  if (log->n_frames == 0) {
    if (log->n_lines > 0) {
      log->outcome = MEMPLAN_ORDER_LOG_CLOSED;
      return true;
    }
    return enter(log, 0, 0);
  }
  frame *top = &log->frames[log->n_frames - 1];
  if (top->next == top->end) {
    log->n_stack = top->begin;
    log->n_frames--;
    go_back(log, log->n_frames > 0 ? log->frames[log->n_frames - 1].n_done : 0);
    return true;
  }
  memplan_order_commit_move(&log->commit, log->stack[top->next++]);
  return enter(log, top->line, top->n_done);
}

// The tables of the graph apart, which do not grow.
static int64_t memory_of(const memplan_order_log *log) {
  return log->sets.memory + (log->number_capacity + log->stack_capacity) * (int64_t)sizeof(int32_t);
}

memplan_status memplan_order_log_run(memplan_order_log *log, int64_t ticks, memplan_error *error) {
  enum { line_text = 16 }; // of a line besides its numbers
  int64_t end = log->state.ticks + ticks;
  while (log->outcome == MEMPLAN_ORDER_LOG_RUNNING && log->state.ticks < end) {
    if (!step(log) || log->state.out_of_memory) {
      return memplan_fail_nomem(error);
    }
    if (log->text + line_text * (int64_t)log->n_lines > log->most_text) {
      log->outcome = MEMPLAN_ORDER_LOG_TOO_LARGE;
    } else if (memory_of(log) > log->most_memory) {
      log->outcome = MEMPLAN_ORDER_LOG_FULL;
    }
  }
  return MEMPLAN_OK;
}

memplan_order_log_outcome memplan_order_log_state(const memplan_order_log *log) { return log->outcome; }

// ---- text

// "1,2,3" without brackets; returns where the next numbers are.
static int64_t write_numbers(const memplan_order_log *log, int64_t at, FILE *out) {
  int32_t count = log->numbers[at++];
  for (int32_t k = 0; k < count; k++) {
    fprintf(out, k == 0 ? "%" PRId32 : ",%" PRId32, log->numbers[at++]);
  }
  return at;
}

void memplan_order_log_write(const memplan_order_log *log, FILE *out) {
  int64_t at = 0;
  for (int32_t line = 1; line <= log->n_lines && !ferror(out); line++) {
    int32_t parent = log->numbers[at++];
    fputs("{\"run\":[", out);
    at = write_numbers(log, at, out);
    fputc(']', out);
    if (parent != line - 1) {
      fprintf(out, ",\"from\":%" PRId32, parent);
    }
    int32_t n_commits = log->numbers[at++];
    for (int32_t k = 0; k < n_commits; k++) {
      bool single = log->numbers[at] == 1;
      fputs(k == 0 ? ",\"commit\":[" : ",", out);
      fputs(single ? "" : "[", out);
      at = write_numbers(log, at, out);
      fputs(single ? "" : "]", out);
    }
    fputs(n_commits > 0 ? "]}\n" : "}\n", out);
  }
}
