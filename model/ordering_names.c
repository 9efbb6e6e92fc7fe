// SPDX-License-Identifier: Apache-2.0
// Ids of what lies in the arena beside tensors: workspaces, then weights of
// bodies. Each gets '#' appended until no tensor and nothing named before it
// has its id.
#include "model/ordering_steps.h"

#include "model/base/names.h"
#include "model/base/number.h"

#include <stdio.h>
#include <string.h>

// `text` and `suffix` joined, made unique; NULL if memory is out.
static const char *make_unique(memplan_arena *arena, memplan_names *names, const char *text, const char *suffix) {
  size_t length = strlen(text) + strlen(suffix) + 1;
  char *name = MEMPLAN_NEW(arena, char, length);
  if (name == NULL) {
    return NULL;
  }
  (void)snprintf(name, length, "%s%s", text, suffix);
  while (memplan_names_find(names, name) >= 0) {
    char *longer = MEMPLAN_NEW(arena, char, ++length);
    if (longer == NULL) {
      return NULL;
    }
    (void)snprintf(longer, length, "%s#", name);
    name = longer;
  }
  return memplan_names_add(names, name, 0) == -2 ? NULL : name;
}

static bool name_workspaces(memplan_ordering *ordering, memplan_names *names) {
  const memplan_graph *graph = ordering->graph;
  ordering->workspace_name = MEMPLAN_NEW(&ordering->arena, const char *, graph->n_ops);
  bool fits = ordering->workspace_name != NULL;
  for (int32_t op = 0; fits && op < graph->n_ops; op++) {
    if (ordering->workspace[op] > 0 || ordering->workspace_cell[op] >= 0) {
      ordering->workspace_name[op] = make_unique(&ordering->arena, names, graph->ops[op].id, "#workspace");
      fits = ordering->workspace_name[op] != NULL;
    }
  }
  return fits;
}

static bool name_residents(memplan_ordering *ordering, memplan_names *names) {
  bool fits = true;
  for (int32_t k = 0; fits && k < ordering->n_residents; k++) {
    ordering->residents[k].id = make_unique(&ordering->arena, names, ordering->residents[k].id, "");
    fits = ordering->residents[k].id != NULL;
  }
  return fits;
}

memplan_status memplan_ordering_name(memplan_ordering *ordering, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  bool fits = true;
  memplan_names names = {0};
  for (int32_t tensor = 0; fits && tensor < graph->n_tensors; tensor++) {
    fits = memplan_names_add(&names, graph->tensors[tensor].id, 0) != -2;
  }
  fits = fits && name_workspaces(ordering, &names) && name_residents(ordering, &names);
  memplan_names_free(&names);
  return fits ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_ordering_add_residents(memplan_ordering *ordering, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  const memplan_problem_options *options = &ordering->options;
  if (options->bodies == MEMPLAN_BODIES_IGNORE) {
    return MEMPLAN_OK;
  }
  ordering->residents = MEMPLAN_NEW(&ordering->arena, memplan_inner_weight, graph->n_inner_weights);
  if (ordering->residents == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < graph->n_inner_weights; k++) {
    const memplan_inner_weight *weight = &graph->inner_weights[k];
    ordering->weight_bytes = memplan_add_saturated(ordering->weight_bytes, weight->bytes);
    if (weight->touched && options->weights == MEMPLAN_WEIGHTS_RESIDENT) {
      ordering->residents[ordering->n_residents++] = *weight;
      ordering->base = memplan_add_saturated(ordering->base, weight->bytes);
      ordering->naive_bytes = memplan_add_saturated(ordering->naive_bytes, weight->bytes);
    }
  }
  return MEMPLAN_OK;
}
