// SPDX-License-Identifier: Apache-2.0
// Atoms: the literals that have watches or may be decided. Booleans have one each from the start; those of integer
// variables are made when a learned clause first watches them, since a bound can take more values than memory holds.
// Decisions follow the activity of atoms in recent conflicts (VSIDS: Moskewicz et al., Chaff, DAC 2001), counted in
// integers: the step by which activities grow is enlarged after each conflict, and all are scaled down together.
#include "solvers/engine_state.h"

#include "model/base/grow.h"

static const int most_bits = 56; // of the step; activities are sums of steps in a geometric series

int32_t memplan_engine_key_above(const memplan_variable *variable, int64_t value) {
  int32_t low = 0, high = variable->n_keys;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (variable->keys[middle].value > value) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

int32_t memplan_engine_key_near(memplan_variable *variable, int32_t side, int64_t value) {
  const memplan_atom_key *keys = variable->keys;
  int32_t at = variable->hint[side & 1], n = variable->n_keys;
  at = at < n ? at : n;
  while (at < n && keys[at].value <= value) {
    at++;
  }
  while (at > 0 && keys[at - 1].value > value) {
    at--;
  }
  variable->hint[side & 1] = at;
  return at;
}

// The number `value` in `variable >= value` of the atom.
static int64_t atom_value(memplan_literal literal) {
  int64_t value = memplan_literal_value(literal);
  return (memplan_literal_side(literal) & 1) == 0 ? value : 1 - value;
}

int32_t memplan_engine_find_atom(const memplan_engine *engine, memplan_literal literal) {
  const memplan_variable *variable = &engine->variables[memplan_literal_side(literal) >> 1];
  if (variable->boolean >= 0) {
    return variable->boolean;
  }
  int64_t value = atom_value(literal);
  int32_t above = memplan_engine_key_above(variable, value);
  return above > 0 && variable->keys[above - 1].value == value ? variable->keys[above - 1].atom : -1;
}

// ---- the heap, largest activity first, ties by index

static bool comes_before(const memplan_engine *engine, int32_t a, int32_t b) {
  uint64_t x = engine->atoms[a].activity, y = engine->atoms[b].activity;
  return x != y ? x > y : a < b;
}

static void put(memplan_engine *engine, int32_t place, int32_t atom) {
  engine->heap[place] = atom;
  engine->atoms[atom].heap = place;
}

static void sift_up(memplan_engine *engine, int32_t place) {
  int32_t atom = engine->heap[place];
  while (place > 0) {
    int32_t above = (place - 1) / 2;
    if (!comes_before(engine, atom, engine->heap[above])) {
      break;
    }
    put(engine, place, engine->heap[above]);
    place = above;
  }
  put(engine, place, atom);
}

static void sift_down(memplan_engine *engine, int32_t place) {
  int32_t atom = engine->heap[place];
  for (;;) {
    int32_t below = 2 * place + 1;
    if (below >= engine->n_heap) {
      break;
    }
    if (below + 1 < engine->n_heap && comes_before(engine, engine->heap[below + 1], engine->heap[below])) {
      below++;
    }
    if (!comes_before(engine, engine->heap[below], atom)) {
      break;
    }
    put(engine, place, engine->heap[below]);
    place = below;
  }
  put(engine, place, atom);
}

static void insert(memplan_engine *engine, int32_t atom) {
  if (engine->atoms[atom].heap < 0) {
    engine->heap[engine->n_heap] = atom;
    sift_up(engine, engine->n_heap++);
  }
}

static int32_t remove_first(memplan_engine *engine) {
  int32_t atom = engine->heap[0];
  engine->atoms[atom].heap = -1;
  int32_t moved = engine->heap[--engine->n_heap];
  if (engine->n_heap > 0) {
    engine->heap[0] = moved;
    sift_down(engine, 0);
  }
  return atom;
}

// ---- making

static int32_t make_atom(memplan_engine *engine, int32_t variable, int64_t value) {
  memplan_atom *atoms = memplan_grow_heap(engine->atoms, engine->n_atoms, &engine->atom_capacity, sizeof *atoms);
  int32_t *heap = memplan_grow_heap(engine->heap, engine->n_atoms, &engine->heap_capacity, sizeof *heap);
  engine->atoms = atoms != NULL ? atoms : engine->atoms;
  engine->heap = heap != NULL ? heap : engine->heap;
  if (atoms == NULL || heap == NULL || engine->n_atoms == INT32_MAX) {
    engine->nomem = true;
    return -1;
  }
  int32_t atom = engine->n_atoms++;
  atoms[atom] = (memplan_atom){.value = value, .variable = variable, .heap = -1};
  return atom;
}

int32_t memplan_engine_need_atom(memplan_engine *engine, memplan_literal literal) {
  int32_t atom = memplan_engine_find_atom(engine, literal);
  if (atom >= 0) {
    return atom;
  }
  int32_t index = memplan_literal_side(literal) >> 1;
  memplan_variable *variable = &engine->variables[index];
  int64_t before = variable->capacity;
  memplan_atom_key *keys = memplan_grow_heap(variable->keys, variable->n_keys, &variable->capacity, sizeof *keys);
  if (keys == NULL) {
    engine->nomem = true;
    return -1;
  }
  engine->list_bytes += (variable->capacity - before) * (int64_t)sizeof *keys;
  variable->keys = keys;
  int64_t value = atom_value(literal);
  atom = make_atom(engine, index, value);
  if (atom < 0) {
    return -1;
  }
  int32_t place = memplan_engine_key_above(variable, value);
  for (int32_t k = variable->n_keys++; k > place; k--) {
    keys[k] = keys[k - 1];
  }
  keys[place] = (memplan_atom_key){value, atom, 0};
  if (engine->settings.bound_branching && index != engine->roof) {
    insert(engine, atom);
  }
  return atom;
}

void memplan_engine_mark_watched(memplan_engine *engine, int32_t atom, int32_t which) {
  memplan_variable *variable = &engine->variables[engine->atoms[atom].variable];
  if (variable->boolean < 0) {
    variable->keys[memplan_engine_key_above(variable, engine->atoms[atom].value) - 1].watched |= 1U << which;
  }
}

int32_t memplan_engine_add_boolean(memplan_engine *engine, int64_t activity, bool phase) {
  int32_t index = memplan_engine_add_variable(engine, 0, 1, NULL);
  int32_t atom = index < 0 ? -1 : make_atom(engine, index, 1);
  if (atom < 0) {
    return -1;
  }
  engine->variables[index].boolean = atom;
  engine->atoms[atom].activity = (uint64_t)activity;
  engine->atoms[atom].phase = phase;
  engine->n_undecided++;
  insert(engine, atom);
  return index;
}

// ---- activity

static void scale_down(memplan_engine *engine) {
  const int shift = 40;
  for (int32_t k = 0; k < engine->n_atoms; k++) {
    engine->atoms[k].activity >>= shift;
  }
  engine->step >>= shift;
  for (int32_t place = engine->n_heap / 2 - 1; place >= 0; place--) {
    sift_down(engine, place); // equal activities now go by index
  }
}

void memplan_engine_bump_literal(memplan_engine *engine, memplan_literal literal) {
  int32_t atom = memplan_engine_find_atom(engine, literal);
  if (atom >= 0) {
    engine->atoms[atom].activity += engine->step;
    if (engine->atoms[atom].heap >= 0) {
      sift_up(engine, engine->atoms[atom].heap);
    }
  }
}

void memplan_engine_grow_step(memplan_engine *engine) {
  engine->step += engine->step / (uint64_t)engine->settings.decay_part;
  if (engine->step >> most_bits != 0) {
    scale_down(engine);
  }
}

// ---- deciding

void memplan_engine_reopen_atoms(memplan_engine *engine, int32_t side, int64_t old, int64_t new) {
  memplan_variable *variable = &engine->variables[side >> 1];
  bool phase = (side & 1) == 0;
  if (variable->boolean >= 0) {
    engine->atoms[variable->boolean].phase = phase;
    insert(engine, variable->boolean);
    return;
  }
  if (!engine->settings.bound_branching || side >> 1 == engine->roof) {
    return;
  }
  int64_t low = phase ? old : -new, high = phase ? new : -old;
  for (int32_t k = memplan_engine_key_near(variable, side, low);
       k < variable->n_keys && variable->keys[k].value <= high; k++) {
    engine->atoms[variable->keys[k].atom].phase = phase;
    insert(engine, variable->keys[k].atom);
  }
}

memplan_literal memplan_engine_pick(memplan_engine *engine) {
  while (engine->n_heap > 0) {
    int32_t index = remove_first(engine);
    const memplan_atom *atom = &engine->atoms[index];
    memplan_literal literal = memplan_literal_make(2 * atom->variable, atom->value);
    if (!memplan_engine_is_true(engine, literal) && !memplan_engine_is_false(engine, literal)) {
      return atom->phase ? literal : memplan_literal_negate(literal);
    }
  }
  return 0;
}
