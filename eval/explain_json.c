// SPDX-License-Identifier: Apache-2.0
#include "eval/explain_report.h"
#include "eval/json_writer.h"
#include "eval/numbers.h"

#include <inttypes.h>

static void put_optional(memplan_writer *writer, const char *key, int64_t value, bool there) {
  if (there) {
    memplan_writer_put_integer(writer, key, value);
  } else {
    memplan_writer_put_number(writer, key, NULL);
  }
}

static void write_buffer(const memplan_explanation *explanation, int32_t index, int64_t bytes, memplan_writer *writer) {
  const memplan_subject *subject = explanation->subject;
  const memplan_buffer *buffer = &subject->instance->buffers[index];
  bool placed = subject->offset != NULL && subject->offset[index] >= 0;
  memplan_writer_open(writer, NULL, '{');
  memplan_writer_put_text(writer, "id", buffer->id);
  memplan_writer_put_integer(writer, "bytes", bytes);
  put_optional(writer, "offset", placed ? subject->offset[index] : -1, placed);
  memplan_writer_put_text(writer, "pool",
                          placed && subject->pool[index] >= 0 && !subject->instance->default_pool
                              ? subject->instance->pools[subject->pool[index]].id
                              : NULL);
  put_optional(writer, "start", buffer->n_live > 0 ? buffer->live[0].start : 0, buffer->n_live > 0);
  put_optional(writer, "end", buffer->n_live > 0 ? buffer->live[buffer->n_live - 1].end : 0, buffer->n_live > 0);
  memplan_writer_put_text(writer, "operator", memplan_explanation_maker(explanation, index));
  memplan_writer_close(writer, '}');
}

static void write_filling(const memplan_explanation *explanation, memplan_writer *writer) {
  const memplan_filling *filling = &explanation->filling;
  const memplan_problem *problem = explanation->problem;
  bool any = filling->rank >= 0;
  memplan_writer_open(writer, "fullest", '{');
  put_optional(writer, "time", filling->time, any);
  const memplan_op *op = any && problem->has_graph
                             ? memplan_graph_op_at(&problem->graph, explanation->subject->order, filling->time)
                             : NULL;
  memplan_writer_put_text(writer, "operator", op != NULL ? op->id : NULL);
  memplan_writer_put_integer(writer, "bytes", filling->load);
  put_optional(writer, "reach", filling->reach, filling->reach >= 0);
  memplan_writer_open(writer, "buffers", '[');
  for (int32_t k = 0; k < filling->n_items; k++) {
    write_buffer(explanation, filling->items[k].buffer, filling->items[k].bytes, writer);
  }
  memplan_writer_close(writer, ']');
  memplan_writer_close(writer, '}');
}

static void write_core(const memplan_explanation *explanation, memplan_writer *writer) {
  const memplan_instance *instance = explanation->subject->instance;
  const memplan_capacity_answer *answer = &explanation->capacity;
  memplan_writer_open(writer, "core", '{');
  memplan_writer_put_text(writer, "kind", memplan_core_kind_name(answer->kind));
  put_optional(writer, "needs", answer->core_needs, answer->core_needs >= 0);
  memplan_writer_put_boolean(writer, "exact", answer->core_exact);
  put_optional(writer, "time", answer->time, answer->rank >= 0);
  put_optional(writer, "load", answer->load, answer->rank >= 0);
  memplan_writer_put_boolean(writer, "minimal", answer->n_unproven == 0);
  // One list for each group of buffers that are tied to each other.
  memplan_writer_open(writer, "groups", '[');
  for (int32_t k = 0; k < answer->n_blocks; k++) {
    const memplan_block *block = &instance->blocks[answer->blocks[k]];
    memplan_writer_open(writer, NULL, '[');
    for (int32_t m = 0; m < block->n_members; m++) {
      int32_t index = instance->members[block->first_member + m].buffer;
      write_buffer(explanation, index, instance->buffers[index].bytes, writer);
    }
    memplan_writer_close(writer, ']');
  }
  memplan_writer_close(writer, ']');
  memplan_writer_close(writer, '}');
}

static void write_capacity(const memplan_explanation *explanation, memplan_writer *writer) {
  const memplan_capacity_answer *answer = &explanation->capacity;
  const memplan_instance *instance = explanation->subject->instance;
  static const char *const words[] = {"unknown", "yes", "no"};
  memplan_writer_open(writer, "capacity", '{');
  memplan_writer_put_text(writer, "fits", words[answer->fit]);
  put_optional(writer, "peak", answer->peak, answer->peak >= 0);
  if (answer->fit == MEMPLAN_FIT_NO) {
    memplan_writer_put_text(writer, "pool",
                            answer->pool >= 0 && !instance->default_pool ? instance->pools[answer->pool].id : NULL);
    put_optional(writer, "bytes", answer->capacity, answer->capacity >= 0);
    put_optional(writer, "room", answer->room, answer->capacity >= 0);
    put_optional(writer, "needs", answer->needs, answer->needs >= 0);
    put_optional(writer, "short", answer->needs - answer->capacity, answer->needs >= 0);
    memplan_writer_put_text(writer, "scope", memplan_scope_name(explanation->scope));
    put_optional(writer, "every_order", explanation->bound.bytes, explanation->bound.kind != MEMPLAN_BOUND_NONE);
    write_core(explanation, writer);
  }
  memplan_writer_close(writer, '}');
}

static void write_pair(const memplan_explanation *explanation, memplan_writer *writer) {
  const memplan_pair_answer *pair = &explanation->pair;
  char text[600];
  memplan_writer_open(writer, "pair", '{');
  memplan_writer_put_text(writer, "first", pair->side[0].id);
  memplan_writer_put_text(writer, "second", pair->side[1].id);
  memplan_writer_put_boolean(writer, "may_share", pair->may_share);
  memplan_writer_put_boolean(writer, "same_buffer", pair->same_buffer);
  memplan_writer_put_boolean(writer, "together", pair->together);
  memplan_writer_open(writer, "reasons", '[');
  for (int32_t tie = 0; tie < MEMPLAN_TIE_COUNT; tie++) {
    if (pair->forbids[tie]) {
      memplan_writer_open(writer, NULL, '{');
      memplan_writer_put_text(writer, "kind", memplan_tie_name((memplan_tie)tie));
      memplan_writer_put_text(writer, "text",
                              memplan_explanation_tie_text(explanation, (memplan_tie)tie, text, sizeof text));
      memplan_writer_close(writer, '}');
    }
  }
  memplan_writer_close(writer, ']');
  put_optional(writer, "meet_start", pair->meet_start, pair->meet);
  put_optional(writer, "meet_end", pair->meet_end, pair->meet);
  if (pair->has_order) {
    static const char *const words[] = {"possible", "kept", "init", "operators", "groups", "unknown"};
    memplan_writer_open(writer, "orders", '[');
    for (int32_t direction = 0; direction < 2; direction++) {
      memplan_writer_open(writer, NULL, '{');
      memplan_writer_put_text(writer, "earlier", pair->side[direction].id);
      memplan_writer_put_text(writer, "result", words[pair->precede[direction].result]);
      memplan_writer_put_text(writer, "text",
                              memplan_explanation_order_text(explanation, direction, text, sizeof text));
      memplan_writer_close(writer, '}');
    }
    memplan_writer_close(writer, ']');
  }
  memplan_writer_put_text(writer, "inplace_operator",
                          pair->inplace_op >= 0 ? explanation->problem->graph.ops[pair->inplace_op].id : NULL);
  memplan_writer_put_text(
      writer, "inplace_blocked",
      pair->inplace_op < 0 && pair->blocked_op >= 0 ? explanation->problem->graph.ops[pair->blocked_op].id : NULL);
  memplan_writer_put_text(
      writer, "inplace_blocking",
      pair->inplace_op < 0 && pair->blocked_op >= 0 ? explanation->problem->graph.ops[pair->blocking_op].id : NULL);
  put_optional(writer, "planned_bytes", pair->planned_bytes, pair->planned_bytes >= 0);
  memplan_writer_close(writer, '}');
}

void memplan_explanation_write_json(const memplan_explanation *explanation, FILE *out) {
  const memplan_problem *problem = explanation->problem;
  const memplan_subject *subject = explanation->subject;
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_writer_put_heading(&writer, problem);
  memplan_writer_put_text(&writer, "plan", explanation->plan_path);
  put_optional(&writer, "plan_peak", explanation->plan_peak, explanation->plan_path != NULL);
  memplan_writer_put_text(&writer, "order", subject->order_name);
  put_optional(&writer, "inplace", subject->n_choices, problem->has_graph);
  if (explanation->has_pair) {
    write_pair(explanation, &writer);
  } else {
    write_filling(explanation, &writer);
  }
  if (explanation->has_capacity) {
    write_capacity(explanation, &writer);
  }
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
}

// ---- tables

enum { N_COLUMNS = 7 };

static const memplan_column buffer_columns[N_COLUMNS] = {
    {"bytes", "bytes", MEMPLAN_CELL_NUMBER, 12}, {"offset", "offset", MEMPLAN_CELL_NUMBER, 12},
    {"start", "start", MEMPLAN_CELL_NUMBER, 0},  {"end", "end", MEMPLAN_CELL_NUMBER, 0},
    {"id", "buffer", MEMPLAN_CELL_TEXT, 0},      {"operator", "operator", MEMPLAN_CELL_TEXT, 0},
    {"pool", "pool", MEMPLAN_CELL_TEXT, 0}};

static const memplan_column reason_columns[2] = {{"kind", "forbidden by", MEMPLAN_CELL_TEXT, 0},
                                                 {"text", "why", MEMPLAN_CELL_TEXT, 0}};

static bool add_buffer(const memplan_explanation *explanation, int32_t index, int64_t bytes, memplan_grid *grid) {
  const memplan_subject *subject = explanation->subject;
  const memplan_buffer *buffer = &subject->instance->buffers[index];
  bool placed = subject->offset != NULL && subject->offset[index] >= 0;
  char numbers[4][MEMPLAN_NUMBER_SIZE];
  (void)snprintf(numbers[0], sizeof numbers[0], "%" PRId64, bytes);
  (void)snprintf(numbers[1], sizeof numbers[1], "%" PRId64, placed ? subject->offset[index] : -1);
  (void)snprintf(numbers[2], sizeof numbers[2], "%" PRId64, buffer->n_live > 0 ? buffer->live[0].start : 0);
  (void)snprintf(numbers[3], sizeof numbers[3], "%" PRId64,
                 buffer->n_live > 0 ? buffer->live[buffer->n_live - 1].end : 0);
  const char *cells[N_COLUMNS] = {numbers[0],
                                  placed ? numbers[1] : NULL,
                                  buffer->n_live > 0 ? numbers[2] : NULL,
                                  buffer->n_live > 0 ? numbers[3] : NULL,
                                  buffer->id,
                                  memplan_explanation_maker(explanation, index),
                                  placed && subject->pool[index] >= 0 && !subject->instance->default_pool
                                      ? subject->instance->pools[subject->pool[index]].id
                                      : NULL};
  return memplan_grid_add(grid, cells);
}

static bool add_core(const memplan_explanation *explanation, memplan_grid *grid) {
  const memplan_instance *instance = explanation->subject->instance;
  bool good = true;
  for (int32_t k = 0; k < explanation->capacity.n_blocks && good; k++) {
    const memplan_block *block = &instance->blocks[explanation->capacity.blocks[k]];
    for (int32_t m = 0; m < block->n_members && good; m++) {
      int32_t index = instance->members[block->first_member + m].buffer;
      good = add_buffer(explanation, index, instance->buffers[index].bytes, grid);
    }
  }
  return good;
}

static bool add_reasons(const memplan_explanation *explanation, memplan_grid *grid) {
  bool good = true;
  for (int32_t tie = 0; tie < MEMPLAN_TIE_COUNT && good; tie++) {
    char text[600];
    if (explanation->pair.forbids[tie]) {
      const char *cells[2] = {memplan_tie_name((memplan_tie)tie),
                              memplan_explanation_tie_text(explanation, (memplan_tie)tie, text, sizeof text)};
      good = memplan_grid_add(grid, cells);
    }
  }
  return good;
}

memplan_status memplan_explanation_write_grid(const memplan_explanation *explanation, memplan_style style, FILE *out,
                                              memplan_error *error) {
  memplan_grid grid;
  bool pair = explanation->has_pair;
  bool good = memplan_grid_init(&grid, pair ? reason_columns : buffer_columns, pair ? 2 : N_COLUMNS);
  if (good && pair) {
    good = add_reasons(explanation, &grid);
  } else if (good && explanation->has_capacity && explanation->capacity.fit == MEMPLAN_FIT_NO) {
    good = add_core(explanation, &grid);
  } else {
    for (int32_t k = 0; k < explanation->filling.n_items && good; k++) {
      good = add_buffer(explanation, explanation->filling.items[k].buffer, explanation->filling.items[k].bytes, &grid);
    }
  }
  if (good) {
    memplan_grid_write(&grid, out, style);
  }
  memplan_grid_free(&grid);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}
