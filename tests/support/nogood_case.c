// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nogood_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The offsets of the nogood's items, all of them.
static void refute_again(const memplan_problem *problem, uint64_t seed, const memplan_joint_graph *whole,
                         const memplan_joint_nogood *nogood, nogood_counts *counts) {
  enum { most = 60 }; // bytes
  const memplan_joint_question question = {.whole = whole,
                                           .items = nogood->items,
                                           .n_items = nogood->n_items,
                                           .overlaps = nogood->overlaps,
                                           .n_overlaps = nogood->n_overlaps,
                                           .links = nogood->links,
                                           .n_links = nogood->n_links};
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_error error = {.message = ""};
  memplan_status status = memplan_joint_refute_instance(&question, &instance, &error);
  if (status == MEMPLAN_OK) {
    int64_t limit = nogood->height < most ? nogood->height : most;
    oracle_place places[ORACLE_ITEMS];
    int64_t least = oracle_instance_optimum(&instance, &problem->options, limit, places);
    if (least >= 0) {
      fail_msg("seed %" PRIu64 ": a nogood of height %" PRId64 " is placed at %" PRId64, seed, nogood->height, least);
    }
    counts->refuted += least != ORACLE_TOO_LONG;
  } else {
    assert_int_equal(status, MEMPLAN_INPUT);
    assert_true(nogood->height == INT64_MAX);
  }
  memplan_instance_free(&instance);
}

// ---- overlaps of every order

typedef struct certainty {
  const memplan_problem *problem;
  const memplan_joint_graph *whole;
  const memplan_joint_nogood *nogood;
  const oracle_items *items;
  uint64_t seed;
  int32_t left; // orders
} certainty;

static const oracle_item *find_item(const certainty *about, int32_t index) {
  const memplan_joint_item *item = &about->whole->items[index];
  const memplan_graph *graph = &about->problem->graph;
  for (int32_t k = 0; k < about->items->count; k++) {
    const oracle_item *entry = &about->items->items[k];
    if (item->op >= 0 ? entry->op == item->op && entry->tensor < 0
                      : item->storage >= 0 && entry->tensor == graph->storages[item->storage].root) {
      return entry;
    }
  }
  fail_msg("seed %" PRIu64 ": no item %d", about->seed, index);
  return NULL;
}

static bool is_listed(const memplan_ordering *ordering, const oracle_pair *pair) {
  for (int32_t k = 0; k < ordering->n_pairs; k++) {
    const memplan_pair *other = &ordering->pairs[k];
    if (other->op == pair->op && other->output == pair->output && other->input == pair->input) {
      return true;
    }
  }
  return false;
}

static void look_at_choice(void *context, const oracle_choice *choice) {
  const certainty *about = context;
  for (int32_t k = about->nogood->n_open; k < about->nogood->n_overlaps; k++) {
    const oracle_item *a = find_item(about, about->nogood->overlaps[k].first);
    const oracle_item *b = find_item(about, about->nogood->overlaps[k].second);
    assert_true(a->start < b->end && b->start < a->end);
    for (int32_t l = 0; l < choice->count; l++) {
      if (!is_listed(about->whole->ordering, &choice->pairs[l])) {
        continue; // can never lie on each other
      }
      int32_t born = oracle_root(&about->problem->graph, choice->pairs[l].output);
      int32_t dying = oracle_root(&about->problem->graph, choice->pairs[l].input);
      assert_false((a->tensor == born && b->tensor == dying) || (a->tensor == dying && b->tensor == born));
    }
  }
}

static bool look_at_order(void *context, const int32_t *order) {
  certainty *about = context;
  const memplan_graph *graph = &about->problem->graph;
  int64_t workspace[ORACLE_OPS];
  oracle_items items;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace[op] = graph->ops[op].workspace;
  }
  oracle_find_items(graph, &about->problem->options, workspace, order, &items);
  about->items = &items;
  oracle_for_each_choice(graph, &about->problem->options, &items, order, look_at_choice, about);
  return --about->left > 0;
}

static void check_nogood(const memplan_problem *problem, uint64_t seed, const memplan_joint_graph *whole,
                         const memplan_joint_nogood *nogood, nogood_counts *counts) {
  enum { most_orders = 200 };
  oracle_precedence precedence;
  certainty about = {.problem = problem, .whole = whole, .nogood = nogood, .seed = seed, .left = most_orders};
  counts->nogoods++;
  counts->fixed += nogood->n_open + nogood->n_links == 0;
  counts->linked += nogood->n_links > 0;
  counts->certain += nogood->n_overlaps - nogood->n_open;
  refute_again(problem, seed, whole, nogood, counts);
  assert_true(oracle_graph_is_legal(&problem->graph, &precedence));
  (void)oracle_for_each_order(&problem->graph, &precedence, look_at_order, &about);
}

// ---- searches

enum { undecided = -2 };

// Least peak below `upper`, -1 if there is none, or with inputs that nobody reads, of which nogoods do not speak,
// `undecided`; the plan is checked where a problem is given.
static int64_t search(memplan_joint_exhaust *exhaust, const memplan_problem *problem, const memplan_ordering *ordering,
                      bool unread, int64_t lower, int64_t upper, int64_t ticks) {
  int64_t best = -1, known = 0;
  memplan_joint_exhaust_news news = {.ended = false};
  for (int round = 0; !news.ended; round++) {
    memplan_error error = {.message = ""};
    assert_true(round < 200000);
    if (memplan_joint_exhaust_run(exhaust, lower, upper, 0, ticks, &news, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    assert_true(news.lower >= known);
    known = news.lower;
    if (news.improved) {
      const memplan_joint_plan *plan = memplan_joint_exhaust_plan(exhaust);
      assert_true(plan->order != NULL && plan->peak < upper && (best < 0 || plan->peak < best));
      best = plan->peak;
      if (problem != NULL) {
        joint_check_plan(problem, ordering, plan);
      }
    }
  }
  if (!news.closed && unread) {
    return undecided;
  }
  if (!news.closed) {
    fail_msg("ended at %" PRId64 ", best %" PRId64, news.lower, best);
  }
  assert_true(best < 0 || best == known);
  return best;
}

bool nogood_has_unread(const memplan_joint_graph *whole) {
  for (int32_t item = 0; item < whole->n_items; item++) {
    if (whole->items[item].unread) {
      return true;
    }
  }
  return false;
}

void nogood_look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  nogood_counts *counts = context;
  random_state random = random_start(311, seed);
  memplan_error error = {.message = ""};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  memplan_joint_exhaust *exhaust;
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits = memplan_limits_start(&limits);
  bool below = random_chance(&random, 20), commits = random_chance(&random, 70);
  int64_t lower = random_chance(&random, 50) ? 0 : optimum - random_below(&random, (int32_t)(optimum / 2 + 1));
  int64_t upper = below ? optimum : random_chance(&random, 50) ? INT64_MAX : optimum + 1 + random_below(&random, 20);
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_joint_graph_outline(&whole, &ordering, &arena, &error), MEMPLAN_OK);
  const memplan_joint_exhaust_task task = {
      .whole = &whole, .lower = lower, .upper = upper, .commits = commits, .limits = &limits};
  assert_int_equal(memplan_joint_exhaust_new(&task, &exhaust, &error), MEMPLAN_OK);
  int64_t least = search(exhaust, problem, &ordering, nogood_has_unread(&whole), lower, upper,
                         random_chance(&random, 50) ? 300 : INT64_C(1000000));
  counts->undecided += least == undecided;
  if (least != undecided && least != (below ? -1 : optimum)) {
    fail_msg("seed %" PRIu64 ": %" PRId64 " instead of %" PRId64 "%s%s", seed, least, optimum,
             below ? ", below which there is none" : "", commits ? "" : ", without commits");
  }
  const memplan_joint_nogood *nogood;
  for (int32_t k = 0; (nogood = memplan_joint_exhaust_nogood(exhaust, k)) != NULL; k++) {
    check_nogood(problem, seed, &whole, nogood, counts);
    counts->searched += k == 0;
  }
  counts->unplanned += below;
  counts->uncommitted += !commits;
  memplan_joint_exhaust_free(exhaust);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
}

nogood_counts nogood_compare(uint64_t first, uint64_t end) {
  static nogood_counts counts;
  counts = (nogood_counts){.searched = 0};
  counts.graphs = (joint_counts){.look = nogood_look, .context = &counts};
  for (uint64_t seed = first; seed < end; seed++) {
    joint_compare_random(seed, &counts.graphs);
    joint_compare_gadget(seed, &counts.graphs);
  }
  print_message("%" PRId64 " graphs, %" PRId64 " with a joint gap, %" PRId64 " with nogoods: %" PRId64 ", %" PRId64
                " refuted again, %" PRId64 " with links, %" PRId64 " of every order, %" PRId64
                " certain overlaps, %" PRId64 " graphs undecided\n",
                counts.graphs.compared, counts.graphs.gaps, counts.searched, counts.nogoods, counts.refuted,
                counts.linked, counts.fixed, counts.certain, counts.undecided);
  return counts;
}

int64_t nogood_optimum(const memplan_ordering *ordering, int64_t lower, bool commits, int32_t *n_nogoods) {
  memplan_error error = {.message = ""};
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  memplan_joint_exhaust *exhaust;
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits = memplan_limits_start(&limits);
  assert_int_equal(memplan_joint_graph_outline(&whole, ordering, &arena, &error), MEMPLAN_OK);
  const memplan_joint_exhaust_task task = {
      .whole = &whole, .lower = lower, .upper = INT64_MAX, .commits = commits, .limits = &limits};
  assert_int_equal(memplan_joint_exhaust_new(&task, &exhaust, &error), MEMPLAN_OK);
  int64_t least = search(exhaust, NULL, ordering, false, lower, INT64_MAX, INT64_C(100000000));
  *n_nogoods = 0;
  while (memplan_joint_exhaust_nogood(exhaust, *n_nogoods) != NULL) {
    ++*n_nogoods;
  }
  memplan_joint_exhaust_free(exhaust);
  memplan_arena_free(&arena);
  return least;
}

// ---- gaps that hang on the whole order

enum { text_room = 1 << 20, gadget_ops = 7 };

typedef struct writing {
  char *text;
  size_t length;
} writing;

static void append(writing *to, const char *format, ...) MEMPLAN_PRINTF(2, 3);

static void append(writing *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(to->text + to->length, text_room - to->length, format, arguments);
  va_end(arguments);
  assert_true(n >= 0);
  to->length += (size_t)n;
  assert_true(to->length < text_room);
}

static void append_op(writing *to, const char *id, const char *in, const char *more, const char *out) {
  append(to, ",{\"id\":\"%s\",\"in\":[\"%s\"%s%s%s],\"out\":[\"%s\"]}", id, in, more[0] != '\0' ? ",\"" : "", more,
         more[0] != '\0' ? "\"" : "", out);
}

// Operators o<first> ... of a chain behind the tensor `from`; the last one's tensor goes to `from`.
static void append_chain(writing *to, int32_t first, int32_t n, char *from) {
  for (int32_t k = first; k < first + n; k++) {
    char id[16], out[16];
    (void)snprintf(id, sizeof id, "o%d", k);
    (void)snprintf(out, sizeof out, "c%d", k);
    append_op(to, id, from, "", out);
    (void)snprintf(from, sizeof out, "%s", out);
  }
}

void nogood_make_swap(int32_t fillers, int64_t bytes, memplan_problem *problem) {
  static const int64_t sizes[gadget_ops] = {8, 8, 4, 4, 4, 8, 8};
  static const char *const reads[gadget_ops][2] = {{"", ""},     {"a0", ""},   {"a1", ""}, {"a1", "a2"},
                                                   {"a2", "a3"}, {"a3", "a4"}, {"a5", ""}};
  writing to = {.text = malloc(text_room)};
  char from[16] = "f", id[16], out[16];
  assert_non_null(to.text);
  append(&to, "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"f\",\"bytes\":1}");
  append(&to, ",{\"id\":\"x\",\"bytes\":%d},{\"id\":\"y\",\"bytes\":%d}", (int)bytes, (int)bytes);
  append(&to, ",{\"id\":\"z\",\"bytes\":0,\"roles\":[\"output\"]}");
  for (int32_t k = 0; k < gadget_ops; k++) {
    append(&to, ",{\"id\":\"a%d\",\"bytes\":%d}", k, (int)sizes[k]);
  }
  for (int32_t k = 0; k < 2 * fillers; k++) {
    append(&to, ",{\"id\":\"c%d\",\"bytes\":1}", k);
  }
  append(&to, "],\"ops\":[{\"id\":\"first\",\"in\":[],\"out\":[\"x\",\"f\"]}");
  append_chain(&to, 0, fillers, from);
  for (int32_t k = 0; k < gadget_ops; k++) {
    (void)snprintf(id, sizeof id, "g%d", k);
    (void)snprintf(out, sizeof out, "a%d", k);
    append_op(&to, id, k == 0 ? from : reads[k][0], reads[k][1], out);
  }
  (void)snprintf(from, sizeof from, "a%d", gadget_ops - 1);
  append_chain(&to, fillers, fillers, from);
  append_op(&to, "swap", "x", "", "y");
  append_op(&to, "last", "y", from, "z");
  append(&to, "]}");
  memplan_error error = {.message = ""};
  memplan_problem_init(problem);
  if (memplan_read_text(to.text, to.length, "swap.json", NULL, NULL, problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  free(to.text);
}
