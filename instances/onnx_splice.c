// SPDX-License-Identifier: Apache-2.0
// First a pass over the wire format that notes where nodes and their bodies begin and end, then the pieces, from these
// positions alone. The depth of both recursions is limited by memplan_wire_enter.
#include "instances/onnx_splice.h"

#include "instances/onnx_wire.h"
#include "model/base/grow.h"

#include <string.h>

// Bytes of a message that begin at `start`: of a node with its tag and length, of a graph its fields alone.
typedef struct span {
  int64_t start, end;
} span;

typedef struct body_span {
  const char *attribute;
  struct graph_span *graph;
} body_span;

typedef struct node_span {
  span bytes;
  body_span *bodies; // in the file's order
  int64_t n_bodies, capacity;
} node_span;

typedef struct graph_span {
  span bytes;
  node_span *nodes;
  int64_t n_nodes, capacity;
} graph_span;

typedef struct scan {
  memplan_wire *wire;
  memplan_arena *arena;
  bool external;
} scan;

static memplan_status scan_graph(scan *work, memplan_wire_message *message, memplan_wire_field field,
                                 graph_span *graph);

static memplan_status fail_parts(const scan *work) {
  return memplan_fail(
      work->wire->error, MEMPLAN_UNSUPPORTED,
      "byte %llu: a graph is stored in several parts, whose nodes memplan does not move; let ONNX write "
      "the file anew",
      (unsigned long long)work->wire->offset);
}

static memplan_status scan_attribute(scan *work, memplan_wire_message *message, memplan_wire_field field,
                                     node_span *node) {
  memplan_wire_message inner;
  const char *name = "";
  graph_span *graph = NULL;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "AttributeProto", &inner));
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    if (field.number == 0) {
      break;
    }
    if (field.number == 1) {
      MEMPLAN_TRY(memplan_wire_string(&inner, field, &name));
    } else if (field.number != 6) {
      MEMPLAN_TRY(memplan_wire_skip(&inner, field));
    } else if (graph != NULL) {
      return fail_parts(work);
    } else {
      graph = MEMPLAN_NEW(work->arena, graph_span, 1);
      MEMPLAN_TRY(graph != NULL ? scan_graph(work, &inner, field, graph) : memplan_fail_nomem(work->wire->error));
    }
  }
  if (graph == NULL) {
    return MEMPLAN_OK;
  }
  node->bodies = memplan_grow_in(work->arena, node->bodies, node->n_bodies, &node->capacity, sizeof *node->bodies);
  if (node->bodies == NULL) {
    return memplan_fail_nomem(work->wire->error);
  }
  node->bodies[node->n_bodies++] = (body_span){name, graph};
  return MEMPLAN_OK;
}

static memplan_status scan_node(scan *work, memplan_wire_message *message, memplan_wire_field field, node_span *node) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "NodeProto", &inner));
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    if (field.number == 0) {
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(field.number == 5 ? scan_attribute(work, &inner, field, node) : memplan_wire_skip(&inner, field));
  }
}

// Is the data of a tensor in another file?
static memplan_status scan_tensor(scan *work, memplan_wire_message *message, memplan_wire_field field) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "TensorProto", &inner));
  for (;;) {
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    if (field.number == 0) {
      return MEMPLAN_OK;
    }
    int64_t location = 0;
    MEMPLAN_TRY(field.number == 14 ? memplan_wire_int(&inner, field, &location) : memplan_wire_skip(&inner, field));
    work->external = work->external || location == 1;
  }
}

static memplan_status scan_graph(scan *work, memplan_wire_message *message, memplan_wire_field field,
                                 graph_span *graph) {
  memplan_wire_message inner;
  MEMPLAN_TRY(memplan_wire_enter(message, field, "GraphProto", &inner));
  graph->bytes.start = (int64_t)work->wire->offset;
  for (;;) {
    int64_t start = (int64_t)work->wire->offset;
    MEMPLAN_TRY(memplan_wire_next(&inner, &field));
    if (field.number == 0) {
      graph->bytes.end = start;
      return MEMPLAN_OK;
    }
    if (field.number == 5) {
      MEMPLAN_TRY(scan_tensor(work, &inner, field));
    } else if (field.number != 1) {
      MEMPLAN_TRY(memplan_wire_skip(&inner, field));
    } else {
      graph->nodes = memplan_grow_in(work->arena, graph->nodes, graph->n_nodes, &graph->capacity, sizeof *graph->nodes);
      if (graph->nodes == NULL) {
        return memplan_fail_nomem(work->wire->error);
      }
      node_span node = {.bytes = {.start = start}};
      MEMPLAN_TRY(scan_node(work, &inner, field, &node));
      node.bytes.end = (int64_t)work->wire->offset;
      graph->nodes[graph->n_nodes++] = node;
    }
  }
}

// The main graph, and where the file ends.
static memplan_status scan_model(scan *work, memplan_wire_message *top, graph_span *graph, int64_t *end) {
  bool found = false;
  for (;;) {
    memplan_wire_field field;
    MEMPLAN_TRY(memplan_wire_next(top, &field));
    if (field.number == 0) {
      *end = (int64_t)work->wire->offset;
      return found ? MEMPLAN_OK : memplan_wire_fail(work->wire, "the file holds no graph");
    }
    if (field.number != 7) {
      MEMPLAN_TRY(memplan_wire_skip(top, field));
      continue;
    }
    if (found) {
      return fail_parts(work);
    }
    found = true;
    MEMPLAN_TRY(scan_graph(work, top, field, graph));
  }
}

// ---- pieces

static memplan_status put(memplan_onnx_splice *splice, int64_t start, int64_t end, memplan_arena *arena,
                          memplan_error *error) {
  if (start == end) {
    return MEMPLAN_OK;
  }
  memplan_file_piece *last = splice->n_pieces > 0 ? &splice->pieces[splice->n_pieces - 1] : NULL;
  if (last != NULL && last->offset + last->length == start) {
    last->length += end - start;
    return MEMPLAN_OK;
  }
  splice->pieces = memplan_grow_in(arena, splice->pieces, splice->n_pieces, &splice->capacity, sizeof *splice->pieces);
  if (splice->pieces == NULL) {
    return memplan_fail_nomem(error);
  }
  splice->pieces[splice->n_pieces++] = (memplan_file_piece){start, end - start};
  return MEMPLAN_OK;
}

static memplan_status put_graph(const graph_span *graph, const memplan_onnx_arrangement *arrangement,
                                memplan_onnx_splice *splice, memplan_arena *arena, memplan_error *error);

static const memplan_onnx_arrangement *find_inner(const memplan_onnx_arrangement *arrangement, int32_t node,
                                                  const char *attribute) {
  for (int32_t k = 0; k < arrangement->n_bodies; k++) {
    const memplan_onnx_arranged_body *body = &arrangement->bodies[k];
    if (body->node == node && strcmp(body->attribute, attribute) == 0) {
      return body->inner;
    }
  }
  return NULL;
}

static memplan_status put_node(const node_span *node, int32_t index, const memplan_onnx_arrangement *arrangement,
                               memplan_onnx_splice *splice, memplan_arena *arena, memplan_error *error) {
  int64_t at = node->bytes.start;
  for (int64_t k = 0; k < node->n_bodies; k++) {
    const graph_span *body = node->bodies[k].graph;
    const memplan_onnx_arrangement *inner = find_inner(arrangement, index, node->bodies[k].attribute);
    if (inner != NULL) {
      MEMPLAN_TRY(put(splice, at, body->bytes.start, arena, error));
      MEMPLAN_TRY(put_graph(body, inner, splice, arena, error));
      at = body->bytes.end;
    }
  }
  return put(splice, at, node->bytes.end, arena, error);
}

static memplan_status put_graph(const graph_span *graph, const memplan_onnx_arrangement *arrangement,
                                memplan_onnx_splice *splice, memplan_arena *arena, memplan_error *error) {
  if (graph->n_nodes != arrangement->n_nodes) {
    return memplan_fail(error, MEMPLAN_INPUT, "the file changed while it was read: read it again");
  }
  int64_t at = graph->bytes.start;
  for (int32_t k = 0; k < arrangement->n_nodes; k++) {
    int32_t from = arrangement->from[k];
    MEMPLAN_TRY(put(splice, at, graph->nodes[k].bytes.start, arena, error));
    MEMPLAN_TRY(put_node(&graph->nodes[from], from, arrangement, splice, arena, error));
    at = graph->nodes[k].bytes.end;
  }
  return put(splice, at, graph->bytes.end, arena, error);
}

memplan_status memplan_onnx_splice_read(FILE *file, const memplan_onnx_arrangement *arrangement, memplan_arena *arena,
                                        memplan_onnx_splice *splice, memplan_error *error) {
  *splice = (memplan_onnx_splice){0};
  memplan_wire wire;
  memplan_wire_message top;
  graph_span graph = {0};
  int64_t end = 0;
  memplan_status status = memplan_wire_open(&wire, file, arena, arena, "ModelProto", &top, error);
  if (status == MEMPLAN_OK) {
    scan work = {.wire = &wire, .arena = arena};
    status = scan_model(&work, &top, &graph, &end);
    splice->external = work.external;
  }
  memplan_wire_close(&wire);
  MEMPLAN_TRY(status);
  MEMPLAN_TRY(put(splice, 0, graph.bytes.start, arena, error));
  MEMPLAN_TRY(put_graph(&graph, arrangement, splice, arena, error));
  return put(splice, graph.bytes.end, end, arena, error);
}
