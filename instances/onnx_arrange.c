// SPDX-License-Identifier: Apache-2.0
// The nodes that the plan orders are taken one by one; before each, those that were left out and stood before it in the
// file, or that it waits for, as soon as what they read is made (Kahn's algorithm with two queues). A plan with the
// order of the file so leaves the file as it is.
#include "instances/onnx_arrange.h"

#include "instances/onnx_graph.h"
#include "model/base/heap.h"
#include "model/base/lists.h"
#include "model/base/names.h"
#include "model/base/quote.h"

#include <string.h>

enum { MOST_STEPS = 1000 }; // back through nodes left out, to name one that was not

// One graph at work. Nodes are those of the file's list.
typedef struct arranging {
  memplan_onnx_build *build;
  const memplan_onnx_graph *graph;
  int32_t index;
  memplan_arena *arena;
  memplan_error *error;
  const memplan_onnx_node **kept; // by operator
  const memplan_graph *named;     // their ids
  int32_t *run, n_run;            // nodes that the plan orders, in its order
  int32_t *rank;                  // by node: position in `run`, or -1: left out
  int32_t *first_op;              // by node: its first operator, or -1
  int32_t *waiting;               // by node: inputs that are not made yet
  memplan_lists readers;          // by node: of what it makes
  memplan_heap ready;             // left out, with all inputs made
  int32_t *from, n_placed;
  bool *placed;
} arranging;

static memplan_status fail_function(const arranging *work, int32_t op) {
  return memplan_fail(work->error, MEMPLAN_UNSUPPORTED,
                      "operator '%s' comes from a function of the model, whose operators the plan does not run "
                      "together in the function's order: no list of nodes has this order",
                      memplan_quote(work->named->ops[op].id).text);
}

// Fills `run` and `rank`. Operators that have no node (copies of carried values) are passed over.
static memplan_status find_run(arranging *work, const memplan_plan *plan, const memplan_names *ids) {
  int32_t last = -1;
  for (int32_t t = 0; t < plan->n_order; t++) {
    int32_t op = memplan_names_find(ids, plan->order[t]);
    if (op < 0) {
      continue;
    }
    int32_t node = work->kept[op]->listed;
    bool together = last >= 0 && work->kept[last]->listed == node;
    if (together ? op < last : work->rank[node] >= 0) {
      return fail_function(work, op);
    }
    if (!together) {
      work->rank[node] = work->n_run;
      work->first_op[node] = op;
      work->run[work->n_run++] = node;
    }
    last = op;
  }
  return MEMPLAN_OK;
}

// The node of this graph that makes a value, or -1.
static int32_t maker(const arranging *work, int32_t value) {
  const memplan_onnx_model *model = work->build->model;
  if (value < 0 || model->values[value].graph != work->index || model->values[value].node < 0) {
    return -1;
  }
  return work->graph->nodes[model->values[value].node].listed;
}

static int32_t dependency(const arranging *work, const memplan_onnx_node *node, int32_t k) {
  int32_t made = maker(work, k < node->n_in ? node->in[k] : node->captures[k - node->n_in]);
  return made == node->listed ? -1 : made;
}

static memplan_status find_edges(arranging *work) {
  const memplan_onnx_graph *graph = work->graph;
  size_t n = (size_t)graph->n_listed;
  work->waiting = MEMPLAN_NEW(work->arena, int32_t, n);
  if (work->waiting == NULL || !memplan_lists_begin(&work->readers, graph->n_listed, work->arena)) {
    return memplan_fail_nomem(work->error);
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < graph->n_nodes; i++) {
      for (int32_t k = 0; k < graph->nodes[i].n_in + graph->nodes[i].n_captures; k++) {
        int32_t made = dependency(work, &graph->nodes[i], k);
        if (made >= 0) {
          work->waiting[graph->nodes[i].listed] += pass == 0;
          memplan_lists_put(&work->readers, made, graph->nodes[i].listed);
        }
      }
    }
    if (pass == 0 && !memplan_lists_store(&work->readers, work->arena)) {
      return memplan_fail_nomem(work->error);
    }
  }
  return MEMPLAN_OK;
}

static void place(arranging *work, int32_t node) {
  work->from[work->n_placed++] = node;
  work->placed[node] = true;
  for (int32_t k = work->readers.first[node]; k < work->readers.first[node + 1]; k++) {
    int32_t reader = work->readers.list[k];
    if (--work->waiting[reader] == 0 && work->rank[reader] < 0) {
      memplan_heap_push(&work->ready, (memplan_heap_entry){.key = reader, .item = reader});
    }
  }
}

// A node before `node` that is not placed and, if that can be, waits for nothing itself. Each step goes up an edge.
static int32_t find_blocker(const arranging *work, int32_t node) {
  const memplan_onnx_graph *graph = work->graph;
  int32_t found = -1;
  for (int32_t i = 0; i < graph->n_nodes && found < 0; i++) {
    for (int32_t k = 0; graph->nodes[i].listed == node && k < graph->nodes[i].n_in + graph->nodes[i].n_captures; k++) {
      int32_t made = dependency(work, &graph->nodes[i], k);
      found = made >= 0 && !work->placed[made] ? made : found;
    }
  }
  return found;
}

static memplan_status fail_blocked(const arranging *work, int32_t node) {
  int32_t blocker = find_blocker(work, node), op = work->first_op[node];
  for (int32_t k = 0; k < MOST_STEPS && blocker >= 0 && work->rank[blocker] < 0; k++) {
    blocker = find_blocker(work, blocker);
  }
  int32_t other = blocker >= 0 ? work->first_op[blocker] : -1;
  return memplan_fail(work->error, MEMPLAN_UNSUPPORTED,
                      "the plan runs operator '%s' before '%s', but in the file nodes that planning left out lead from "
                      "the second to the first; plan with --fold none",
                      memplan_quote(work->named->ops[op].id).text,
                      other >= 0 ? memplan_quote(work->named->ops[other].id).text : "another");
}

static memplan_status place_nodes(arranging *work) {
  int32_t n = work->graph->n_listed, next = 0;
  for (int32_t node = 0; node < n; node++) {
    if (work->waiting[node] == 0 && work->rank[node] < 0) {
      memplan_heap_push(&work->ready, (memplan_heap_entry){.key = node, .item = node});
    }
  }
  while (work->n_placed < n) {
    int32_t planned = next < work->n_run ? work->run[next] : -1;
    bool can = planned >= 0 && work->waiting[planned] == 0;
    if (work->ready.n > 0 && (!can || work->ready.entries[0].key < planned)) {
      place(work, (int32_t)memplan_heap_pop(&work->ready).item);
    } else if (can) {
      place(work, planned);
      next++;
    } else {
      return planned >= 0 ? fail_blocked(work, planned)
                          : memplan_fail(work->error, MEMPLAN_INTERNAL, "a node of the file has no place");
    }
  }
  return MEMPLAN_OK;
}

static memplan_status arrange(memplan_onnx_build *build, int32_t index, const memplan_plan *plan, memplan_arena *arena,
                              memplan_onnx_arrangement *arrangement, memplan_error *error);

static bool is_unchanged(const memplan_onnx_arrangement *arrangement) {
  for (int32_t k = 0; k < arrangement->n_nodes; k++) {
    if (arrangement->from[k] != k) {
      return false;
    }
  }
  for (int32_t k = 0; k < arrangement->n_bodies; k++) {
    if (!is_unchanged(arrangement->bodies[k].inner)) {
      return false;
    }
  }
  return true;
}

static memplan_status arrange_bodies(arranging *work, const memplan_plan *plan, memplan_onnx_arrangement *result) {
  memplan_onnx_arranged_body *bodies = MEMPLAN_NEW(work->arena, memplan_onnx_arranged_body, plan->n_bodies);
  if (bodies == NULL) {
    return memplan_fail_nomem(work->error);
  }
  result->bodies = bodies;
  for (int32_t op = 0; op < work->named->n_ops && plan->n_bodies > 0; op++) {
    const memplan_onnx_node *node = work->kept[op];
    for (int32_t k = 0; k < node->n_attributes; k++) {
      const memplan_onnx_attribute *attribute = &node->attributes[k];
      const memplan_plan *inner =
          attribute->graph >= 0 ? memplan_plan_find_body(plan, work->named->ops[op].id, attribute->name) : NULL;
      if (inner == NULL || result->n_bodies == plan->n_bodies) {
        continue;
      }
      memplan_onnx_arrangement *made = MEMPLAN_NEW(work->arena, memplan_onnx_arrangement, 1);
      if (made == NULL) {
        return memplan_fail_nomem(work->error);
      }
      MEMPLAN_TRY(arrange(work->build, attribute->graph, inner, work->arena, made, work->error));
      if (!node->inlined) {
        const char *name =
            memplan_arena_text(work->arena, attribute->name, strlen(attribute->name)); // outlives the model
        if (name == NULL) {
          return memplan_fail_nomem(work->error);
        }
        bodies[result->n_bodies++] = (memplan_onnx_arranged_body){node->listed, name, made};
      } else if (!is_unchanged(made)) {
        return memplan_fail(work->error, MEMPLAN_UNSUPPORTED,
                            "operator '%s' comes from a function of the model, so that its body '%s' cannot be put "
                            "into the order of the plan",
                            memplan_quote(work->named->ops[op].id).text, memplan_quote(attribute->name).text);
      }
    }
  }
  return MEMPLAN_OK;
}

static memplan_status index_ids(const memplan_graph *named, memplan_names *ids, memplan_error *error) {
  for (int32_t op = 0; op < named->n_ops; op++) {
    if (memplan_names_add(ids, named->ops[op].id, op) == -2) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status arrange_named(arranging *work, const memplan_plan *plan, memplan_onnx_arrangement *result) {
  int32_t n = work->graph->n_listed;
  work->run = MEMPLAN_NEW(work->arena, int32_t, n);
  work->rank = MEMPLAN_NEW(work->arena, int32_t, n);
  work->first_op = MEMPLAN_NEW(work->arena, int32_t, n);
  work->from = MEMPLAN_NEW(work->arena, int32_t, n);
  work->placed = MEMPLAN_NEW(work->arena, bool, n);
  work->ready.entries = MEMPLAN_NEW(work->arena, memplan_heap_entry, n);
  if (work->run == NULL || work->rank == NULL || work->first_op == NULL || work->from == NULL || work->placed == NULL ||
      work->ready.entries == NULL) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t node = 0; node < n; node++) {
    work->rank[node] = work->first_op[node] = -1;
  }
  memplan_names ids = {0};
  memplan_status status = index_ids(work->named, &ids, work->error);
  if (status == MEMPLAN_OK) {
    status = find_run(work, plan, &ids);
  }
  memplan_names_free(&ids);
  MEMPLAN_TRY(status);
  MEMPLAN_TRY(find_edges(work));
  MEMPLAN_TRY(place_nodes(work));
  *result = (memplan_onnx_arrangement){.from = work->from, .n_nodes = n};
  return arrange_bodies(work, plan, result);
}

static memplan_status arrange(memplan_onnx_build *build, int32_t index, const memplan_plan *plan, memplan_arena *arena,
                              memplan_onnx_arrangement *arrangement, memplan_error *error) {
  memplan_graph named;
  memplan_graph_init(&named);
  arranging work = {.build = build,
                    .graph = &build->model->graphs[index],
                    .index = index,
                    .arena = arena,
                    .error = error,
                    .named = &named};
  memplan_status status = memplan_onnx_name_kept(build, index, &named, &work.kept, error);
  if (status == MEMPLAN_OK) {
    status = arrange_named(&work, plan, arrangement);
  }
  memplan_graph_free(&named);
  return status;
}

memplan_status memplan_onnx_arrange(const memplan_onnx_model *model, const int32_t *const *order,
                                    const memplan_problem_options *options, const memplan_plan *plan,
                                    memplan_arena *arena, memplan_onnx_arrangement *arrangement, memplan_error *error) {
  memplan_onnx_build build = {.model = model, .order = order, .options = options, .scratch = arena};
  return arrange(&build, 0, plan, arena, arrangement, error);
}
