// SPDX-License-Identifier: Apache-2.0
// Of each pool that has a peak, what has to lie in it alone is certified as the problem of one pool: of a graph on
// every order, if all peaks can be proven there, else on the order of the plan. Where each buffer may lie in one pool
// only, pools have nothing to do with each other on one order, and all peaks together are what is to be proven.
#include "solvers/certify_pools.h"

#include "model/base/json_write.h"
#include "model/graph_pool.h"
#include "model/problem_json.h"
#include "solvers/certify_graph_pool.h"
#include "solvers/objective.h"
#include "solvers/pool_capacity.h"
#include "solvers/pool_claim.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

static const char no_pool[] =
    "every buffer may lie in more than one pool, and certificates speak of what has to lie in one",
                  no_refutation[] =
                      "no pool was found that does not hold what has to lie in it alone, and certificates "
                      "speak of one pool";

static const char too_many[] = "more than 256 pools have to hold something alone, and a certificate speaks of no more";
_Static_assert(MEMPLAN_MOST_CERTIFIED_POOLS == 256, "too_many names it");

static const char no_whole[] = "of a pool no proof of its peak was found in what has to lie in it alone",
                  no_bound[] = "of a pool no proof of its bound was found in what has to lie in it alone",
                  of_several[] = "what several pools have to hold together has no proof, as certificates speak of what "
                                 "has to lie in one";

const char *memplan_certify_refusal(const memplan_problem *problem) {
  bool pools = problem->has_instance && problem->instance.n_pools > 1;
  return pools && !memplan_pool_claim_exists(&problem->instance) ? no_pool : NULL;
}

// ---- one pool

static memplan_status name_pool(memplan_certify_writer *w, const char *pool, memplan_error *error) {
  json_t *id = json_string(pool);
  char *text = id != NULL ? json_dumps(id, JSON_ENCODE_ANY) : NULL;
  memplan_status status = memplan_certify_add_member(w, "pool", text, error);
  free(text);
  json_decref(id);
  return status;
}

// On the order of the plan. The writer is as before when it returns.
static memplan_status certify_pool_clauses(memplan_certify_writer *w, const memplan_pool_claim *claim,
                                           memplan_error *error) {
  char *options = w->options;
  const memplan_instance *instance = w->instance;
  w->options = strdup(options);
  memplan_status status = w->options == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  if (status == MEMPLAN_OK) {
    status = name_pool(w, instance->pools[claim->pool].id, error);
  }
  if (status == MEMPLAN_OK) {
    w->instance = &claim->alone;
    status = memplan_certify_clauses(w, claim->bytes, error);
  }
  free(w->options);
  w->options = options;
  w->instance = instance;
  return status;
}

static memplan_status certify_claim(memplan_certify_writer *w, const memplan_pool_claim *claim, memplan_error *error) {
  MEMPLAN_TRY(memplan_certify_load(w, claim->load, w->instance->pools[claim->pool].id, error));
  if (claim->bytes == claim->load.bytes || w->certificate->text == NULL) {
    return MEMPLAN_OK;
  }
  memplan_certificate load = *w->certificate;
  w->certificate->text = NULL;
  memplan_status status = certify_pool_clauses(w, claim, error);
  if (w->certificate->text != NULL || status != MEMPLAN_OK) {
    free(load.text);
  } else {
    load.missing = w->certificate->missing;
    *w->certificate = load;
  }
  return status;
}

static memplan_status refute_instance(memplan_certify_writer *w, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(w->limits);
  memplan_pool_claim claim = {.pool = -1};
  const memplan_instance *instance = w->instance;
  int64_t *most = MEMPLAN_NEW(&arena, int64_t, instance->n_pools), capacity = w->problem->options.capacity;
  memplan_status status = most == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
  if (status == MEMPLAN_OK) {
    for (int32_t pool = 0; pool < instance->n_pools; pool++) {
      const memplan_pool *entry = &instance->pools[pool];
      most[pool] = capacity >= 0 ? memplan_pool_capacity_within(entry, capacity) : entry->capacity;
    }
    status = memplan_pool_claim_refute(instance, most, &started, &arena, &claim, error);
  }
  if (status == MEMPLAN_OK && claim.pool < 0) {
    w->certificate->missing = no_refutation;
  } else if (status == MEMPLAN_OK && claim.load.bytes > most[claim.pool]) {
    status = memplan_certify_load(w, claim.load, instance->pools[claim.pool].id, error);
  } else if (status == MEMPLAN_OK) {
    status = certify_pool_clauses(w, &claim, error);
  }
  memplan_arena_free(&arena);
  return status;
}

// There is no plan: a pool that does not hold what lies nowhere else says so alone. What says less is no certificate of
// that.
memplan_status memplan_certify_pool_refutation(memplan_certify_writer *w, memplan_error *error) {
  if (w->problem->has_graph) {
    MEMPLAN_TRY(memplan_certify_graph_pool_refutation(w, error));
  }
  if (w->instance != NULL && !memplan_certify_is_settled(w)) {
    MEMPLAN_TRY(refute_instance(w, error));
  }
  if (w->certificate->text == NULL && w->stronger != NULL) {
    w->certificate->missing = w->stronger;
  } else if (w->certificate->text == NULL && w->certificate->missing == NULL) {
    w->certificate->missing = no_refutation;
  }
  return MEMPLAN_OK;
}

// ---- all pools

typedef struct pool_parts {
  memplan_certificate *of; // by pool; without text: nothing is proven of it
  int32_t n, only;         // with text; the last of them
  int64_t claim;           // the largest
  bool whole;              // each peak of the plan, or each bound, is proven
  bool too_large;          // one of them would have been
} pool_parts;

typedef struct pools {
  memplan_arena arena;
  int32_t n;
  bool has_goal;              // there is a plan, or bounds are asked for
  int64_t *peaks;             // of the plan, or the bounds, by pool; 0 without
  memplan_pool_claim *claims; // by pool
  pool_parts every_order, own;
} pools;

// Are there no more pools that something has to lie in than a certificate may speak of? Counted before any of them is
// searched.
static memplan_status count_claims(const memplan_instance *instance, bool *within, memplan_error *error) {
  memplan_arena arena = {0};
  bool *seen = MEMPLAN_NEW(&arena, bool, instance->n_pools);
  int32_t count = 0;
  for (int32_t index = 0; index < instance->n_blocks && seen != NULL; index++) {
    const memplan_block *block = &instance->blocks[index];
    int32_t pool = instance->block_pools[block->first_pool];
    if (block->n_pools == 1 && block->bytes > 0 && !seen[pool]) {
      seen[pool] = true;
      count++;
    }
  }
  *within = count <= MEMPLAN_MOST_CERTIFIED_POOLS;
  memplan_status status = seen != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  memplan_arena_free(&arena);
  return status;
}

static memplan_status make_room(const memplan_problem *problem, pools *all, memplan_error *error) {
  all->n = problem->has_graph ? problem->graph.n_pools : problem->instance.n_pools;
  all->peaks = MEMPLAN_NEW(&all->arena, int64_t, all->n);
  all->claims = MEMPLAN_NEW(&all->arena, memplan_pool_claim, all->n);
  all->every_order.of = MEMPLAN_NEW(&all->arena, memplan_certificate, all->n);
  all->own.of = MEMPLAN_NEW(&all->arena, memplan_certificate, all->n);
  bool good = all->peaks != NULL && all->claims != NULL && all->every_order.of != NULL && all->own.of != NULL;
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static memplan_status find_claims(const memplan_certify_writer *w, pools *all, memplan_error *error) {
  const memplan_instance *instance = w->instance;
  memplan_limits started = memplan_limits_start(w->limits);
  MEMPLAN_TRY(make_room(w->problem, all, error));
  all->has_goal = w->solution->has_plan;
  if (w->solution->has_plan) {
    memplan_pool_peaks(instance, w->solution->offset, w->solution->pool, all->peaks);
  }
  for (int32_t pool = 0; pool < all->n; pool++) {
    MEMPLAN_TRY(
        memplan_pool_claim_of(instance, pool, all->peaks[pool], &started, &all->arena, &all->claims[pool], error));
  }
  return MEMPLAN_OK;
}

static memplan_status make_parts(memplan_certify_writer *w, pools *all, bool every_order, pool_parts *parts,
                                 memplan_error *error) {
  memplan_certificate *whole = w->certificate;
  memplan_status status = MEMPLAN_OK;
  bool weaker = !w->solution->has_plan;
  parts->whole = all->has_goal;
  for (int32_t pool = 0; pool < all->n && status == MEMPLAN_OK; pool++) {
    const memplan_pool_claim *claim = &all->claims[pool];
    memplan_certificate *part = &parts->of[pool];
    *part = (memplan_certificate){.kind = "none"};
    w->certificate = part;
    if (claim->bytes > 0) {
      status = every_order ? memplan_certify_graph_pool(w, pool, claim->bytes, weaker, &all->arena, error)
                           : certify_claim(w, claim, error);
    }
    parts->too_large = parts->too_large || part->missing == memplan_certificate_too_large;
    parts->whole = parts->whole && (part->text != NULL ? part->claim : 0) >= all->peaks[pool];
    if (part->text != NULL) {
      parts->n++;
      parts->only = pool;
      parts->claim = part->claim > parts->claim ? part->claim : parts->claim;
    }
  }
  w->certificate = whole;
  return status;
}

static void free_parts(const pools *all, pool_parts *parts) {
  for (int32_t pool = 0; pool < all->n && parts->of != NULL; pool++) {
    memplan_certificate_free(&parts->of[pool]);
  }
}

static json_t *head_of(const memplan_problem *problem, int64_t claim) {
  json_t *head = json_object();
  bool good = memplan_json_set_string(head, "format", "memplan-certificate") &&
              memplan_json_set_integer(head, "version", 1) &&
              memplan_json_set_string(head, "fingerprint", problem->fingerprint) &&
              memplan_json_set(head, "problem", memplan_problem_reading_json(problem)) &&
              memplan_json_set_string(head, "kind", "pools") && memplan_json_set_integer(head, "claim", claim);
  return memplan_json_finish(head, good);
}

// All of them in one certificate.
static memplan_status unite(memplan_certify_writer *w, const pools *all, const pool_parts *parts,
                            memplan_error *error) {
  memplan_text_sink sink;
  json_t *head = head_of(w->problem, parts->claim);
  FILE *out = head != NULL ? memplan_text_sink_open(&sink, w->most) : NULL;
  if (out == NULL) {
    json_decref(head);
    return memplan_fail_nomem(error);
  }
  bool good = json_dumpf(head, out, JSON_COMPACT) == 0;
  json_decref(head);
  fputc('\n', out);
  for (int32_t pool = 0; pool < all->n; pool++) {
    const memplan_certificate *part = &parts->of[pool];
    if (part->text != NULL) {
      fputs("{\"certificate\":", out);
      memplan_text_sink_lines(part->text, part->length, out);
      fputs("}\n", out);
    }
  }
  good = ferror(out) == 0 && good;
  good = fclose(out) == 0 && good;
  if (good) {
    *w->certificate = (memplan_certificate){.text = sink.text,
                                            .length = sink.length,
                                            .kind = "pools",
                                            .claim = parts->claim,
                                            .every_order = parts->of[parts->only].every_order};
    return MEMPLAN_OK;
  }
  free(sink.text);
  w->certificate->missing = memplan_certificate_too_large;
  return sink.too_large ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static memplan_status write_parts(memplan_certify_writer *w, const pools *all, pool_parts *parts,
                                  memplan_error *error) {
  if (parts->n > MEMPLAN_MOST_CERTIFIED_POOLS) {
    w->certificate->missing = too_many;
  } else if (parts->n > 1) {
    MEMPLAN_TRY(unite(w, all, parts, error));
  } else {
    *w->certificate = parts->of[parts->only];
    parts->of[parts->only].text = NULL;
  }
  if (w->certificate->text != NULL) {
    w->certificate->missing = parts->whole ? NULL : parts->too_large ? memplan_certificate_too_large : no_whole;
  }
  return MEMPLAN_OK;
}

static memplan_status choose_parts(memplan_certify_writer *w, pools *all, memplan_error *error) {
  pool_parts *every = &all->every_order, *own = &all->own;
  if (w->problem->has_graph) {
    MEMPLAN_TRY(make_parts(w, all, true, every, error));
  }
  if (!every->whole) {
    MEMPLAN_TRY(make_parts(w, all, false, own, error));
  }
  if (every->n + own->n == 0) {
    w->certificate->missing = every->too_large || own->too_large ? memplan_certificate_too_large : no_pool;
    return MEMPLAN_OK;
  }
  bool better = every->whole || (!own->whole && every->n > 0 && every->claim >= own->claim);
  own->too_large = own->too_large || every->too_large;
  MEMPLAN_TRY(write_parts(w, all, better ? every : own, error));
  if (!better && every->too_large && w->certificate->text != NULL) {
    w->certificate->missing = memplan_certificate_too_large;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_certify_pools(memplan_certify_writer *w, memplan_error *error) {
  pools all = {.n = 0};
  bool within;
  memplan_status status = count_claims(w->instance, &within, error);
  if (status == MEMPLAN_OK && !within) {
    w->certificate->missing = too_many;
    return MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK) {
    status = find_claims(w, &all, error);
  }
  if (status == MEMPLAN_OK) {
    status = choose_parts(w, &all, error);
  }
  free_parts(&all, &all.every_order);
  free_parts(&all, &all.own);
  memplan_arena_free(&all.arena);
  return status;
}

static const memplan_pool *find_pools(const memplan_problem *problem) {
  return problem->has_graph ? problem->graph.pools : problem->instance.pools;
}

static memplan_status find_bounds(const memplan_certify_writer *w, const memplan_bounds *bounds, pools *all,
                                  memplan_error *error) {
  const memplan_pool *own = find_pools(w->problem);
  memplan_limits started = memplan_limits_start(w->limits);
  MEMPLAN_TRY(make_room(w->problem, all, error));
  all->has_goal = true;
  for (int32_t pool = 0; pool < all->n; pool++) {
    for (int32_t k = 0; k < bounds->n_bounds; k++) {
      const memplan_bound *bound = &bounds->bounds[k];
      if (bound->kind == MEMPLAN_BOUND_POOL && strcmp(bound->pool, own[pool].id) == 0) {
        all->peaks[pool] = bound->bytes;
      }
    }
    memplan_pool_claim *claim = &all->claims[pool];
    *claim = (memplan_pool_claim){.pool = pool, .bytes = all->peaks[pool]};
    if (w->instance != NULL) {
      MEMPLAN_TRY(memplan_pool_claim_of(w->instance, pool, all->peaks[pool], &started, &all->arena, claim, error));
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_certify_pool_bounds(memplan_certify_writer *w, const memplan_bounds *bounds,
                                           memplan_error *error) {
  pools all = {.n = 0};
  pool_parts *parts = &all.own;
  bool within = true;
  memplan_status status = w->instance != NULL ? count_claims(w->instance, &within, error) : MEMPLAN_OK;
  if (status == MEMPLAN_OK && !within) {
    w->certificate->missing = too_many;
    return MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK) {
    status = find_bounds(w, bounds, &all, error);
  }
  if (status == MEMPLAN_OK) {
    status = make_parts(w, &all, w->problem->has_graph, parts, error);
  }
  if (status == MEMPLAN_OK && parts->n > 0) {
    status = write_parts(w, &all, parts, error);
  } else if (status == MEMPLAN_OK) {
    w->certificate->missing = parts->too_large ? memplan_certificate_too_large : no_pool;
  }
  if (w->certificate->missing == no_whole) {
    w->certificate->missing = no_bound;
  } else if (w->certificate->missing == NULL && w->certificate->claim < bounds->bounds[0].bytes) {
    w->certificate->missing = of_several;
  }
  free_parts(&all, &all.own);
  memplan_arena_free(&all.arena);
  return status;
}
