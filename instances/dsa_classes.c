// SPDX-License-Identifier: Apache-2.0
#include "instances/dsa_classes.h"

#include "model/base/arena.h"

#include <stdlib.h>
#include <string.h>

typedef struct classes {
  memplan_instance *instance;
  const bool *exclusive;
  const memplan_dsa_pair *exclusions; // first < second, sorted
  int32_t n_exclusions;
  memplan_arena scratch;
  int32_t *leader;              // by buffer: the largest member of its class, of equals the first
  bool *pinned;                 // by leader: a member is pinned for all time
  bool *converted;              // by leader
  const memplan_buffer *before; // the buffers with the lifetimes of the file
  memplan_error *error;
} classes;

static int32_t find_root(int32_t *parent, int32_t index) {
  while (parent[index] != index) {
    parent[index] = parent[parent[index]];
    index = parent[index];
  }
  return index;
}

static memplan_status find_leaders(classes *c) {
  const memplan_instance *instance = c->instance;
  int32_t n = instance->n_buffers;
  int32_t *parent = MEMPLAN_NEW(&c->scratch, int32_t, n);
  int32_t *largest = MEMPLAN_NEW(&c->scratch, int32_t, n);
  memplan_buffer *before = MEMPLAN_NEW(&c->scratch, memplan_buffer, n);
  c->leader = MEMPLAN_NEW(&c->scratch, int32_t, n);
  c->pinned = MEMPLAN_NEW(&c->scratch, bool, n);
  c->converted = MEMPLAN_NEW(&c->scratch, bool, n);
  if (parent == NULL || largest == NULL || before == NULL || c->leader == NULL || c->pinned == NULL ||
      c->converted == NULL) {
    return memplan_fail_nomem(c->error);
  }
  for (int32_t i = 0; i < n; i++) {
    before[i] = instance->buffers[i];
    parent[i] = i;
    largest[i] = -1;
  }
  c->before = before;
  for (int32_t k = 0; k < instance->n_colocate; k++) {
    int32_t first = find_root(parent, instance->colocate[k].first);
    int32_t second = find_root(parent, instance->colocate[k].second);
    parent[first > second ? first : second] = first > second ? second : first;
  }
  for (int32_t i = 0; i < n; i++) {
    int32_t *best = &largest[find_root(parent, i)];
    *best = *best < 0 || before[i].bytes > before[*best].bytes ? i : *best;
  }
  for (int32_t i = 0; i < n; i++) {
    c->leader[i] = largest[find_root(parent, i)];
    c->pinned[c->leader[i]] = c->pinned[c->leader[i]] || c->exclusive[i];
  }
  return MEMPLAN_OK;
}

static int compare_pairs(const void *left, const void *right) {
  const memplan_dsa_pair *a = left;
  const memplan_dsa_pair *b = right;
  if (a->first != b->first) {
    return (a->first > b->first) - (a->first < b->first);
  }
  return (a->second > b->second) - (a->second < b->second);
}

static bool is_excluded(const classes *c, int32_t first, int32_t second) {
  memplan_dsa_pair key = {first < second ? first : second, first < second ? second : first};
  return c->n_exclusions > 0 &&
         bsearch(&key, c->exclusions, (size_t)c->n_exclusions, sizeof key, compare_pairs) != NULL;
}

static bool meet(const memplan_buffer *a, const memplan_buffer *b) {
  for (int32_t i = 0, j = 0; i < a->n_live && j < b->n_live;) {
    if (a->live[i].start < b->live[j].end && b->live[j].start < a->live[i].end) {
      return true;
    }
    if (a->live[i].end <= b->live[j].end) {
      i++;
    } else {
      j++;
    }
  }
  return false;
}

// Of each exclusion that matters, one class must give up its lifetimes: the smaller one loses less of the load bound.
// Returns the number of these classes.
static int32_t choose_converted(classes *c) {
  int32_t count = 0;
  for (int32_t k = 0; k < c->n_exclusions; k++) {
    int32_t a = c->exclusions[k].first, b = c->exclusions[k].second;
    int32_t first = c->leader[a], second = c->leader[b];
    if (first == second || c->pinned[first] || c->pinned[second] || c->converted[first] || c->converted[second] ||
        !meet(&c->before[a], &c->before[b])) {
      continue;
    }
    c->converted[c->before[first].bytes < c->before[second].bytes ? first : second] = true;
    count++;
  }
  return count;
}

// Marks in `met` the leaders of the classes that buffer `index` can meet.
static void mark_met(const classes *c, int32_t index, int32_t stamp, int32_t *met) {
  for (int32_t other = 0; other < c->instance->n_buffers; other++) {
    int32_t leader = c->leader[other];
    if (leader != c->leader[index] && met[leader] != stamp &&
        (c->pinned[leader] || (meet(&c->before[index], &c->before[other]) && !is_excluded(c, index, other)))) {
      met[leader] = stamp;
    }
  }
}

typedef struct member {
  int32_t leader, buffer;
} member;

static int compare_members(const void *left, const void *right) {
  const member *a = left;
  const member *b = right;
  if (a->leader != b->leader) {
    return (a->leader > b->leader) - (a->leader < b->leader);
  }
  return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static member *sort_members(classes *c) {
  int32_t n = c->instance->n_buffers;
  member *members = MEMPLAN_NEW(&c->scratch, member, n);
  for (int32_t i = 0; members != NULL && i < n; i++) {
    members[i] = (member){c->leader[i], i};
  }
  if (members != NULL && n > 1) {
    qsort(members, (size_t)n, sizeof *members, compare_members);
  }
  return members;
}

// Counts the conflicts of converted classes, and stores them unless `rules` is NULL.
static int64_t list_conflicts(const classes *c, const member *members, int32_t *met, int32_t base,
                              memplan_rule *rules) {
  int32_t n = c->instance->n_buffers;
  int64_t count = 0;
  for (int32_t first = 0, last = 0; first < n; first = last) {
    int32_t leader = members[first].leader;
    for (last = first; last < n && members[last].leader == leader; last++) {
      if (c->converted[leader]) {
        mark_met(c, members[last].buffer, base + leader + 1, met);
      }
    }
    for (int32_t other = 0; c->converted[leader] && other < n; other++) {
      bool listed_there = c->converted[other] && other < leader;
      if (met[other] == base + leader + 1 && !listed_there) {
        if (rules != NULL) {
          rules[count] = (memplan_rule){.first = leader, .second = other};
        }
        count++;
      }
    }
  }
  return count;
}

static memplan_status add_conflicts(classes *c, const member *members) {
  memplan_instance *instance = c->instance;
  int32_t n = instance->n_buffers;
  int32_t *met = MEMPLAN_NEW(&c->scratch, int32_t, n);
  if (met == NULL) {
    return memplan_fail_nomem(c->error);
  }
  int64_t count = list_conflicts(c, members, met, 0, NULL);
  instance->conflicts = MEMPLAN_NEW(&instance->arena, memplan_rule, count);
  if (instance->conflicts == NULL) {
    return memplan_fail_nomem(c->error);
  }
  instance->n_conflicts = (int32_t)list_conflicts(c, members, met, n, instance->conflicts);
  return MEMPLAN_OK;
}

// The leaders get the lifetimes of their classes, or all time that there is.
static memplan_status move_lifetimes(classes *c, const member *members) {
  memplan_instance *instance = c->instance;
  int32_t n = instance->n_buffers;
  memplan_interval all = {INT64_MAX, INT64_MIN};
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < c->before[i].n_live; k++) {
      all.start = c->before[i].live[k].start < all.start ? c->before[i].live[k].start : all.start;
      all.end = c->before[i].live[k].end > all.end ? c->before[i].live[k].end : all.end;
    }
  }
  for (int32_t first = 0, last = 0; first < n; first = last) {
    memplan_buffer *leader = &instance->buffers[members[first].leader];
    int64_t count = 0;
    for (last = first; last < n && members[last].leader == members[first].leader; last++) {
      count += c->before[members[last].buffer].n_live;
      instance->buffers[members[last].buffer].n_live = 0;
    }
    if (c->converted[members[first].leader]) {
      continue;
    }
    memplan_interval *live = count <= INT32_MAX / 4 ? MEMPLAN_NEW(&instance->arena, memplan_interval, count) : NULL;
    if (live == NULL) {
      return memplan_fail_nomem(c->error);
    }
    int32_t used = 0;
    for (int32_t at = first; at < last; at++) {
      const memplan_buffer *buffer = &c->before[members[at].buffer];
      for (int32_t k = 0; k < buffer->n_live; k++) {
        live[used++] = buffer->live[k];
      }
    }
    if (c->pinned[members[first].leader] && used > 0) {
      live[0] = all;
      used = 1;
    }
    leader->live = live;
    leader->n_live = used;
  }
  return MEMPLAN_OK;
}

static memplan_status apply(classes *c, int32_t *n_converted) {
  static const int64_t most_work = INT64_C(1) << 26;
  memplan_instance *instance = c->instance;
  MEMPLAN_TRY(find_leaders(c));
  *n_converted = choose_converted(c);
  int64_t touched = 0, intervals = instance->n_buffers;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    touched += c->converted[c->leader[i]] ? 1 : 0;
    intervals += instance->buffers[i].n_live;
  }
  if (touched > 0 && intervals > most_work / touched) {
    return memplan_fail(c->error, MEMPLAN_UNSUPPORTED,
                        "temporal exclusions touch %lld of %d buffers, which is more than memplan can turn into "
                        "conflicts; leave some of them out",
                        (long long)touched, instance->n_buffers);
  }
  const member *members = sort_members(c);
  if (members == NULL) {
    return memplan_fail_nomem(c->error);
  }
  MEMPLAN_TRY(add_conflicts(c, members));
  for (int32_t k = 0; k < instance->n_separate; k++) {
    memplan_rule *rule = &instance->separate[k];
    // Inside one class the rule contradicts colocation, which resolving reports by the names of the file.
    if (c->leader[rule->first] != c->leader[rule->second]) {
      *rule = (memplan_rule){.first = c->leader[rule->first], .second = c->leader[rule->second]};
    }
  }
  return move_lifetimes(c, members);
}

memplan_status memplan_dsa_classes_apply(memplan_instance *instance, const bool *exclusive,
                                         memplan_dsa_pair *exclusions, int32_t n_exclusions, int32_t *n_converted,
                                         memplan_error *error) {
  for (int32_t k = 0; k < n_exclusions; k++) {
    if (exclusions[k].first > exclusions[k].second) {
      exclusions[k] = (memplan_dsa_pair){exclusions[k].second, exclusions[k].first};
    }
  }
  if (n_exclusions > 1) {
    qsort(exclusions, (size_t)n_exclusions, sizeof *exclusions, compare_pairs);
  }
  classes c = {.instance = instance,
               .exclusive = exclusive,
               .exclusions = exclusions,
               .n_exclusions = n_exclusions,
               .error = error};
  memplan_status status = apply(&c, n_converted);
  memplan_arena_free(&c.scratch);
  return status;
}
