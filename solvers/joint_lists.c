// SPDX-License-Identifier: Apache-2.0
#include "solvers/joint_lists.h"

bool memplan_joint_lists_member(json_t *value, const char *key, FILE *out) {
  fprintf(out, ",\"%s\":", key);
  bool good = value != NULL && json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY) == 0;
  json_decref(value);
  return good;
}

bool memplan_joint_lists_write(const memplan_joint_graph *graph, const int32_t *window, FILE *out) {
  const memplan_ordering *ordering = graph->ordering;
  const memplan_graph *model = ordering->graph;
  json_t *ops = json_array(), *items = json_array(), *pairs = json_array();
  bool good = true;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    good = json_array_append_new(ops, json_string(model->ops[window != NULL ? window[op] : op].id)) == 0 && good;
  }
  for (int32_t item = 0; item < graph->n_items; item++) {
    good = json_array_append_new(items, json_string(graph->items[item].id)) == 0 && good;
  }
  for (int32_t k = 0; k < graph->n_pairs; k++) {
    const memplan_pair *pair = &ordering->pairs[graph->pairs[k].index];
    const char *output = model->tensors[pair->output].id, *input = model->tensors[pair->input].id;
    good = json_array_append_new(pairs, json_pack("[ss]", output, input)) == 0 && good;
  }
  good = memplan_joint_lists_member(ops, "ops", out) && good;
  good = memplan_joint_lists_member(items, "items", out) && good;
  return memplan_joint_lists_member(pairs, "pairs", out) && good;
}

bool memplan_joint_lists_scope(const memplan_proof_scope *scope, FILE *out) {
  bool good = scope->pool == NULL || memplan_joint_lists_member(json_string(scope->pool), "pool", out);
  if (scope->bodies != NULL) {
    fprintf(out, ",\"bodies\":%s", scope->bodies);
  }
  return good;
}
