// SPDX-License-Identifier: Apache-2.0
#include "eval/other_problem.h"

#include "model/base/names.h"
#include "model/base/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *id_of(const memplan_problem *problem, int32_t index) {
  return problem->has_graph ? problem->graph.ops[index].id : problem->instance.buffers[index].id;
}

// Would the fingerprint be that one under the name, and with the capacity, that the options state? A capacity that is
// asked of a plan now is none of the problem's.
static bool matches_as(memplan_problem *problem, const json_t *options, const char *fingerprint, bool *nomem) {
  const json_t *capacity = json_object_get(options, "capacity");
  int64_t kept_capacity = problem->options.capacity;
  const char **own = problem->has_graph ? &problem->graph.name : &problem->instance.name;
  const char *kept_name = *own;
  char kept[MEMPLAN_FINGERPRINT_SIZE];
  memcpy(kept, problem->fingerprint, sizeof kept);
  *own = json_string_value(json_object_get(options, "name"));
  problem->options.capacity = json_is_integer(capacity) ? json_integer_value(capacity) : -1;
  *nomem = memplan_problem_fingerprint(problem, NULL) != MEMPLAN_OK;
  bool same = !*nomem && strcmp(problem->fingerprint, fingerprint) == 0;
  *own = kept_name;
  problem->options.capacity = kept_capacity;
  memcpy(problem->fingerprint, kept, sizeof kept);
  return same;
}

typedef struct difference {
  int64_t gone, added;        // known ones that the problem lacks; and the other way round
  const char *a_gone, *a_new; // the first of them
} difference;

static bool compare_ids(const memplan_problem *problem, const memplan_known_problem *known, difference *found) {
  int32_t n = problem->has_graph ? problem->graph.n_ops : problem->instance.n_buffers;
  memplan_names names = {0};
  bool good = true;
  for (int32_t k = 0; k < n && good; k++) {
    good = memplan_names_add(&names, id_of(problem, k), 0) != -2;
  }
  for (int64_t k = 0; k < known->n_ids && good; k++) {
    bool there = memplan_names_find(&names, known->ids[k]) >= 0;
    good = !there || memplan_names_set(&names, known->ids[k], 1);
    if (!there && found->gone++ == 0) {
      found->a_gone = known->ids[k];
    }
  }
  for (int32_t k = 0; k < n && good; k++) {
    if (memplan_names_find(&names, id_of(problem, k)) == 0 && found->added++ == 0) {
      found->a_new = id_of(problem, k);
    }
  }
  memplan_names_free(&names);
  return good;
}

static void append(char *text, size_t size, const char *more) {
  size_t used = strlen(text);
  (void)snprintf(text + used, size - used, "%s", more);
}

static void write_difference(const difference *found, const char *things, char *text, size_t size) {
  char part[200];
  if (found->gone > 0) {
    (void)snprintf(part, sizeof part, ", %" PRId64 " of its %s %s not here (as '%.60s')", found->gone, things,
                   found->gone == 1 ? "is" : "are", memplan_quote(found->a_gone).text);
    append(text, size, part);
  }
  if (found->added > 0) {
    (void)snprintf(part, sizeof part, ", %" PRId64 " of the %s here %s not in it (as '%.60s')", found->added, things,
                   found->added == 1 ? "is" : "are", memplan_quote(found->a_new).text);
    append(text, size, part);
  }
}

const char *memplan_other_problem_text(memplan_problem *problem, const memplan_known_problem *known, char *text,
                                       size_t size) {
  const char *then = json_string_value(json_object_get(known->options, "name"));
  const char *now = problem->has_graph ? problem->graph.name : problem->instance.name;
  const char *things = problem->has_graph ? "operators" : "buffers";
  bool renamed = then != NULL && strcmp(then, now) != 0, nomem = false;
  difference found = {0, 0, NULL, NULL};
  if (renamed && matches_as(problem, known->options, known->fingerprint, &nomem)) {
    (void)snprintf(text, size, "only the name differs: it was '%.100s' then and is '%.100s' here",
                   memplan_quote(then).text, memplan_quote(now).text);
    return text;
  }
  if (nomem || (known->n_ids >= 0 && !compare_ids(problem, known, &found))) {
    return NULL;
  }
  text[0] = '\0';
  if (renamed) {
    (void)snprintf(text, size, ", the name was '%.100s' and is '%.100s' here", memplan_quote(then).text,
                   memplan_quote(now).text);
  }
  write_difference(&found, things, text, size);
  bool alike = known->n_ids >= 0 && found.gone + found.added == 0;
  if (alike) {
    char part[160];
    (void)snprintf(part, sizeof part, ", its %s are those here, so that %s differ", things,
                   problem->has_graph ? "sizes, edges, attributes or alignments" : "sizes, lifetimes or rules");
    append(text, size, part);
  }
  if (text[0] == '\0') {
    append(text, size, ", nothing here tells in what");
  }
  memmove(text, text + 2, strlen(text + 2) + 1);
  return text;
}
