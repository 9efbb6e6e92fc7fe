// SPDX-License-Identifier: Apache-2.0
// Learned clauses hold whatever was assumed, so that engines on one problem may exchange them as they are. What is
// worth it are short clauses from few levels: they cut off much, and cost little to watch (ManySAT: Hamadi, Jabbour and
// Sais, JSAT 2009).
#include "solvers/engine_state.h"

void memplan_engine_gather(memplan_engine *engine, int32_t length, int32_t distance) {
  engine->news_length = length;
  engine->news_distance = distance;
}

void memplan_engine_keep_news(memplan_engine *engine, const memplan_literal *literals, int32_t n, int32_t distance) {
  if (n > engine->news_length || distance > engine->news_distance) {
    return;
  }
  memplan_literals_push(engine, &engine->news, (uint64_t)distance);
  memplan_literals_push(engine, &engine->news, (uint64_t)n);
  for (int32_t k = 0; k < n; k++) {
    memplan_literals_push(engine, &engine->news, literals[k]);
  }
}

const uint64_t *memplan_engine_news(const memplan_engine *engine, int64_t *n) {
  *n = engine->news.n;
  return engine->news.list;
}

void memplan_engine_forget_news(memplan_engine *engine) { engine->news.n = 0; }

// Without decisions: what is false now is so for good.
static bool take_clause(memplan_engine *engine, const memplan_literal *literals, int32_t n, int32_t distance) {
  engine->learned.n = 0;
  for (int32_t k = 0; k < n; k++) {
    if (memplan_engine_is_true(engine, literals[k])) {
      return true;
    }
    if (!memplan_engine_is_false(engine, literals[k])) {
      memplan_literals_push(engine, &engine->learned, literals[k]);
    }
  }
  const memplan_literal *list = engine->learned.list;
  if (engine->nomem) {
    return false;
  }
  if (engine->learned.n > 1) {
    return memplan_engine_store_clause(engine, list, engine->learned.n, distance > 0 ? distance : 1) >= 0;
  }
  if (engine->learned.n == 0 ||
      !memplan_engine_raise(engine, memplan_literal_side(list[0]), memplan_literal_value(list[0]),
                            (memplan_reason){MEMPLAN_REASON_NONE, 0})) {
    engine->root_conflict = true;
  }
  return !engine->nomem;
}

bool memplan_engine_take_news(memplan_engine *engine, const uint64_t *news, int64_t n) {
  if (n > 0) {
    memplan_engine_backtrack(engine, 0);
  }
  for (int64_t k = 0; k < n; k += 2 + (int64_t)news[k + 1]) {
    if (!take_clause(engine, &news[k + 2], (int32_t)news[k + 1], (int32_t)news[k])) {
      return false;
    }
  }
  return true;
}
