// SPDX-License-Identifier: Apache-2.0
#include "eval/info.h"
#include "eval/json_writer.h"
#include "eval/numbers.h"
#include "model/base/quote.h"

#include <inttypes.h>

enum { TYPES_SHOWN = 8, BUFFERS_SHOWN = 10, N_COLUMNS = 6 };

static void write_bytes(FILE *out, const char *title, int64_t bytes, const char *remark) {
  char grouped[MEMPLAN_NUMBER_SIZE], human[MEMPLAN_NUMBER_SIZE];
  fprintf(out, "  %-15s %s bytes", title, memplan_grouped_text(bytes, grouped));
  if (bytes >= 1024) {
    fprintf(out, " (%s)", memplan_bytes_text(bytes, human));
  }
  fprintf(out, "%s%s\n", remark[0] == '\0' ? "" : ", ", remark);
}

static void write_warning(const char *warning, FILE *out) {
  fprintf(out, "  %-15s ", "warning");
  memplan_text_write(out, warning);
  fputc('\n', out);
}

static void write_types(const memplan_info *info, FILE *out) {
  fprintf(out, "  %-15s %" PRId32 " of %" PRId32 " type%s", "operators", info->problem->graph.n_ops, info->n_types,
          info->n_types == 1 ? "" : "s");
  for (int32_t i = 0; i < info->n_types && i < TYPES_SHOWN; i++) {
    fprintf(out, "%s%s %" PRId32, i == 0 ? ": " : ", ", memplan_quote(info->types[i].name).text, info->types[i].count);
  }
  fputs(info->n_types > TYPES_SHOWN ? ", …\n" : "\n", out);
}

// A file that states no pools has one without a name.
static void write_pools(const memplan_pool *pools, int32_t n_pools, FILE *out) {
  for (int32_t i = 0; i < n_pools; i++) {
    if (pools[i].capacity >= 0) {
      write_bytes(out, i == 0 ? "pools" : "", pools[i].capacity, memplan_quote(pools[i].id).text);
    } else {
      fprintf(out, "  %-15s without capacity, %s\n", i == 0 ? "pools" : "", memplan_quote(pools[i].id).text);
    }
  }
}

static void write_graph(const memplan_info *info, FILE *out) {
  const memplan_graph *graph = &info->problem->graph;
  char text[160], number[MEMPLAN_NUMBER_SIZE];
  write_types(info, out);
  fprintf(out, "  %-15s %" PRId32 ", %" PRId32 " of them views; %" PRId32 " buffers in the arena\n", "tensors",
          graph->n_tensors, info->n_views, info->n_buffers);
  for (int32_t r = 0; r < MEMPLAN_INFO_ROLES; r++) {
    if (info->roles[r].tensors > 0) {
      snprintf(text, sizeof text, "%" PRId32 " tensor%s", info->roles[r].tensors,
               info->roles[r].tensors == 1 ? "" : "s");
      snprintf(number, sizeof number, "  %s", info->roles[r].name);
      write_bytes(out, number, info->roles[r].bytes, text);
    }
  }
  fprintf(out, "  %-15s %" PRId32 " possible\n", "in-place pairs", info->n_pairs);
  for (int32_t i = 0; i < graph->n_bodies; i++) {
    fprintf(out, "  %-15s %s of operator '%s', %" PRId32 " operators\n", "body",
            memplan_quote(graph->bodies[i].name).text, memplan_quote(graph->ops[graph->bodies[i].op].id).text,
            graph->bodies[i].graph->n_ops);
  }
  write_pools(graph->pools, graph->n_pools, out);
  write_bytes(out, "naive size", info->naive_bytes, info->naive_saturated ? "or more" : "without any reuse");
  snprintf(text, sizeof text, "at step %" PRId64 ", operator '%s'", info->load.time,
           info->load_op == NULL ? "" : memplan_quote(info->load_op).text);
  write_bytes(out, info->order_path == NULL ? "given order" : "listed order", info->load.bytes,
              info->load.time < 0 ? "" : text);
  for (int32_t i = 0; i < graph->n_warnings; i++) {
    write_warning(graph->warnings[i], out);
  }
}

static void write_instance(const memplan_info *info, FILE *out) {
  const memplan_instance *instance = &info->problem->instance;
  char text[64];
  bool timeless = memplan_instance_is_timeless(instance);
  fprintf(out, "  %-15s %" PRId32 ", %s\n", "buffers", instance->n_buffers,
          timeless ? "without lifetimes: pairs that conflict are all that keeps them apart"
          : info->problem->options.lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE ? "lifetimes inclusive in the file"
                                                                            : "lifetimes half-open");
  int32_t pinned = 0, placed = 0, gaps = 0, several = 0;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    pinned += buffer->pin >= 0 ? 1 : 0;
    placed += buffer->offset >= 0 ? 1 : 0;
    gaps += buffer->n_gaps > 0 ? 1 : 0;
    several += buffer->n_live > 1 ? 1 : 0;
  }
  fprintf(out,
          "  %-15s %" PRId32 " pinned, %" PRId32 " with an offset in the file, %" PRId32 " with gaps, %" PRId32
          " with several lifetimes\n",
          "of these", pinned, placed, gaps, several);
  fprintf(out, "  %-15s %" PRId32 " separate, %" PRId32 " colocated, %" PRId32 " conflicting pairs\n", "rules",
          instance->n_separate, instance->n_colocate, instance->n_conflicts);
  write_pools(instance->pools, instance->default_pool ? 0 : instance->n_pools, out);
  write_bytes(out, "naive size", info->naive_bytes, info->naive_saturated ? "or more" : "without any reuse");
  if (!timeless) {
    snprintf(text, sizeof text, "at time %" PRId64, info->load.time);
    write_bytes(out, "largest load", info->load.bytes, text);
  }
  for (int32_t i = 0; i < instance->n_warnings; i++) {
    write_warning(instance->warnings[i], out);
  }
}

memplan_status memplan_info_write_buffers(const memplan_info *info, memplan_style style, int32_t limit, FILE *out,
                                          memplan_error *error) {
  static const memplan_column columns[N_COLUMNS] = {
      {"id", "buffer", MEMPLAN_CELL_TEXT, 0},         {"bytes", "bytes", MEMPLAN_CELL_NUMBER, 0},
      {"align", "alignment", MEMPLAN_CELL_NUMBER, 0}, {"start", "from", MEMPLAN_CELL_NUMBER, 0},
      {"end", "to before", MEMPLAN_CELL_NUMBER, 0},   {"lifetimes", "lifetimes", MEMPLAN_CELL_NUMBER, 0}};
  memplan_grid grid;
  // Without lifetimes the text ends before the columns about them.
  bool timeless = style == MEMPLAN_STYLE_TEXT && memplan_instance_is_timeless(info->instance);
  bool good = memplan_grid_init(&grid, columns, timeless ? 3 : N_COLUMNS);
  for (int32_t i = 0; good && i < info->n_buffers && i < limit; i++) {
    const memplan_buffer *buffer = &info->instance->buffers[info->largest[i]];
    char numbers[N_COLUMNS][MEMPLAN_NUMBER_SIZE];
    bool live = buffer->n_live > 0;
    snprintf(numbers[1], MEMPLAN_NUMBER_SIZE, "%" PRId64, buffer->bytes);
    snprintf(numbers[2], MEMPLAN_NUMBER_SIZE, "%" PRId64, buffer->align);
    snprintf(numbers[3], MEMPLAN_NUMBER_SIZE, "%" PRId64, live ? buffer->live[0].start : 0);
    snprintf(numbers[4], MEMPLAN_NUMBER_SIZE, "%" PRId64, live ? buffer->live[buffer->n_live - 1].end : 0);
    snprintf(numbers[5], MEMPLAN_NUMBER_SIZE, "%" PRId32, buffer->n_live);
    const char *cells[N_COLUMNS] = {
        buffer->id, numbers[1], numbers[2], live ? numbers[3] : NULL, live ? numbers[4] : NULL, numbers[5]};
    good = memplan_grid_add(&grid, cells);
  }
  if (good) {
    memplan_grid_write(&grid, out, style);
  }
  memplan_grid_free(&grid);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_info_write_text(const memplan_info *info, bool verbose, FILE *out, memplan_error *error) {
  const memplan_problem *problem = info->problem;
  const char *name = problem->has_graph ? problem->graph.name : problem->instance.name;
  const char *source = problem->has_graph ? problem->graph.source : problem->instance.source;
  fprintf(out, "%s (%s)\n\n", memplan_quote_path(problem->path).text, problem->format);
  if (name[0] != '\0') {
    fprintf(out, "  %-15s %s\n", "name", memplan_quote(name).text);
  }
  if (source[0] != '\0') {
    fprintf(out, "  %-15s %s\n", "source", memplan_quote(source).text);
  }
  fprintf(out, "  %-15s %s\n", "fingerprint", problem->fingerprint);
  if (problem->has_graph) {
    write_graph(info, out);
  } else {
    write_instance(info, out);
  }
  int32_t limit = verbose ? info->n_buffers : BUFFERS_SHOWN;
  if (info->n_buffers == 0) {
    return MEMPLAN_OK;
  }
  fprintf(out, "\n  %s%s buffers", limit < info->n_buffers ? "The largest" : "All",
          limit < info->n_buffers ? " of the" : "");
  if (info->order_path != NULL) {
    fprintf(out, " on the order of %s:\n\n", memplan_quote_path(info->order_path).text);
  } else {
    fprintf(out, "%s:\n\n", problem->has_graph ? " on the given order" : "");
  }
  return memplan_info_write_buffers(info, MEMPLAN_STYLE_TEXT, limit, out, error);
}

static void write_json_graph(const memplan_info *info, memplan_writer *writer) {
  const memplan_graph *graph = &info->problem->graph;
  memplan_writer_put_integer(writer, "ops", graph->n_ops);
  memplan_writer_put_integer(writer, "tensors", graph->n_tensors);
  memplan_writer_put_integer(writer, "views", info->n_views);
  memplan_writer_put_integer(writer, "inplace_pairs", info->n_pairs);
  memplan_writer_open(writer, "op_types", '{');
  for (int32_t i = 0; i < info->n_types; i++) {
    memplan_writer_put_integer(writer, info->types[i].name, info->types[i].count);
  }
  memplan_writer_close(writer, '}');
  memplan_writer_open(writer, "roles", '{');
  for (int32_t r = 0; r < MEMPLAN_INFO_ROLES; r++) {
    memplan_writer_open(writer, info->roles[r].name, '{');
    memplan_writer_put_integer(writer, "tensors", info->roles[r].tensors);
    memplan_writer_put_integer(writer, "bytes", info->roles[r].bytes);
    memplan_writer_close(writer, '}');
  }
  memplan_writer_close(writer, '}');
  memplan_writer_open(writer, "bodies", '[');
  for (int32_t i = 0; i < graph->n_bodies; i++) {
    memplan_writer_open(writer, NULL, '{');
    memplan_writer_put_text(writer, "op", graph->ops[graph->bodies[i].op].id);
    memplan_writer_put_text(writer, "body", graph->bodies[i].name);
    memplan_writer_put_integer(writer, "ops", graph->bodies[i].graph->n_ops);
    memplan_writer_close(writer, '}');
  }
  memplan_writer_close(writer, ']');
  memplan_writer_put_integer(writer, "weight_bytes", info->weight_bytes);
  memplan_writer_put_integer(writer, "external_bytes", info->external_bytes);
}

static void write_json_pools(const memplan_pool *pools, int32_t n_pools, memplan_writer *writer) {
  memplan_writer_open(writer, "pools", '[');
  for (int32_t i = 0; i < n_pools; i++) {
    memplan_writer_open(writer, NULL, '{');
    memplan_writer_put_text(writer, "id", pools[i].id);
    if (pools[i].capacity >= 0) {
      memplan_writer_put_integer(writer, "capacity", pools[i].capacity);
    } else {
      memplan_writer_put_json(writer, "capacity", NULL);
    }
    memplan_writer_close(writer, '}');
  }
  memplan_writer_close(writer, ']');
}

static void write_json_rules(const memplan_instance *instance, memplan_writer *writer) {
  memplan_writer_open(writer, "rules", '{');
  memplan_writer_put_integer(writer, "separate", instance->n_separate);
  memplan_writer_put_integer(writer, "colocated", instance->n_colocate);
  memplan_writer_put_integer(writer, "conflicts", instance->n_conflicts);
  memplan_writer_close(writer, '}');
}

static void write_json_buffers(const memplan_info *info, memplan_writer *writer) {
  memplan_writer_open(writer, "buffers", '[');
  for (int32_t i = 0; i < info->n_buffers; i++) {
    const memplan_buffer *buffer = &info->instance->buffers[info->largest[i]];
    memplan_writer_open(writer, NULL, '{');
    memplan_writer_put_text(writer, "id", buffer->id);
    memplan_writer_put_integer(writer, "bytes", buffer->bytes);
    memplan_writer_put_integer(writer, "align", buffer->align);
    memplan_writer_open(writer, "live", '[');
    for (int32_t j = 0; j < buffer->n_live; j++) {
      memplan_writer_open(writer, NULL, '[');
      memplan_writer_put_integer(writer, NULL, buffer->live[j].start);
      memplan_writer_put_integer(writer, NULL, buffer->live[j].end);
      memplan_writer_close(writer, ']');
    }
    memplan_writer_close(writer, ']');
    if (buffer->pin >= 0) {
      memplan_writer_put_integer(writer, "pin", buffer->pin);
    }
    memplan_writer_close(writer, '}');
  }
  memplan_writer_close(writer, ']');
}

void memplan_info_write_json(const memplan_info *info, FILE *out) {
  const memplan_problem *problem = info->problem;
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_writer_put_heading(&writer, problem);
  memplan_writer_put_text(&writer, "name", problem->has_graph ? problem->graph.name : problem->instance.name);
  memplan_writer_put_text(&writer, "source", problem->has_graph ? problem->graph.source : problem->instance.source);
  if (problem->has_graph) {
    write_json_graph(info, &writer);
    write_json_pools(problem->graph.pools, problem->graph.n_pools, &writer);
  } else {
    const memplan_instance *instance = &problem->instance;
    write_json_rules(instance, &writer);
    write_json_pools(instance->pools, instance->default_pool ? 0 : instance->n_pools, &writer);
  }
  memplan_writer_put_integer(&writer, "naive_bytes", info->naive_bytes);
  if (info->order_path != NULL) {
    memplan_writer_put_text(&writer, "order_file", info->order_path);
  }
  memplan_writer_open(&writer, "load", '{');
  memplan_writer_put_integer(&writer, "bytes", info->load.bytes);
  memplan_writer_put_integer(&writer, "step", info->load.time);
  if (info->load_op != NULL) {
    memplan_writer_put_text(&writer, "op", info->load_op);
  }
  memplan_writer_close(&writer, '}');
  write_json_buffers(info, &writer);
  memplan_writer_open(&writer, "warnings", '[');
  int32_t n_warnings = problem->has_graph ? problem->graph.n_warnings : problem->instance.n_warnings;
  const char **warnings = problem->has_graph ? problem->graph.warnings : problem->instance.warnings;
  for (int32_t i = 0; i < n_warnings; i++) {
    memplan_writer_put_text(&writer, NULL, warnings[i]);
  }
  memplan_writer_close(&writer, ']');
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
}
