// SPDX-License-Identifier: Apache-2.0
#include "model/problem_json.h"

#include "model/base/ids.h"
#include "model/base/json_write.h"
#include "model/form_json.h"

json_t *memplan_problem_to_json(const memplan_problem *problem, const int64_t *workspace) {
  if (problem->has_graph) {
    return memplan_graph_to_json(&problem->graph, workspace);
  }
  return memplan_form_instance(&problem->instance, problem->options.lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE);
}

static const char *const io_names[] = {"arena", "external", "persistent"};
static const char *const weights_names[] = {"external", "resident"};
static const char *const inplace_names[] = {"safe", "none"};
static const char *const views_names[] = {"reshape", "none"};
static const char *const fold_names[] = {"shapes", "constants", "none"};
static const char *const bodies_names[] = {"plan", "ignore"};

static const char *lifetimes_name(memplan_lifetimes lifetimes) {
  return lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE ? "inclusive" : "half-open";
}

static const char *dim_name(const memplan_problem_options *options, int32_t index) { return options->dims[index].name; }

static json_t *dim_value(const memplan_problem_options *options, int32_t index) {
  return json_integer(options->dims[index].value);
}

static const char *shape_name(const memplan_problem_options *options, int32_t index) {
  return options->shapes[index].name;
}

static json_t *shape_value(const memplan_problem_options *options, int32_t index) {
  const memplan_shape *shape = &options->shapes[index];
  json_t *dims = json_array();
  bool good = dims != NULL;
  for (int32_t d = 0; good && d < shape->rank; d++) {
    good = memplan_json_add(dims, json_integer(shape->dims[d]));
  }
  return memplan_json_finish(dims, good);
}

// An object sorted by name. Of a name given twice, the later value counts.
static json_t *by_name(const memplan_problem_options *options, int32_t count,
                       const char *(*name)(const memplan_problem_options *, int32_t),
                       json_t *(*value)(const memplan_problem_options *, int32_t)) {
  memplan_arena arena = {0};
  memplan_id *ids = MEMPLAN_NEW(&arena, memplan_id, count);
  json_t *object = json_object();
  bool good = ids != NULL && object != NULL;
  for (int32_t i = 0; good && i < count; i++) {
    ids[i] = (memplan_id){name(options, i), i};
  }
  if (good) {
    memplan_ids_sort(ids, count);
  }
  for (int32_t i = 0; good && i < count; i++) {
    good = memplan_json_set(object, ids[i].text, value(options, ids[i].index));
  }
  memplan_arena_free(&arena);
  return memplan_json_finish(object, good);
}

json_t *memplan_problem_options_json(const memplan_problem *problem) {
  const memplan_problem_options *options = &problem->options;
  const char *name = problem->has_graph ? problem->graph.name : problem->has_instance ? problem->instance.name : "";
  json_t *object = json_object();
  return memplan_json_finish(
      object, memplan_json_set_string(object, "name", name) &&
                  memplan_json_set_string(object, "io", io_names[options->io]) &&
                  memplan_json_set_string(object, "weights", weights_names[options->weights]) &&
                  memplan_json_set_string(object, "inplace", inplace_names[options->inplace]) &&
                  memplan_json_set_string(object, "views", views_names[options->views]) &&
                  memplan_json_set_string(object, "fold", fold_names[options->fold]) &&
                  memplan_json_set_string(object, "bodies", bodies_names[options->bodies]) &&
                  memplan_json_set(object, "branch_sharing", json_boolean(!options->no_branch_sharing)) &&
                  memplan_json_set(object, "inputs_writable", json_boolean(options->inputs_writable)) &&
                  memplan_json_set_string(object, "lifetimes", lifetimes_name(options->lifetimes)) &&
                  memplan_json_set(object, "dims", by_name(options, options->n_dims, dim_name, dim_value)) &&
                  memplan_json_set(object, "capacity",
                                   options->capacity >= 0 ? json_integer(options->capacity) : json_null()) &&
                  memplan_json_set_string(object, "target", "none") &&
                  memplan_json_set_integer(object, "align", options->align) &&
                  (options->n_shapes == 0 ||
                   memplan_json_set(object, "shapes", by_name(options, options->n_shapes, shape_name, shape_value))));
}

json_t *memplan_problem_reading_json(const memplan_problem *problem) {
  const memplan_problem_options *options = &problem->options;
  json_t *object = memplan_problem_options_json(problem);
  json_t *spaces = json_object();
  bool good = object != NULL && spaces != NULL;
  for (int32_t i = 0; good && i < options->n_pin_pools; i++) {
    good = memplan_json_set_string(spaces, options->pin_pools[i].buffer, options->pin_pools[i].pool);
  }
  good = good && memplan_json_set_true(object, "pin", options->pin_offsets) &&
         memplan_json_set_text(object, "dup_ids", options->rename_dups ? "rename" : NULL) &&
         (options->n_pin_pools == 0 || memplan_json_set(object, "pin_space", json_incref(spaces))) &&
         memplan_json_set_true(object, "conflicts", options->conflicts_path != NULL);
  json_decref(spaces);
  return memplan_json_finish(object, good);
}
