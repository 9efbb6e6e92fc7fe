// SPDX-License-Identifier: Apache-2.0
// dsa-solver's structured JSON: what is read, refused and written; placements judged as dsa-solver's own rules do, on
// random documents and on the files of $MEMPLAN_DATA/dsa.
#include "tests/support/data_index.h"
#include "tests/support/problem_text.h"
#include "tests/support/semantics_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <cmocka.h>

#include "model/base/file.h"

// ---- hand-made documents

#define HEAD "{\"schema_version\":1,\"profile\":\"pypto_research_v1\",\"instance\":\"hand\",\"metadata\":{\"a\":\"b\"},"
#define POOLS                                                                                                          \
  "\"pools\":[{\"id\":3,\"name\":\"L1\",\"capacity\":128,\"reserved_ranges\":[{\"begin\":0,\"end\":16}]},"             \
  "{\"id\":4,\"name\":\"\",\"capacity\":null,\"reserved_ranges\":[]}]"
#define LIVE(a, b) "\"live_intervals\":[{\"lower\":" #a ",\"upper\":" #b "}]"
#define BUFFERS                                                                                                        \
  "\"buffers\":[{\"id\":0,\"name\":\"p\",\"size\":32,\"alignment\":16,\"live_intervals\":[{\"lower\":0,\"upper\":2},"  \
  "{\"lower\":4,\"upper\":6}],\"allowed_pools\":[3,4]},"                                                               \
  "{\"id\":7,\"name\":\"\",\"size\":16,\"alignment\":1," LIVE(                                                         \
      1, 5) ",\"allowed_pools\":[3]},"                                                                                 \
            "{\"id\":2,\"name\":\"q\",\"size\":16,\"alignment\":16," LIVE(0, 6) ",\"allowed_pools\":[4]}]"
#define CONSTRAINTS                                                                                                    \
  "\"constraints\":{\"colocations\":[],\"separations\":[{\"first\":0,\"second\":7,\"reasons\":[\"cross_pipe\"]}],"     \
  "\"temporal_exclusions\":[],\"pinned_allocations\":[{\"buffer\":2,\"pool\":4,\"offset\":16,"                         \
  "\"exclusive_for_all_time\":false}]}"
#define COSTS "\"cost_model\":{\"reuse_penalties\":[{\"first\":0,\"second\":7,\"cost\":25,\"reason\":\"cross_pipe\"}]}"
#define OBJECTIVE "\"objective\":{\"aggregation\":\"lexicographic\",\"terms\":[\"capacity_overflow\",\"reuse_cost\"]}"

static const char good[] = HEAD "\"problem\":{" POOLS "," BUFFERS "," CONSTRAINTS "," COSTS "," OBJECTIVE "}}";

static void reads_everything(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "t.json", good);
  const memplan_instance *instance = &problem.instance;
  assert_string_equal(problem.format, "dsa");
  assert_string_equal(instance->name, "hand");
  assert_string_equal(instance->source, "dsa-solver, schema 1");
  assert_int_equal(instance->n_pools, 2);
  assert_string_equal(instance->pools[0].id, "L1");
  assert_string_equal(instance->pools[1].id, "4"); // by its number, as it has no name
  assert_int_equal(instance->pools[0].capacity, 128);
  assert_int_equal(instance->pools[1].capacity, -1);
  assert_int_equal(instance->pools[0].n_reserved, 1);
  assert_int_equal(instance->pools[0].reserved[0].end, 16);
  assert_int_equal(instance->n_buffers, 3);
  assert_int_equal(instance->buffers[0].n_live, 2);
  assert_int_equal(instance->buffers[0].align, 16);
  assert_int_equal(instance->buffers[0].n_pools, 2);
  assert_string_equal(instance->buffers[1].id, "7");
  assert_int_equal(instance->buffers[2].pin, 16);
  assert_int_equal(instance->buffers[2].n_pools, 1);
  assert_int_equal(instance->buffers[2].pools[0], 1);
  assert_int_equal(instance->n_separate, 1);
  assert_int_equal(instance->n_reuse, 1);
  assert_int_equal(instance->reuse[0].cost, 25);
  assert_true(instance->prefer_low_reuse);
  char *text = support_export(&problem, "dsa");
  memplan_problem again;
  support_read_good(&again, "u.json", text);
  assert_string_equal(again.instance.buffers[1].id, "7");
  assert_int_equal(again.instance.n_reuse, 1);
  assert_true(again.instance.prefer_low_reuse);
  free(text);
  memplan_problem_free(&again);
  memplan_problem_free(&problem);
}

// The good document with one piece replaced.
static char *replaced(const char *piece, const char *by) {
  const char *at = strstr(good, piece);
  assert_non_null(at);
  size_t size = sizeof good + strlen(by);
  char *text = malloc(size);
  assert_non_null(text);
  (void)snprintf(text, size, "%.*s%s%s", (int)(at - good), good, by, at + strlen(piece));
  return text;
}

static void refuses_by_path(void **state) {
  (void)state;
  static const struct {
    const char *piece, *by, *part;
    memplan_status status;
  } rows[] = {
      {"\"schema_version\":1", "\"schema_version\":2", "schema_version is 2", MEMPLAN_UNSUPPORTED},
      {"pypto_research_v1", "pypto_v9", "profile must be one of standard_dsa", MEMPLAN_INPUT},
      {"\"instance\":\"hand\"", "\"instance\":\"\"", "instance must not be empty", MEMPLAN_INPUT},
      {"\"size\":32", "\"size\":0", "problem.buffers[0].size", MEMPLAN_INPUT},
      {"\"size\":32", "\"size\":1.5", "problem.buffers[0].size", MEMPLAN_INPUT},
      {"\"size\":32", "\"size\":99999999999999999999", "", MEMPLAN_INPUT},
      {"\"size\":32,", "", "problem.buffers[0].size", MEMPLAN_INPUT},
      {"\"alignment\":1,", "\"alignment\":0,", "problem.buffers[1].alignment", MEMPLAN_INPUT},
      {"\"upper\":5", "\"upper\":1", "problem.buffers[1].live_intervals[0].upper must lie behind lower", MEMPLAN_INPUT},
      {"[{\"lower\":1,\"upper\":5}]", "[]", "problem.buffers[1].live_intervals must hold", MEMPLAN_INPUT},
      {"[3,4]", "[3,3]", "problem.buffers[0].allowed_pools[1] stands twice", MEMPLAN_INPUT},
      {"[3,4]", "[]", "problem.buffers[0].allowed_pools", MEMPLAN_INPUT},
      {"[3,4]", "[5]", "problem.buffers[0].allowed_pools[0] must be the id of a pool", MEMPLAN_INPUT},
      {"\"id\":7", "\"id\":0", "problem.buffers[1].id", MEMPLAN_INPUT},
      {"\"id\":7", "\"id\":-1", "problem.buffers[1].id", MEMPLAN_INPUT},
      {"\"id\":7", "\"id\":4294967296", "problem.buffers[1].id", MEMPLAN_INPUT},
      {"\"name\":\"q\"", "\"name\":\"p\"", "problem.buffers[2].name", MEMPLAN_INPUT},
      {"\"id\":4,", "\"id\":3,", "problem.pools[1].id", MEMPLAN_INPUT},
      {"\"capacity\":null,", "", "problem.pools[1].capacity is missing", MEMPLAN_INPUT},
      {"\"begin\":0", "\"begin\":16", "problem.pools[0].reserved_ranges[0].end", MEMPLAN_INPUT},
      {"\"end\":16", "\"end\":129", "lies behind the capacity", MEMPLAN_INPUT},
      {"\"first\":0,\"second\":7,\"reasons\"", "\"first\":7,\"second\":7,\"reasons\"",
       "problem.constraints.separations[0] names one buffer twice", MEMPLAN_INPUT},
      {"\"first\":0,\"second\":7,\"reasons\"", "\"first\":1,\"second\":7,\"reasons\"",
       "problem.constraints.separations[0].first must be the id of a buffer", MEMPLAN_INPUT},
      {"[\"cross_pipe\"]", "[\"because\"]", "problem.constraints.separations[0].reasons[0] must be one of",
       MEMPLAN_INPUT},
      {"\"colocations\":[],", "", "problem.constraints.colocations", MEMPLAN_INPUT},
      {"\"pool\":4,", "\"pool\":3,", "problem.constraints.pinned_allocations[0].pool is not among", MEMPLAN_INPUT},
      {"\"exclusive_for_all_time\":false", "\"exclusive_for_all_time\":0", "must be true or false", MEMPLAN_INPUT},
      {"\"cost\":25", "\"cost\":-1", "problem.cost_model.reuse_penalties[0].cost", MEMPLAN_INPUT},
      {"\"terms\":[\"capacity_overflow\",", "\"terms\":[\"reuse_cost\",", "problem.objective.terms[1] stands twice",
       MEMPLAN_INPUT},
      {"lexicographic", "weighted", "problem.objective.aggregation", MEMPLAN_INPUT},
      {"\"offset\":16", "\"offset\":20", "breaks its alignment", MEMPLAN_INPUT},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char *text = replaced(rows[i].piece, rows[i].by);
    support_expect_error("t.json", text, NULL, rows[i].status, rows[i].part);
    free(text);
  }
}

static void warns_of_what_it_does_not_know(void **state) {
  (void)state;
  static const struct {
    const char *piece, *by, *warning;
  } rows[] = {
      {"\"capacity\":null,", "\"capacity\":null,\"bank_geometry\":{\"bank_size\":16,\"num_banks\":8},",
       "bank geometry"},
      {"\"reuse_cost\"]", "\"reuse_cost\",\"bank_cost\"]", "bank_cost is ignored"},
      {"\"alignment\":1,", "\"alignment\":1,\"colour\":1,", "unknown key problem.buffers[1].colour"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char *text = replaced(rows[i].piece, rows[i].by);
    memplan_problem problem;
    support_read_good(&problem, "t.json", text);
    assert_true(support_has_warning(&problem, rows[i].warning));
    memplan_problem_free(&problem);
    memplan_problem_options strict = memplan_problem_options_default();
    strict.strict = true;
    support_expect_error("t.json", text, &strict, MEMPLAN_INPUT, rows[i].warning);
    free(text);
  }
}

// ---- dsa-solver's rules, from its description alone

enum { most_items = 6, most_rules = 4, most_pools = 2 };

typedef struct item {
  int64_t size, align, start[2], end[2], pin;
  int32_t n_live, pin_pool;
  bool allowed[most_pools], exclusive;
} item;

typedef struct document {
  item items[most_items];
  int32_t n_items, n_pools;
  int64_t capacity[most_pools], reserved[most_pools]; // [0, reserved) is taken
  int32_t colocate[most_rules][2], separate[most_rules][2], exclude[most_rules][2], penalty[most_rules][2];
  int32_t n_colocate, n_separate, n_exclude, n_penalty;
} document;

static bool live_together(const document *d, int32_t a, int32_t b) {
  for (int32_t k = 0; k < d->n_exclude; k++) {
    if ((d->exclude[k][0] == a && d->exclude[k][1] == b) || (d->exclude[k][0] == b && d->exclude[k][1] == a)) {
      return false;
    }
  }
  for (int32_t i = 0; i < d->items[a].n_live; i++) {
    for (int32_t j = 0; j < d->items[b].n_live; j++) {
      if (d->items[a].start[i] < d->items[b].end[j] && d->items[b].start[j] < d->items[a].end[i]) {
        return true;
      }
    }
  }
  return false;
}

// Class of each item and the largest size in it.
static void find_classes(const document *d, int32_t *class, int64_t *extent) {
  for (int32_t i = 0; i < d->n_items; i++) {
    class[i] = i;
  }
  for (int32_t round = 0; round < d->n_items; round++) {
    for (int32_t k = 0; k < d->n_colocate; k++) {
      int32_t a = d->colocate[k][0], b = d->colocate[k][1];
      class[a] = class[b] = class[a] < class[b] ? class[a] : class[b];
    }
  }
  for (int32_t i = 0; i < d->n_items; i++) {
    extent[i] = 0;
    for (int32_t j = 0; j < d->n_items; j++) {
      extent[i] = class[j] == class[i] && d->items[j].size > extent[i] ? d->items[j].size : extent[i];
    }
  }
}

static bool overlap(const oracle_place *a, int64_t a_size, const oracle_place *b, int64_t b_size) {
  return a->pool == b->pool && a->offset < b->offset + b_size && b->offset < a->offset + a_size;
}

static bool is_valid(const document *d, const oracle_place *places) {
  int32_t class[most_items];
  int64_t extent[most_items];
  find_classes(d, class, extent);
  for (int32_t i = 0; i < d->n_items; i++) {
    const item *it = &d->items[i];
    const oracle_place *at = &places[i];
    bool pinned = it->pin < 0 || (at->offset == it->pin && at->pool == it->pin_pool);
    bool inside = d->capacity[at->pool] < 0 || at->offset + it->size <= d->capacity[at->pool];
    if (!it->allowed[at->pool] || at->offset % it->align != 0 || !pinned || !inside ||
        at->offset < d->reserved[at->pool]) {
      return false;
    }
  }
  for (int32_t k = 0; k < d->n_colocate; k++) {
    const oracle_place *a = &places[d->colocate[k][0]], *b = &places[d->colocate[k][1]];
    if (a->offset != b->offset || a->pool != b->pool) {
      return false;
    }
  }
  for (int32_t i = 0; i < d->n_items; i++) {
    for (int32_t j = i + 1; j < d->n_items; j++) {
      bool together = live_together(d, i, j) || d->items[i].exclusive || d->items[j].exclusive;
      if (class[i] != class[j] && together && overlap(&places[i], extent[i], &places[j], extent[j])) {
        return false;
      }
    }
  }
  for (int32_t k = 0; k < d->n_separate; k++) {
    int32_t a = d->separate[k][0], b = d->separate[k][1];
    if (overlap(&places[a], extent[a], &places[b], extent[b])) {
      return false;
    }
  }
  return true;
}

static int64_t reuse_cost(const document *d, const oracle_place *places) {
  int32_t class[most_items];
  int64_t extent[most_items];
  int64_t cost = 0;
  find_classes(d, class, extent);
  for (int32_t k = 0; k < d->n_penalty; k++) {
    int32_t a = d->penalty[k][0], b = d->penalty[k][1];
    if (class[a] != class[b] && !live_together(d, a, b) && overlap(&places[a], extent[a], &places[b], extent[b])) {
      cost += INT64_C(1) << k;
    }
  }
  return cost;
}

static document make_document(random_state *random) {
  document d = {.n_items = 2 + random_below(random, most_items - 1)};
  d.n_pools = 1 + random_below(random, most_pools);
  for (int32_t p = 0; p < d.n_pools; p++) {
    d.capacity[p] = random_below(random, 3) == 0 ? 40 : -1;
    d.reserved[p] = random_below(random, 4) == 0 ? 3 : 0;
  }
  for (int32_t i = 0; i < d.n_items; i++) {
    item *it = &d.items[i];
    *it = (item){.size = 1 + random_below(random, 6), .pin = -1};
    it->align = 1 + random_below(random, 3);
    it->n_live = 1 + (random_below(random, 4) == 0);
    for (int32_t k = 0; k < it->n_live; k++) {
      it->start[k] = random_below(random, 8);
      it->end[k] = it->start[k] + 1 + random_below(random, 4);
    }
    it->allowed[random_below(random, d.n_pools)] = true;
    it->allowed[random_below(random, d.n_pools)] = true;
    if (random_below(random, 6) == 0) {
      it->pin_pool = it->allowed[0] ? 0 : 1;
      it->pin = it->align * (2 + random_below(random, 3));
      it->exclusive = random_below(random, 2) == 0;
    }
  }
  int32_t(*const lists[])[2] = {d.colocate, d.separate, d.exclude, d.penalty};
  int32_t *const counts[] = {&d.n_colocate, &d.n_separate, &d.n_exclude, &d.n_penalty};
  for (int list = 0; list < 4; list++) {
    *counts[list] = random_below(random, list == 0 ? 3 : most_rules + 1);
    for (int32_t k = 0; k < *counts[list]; k++) {
      int32_t first = random_below(random, d.n_items);
      lists[list][k][0] = first;
      lists[list][k][1] = (first + 1 + random_below(random, d.n_items - 1)) % d.n_items;
    }
  }
  return d;
}

static void put_rules(FILE *out, const char *key, int32_t rules[][2], int32_t count, bool penalties) {
  (void)fprintf(out, "\"%s\":[", key);
  for (int32_t k = 0; k < count; k++) {
    (void)fprintf(out, "%s{\"first\":%d,\"second\":%d", k > 0 ? "," : "", 10 * rules[k][0], 10 * rules[k][1]);
    if (penalties) {
      (void)fprintf(out, ",\"cost\":%d,\"reason\":\"generic\"", 1 << k);
    }
    (void)fputs("}", out);
  }
  (void)fputs("]", out);
}

static char *write_document(document *d) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  (void)fputs(HEAD "\"problem\":{\"pools\":[", out);
  for (int32_t p = 0; p < d->n_pools; p++) {
    (void)fprintf(out, "%s{\"id\":%d,\"name\":\"pool%d\",\"capacity\":", p > 0 ? "," : "", 5 + p, p);
    (void)fprintf(out, d->capacity[p] < 0 ? "null" : "%d", (int)d->capacity[p]);
    (void)fprintf(out, ",\"reserved_ranges\":[");
    if (d->reserved[p] > 0) {
      (void)fprintf(out, "{\"begin\":0,\"end\":%d}", (int)d->reserved[p]);
    }
    (void)fprintf(out, "]}");
  }
  (void)fputs("],\"buffers\":[", out);
  for (int32_t i = 0; i < d->n_items; i++) {
    const item *it = &d->items[i];
    (void)fprintf(out, "%s{\"id\":%d,\"name\":\"b%d\",\"size\":%d,\"alignment\":%d,\"live_intervals\":[",
                  i > 0 ? "," : "", 10 * i, i, (int)it->size, (int)it->align);
    for (int32_t k = 0; k < it->n_live; k++) {
      (void)fprintf(out, "%s{\"lower\":%d,\"upper\":%d}", k > 0 ? "," : "", (int)it->start[k], (int)it->end[k]);
    }
    (void)fputs("],\"allowed_pools\":[", out);
    for (int32_t p = 0, n = 0; p < d->n_pools; p++) {
      if (it->allowed[p]) {
        (void)fprintf(out, "%s%d", n++ > 0 ? "," : "", 5 + p);
      }
    }
    (void)fputs("]}", out);
  }
  (void)fputs("],\"constraints\":{", out);
  put_rules(out, "colocations", d->colocate, d->n_colocate, false);
  (void)fputs(",", out);
  put_rules(out, "separations", d->separate, d->n_separate, false);
  (void)fputs(",", out);
  put_rules(out, "temporal_exclusions", d->exclude, d->n_exclude, false);
  (void)fputs(",\"pinned_allocations\":[", out);
  for (int32_t i = 0, n = 0; i < d->n_items; i++) {
    if (d->items[i].pin >= 0) {
      (void)fprintf(out, "%s{\"buffer\":%d,\"pool\":%d,\"offset\":%d,\"exclusive_for_all_time\":%s}",
                    n++ > 0 ? "," : "", 10 * i, 5 + d->items[i].pin_pool, (int)d->items[i].pin,
                    d->items[i].exclusive ? "true" : "false");
    }
  }
  (void)fputs("]},\"cost_model\":{", out);
  put_rules(out, "reuse_penalties", d->penalty, d->n_penalty, true);
  (void)fputs("}," OBJECTIVE "}}", out);
  assert_int_equal(fclose(out), 0);
  return text;
}

// A random placement that keeps colocated buffers together and pins in place most of the time.
static void make_places(random_state *random, const document *d, oracle_place *places) {
  int32_t class[most_items];
  int64_t extent[most_items];
  find_classes(d, class, extent);
  for (int32_t i = 0; i < d->n_items; i++) {
    int32_t pool = random_below(random, d->n_pools);
    places[i] = (oracle_place){.offset = random_below(random, 24), .pool = d->items[i].allowed[pool] ? pool : 1 - pool};
    places[i].offset -= random_below(random, 8) > 0 ? places[i].offset % d->items[i].align : 0;
    if (d->items[i].pin >= 0) {
      places[i] = (oracle_place){.offset = d->items[i].pin, .pool = d->items[i].pin_pool};
    }
  }
  for (int32_t i = 0; i < d->n_items; i++) {
    places[i] = places[class[i]];
  }
  if (random_below(random, 10) == 0) {
    places[random_below(random, d->n_items)].offset++;
  }
}

static int64_t cost_by_memplan(const memplan_instance *instance, const oracle_place *places) {
  int64_t offset[most_items];
  int32_t pool[most_items];
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    offset[instance->block_of[i]] = places[i].offset;
    pool[instance->block_of[i]] = places[i].pool;
  }
  return memplan_instance_reuse_cost(instance, offset, pool);
}

static void compare_verdicts(random_state *random, const document *d, const memplan_problem *problem, const char *text,
                             int32_t *n_valid) {
  for (int32_t round = 0; round < 40; round++) {
    oracle_place places[most_items] = {{0}};
    char why[300];
    memplan_plan plan;
    make_places(random, d, places);
    semantics_make_instance_plan(problem, places, &plan);
    bool expected = is_valid(d, places);
    bool found = semantics_verifies(problem, &plan, why, sizeof why);
    memplan_plan_free(&plan);
    if (found != expected) {
      for (int32_t i = 0; i < d->n_items; i++) {
        (void)fprintf(stderr, "b%d: %lld in %d\n", i, (long long)places[i].offset, (int)places[i].pool);
      }
      fail_msg("dsa-solver: %s, memplan: %s, for %s", expected ? "valid" : "invalid", why, text);
    }
    if (expected) {
      *n_valid += 1;
      assert_int_equal(cost_by_memplan(&problem->instance, places), reuse_cost(d, places));
    }
  }
}

static void same_verdicts(void **state) {
  (void)state;
  random_state random = random_start(20260, 0);
  int32_t n_valid = 0;
  int32_t n_read = 0;
  for (int32_t round = 0; round < 3000; round++) {
    document d = make_document(&random);
    char *text = write_document(&d);
    memplan_problem problem;
    memplan_error error = {0};
    memplan_status status = support_read(&problem, "t.json", text, NULL, &error);
    if (status == MEMPLAN_OK) {
      n_read++;
      compare_verdicts(&random, &d, &problem, text, &n_valid);
    } else {
      // Refused as contradictory: no placement may be valid.
      assert_int_equal(status, MEMPLAN_INPUT);
      for (int32_t k = 0; k < 40; k++) {
        oracle_place places[most_items] = {{0}};
        make_places(&random, &d, places);
        if (is_valid(&d, places)) {
          fail_msg("%s, although there is a placement for %s", error.message, text);
        }
      }
    }
    memplan_problem_free(&problem);
    free(text);
  }
  assert_true(n_read > 1500);
  assert_true(n_valid > 5000);
}

// ---- writing

static void refuses_to_write(void **state) {
  (void)state;
  static const char start[] = "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[";
  static const struct {
    const char *rest, *part;
  } rows[] = {
      {"{\"id\":\"a\",\"bytes\":0,\"live\":[[0,1]]}]}", "sizes of 0 (first 'a')"},
      {"{\"id\":\"a\",\"bytes\":4,\"live\":[[0,9]],\"gaps\":[{\"at\":[1,2],\"bytes\":[0,2]}]}]}", "gaps in which"},
      {"{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]},{\"id\":\"b\",\"bytes\":4,\"live\":[[1,2]]}],"
       "\"colocate\":[[\"a\",\"b\",2]]}",
       "colocation at a distance"},
      {"{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]},{\"id\":\"b\",\"bytes\":6,\"live\":[[1,2]]}],"
       "\"colocate\":[[\"a\",\"b\"]]}",
       "of which the largest is not always live"},
      {"{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]]}],\"pools\":[{\"id\":\"x\",\"base\":8}]}", "the base of a pool"},
      {"{\"id\":\"a\",\"bytes\":4,\"live\":[[0,1]],\"pin\":0}],\"pools\":[{\"id\":\"x\"},{\"id\":\"y\"}]}",
       "pins without a pool"},
      {"]}", "without buffers"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[600];
    (void)snprintf(text, sizeof text, "%s%s", start, rows[i].rest);
    memplan_problem problem;
    support_read_good(&problem, "t.json", text);
    support_expect_refusal(&problem, "dsa", rows[i].part);
    memplan_problem_free(&problem);
  }
}

static bool verifies(const memplan_problem *problem, const oracle_place *places) {
  char why[300];
  memplan_plan plan;
  semantics_make_instance_plan(problem, places, &plan);
  bool valid = semantics_verifies(problem, &plan, why, sizeof why);
  memplan_plan_free(&plan);
  return valid;
}

// Gaps without bytes, several lifetimes, conflicts instead of lifetimes: said in another way, with a line in the
// report.
static void writes_the_rest(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[{\"id\":\"a\",\"bytes\":4,\"align\":2,"
      "\"live\":[[0,3],[5,9]],\"gaps\":[{\"at\":[1,2]}]},{\"id\":\"b\",\"bytes\":3},{\"id\":\"c\",\"bytes\":5}],"
      "\"conflicts\":[[\"a\",\"b\"],[\"b\",\"c\"]]}";
  memplan_problem problem;
  memplan_problem again;
  memplan_export_report report;
  memplan_error error = {0};
  char *written = NULL;
  size_t length = 0;
  support_read_good(&problem, "t.json", text);
  memplan_export_report_init(&report);
  assert_int_equal(memplan_export_text(&problem, NULL, "dsa", NULL, &written, &length, &report, &error), MEMPLAN_OK);
  assert_int_equal(report.n_warnings, 2);
  assert_non_null(strstr(report.warnings[0], "explicit conflicts (2)"));
  assert_non_null(strstr(report.warnings[1], "2 buffers that are never live"));
  memplan_export_report_free(&report);
  support_read_good(&again, "u.json", written);
  assert_int_equal(again.instance.buffers[0].n_live, 3);
  assert_int_equal(again.instance.n_separate, 2);
  static const oracle_place tight[] = {{4, 0}, {0, 0}, {3, 0}}, overlapping[] = {{2, 0}, {0, 0}, {3, 0}};
  const memplan_problem *both[] = {&problem, &again};
  for (int k = 0; k < 2; k++) {
    assert_true(verifies(both[k], tight));
    assert_false(verifies(both[k], overlapping));
  }
  memplan_problem_free(&again);
  memplan_problem_free(&problem);
  free(written);
}

// ---- what is made small

// Side by side two buffers cost nothing; on the same bytes they need half as much. Which of the two the file's wish for
// a low cost makes of it, and which an objective of the caller's own.
static void asks_for_peaks_itself(void **state) {
  (void)state;
  for (int32_t own = 0; own < 2; own++) {
    memplan_problem problem;
    memplan_error error = {0};
    memplan_solution solution;
    memplan_reuse reuse = {.first = 0, .second = 1, .cost = 3};
    memplan_solve_options options = memplan_solve_options_default();
    support_read_good(&problem, "t.json",
                      "{\"format\":\"memplan-instance\",\"version\":1,\"pools\":[{\"id\":\"p\",\"capacity\":8}],"
                      "\"buffers\":[{\"id\":\"a\",\"bytes\":4,\"live\":[[0,2]]},"
                      "{\"id\":\"b\",\"bytes\":4,\"live\":[[2,4]]}]}");
    problem.instance.reuse = &reuse;
    problem.instance.n_reuse = 1;
    problem.instance.prefer_low_reuse = true;
    options.own_objective = own == 1;
    memplan_solution_init(&solution);
    assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_OK);
    assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
    assert_int_equal(solution.plan.peak, own == 1 ? 4 : 8);
    assert_int_equal(memplan_instance_reuse_cost(&problem.instance, solution.offset, solution.pool), own == 1 ? 3 : 0);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
}

// ---- the files

// Returns whether a plan was found: some files forbid more reuse than their capacities allow.
static bool check_file(const char *path) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_solution solution;
  memplan_problem_init(&problem);
  if (memplan_read(path, NULL, NULL, &problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_string_equal(problem.format, "dsa");
  json_t *file = json_load_file(path, 0, NULL);
  const json_t *content = json_object_get(file, "problem");
  const json_t *penalties = json_object_get(json_object_get(content, "cost_model"), "reuse_penalties");
  assert_int_equal(problem.instance.n_buffers, json_array_size(json_object_get(content, "buffers")));
  assert_int_equal(problem.instance.n_reuse, json_array_size(penalties));
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
  bool found = solution.has_plan;
  for (int32_t i = 0; i < problem.instance.n_pools; i++) {
    assert_true(problem.instance.pools[i].capacity > 0);
  }
  int64_t all = 0;
  for (int32_t i = 0; i < problem.instance.n_reuse; i++) {
    all += problem.instance.reuse[i].cost;
  }
  int64_t cost = found ? memplan_instance_reuse_cost(&problem.instance, solution.offset, solution.pool) : 0;
  assert_true(cost >= 0 && cost <= all);
  char *text = support_export(&problem, "dsa");
  memplan_problem again;
  support_read_good(&again, "u.json", text);
  assert_string_equal(again.fingerprint, problem.fingerprint);
  assert_int_equal(again.instance.n_reuse, problem.instance.n_reuse);
  assert_int_equal(again.instance.prefer_low_reuse, problem.instance.prefer_low_reuse);
  free(text);
  json_decref(file);
  memplan_problem_free(&again);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  return found;
}

static void all_files(void **state) {
  (void)state;
  const char *data = data_folder();
  if (data == NULL) {
    skip();
  }
  memplan_arena arena = {0};
  int32_t count, solved = 0;
  const char **paths = data_files(&arena, data_path(&arena, data, "dsa"), "", ".json", &count);
  for (int32_t k = 0; k < count; k++) {
    solved += check_file(paths[k]) ? 1 : 0;
  }
  memplan_arena_free(&arena);
  assert_int_equal(count, 70);
  assert_true(solved >= 65);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asks_for_peaks_itself), cmocka_unit_test(reads_everything),
      cmocka_unit_test(refuses_by_path),       cmocka_unit_test(warns_of_what_it_does_not_know),
      cmocka_unit_test(same_verdicts),         cmocka_unit_test(refuses_to_write),
      cmocka_unit_test(writes_the_rest),       cmocka_unit_test(all_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
