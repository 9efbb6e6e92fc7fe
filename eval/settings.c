// SPDX-License-Identifier: Apache-2.0
// Options that were not given keep the library's defaults, which the table repeats for the help texts only; a test
// holds the two together.
#include "eval/settings.h"

#include "eval/option_table.h"
#include "model/base/json.h"

#include <string.h>

enum { RANK_LIMIT = 64 };

// Splits NAME=VALUE at its last '=', since names may hold one.
static memplan_status split_pair(memplan_arena *arena, const char *option, const char *form, const char *text,
                                 const char **name, const char **value, memplan_error *error) {
  const char *equals = strrchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    return memplan_fail(error, MEMPLAN_INPUT, "--%s: '%s' has not the form %s", option, text, form);
  }
  *name = memplan_arena_text(arena, text, (size_t)(equals - text));
  *value = equals + 1;
  return *name == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

// Adds to the dims that are there (those of a plan); one of the same name is replaced.
static memplan_status read_dims(memplan_settings *settings, const memplan_option_value *value, memplan_error *error) {
  static const memplan_option number = {
      .name = "dim", .kind = MEMPLAN_OPTION_INTEGER, .minimum = 0, .maximum = INT64_MAX};
  int32_t n_old = settings->problem.n_dims, n = n_old;
  memplan_dim *dims = MEMPLAN_NEW(&settings->arena, memplan_dim, n_old + value->n_list);
  if (dims == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < n_old; i++) {
    dims[i] = settings->problem.dims[i];
  }
  for (int32_t i = 0; i < value->n_list; i++) {
    const char *text = NULL;
    memplan_dim dim;
    MEMPLAN_TRY(split_pair(&settings->arena, "dim", "NAME=N", value->list[i], &dim.name, &text, error));
    MEMPLAN_TRY(memplan_option_parse(&number, text, &dim.value, error));
    int32_t at = 0;
    while (at < n && strcmp(dims[at].name, dim.name) != 0) {
      at++;
    }
    if (at >= n_old && at < n) {
      return memplan_fail(error, MEMPLAN_INPUT, "--dim: '%s' is given twice", dim.name);
    }
    dims[at] = dim;
    n = at == n ? n + 1 : n;
  }
  settings->problem.dims = dims;
  settings->problem.n_dims = n;
  return MEMPLAN_OK;
}

// "1x3x224x224", or "scalar" for a shape without dimensions.
static memplan_status parse_shape(memplan_arena *arena, const char *text, memplan_shape *shape, memplan_error *error) {
  static const memplan_option number = {
      .name = "shape", .kind = MEMPLAN_OPTION_INTEGER, .minimum = 0, .maximum = INT64_MAX};
  int64_t *dims = MEMPLAN_NEW(arena, int64_t, RANK_LIMIT);
  if (dims == NULL) {
    return memplan_fail_nomem(error);
  }
  shape->dims = dims;
  shape->rank = 0;
  if (strcmp(text, "scalar") == 0) {
    return MEMPLAN_OK;
  }
  for (const char *at = text;; at++) {
    size_t length = strcspn(at, "x");
    char *digits = memplan_arena_text(arena, at, length);
    if (digits == NULL) {
      return memplan_fail_nomem(error);
    }
    if (shape->rank == RANK_LIMIT) {
      return memplan_fail(error, MEMPLAN_INPUT, "--shape: '%s' has more than %d dimensions", text, RANK_LIMIT);
    }
    MEMPLAN_TRY(memplan_option_parse(&number, digits, &dims[shape->rank++], error));
    at += length;
    if (*at == '\0') {
      return MEMPLAN_OK;
    }
  }
}

static memplan_status read_shapes(memplan_settings *settings, const memplan_option_value *value, memplan_error *error) {
  memplan_shape *shapes = MEMPLAN_NEW(&settings->arena, memplan_shape, value->n_list);
  if (shapes == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < value->n_list; i++) {
    const char *text = NULL;
    MEMPLAN_TRY(split_pair(&settings->arena, "shape",
                           "INPUT=1x3x224x224, or INPUT=scalar for a shape without dimensions", value->list[i],
                           &shapes[i].name, &text, error));
    MEMPLAN_TRY(parse_shape(&settings->arena, text, &shapes[i], error));
    for (int32_t j = 0; j < i; j++) {
      if (strcmp(shapes[j].name, shapes[i].name) == 0) {
        return memplan_fail(error, MEMPLAN_INPUT, "--shape: '%s' is given twice", shapes[i].name);
      }
    }
  }
  settings->problem.shapes = shapes;
  settings->problem.n_shapes = value->n_list;
  return MEMPLAN_OK;
}

static memplan_status read_pin_pools(memplan_settings *settings, const memplan_option_value *value,
                                     memplan_error *error) {
  memplan_pin_pool *pins = MEMPLAN_NEW(&settings->arena, memplan_pin_pool, value->n_list);
  if (pins == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < value->n_list; i++) {
    MEMPLAN_TRY(
        split_pair(&settings->arena, "pin-space", "ID=POOL", value->list[i], &pins[i].buffer, &pins[i].pool, error));
  }
  settings->problem.pin_pools = pins;
  settings->problem.n_pin_pools = value->n_list;
  return MEMPLAN_OK;
}

static memplan_status read_problem(memplan_settings *settings, const memplan_options *options, memplan_error *error) {
  memplan_problem_options *problem = &settings->problem;
  for (int32_t i = 0; i < MEMPLAN_OPTION_COUNT; i++) {
    const memplan_option_value *value = memplan_option_get(options, (memplan_option_id)i);
    if (!value->given) {
      continue;
    }
    switch ((memplan_option_id)i) {
    case MEMPLAN_OPTION_IO:
      problem->io = (memplan_io)value->number;
      break;
    case MEMPLAN_OPTION_WEIGHTS:
      problem->weights = (memplan_weights)value->number;
      break;
    case MEMPLAN_OPTION_INPLACE:
      problem->inplace = (memplan_inplace_mode)value->number;
      break;
    case MEMPLAN_OPTION_VIEWS:
      problem->views = (memplan_views)value->number;
      break;
    case MEMPLAN_OPTION_FOLD:
      problem->fold = (memplan_fold)value->number;
      break;
    case MEMPLAN_OPTION_BODIES:
      problem->bodies = (memplan_bodies)value->number;
      break;
    case MEMPLAN_OPTION_LIFETIMES:
      problem->lifetimes = (memplan_lifetimes)value->number;
      break;
    case MEMPLAN_OPTION_NO_BRANCH_SHARING:
      problem->no_branch_sharing = true;
      break;
    case MEMPLAN_OPTION_INPUTS_WRITABLE:
      problem->inputs_writable = true;
      break;
    case MEMPLAN_OPTION_STRICT:
      problem->strict = true;
      break;
    case MEMPLAN_OPTION_DUP_IDS:
      problem->rename_dups = value->number == 1;
      break;
    case MEMPLAN_OPTION_PIN:
      problem->pin_offsets = true;
      break;
    case MEMPLAN_OPTION_CAPACITY:
      problem->capacity = value->number;
      break;
    case MEMPLAN_OPTION_ALIGN:
      problem->align = value->number;
      break;
    case MEMPLAN_OPTION_DIM:
      MEMPLAN_TRY(read_dims(settings, value, error));
      break;
    case MEMPLAN_OPTION_SHAPE:
      MEMPLAN_TRY(read_shapes(settings, value, error));
      break;
    case MEMPLAN_OPTION_CONFLICTS:
      problem->conflicts_path = value->text;
      break;
    case MEMPLAN_OPTION_PIN_SPACE:
      MEMPLAN_TRY(read_pin_pools(settings, value, error));
      break;
    default:
      break;
    }
  }
  problem->known_names = MEMPLAN_NEW(&settings->arena, bool, problem->n_dims + problem->n_shapes);
  return problem->known_names == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

// "500,300,-200"
static memplan_status read_score_weights(memplan_settings *settings, const char *text, memplan_error *error) {
  static const memplan_option number = {
      .name = "score-weights", .kind = MEMPLAN_OPTION_INTEGER, .minimum = -1000000, .maximum = 1000000};
  memplan_params *params = &settings->solve.params;
  int64_t *const parts[] = {&params->score_released, &params->score_path, &params->score_added};
  const char *at = text;
  for (int32_t i = 0; i < 3; i++) {
    size_t length = strcspn(at, ",");
    char *digits = memplan_arena_text(&settings->arena, at, length);
    if (digits == NULL) {
      return memplan_fail_nomem(error);
    }
    if ((at[length] == ',') != (i < 2)) {
      return memplan_fail(error, MEMPLAN_INPUT, "--score-weights: '%s' has not the form A,B,C, as in 500,300,-200",
                          text);
    }
    MEMPLAN_TRY(memplan_option_parse(&number, digits, parts[i], error));
    at += length + 1;
  }
  return MEMPLAN_OK;
}

// A pool that has the name of a word cannot be asked for alone.
static void read_minimize(memplan_solve_options *solve, const char *text) {
  static const char *const words[] = {"peak", "total", "max"};
  solve->minimize = MEMPLAN_MINIMIZE_POOL;
  solve->minimize_pool = text;
  for (int32_t k = 0; k < (int32_t)(sizeof words / sizeof *words); k++) {
    if (strcmp(text, words[k]) == 0) {
      solve->minimize = (memplan_minimize)k;
      solve->minimize_pool = NULL;
    }
  }
}

static uint64_t read_techniques(const memplan_option_value *value) {
  uint64_t without = 0;
  const memplan_technique *technique;
  for (int32_t k = 0; (technique = memplan_technique_at(k)) != NULL; k++) {
    for (int32_t i = 0; i < value->n_list; i++) {
      without |= strcmp(technique->name, value->list[i]) == 0 ? UINT64_C(1) << k : 0;
    }
  }
  return without;
}

// A method by its name alone, which says what it is for; of a name that several kinds have, all of them.
static memplan_status read_method(memplan_solve_options *solve, const char *name, memplan_error *error) {
  static const char *const options[] = {"--order", "--place", "--method"};
  const char **const slots[] = {&solve->order, &solve->place, &solve->joint};
  const memplan_method *method;
  for (int32_t k = 0; name != NULL && (method = memplan_method_at(k)) != NULL; k++) {
    if (strcmp(method->name, name) != 0) {
      continue;
    }
    if (*slots[method->kind] != NULL) {
      return memplan_fail(error, MEMPLAN_INPUT, "--method %s and %s %s ask for two methods where one is run", name,
                          options[method->kind], *slots[method->kind]);
    }
    *slots[method->kind] = method->name;
  }
  return MEMPLAN_OK;
}

// The name of a method, or the path of a file.
static memplan_status read_order(memplan_settings *settings, const memplan_option_value *value, memplan_error *error) {
  memplan_solve_options *solve = &settings->solve;
  solve->order = value->text;
  if (!value->given || value->number >= 0) {
    return MEMPLAN_OK;
  }
  solve->order = MEMPLAN_ORDER_FILE;
  solve->listed = &settings->listed;
  return memplan_listed_order_read(value->text, &settings->listed, error);
}

static memplan_status read_start(memplan_settings *settings, const char *path, memplan_error *error) {
  if (path == NULL) {
    return MEMPLAN_OK;
  }
  settings->solve.start = &settings->start;
  settings->solve.start_path = path;
  return memplan_plan_read(path, settings->problem.strict, &settings->start, error);
}

memplan_status memplan_settings_read(memplan_settings *settings, const memplan_options *options, memplan_error *error) {
  *settings =
      (memplan_settings){.problem = memplan_problem_options_default(), .solve = memplan_solve_options_default()};
  memplan_listed_order_init(&settings->listed);
  memplan_plan_init(&settings->start);
  MEMPLAN_TRY(read_problem(settings, options, error));
  memplan_solve_options *solve = &settings->solve;
  MEMPLAN_TRY(read_order(settings, memplan_option_get(options, MEMPLAN_OPTION_ORDER), error));
  solve->place = memplan_option_get(options, MEMPLAN_OPTION_PLACE)->text;
  MEMPLAN_TRY(read_method(solve, memplan_option_get(options, MEMPLAN_OPTION_METHOD)->text, error));
  solve->fixed_order = solve->order != NULL && (solve->listed != NULL || strcmp(solve->order, "given") == 0);
  MEMPLAN_TRY(read_start(settings, memplan_option_get(options, MEMPLAN_OPTION_START)->text, error));
  read_minimize(solve, memplan_option_get(options, MEMPLAN_OPTION_MINIMIZE)->text);
  solve->own_objective = memplan_option_get(options, MEMPLAN_OPTION_MINIMIZE)->given;
  solve->gap_millionths = memplan_option_get(options, MEMPLAN_OPTION_GAP)->number;
  const memplan_option_value *time = memplan_option_get(options, MEMPLAN_OPTION_TIME_LIMIT);
  if (time->given) {
    solve->limits.time_ms = time->number;
  }
  solve->limits.work = memplan_option_get(options, MEMPLAN_OPTION_WORK_LIMIT)->number;
  solve->limits.memory = memplan_option_get(options, MEMPLAN_OPTION_MEMORY_LIMIT)->number;
  solve->limits.threads = (int32_t)memplan_option_get(options, MEMPLAN_OPTION_THREADS)->number;
  solve->limits.seed = (uint64_t)memplan_option_get(options, MEMPLAN_OPTION_SEED)->number;
  solve->without = read_techniques(memplan_option_get(options, MEMPLAN_OPTION_WITHOUT));
  const memplan_option_value *weights = memplan_option_get(options, MEMPLAN_OPTION_SCORE_WEIGHTS);
  if (weights->given) {
    MEMPLAN_TRY(read_score_weights(settings, weights->text, error));
  }
  const memplan_option_value *format = memplan_option_get(options, MEMPLAN_OPTION_FORMAT);
  settings->style = (memplan_style)format->number;
  settings->style_given = format->given;
  settings->from = memplan_option_get(options, MEMPLAN_OPTION_FROM)->text;
  settings->method = memplan_option_get(options, MEMPLAN_OPTION_METHOD)->text;
  settings->solution = memplan_option_get(options, MEMPLAN_OPTION_SOLUTION)->text;
  settings->to = memplan_option_get(options, MEMPLAN_OPTION_TO)->text;
  settings->output = memplan_option_get(options, MEMPLAN_OPTION_OUTPUT)->text;
  settings->certificate_limit = memplan_option_get(options, MEMPLAN_OPTION_CERTIFICATE_LIMIT)->number;
  settings->program_limit = memplan_option_get(options, MEMPLAN_OPTION_PROGRAM_LIMIT)->number;
  settings->certificate = memplan_option_get(options, MEMPLAN_OPTION_CERTIFICATE)->text;
  settings->conflicts_out = memplan_option_get(options, MEMPLAN_OPTION_CONFLICTS_OUT)->text;
  settings->plot = memplan_option_get(options, MEMPLAN_OPTION_PLOT)->text;
  settings->device_memory = memplan_option_get(options, MEMPLAN_OPTION_DEVICE_MEMORY)->number;
  return MEMPLAN_OK;
}

// The index of the string `key` of `problem` among the option's choices; absent: *index stays.
static memplan_status adopt_choice(const json_t *problem, const char *key, memplan_option_id id, int32_t *index,
                                   memplan_error *error) {
  const json_t *value = json_object_get(problem, key);
  if (value == NULL || json_is_null(value)) {
    return MEMPLAN_OK;
  }
  int64_t number = 0;
  const char *text = json_string_value(value);
  if (text == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "problem.%s: a string is needed", key);
  }
  memplan_status status = memplan_option_parse(&memplan_option_table()[id], text, &number, error);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "problem.%s", key);
    return status;
  }
  *index = (int32_t)number;
  return MEMPLAN_OK;
}

static memplan_status adopt_choices(memplan_problem_options *problem, const json_t *object, memplan_error *error) {
  int32_t index = (int32_t)problem->io;
  MEMPLAN_TRY(adopt_choice(object, "io", MEMPLAN_OPTION_IO, &index, error));
  problem->io = (memplan_io)index;
  index = (int32_t)problem->weights;
  MEMPLAN_TRY(adopt_choice(object, "weights", MEMPLAN_OPTION_WEIGHTS, &index, error));
  problem->weights = (memplan_weights)index;
  index = (int32_t)problem->inplace;
  MEMPLAN_TRY(adopt_choice(object, "inplace", MEMPLAN_OPTION_INPLACE, &index, error));
  problem->inplace = (memplan_inplace_mode)index;
  index = (int32_t)problem->views;
  MEMPLAN_TRY(adopt_choice(object, "views", MEMPLAN_OPTION_VIEWS, &index, error));
  problem->views = (memplan_views)index;
  index = (int32_t)problem->fold;
  MEMPLAN_TRY(adopt_choice(object, "fold", MEMPLAN_OPTION_FOLD, &index, error));
  problem->fold = (memplan_fold)index;
  index = (int32_t)problem->bodies;
  MEMPLAN_TRY(adopt_choice(object, "bodies", MEMPLAN_OPTION_BODIES, &index, error));
  problem->bodies = (memplan_bodies)index;
  index = (int32_t)problem->lifetimes;
  MEMPLAN_TRY(adopt_choice(object, "lifetimes", MEMPLAN_OPTION_LIFETIMES, &index, error));
  problem->lifetimes = (memplan_lifetimes)index;
  return MEMPLAN_OK;
}

static memplan_status adopt_dims(memplan_settings *settings, const json_t *object, memplan_error *error) {
  const json_t *dims;
  MEMPLAN_TRY(memplan_json_object(object, "dims", NULL, false, &dims, error));
  if (dims == NULL) {
    return MEMPLAN_OK;
  }
  memplan_dim *list = MEMPLAN_NEW(&settings->arena, memplan_dim, json_object_size(dims));
  if (list == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = 0;
  const char *name;
  json_t *value;
  const memplan_json_place place = {.key = "dims"};
  json_object_foreach((json_t *)dims, name, value) {
    MEMPLAN_TRY(memplan_json_integer(dims, name, &place, true, 0, INT64_MAX, &list[n].value, error));
    list[n].name = memplan_arena_text(&settings->arena, name, strlen(name));
    if (list[n++].name == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  settings->problem.dims = list;
  settings->problem.n_dims = n;
  return MEMPLAN_OK;
}

static memplan_status adopt_shape(memplan_settings *settings, const char *name, const json_t *dims,
                                  memplan_shape *shape, memplan_error *error) {
  int64_t *list = MEMPLAN_NEW(&settings->arena, int64_t, RANK_LIMIT);
  shape->name = memplan_arena_text(&settings->arena, name, strlen(name));
  if (list == NULL || shape->name == NULL) {
    return memplan_fail_nomem(error);
  }
  if (!json_is_array(dims) || json_array_size(dims) > RANK_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "problem.shapes: the shape of '%s' is no list of dimensions", name);
  }
  shape->dims = list;
  shape->rank = (int32_t)json_array_size(dims);
  for (int32_t d = 0; d < shape->rank; d++) {
    const json_t *dim = json_array_get(dims, (size_t)d);
    if (!json_is_integer(dim) || json_integer_value(dim) < 0) {
      return memplan_fail(error, MEMPLAN_INPUT, "problem.shapes: dimension %d of '%s' is no integer >= 0", d, name);
    }
    list[d] = json_integer_value(dim);
  }
  return MEMPLAN_OK;
}

static memplan_status adopt_shapes(memplan_settings *settings, const json_t *object, memplan_error *error) {
  const json_t *shapes;
  MEMPLAN_TRY(memplan_json_object(object, "shapes", NULL, false, &shapes, error));
  if (shapes == NULL) {
    return MEMPLAN_OK;
  }
  memplan_shape *list = MEMPLAN_NEW(&settings->arena, memplan_shape, json_object_size(shapes));
  if (list == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = 0;
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)shapes, name, value) {
    MEMPLAN_TRY(adopt_shape(settings, name, value, &list[n++], error));
  }
  settings->problem.shapes = list;
  settings->problem.n_shapes = n;
  return MEMPLAN_OK;
}

// What only a certificate states: how its file was read.
static memplan_status adopt_reading(memplan_settings *settings, const json_t *object, memplan_error *error) {
  memplan_problem_options *target = &settings->problem;
  const json_t *spaces;
  int32_t rename = 0, n = 0;
  MEMPLAN_TRY(memplan_json_boolean(object, "pin", NULL, &target->pin_offsets, error));
  MEMPLAN_TRY(adopt_choice(object, "dup_ids", MEMPLAN_OPTION_DUP_IDS, &rename, error));
  target->rename_dups = rename == 1;
  MEMPLAN_TRY(memplan_json_object(object, "pin_space", NULL, false, &spaces, error));
  memplan_pin_pool *pins = MEMPLAN_NEW(&settings->arena, memplan_pin_pool, json_object_size(spaces));
  if (pins == NULL) {
    return memplan_fail_nomem(error);
  }
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)spaces, name, value) {
    const char *pool = json_string_value(value);
    if (pool == NULL) {
      return memplan_fail(error, MEMPLAN_INPUT, "problem.pin_space: the pool of '%s' is no string", name);
    }
    pins[n].buffer = memplan_arena_text(&settings->arena, name, strlen(name));
    pins[n].pool = memplan_arena_text(&settings->arena, pool, strlen(pool));
    if (pins[n].buffer == NULL || pins[n].pool == NULL) {
      return memplan_fail_nomem(error);
    }
    n++;
  }
  target->pin_pools = pins;
  target->n_pin_pools = n;
  return MEMPLAN_OK;
}

memplan_status memplan_settings_adopt(memplan_settings *settings, const json_t *problem, const memplan_options *options,
                                      memplan_error *error) {
  if (problem == NULL) {
    return MEMPLAN_OK;
  }
  memplan_problem_options *target = &settings->problem;
  *target = memplan_problem_options_default();
  target->dims_optional = true; // the plan may come from a run over several models
  bool branch_sharing = true;
  MEMPLAN_TRY(adopt_choices(target, problem, error));
  MEMPLAN_TRY(memplan_json_boolean(problem, "branch_sharing", NULL, &branch_sharing, error));
  target->no_branch_sharing = !branch_sharing;
  MEMPLAN_TRY(memplan_json_boolean(problem, "inputs_writable", NULL, &target->inputs_writable, error));
  MEMPLAN_TRY(memplan_json_integer(problem, "capacity", NULL, false, 0, INT64_MAX, &target->capacity, error));
  MEMPLAN_TRY(memplan_json_integer(problem, "align", NULL, false, 1, INT64_MAX, &target->align, error));
  MEMPLAN_TRY(adopt_dims(settings, problem, error));
  MEMPLAN_TRY(adopt_shapes(settings, problem, error));
  MEMPLAN_TRY(adopt_reading(settings, problem, error));
  return read_problem(settings, options, error);
}

memplan_status memplan_settings_own_capacity(memplan_settings *settings, const json_t *problem, memplan_error *error) {
  settings->problem.capacity = -1;
  return problem == NULL
             ? MEMPLAN_OK
             : memplan_json_integer(problem, "capacity", NULL, false, 0, INT64_MAX, &settings->problem.capacity, error);
}

void memplan_settings_free(memplan_settings *settings) {
  memplan_listed_order_free(&settings->listed);
  memplan_plan_free(&settings->start);
  memplan_arena_free(&settings->arena);
  *settings = (memplan_settings){0};
}
