// SPDX-License-Identifier: Apache-2.0
// Numbers for the dimensions that a file leaves open: --dim by symbol, --shape by input, and symbols that --shape
// determines.
//
// A symbol means the same number wherever it stands, in outputs and value_info, too; only inputs must end up without
// open dimensions.
#include "instances/onnx_infer_run.h"

#include "instances/onnx_shape.h"
#include "model/base/names.h"

#include <stdarg.h>
#include <string.h>

// What is known of a symbol.
typedef struct symbol {
  const char *name;
  int64_t value; // -1 unbound
  bool given;    // by --dim
  bool used;
  bool clash; // --shape gives it two values
} symbol;

typedef struct binding {
  memplan_infer *infer;
  memplan_names index;
  symbol *symbols;
  int32_t n_symbols;
} binding;

// Exporters write "?" for dimensions that have nothing to do with each other.
static bool is_anonymous(const char *name) { return name == NULL || name[0] == '\0' || strcmp(name, "?") == 0; }

static memplan_status add_symbol(binding *b, const char *name, symbol **out) {
  int32_t at = memplan_names_add(&b->index, name, b->n_symbols);
  if (at == -2) {
    return memplan_fail_nomem(b->infer->error);
  }
  if (at == -1) {
    at = b->n_symbols++;
    b->symbols[at] = (symbol){.name = name, .value = -1};
  }
  *out = &b->symbols[at];
  return MEMPLAN_OK;
}

// Room for all symbols; one for each option and each named dimension is enough.
static memplan_status start_binding(binding *b) {
  const memplan_onnx_model *model = b->infer->model;
  size_t n = (size_t)b->infer->options->n_dims;
  for (int32_t v = 0; v < model->n_values; v++) {
    n += model->values[v].symbols != NULL && model->values[v].type.rank > 0 ? (size_t)model->values[v].type.rank : 0;
  }
  memplan_names_init(&b->index);
  b->symbols = MEMPLAN_NEW(&b->infer->scratch, symbol, n);
  return b->symbols != NULL ? MEMPLAN_OK : memplan_fail_nomem(b->infer->error);
}

static memplan_status read_dims(binding *b) {
  const memplan_problem_options *options = b->infer->options;
  for (int32_t i = 0; i < options->n_dims; i++) {
    const memplan_dim *dim = &options->dims[i];
    symbol *s = NULL;
    MEMPLAN_TRY(add_symbol(b, dim->name, &s));
    if (dim->value < 0) {
      return memplan_fail(b->infer->error, MEMPLAN_INPUT, "--dim %s=%lld: a dimension cannot be negative", dim->name,
                          (long long)dim->value);
    }
    if (s->given && s->value != dim->value) {
      return memplan_fail(b->infer->error, MEMPLAN_INPUT, "--dim %s is given twice, as %lld and %lld", dim->name,
                          (long long)s->value, (long long)dim->value);
    }
    s->value = dim->value;
    s->given = true;
  }
  return MEMPLAN_OK;
}

static const char *symbol_of(const memplan_onnx_value *value, int32_t d) {
  return value->symbols != NULL ? value->symbols[d] : NULL;
}

// Gives the named dimensions of a value the numbers of their symbols.
static memplan_status apply_symbols(binding *b, int32_t v, bool learned) {
  memplan_infer *infer = b->infer;
  const memplan_onnx_value *value = &infer->model->values[v];
  memplan_onnx_type *type = &infer->declared[v];
  if (type->rank <= 0 || type->rank > MEMPLAN_ONNX_MAX_RANK || value->is_initializer) {
    return MEMPLAN_OK;
  }
  int64_t *dims = NULL;
  for (int32_t d = 0; d < type->rank; d++) {
    const char *name = symbol_of(value, d);
    int32_t at = name != NULL ? memplan_names_find(&b->index, name) : -1;
    int64_t size = type->dims[d] < 0 ? -1 : type->dims[d];
    if (at >= 0) {
      b->symbols[at].used = true;
      if (size < 0 && !b->symbols[at].clash && (learned || b->symbols[at].given)) {
        size = b->symbols[at].value;
      }
    }
    if (size != type->dims[d] && dims == NULL) {
      dims = MEMPLAN_NEW(&infer->model->arena, int64_t, type->rank);
      if (dims == NULL) {
        return memplan_fail_nomem(infer->error);
      }
      memcpy(dims, type->dims, (size_t)type->rank * sizeof *dims);
      type->dims = dims;
    }
    if (dims != NULL) {
      dims[d] = size;
    }
  }
  return MEMPLAN_OK;
}

// Text for messages, cut with "..." at the end of the room.
typedef struct message {
  char text[640];
  size_t used;
} message;

static void add(message *m, const char *format, ...) MEMPLAN_PRINTF(2, 3);

static void add(message *m, const char *format, ...) {
  char piece[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  if (length < 0 || m->used + 4 >= sizeof m->text) {
    return;
  }
  size_t n = (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1;
  if (m->used + n + 4 >= sizeof m->text) {
    memcpy(m->text + m->used, "...", 4);
    m->used = sizeof m->text;
    return;
  }
  memcpy(m->text + m->used, piece, n + 1);
  m->used += n;
}

static int32_t find_input(const memplan_onnx_model *model, const char *name) {
  const memplan_onnx_graph *graph = &model->graphs[0];
  for (int32_t k = 0; k < graph->n_inputs; k++) {
    if (strcmp(model->values[graph->inputs[k]].name, name) == 0) {
      return graph->inputs[k];
    }
  }
  return -1;
}

static memplan_status fail_unknown_input(binding *b, const char *name) {
  const memplan_onnx_model *model = b->infer->model;
  message inputs = {.used = 0};
  for (int32_t k = 0; k < model->graphs[0].n_inputs; k++) {
    add(&inputs, "%s'%s'", k > 0 ? ", " : "", model->values[model->graphs[0].inputs[k]].name);
  }
  for (int32_t v = 0; v < model->n_values; v++) {
    if (model->values[v].is_initializer && model->values[v].graph == 0 && strcmp(model->values[v].name, name) == 0) {
      return memplan_fail(b->infer->error, MEMPLAN_INPUT,
                          "--shape %s: this is a constant of the model; its inputs are %s", name,
                          inputs.used > 0 ? inputs.text : "none");
    }
  }
  return memplan_fail(b->infer->error, MEMPLAN_INPUT, "--shape %s: the model has no such input; its inputs are %s",
                      name, inputs.used > 0 ? inputs.text : "none");
}

// The symbol takes the number that --shape gives; --dim must agree.
static memplan_status learn(binding *b, const memplan_onnx_value *value, int32_t d, int64_t size) {
  const char *name = symbol_of(value, d);
  symbol *s = NULL;
  if (is_anonymous(name)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(add_symbol(b, name, &s));
  if (s->given && s->value != size) {
    return memplan_fail(b->infer->error, MEMPLAN_INPUT, "--shape %s gives %lld for '%s', but --dim says %s=%lld",
                        value->name, (long long)size, name, name, (long long)s->value);
  }
  s->clash = s->clash || (s->value >= 0 && s->value != size);
  s->value = size;
  return MEMPLAN_OK;
}

static memplan_status read_shape(binding *b, const memplan_shape *shape) {
  memplan_infer *infer = b->infer;
  int32_t v = find_input(infer->model, shape->name);
  if (v < 0) {
    return infer->options->dims_optional ? MEMPLAN_OK : fail_unknown_input(b, shape->name);
  }
  if (infer->options->known_names != NULL) {
    infer->options->known_names[infer->options->n_dims + (shape - infer->options->shapes)] = true;
  }
  const memplan_onnx_value *value = &infer->model->values[v];
  memplan_onnx_type *type = &infer->declared[v];
  if (shape->rank < 0 || shape->rank > MEMPLAN_ONNX_MAX_RANK) {
    return memplan_fail(infer->error, MEMPLAN_INPUT, "--shape %s: at most %d dimensions are possible", shape->name,
                        MEMPLAN_ONNX_MAX_RANK);
  }
  if (type->kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    type->kind = MEMPLAN_ONNX_KIND_TENSOR;
    type->rank = -1;
  }
  if (type->rank >= 0 && type->rank != shape->rank) {
    return memplan_fail(infer->error, MEMPLAN_INPUT, "--shape %s has %d dimensions, the model says %d", shape->name,
                        (int)shape->rank, (int)type->rank);
  }
  int64_t *dims = MEMPLAN_NEW(&infer->model->arena, int64_t, shape->rank);
  if (dims == NULL) {
    return memplan_fail_nomem(infer->error);
  }
  for (int32_t d = 0; d < shape->rank; d++) {
    int64_t fixed = type->rank >= 0 ? infer->model->values[v].type.dims[d] : -1;
    dims[d] = shape->dims[d];
    if (dims[d] < 0) {
      return memplan_fail(infer->error, MEMPLAN_INPUT, "--shape %s: a dimension cannot be negative", shape->name);
    }
    if (fixed >= 0 && fixed != dims[d]) {
      return memplan_fail(infer->error, MEMPLAN_INPUT,
                          "--shape %s: dimension %d is %lld, but the model fixes it at %lld", shape->name, (int)d,
                          (long long)dims[d], (long long)fixed);
    }
    if (fixed < 0 && type->rank >= 0) {
      MEMPLAN_TRY(learn(b, value, d, dims[d]));
    }
  }
  type->rank = shape->rank;
  type->dims = dims;
  return MEMPLAN_OK;
}

static bool is_open(const memplan_onnx_type *type) {
  if (type->kind != MEMPLAN_ONNX_KIND_TENSOR && type->kind != MEMPLAN_ONNX_KIND_UNKNOWN) {
    return false;
  }
  memplan_dims dims = memplan_dims_of(type);
  return type->kind == MEMPLAN_ONNX_KIND_UNKNOWN || !memplan_dims_known(&dims);
}

static bool listed(const char *const *names, int32_t n, const char *name) {
  for (int32_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) {
      return true;
    }
  }
  return false;
}

enum { most_named = 24 }; // symbols that a message lists

// No option tells the element type of an input that the file gives none.
static memplan_status check_types(binding *b) {
  const memplan_onnx_model *model = b->infer->model;
  for (int32_t k = 0; k < model->graphs[0].n_inputs; k++) {
    const memplan_onnx_type *type = &b->infer->declared[model->graphs[0].inputs[k]];
    bool tensor = type->kind == MEMPLAN_ONNX_KIND_TENSOR || type->kind == MEMPLAN_ONNX_KIND_UNKNOWN;
    if (tensor && type->elem_type == 0) {
      return memplan_fail(b->infer->error, MEMPLAN_INPUT,
                          "input '%.200s' has no element type in the file, so that no shape tells its bytes: write its "
                          "type into the model, as onnx.helper.make_tensor_value_info makes it",
                          model->values[model->graphs[0].inputs[k]].name);
    }
  }
  return MEMPLAN_OK;
}

// Lists the open inputs with their open dimensions, then the options that would close them.
static memplan_status check_inputs(binding *b) {
  const memplan_onnx_model *model = b->infer->model;
  const memplan_onnx_graph *graph = &model->graphs[0];
  const char *names[most_named];
  int32_t n_names = 0;
  int32_t n_open = 0;
  bool by_symbols = true;
  message inputs = {.used = 0};
  message shapes = {.used = 0};
  for (int32_t k = 0; k < graph->n_inputs; k++) {
    const memplan_onnx_value *value = &model->values[graph->inputs[k]];
    const memplan_onnx_type *type = &b->infer->declared[graph->inputs[k]];
    if (!is_open(type)) {
      continue;
    }
    add(&inputs, "%s'%s' (", n_open++ > 0 ? ", " : "", value->name);
    add(&shapes, " --shape %s=...", value->name);
    if (type->kind == MEMPLAN_ONNX_KIND_UNKNOWN || type->rank < 0) {
      add(&inputs, "no shape)");
      by_symbols = false;
      continue;
    }
    bool first = true;
    for (int32_t d = 0; d < type->rank; d++) {
      if (type->dims[d] >= 0) {
        continue;
      }
      const char *name = symbol_of(value, d);
      bool anonymous = is_anonymous(name);
      by_symbols = by_symbols && !anonymous;
      if (anonymous) {
        add(&inputs, "%sdimension %d", first ? "" : ", ", (int)d);
      } else {
        add(&inputs, "%s%s", first ? "" : ", ", name);
      }
      first = false;
      if (!anonymous && n_names < most_named && !listed(names, n_names, name)) {
        names[n_names++] = name;
      }
    }
    add(&inputs, ")");
  }
  if (n_open == 0) {
    return MEMPLAN_OK;
  }
  message dims = {.used = 0};
  for (int32_t i = 0; by_symbols && i < n_names; i++) {
    add(&dims, " --dim %s=...", names[i]);
  }
  return memplan_fail(b->infer->error, MEMPLAN_INPUT, "%s %.440s with unknown dimensions; give%.200s%s%.200s",
                      n_open == 1 ? "input" : "inputs", inputs.text, dims.used > 0 ? dims.text : "",
                      dims.used > 0 ? " or" : "", shapes.text);
}

static void note_known(const binding *b) {
  const memplan_problem_options *options = b->infer->options;
  for (int32_t i = 0; options->known_names != NULL && i < b->n_symbols; i++) {
    for (int32_t d = 0; b->symbols[i].given && b->symbols[i].used && d < options->n_dims; d++) {
      if (strcmp(options->dims[d].name, b->symbols[i].name) == 0) {
        options->known_names[d] = true;
      }
    }
  }
}

// A symbol that was given but stands nowhere is most likely misspelt.
static memplan_status check_used(binding *b) {
  const memplan_onnx_model *model = b->infer->model;
  for (int32_t i = 0; i < b->n_symbols; i++) {
    if (!b->symbols[i].given || b->symbols[i].used || b->infer->options->dims_optional) {
      continue;
    }
    message names = {.used = 0};
    const char *seen[most_named];
    int32_t n = 0;
    for (int32_t v = 0; v < model->n_values; v++) {
      for (int32_t d = 0; model->values[v].symbols != NULL && d < model->values[v].type.rank; d++) {
        const char *name = symbol_of(&model->values[v], d);
        if (!is_anonymous(name) && n < most_named && !listed(seen, n, name)) {
          add(&names, "%s%s", n > 0 ? ", " : "", name);
          seen[n++] = name;
        }
      }
    }
    return memplan_fail(b->infer->error, MEMPLAN_INPUT,
                        "--dim %s=%lld: no dimension of the model has this name; it has %s", b->symbols[i].name,
                        (long long)b->symbols[i].value, n > 0 ? names.text : "none with a name");
  }
  return MEMPLAN_OK;
}

static memplan_status bind(binding *b) {
  memplan_infer *infer = b->infer;
  MEMPLAN_TRY(start_binding(b));
  MEMPLAN_TRY(read_dims(b));
  for (int32_t v = 0; v < infer->model->n_values; v++) {
    MEMPLAN_TRY(apply_symbols(b, v, false));
  }
  for (int32_t i = 0; i < infer->options->n_shapes; i++) {
    MEMPLAN_TRY(read_shape(b, &infer->options->shapes[i]));
  }
  note_known(b);
  MEMPLAN_TRY(check_used(b));
  for (int32_t v = 0; infer->options->n_shapes > 0 && v < infer->model->n_values; v++) {
    MEMPLAN_TRY(apply_symbols(b, v, true));
  }
  if (!infer->lenient) {
    MEMPLAN_TRY(check_types(b));
    MEMPLAN_TRY(check_inputs(b));
  }
  for (int32_t v = 0; v < infer->model->n_values; v++) {
    infer->model->values[v].type = infer->declared[v];
  }
  return MEMPLAN_OK;
}

memplan_status memplan_infer_bind(memplan_infer *infer) {
  binding b = {.infer = infer};
  infer->declared = MEMPLAN_NEW(&infer->scratch, memplan_onnx_type, infer->model->n_values);
  if (infer->declared == NULL) {
    return memplan_fail_nomem(infer->error);
  }
  for (int32_t v = 0; v < infer->model->n_values; v++) {
    infer->declared[v] = infer->model->values[v].type;
    if (infer->declared[v].rank > MEMPLAN_ONNX_MAX_RANK) {
      infer->declared[v].rank = -1;
    }
  }
  memplan_status status = bind(&b);
  memplan_names_free(&b.index);
  return status;
}
