// SPDX-License-Identifier: Apache-2.0
// Captures: bodies have higher numbers than the graphs around them, so going down through the numbers, the free values
// of a node's bodies are known when the node's own graph is looked at. Repetitions are found by a stamp on each value.
// Order: Kahn's algorithm (Comm. ACM 5, 1962) with a heap of the ready nodes by their position in the file.
#include "instances/onnx_order.h"

#include "model/base/grow.h"
#include "model/base/heap.h"
#include "model/base/ids.h"
#include "model/base/lists.h"

#include <string.h>

typedef struct value_list {
  int32_t *items;
  int64_t count, capacity;
} value_list;

typedef struct capture_search {
  memplan_onnx_model *model;
  memplan_arena *scratch;
  value_list *free_values; // by graph: what it reads from outside
  int32_t *stamp;          // by value
  int32_t now;
} capture_search;

static bool append_new(capture_search *search, value_list *list, int32_t value) {
  if (search->stamp[value] == search->now) {
    return true;
  }
  search->stamp[value] = search->now;
  list->items = memplan_grow_in(search->scratch, list->items, list->count, &list->capacity, sizeof *list->items);
  if (list->items == NULL) {
    return false;
  }
  list->items[list->count++] = value;
  return true;
}

// By name, so that their order does not depend on that of the body's nodes.
static bool sort_captures(capture_search *search, int32_t *captures, int32_t count) {
  memplan_id *ids = MEMPLAN_NEW(search->scratch, memplan_id, count);
  for (int32_t i = 0; ids != NULL && i < count; i++) {
    ids[i] = (memplan_id){search->model->values[captures[i]].name, captures[i]};
  }
  if (ids == NULL) {
    return false;
  }
  memplan_ids_sort(ids, count);
  for (int32_t i = 0; i < count; i++) {
    captures[i] = ids[i].index;
  }
  return true;
}

static bool find_node_captures(capture_search *search, memplan_onnx_node *node) {
  value_list captures = {0};
  bool any = false;
  search->now++;
  for (int32_t i = 0; i < node->n_attributes; i++) {
    int32_t body = node->attributes[i].graph;
    any = any || body >= 0;
    for (int64_t k = 0; body >= 0 && k < search->free_values[body].count; k++) {
      if (!append_new(search, &captures, search->free_values[body].items[k])) {
        return false;
      }
    }
  }
  if (!any || captures.count == 0) {
    return true;
  }
  int32_t *copy = MEMPLAN_NEW(&search->model->arena, int32_t, captures.count);
  if (copy == NULL) {
    return false;
  }
  memcpy(copy, captures.items, (size_t)captures.count * sizeof *copy);
  node->captures = copy;
  node->n_captures = (int32_t)captures.count;
  return sort_captures(search, copy, node->n_captures);
}

static bool append_outer(capture_search *search, int32_t graph, const int32_t *values, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (values[i] >= 0 && search->model->values[values[i]].graph != graph &&
        !append_new(search, &search->free_values[graph], values[i])) {
      return false;
    }
  }
  return true;
}

static bool find_free_values(capture_search *search, int32_t index) {
  const memplan_onnx_graph *graph = &search->model->graphs[index];
  for (int32_t i = 0; i < graph->n_nodes; i++) {
    if (!find_node_captures(search, &graph->nodes[i])) {
      return false;
    }
  }
  search->now++;
  for (int32_t i = 0; i < graph->n_nodes; i++) {
    const memplan_onnx_node *node = &graph->nodes[i];
    if (!append_outer(search, index, node->in, node->n_in) ||
        !append_outer(search, index, node->captures, node->n_captures)) {
      return false;
    }
  }
  return append_outer(search, index, graph->outputs, graph->n_outputs);
}

memplan_status memplan_onnx_find_captures(memplan_onnx_model *model, memplan_error *error) {
  memplan_arena scratch;
  memplan_arena_init(&scratch);
  capture_search search = {.model = model, .scratch = &scratch};
  search.free_values = MEMPLAN_NEW(&scratch, value_list, model->n_graphs);
  search.stamp = MEMPLAN_NEW(&scratch, int32_t, model->n_values);
  bool ok = search.free_values != NULL && search.stamp != NULL;
  for (int32_t graph = model->n_graphs - 1; ok && graph >= 0; graph--) {
    ok = find_free_values(&search, graph);
  }
  memplan_arena_free(&scratch);
  return ok ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// ---- order

typedef struct node_sort {
  memplan_onnx_model *model;
  int32_t graph;
  const memplan_onnx_node *nodes;
  int32_t n_nodes;
  int32_t *waiting;      // by node: inputs that are not made yet
  memplan_lists readers; // by node: of what it makes
  memplan_heap ready;    // by position
} node_sort;

// The node of this graph that makes a value, or -1.
static int32_t maker(const node_sort *sort, int32_t value) {
  if (value < 0 || sort->model->values[value].graph != sort->graph) {
    return -1;
  }
  return sort->model->values[value].node;
}

static int32_t dependency(const node_sort *sort, const memplan_onnx_node *node, int32_t i) {
  return maker(sort, i < node->n_in ? node->in[i] : node->captures[i - node->n_in]);
}

// The first node that reads what itself or a later one makes, with that one; -1 if the list is sorted.
static int32_t find_unsorted(const node_sort *sort, int32_t *later) {
  for (int32_t i = 0; i < sort->n_nodes; i++) {
    for (int32_t k = 0; k < sort->nodes[i].n_in + sort->nodes[i].n_captures; k++) {
      *later = dependency(sort, &sort->nodes[i], k);
      if (*later >= i) {
        return i;
      }
    }
  }
  return -1;
}

static bool count_edges(node_sort *sort, memplan_arena *scratch) {
  size_t n = (size_t)sort->n_nodes;
  sort->waiting = MEMPLAN_NEW(scratch, int32_t, n);
  sort->ready.entries = MEMPLAN_NEW(scratch, memplan_heap_entry, n);
  if (sort->waiting == NULL || sort->ready.entries == NULL ||
      !memplan_lists_begin(&sort->readers, sort->n_nodes, scratch)) {
    return false;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < sort->n_nodes; i++) {
      for (int32_t k = 0; k < sort->nodes[i].n_in + sort->nodes[i].n_captures; k++) {
        int32_t from = dependency(sort, &sort->nodes[i], k);
        if (from >= 0) {
          sort->waiting[i] += pass == 0;
          memplan_lists_put(&sort->readers, from, i);
        }
      }
    }
    if (pass == 0 && !memplan_lists_store(&sort->readers, scratch)) {
      return false;
    }
  }
  return true;
}

static const char *label(const node_sort *sort, int32_t node) {
  const memplan_onnx_node *item = &sort->nodes[node];
  for (int32_t i = 0; item->name[0] == '\0' && i < item->n_out; i++) {
    if (item->out[i] >= 0) {
      return sort->model->values[item->out[i]].name;
    }
  }
  return item->name[0] != '\0' ? item->name : item->op_type;
}

// Walks from a node that never got ready to a maker that never got ready, until one comes twice.
static memplan_status fail_cycle(const node_sort *sort, memplan_arena *scratch, memplan_error *error) {
  int32_t *visit = MEMPLAN_NEW(scratch, int32_t, sort->n_nodes); // step of the visit, 0: none
  int32_t *path = MEMPLAN_NEW(scratch, int32_t, sort->n_nodes);
  if (visit == NULL || path == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t node = 0;
  while (sort->waiting[node] == 0) {
    node++;
  }
  int32_t steps = 0;
  while (visit[node] == 0) {
    path[steps++] = node;
    visit[node] = steps;
    for (int32_t k = 0; k < sort->nodes[node].n_in + sort->nodes[node].n_captures; k++) {
      int32_t from = dependency(sort, &sort->nodes[node], k);
      if (from >= 0 && sort->waiting[from] > 0) {
        node = from;
        break;
      }
    }
  }
  char text[700] = "";
  size_t used = 0;
  int32_t length = steps - visit[node] + 1;
  for (int32_t i = 0; i < length && i < 8; i++) {
    int added = snprintf(text + used, sizeof text - used, "'%.60s' -> ", label(sort, path[steps - 1 - i]));
    used += added > 0 ? (size_t)added : 0;
  }
  return memplan_fail(error, MEMPLAN_INPUT, "the nodes form a cycle of %d: %s%s'%.60s'; no order can run them",
                      (int)length, text, length > 8 ? "... -> " : "", label(sort, path[steps - 1]));
}

static memplan_status sort_nodes(node_sort *sort, memplan_arena *scratch, int32_t *order, memplan_error *error) {
  if (!count_edges(sort, scratch)) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0;
  for (int32_t i = 0; i < sort->n_nodes; i++) {
    if (sort->waiting[i] == 0) {
      memplan_heap_push(&sort->ready, (memplan_heap_entry){.key = i, .item = i});
    }
  }
  while (sort->ready.n > 0) {
    int32_t node = memplan_heap_pop(&sort->ready).item;
    order[count++] = node;
    for (int32_t k = sort->readers.first[node]; k < sort->readers.first[node + 1]; k++) {
      if (--sort->waiting[sort->readers.list[k]] == 0) {
        int32_t next = sort->readers.list[k];
        memplan_heap_push(&sort->ready, (memplan_heap_entry){.key = next, .item = next});
      }
    }
  }
  return count == sort->n_nodes ? MEMPLAN_OK : fail_cycle(sort, scratch, error);
}

static memplan_status sort_graph(node_sort *sort, int32_t *order, memplan_error *error) {
  int32_t later = -1;
  int32_t early = find_unsorted(sort, &later);
  if (early < 0) {
    for (int32_t i = 0; i < sort->n_nodes; i++) {
      order[i] = i;
    }
    return MEMPLAN_OK;
  }
  memplan_arena scratch;
  memplan_arena_init(&scratch);
  memplan_status status = sort_nodes(sort, &scratch, order, error);
  memplan_arena_free(&scratch);
  if (status == MEMPLAN_OK &&
      !memplan_onnx_model_warn(sort->model,
                               "the nodes of graph '%.100s' are not sorted ('%.100s' reads what '%.100s', later in the "
                               "file, makes): taken in topological order",
                               sort->model->graphs[sort->graph].name, label(sort, early), label(sort, later))) {
    return memplan_fail_nomem(error);
  }
  return status;
}

memplan_status memplan_onnx_sort(memplan_onnx_model *model, memplan_arena *arena, const int32_t *const **order,
                                 memplan_error *error) {
  const int32_t **lists = MEMPLAN_NEW(arena, const int32_t *, model->n_graphs);
  if (lists == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t g = 0; g < model->n_graphs; g++) {
    const memplan_onnx_graph *graph = &model->graphs[g];
    int32_t *list = MEMPLAN_NEW(arena, int32_t, graph->n_nodes);
    if (list == NULL) {
      return memplan_fail_nomem(error);
    }
    node_sort sort = {.model = model, .graph = g, .nodes = graph->nodes, .n_nodes = graph->n_nodes};
    MEMPLAN_TRY(sort_graph(&sort, list, error));
    lists[g] = list;
  }
  *order = lists;
  return MEMPLAN_OK;
}
