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

// Of a dimension given twice, the later value counts.
static json_t *dims_json(const memplan_problem_options *options) {
  memplan_arena arena = {0};
  memplan_id *ids = MEMPLAN_NEW(&arena, memplan_id, options->n_dims);
  json_t *object = json_object();
  bool good = ids != NULL && object != NULL;
  if (good) {
    for (int32_t i = 0; i < options->n_dims; i++) {
      ids[i] = (memplan_id){options->dims[i].name, i};
    }
    memplan_ids_sort(ids, options->n_dims);
  }
  for (int32_t i = 0; good && i < options->n_dims; i++) {
    good = memplan_json_set_integer(object, ids[i].text, options->dims[ids[i].index].value);
  }
  memplan_arena_free(&arena);
  return memplan_json_finish(object, good);
}

// By input, sorted by name.
static json_t *shapes_json(const memplan_problem_options *options) {
  memplan_arena arena = {0};
  memplan_id *ids = MEMPLAN_NEW(&arena, memplan_id, options->n_shapes);
  json_t *object = json_object();
  bool good = ids != NULL && object != NULL;
  if (good) {
    for (int32_t i = 0; i < options->n_shapes; i++) {
      ids[i] = (memplan_id){options->shapes[i].name, i};
    }
    memplan_ids_sort(ids, options->n_shapes);
  }
  for (int32_t i = 0; good && i < options->n_shapes; i++) {
    const memplan_shape *shape = &options->shapes[ids[i].index];
    json_t *dims = json_array();
    good = dims != NULL;
    for (int32_t d = 0; good && d < shape->rank; d++) {
      good = json_array_append_new(dims, json_integer(shape->dims[d])) == 0;
    }
    good = memplan_json_set(object, ids[i].text, dims) && good;
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
                  memplan_json_set(object, "dims", dims_json(options)) &&
                  memplan_json_set(object, "capacity",
                                   options->capacity >= 0 ? json_integer(options->capacity) : json_null()) &&
                  memplan_json_set_string(object, "target", "none") &&
                  memplan_json_set_integer(object, "align", options->align) &&
                  (options->n_shapes == 0 || memplan_json_set(object, "shapes", shapes_json(options))));
}
