// SPDX-License-Identifier: Apache-2.0
// A window's items are those that live at one of its steps; their overlaps and links are those of the whole order. One
// whose items all end within the capacity in a placement that is known can be placed, so that windows around what
// that placement has put too high are left. Parts are left out in halves, quarters and so on down to single ones, each
// time that the rest is still refuted; what is undecided stays. Overlaps that are there in every order cost nothing,
// and are not tried.
#include "solvers/joint_nogood.h"

#include "solvers/joint_slice.h"
#include "solvers/joint_window.h"

#include <string.h>

enum {
  narrowest = 4,          // steps
  most_items = 600,       // of a window
  ticks_of_op = 2,        // of looking at one operator for two items
  filter_share = 2,       // questions of the filter have so many times the ticks that the refutation took
  filter_ticks = 1 << 16, // and so many more
  height_share = 8        // the same for the height
};

// What a refutation stands on.
typedef struct subject {
  int32_t *items;
  memplan_joint_overlap *overlaps; // the first n_open are not certain
  int32_t *links;
  int32_t n_items, n_open, n_overlaps, n_links;
} subject;

typedef struct finder {
  const memplan_joint_nogood_task *task;
  memplan_joint_nogood_news *news;
  memplan_arena scratch;
  memplan_joint_layout layout;
  subject now, tried;
  int32_t *source; // by item: the one whose bytes it takes over, or -1
  bool *kept;      // by item of the graph, scratch
  int64_t ticks;   // of a question of the filter
} finder;

// ---- overlaps

bool memplan_joint_may_link(const memplan_joint_pair *pair, int32_t first, int32_t second) {
  return (pair->born == first && pair->dying == second) || (pair->born == second && pair->dying == first);
}

bool memplan_joint_overlap_always(const memplan_joint_graph *whole, int32_t first, int32_t second, int32_t *at) {
  *at = -1;
  const memplan_joint_item *a = &whole->items[first], *b = &whole->items[second];
  if (a->unread || b->unread) {
    return false;
  }
  if ((a->keep && b->keep) || (a->init && b->init)) {
    return true;
  }
  for (int32_t op = 0; op < whole->n_ops; op++) {
    if (!memplan_joint_window_holds(whole, first, &op, 1) || !memplan_joint_window_holds(whole, second, &op, 1)) {
      continue;
    }
    bool linked = false;
    for (int32_t k = 0; k < whole->n_pairs && !linked; k++) {
      linked = whole->pairs[k].op == op && memplan_joint_may_link(&whole->pairs[k], first, second);
    }
    if (!linked) {
      *at = op;
      return true;
    }
  }
  return false;
}

static bool overlap(const finder *work, int32_t a, int32_t b) {
  const memplan_joint_layout *layout = &work->layout;
  return layout->first[a] <= layout->last[b] && layout->first[b] <= layout->last[a] && work->source[a] != b &&
         work->source[b] != a;
}

// ---- windows

static bool lives_in(const finder *work, int32_t item, int32_t start, int32_t end) {
  const memplan_joint_item *entry = &work->task->whole->items[item];
  return !entry->reserved && !entry->unread && work->layout.first[item] <= work->layout.last[item] &&
         work->layout.first[item] < end && work->layout.last[item] >= start;
}

// The items of the steps [start, end). False: they can be placed for certain, or there are too many.
static bool open_window(finder *work, int32_t start, int32_t end) {
  const memplan_joint_nogood_task *task = work->task;
  subject *now = &work->now;
  bool high = task->end == NULL;
  now->n_items = 0;
  for (int32_t item = 0; item < task->whole->n_items; item++) {
    if (lives_in(work, item, start, end)) {
      high = high || task->end[item] > task->capacity;
      now->items[now->n_items++] = item;
    }
  }
  work->news->ticks += task->whole->n_items;
  return high && now->n_items <= most_items;
}

// Overlaps and links of the items of the window; certain ones are not told apart yet.
static bool fill_window(finder *work) {
  const memplan_joint_graph *whole = work->task->whole;
  subject *now = &work->now;
  int64_t n = now->n_items;
  now->overlaps = MEMPLAN_NEW(&work->scratch, memplan_joint_overlap, n * (n - 1) / 2 + 1);
  work->tried.overlaps = MEMPLAN_NEW(&work->scratch, memplan_joint_overlap, n * (n - 1) / 2 + 1);
  if (now->overlaps == NULL || work->tried.overlaps == NULL) {
    return false;
  }
  now->n_open = now->n_overlaps = now->n_links = 0;
  memset(work->kept, 0, (size_t)whole->n_items * sizeof *work->kept);
  for (int32_t k = 0; k < n; k++) {
    work->kept[now->items[k]] = true;
    for (int32_t l = k + 1; l < n; l++) {
      if (overlap(work, now->items[k], now->items[l])) {
        now->overlaps[now->n_overlaps++] = (memplan_joint_overlap){now->items[k], now->items[l]};
      }
    }
  }
  work->news->ticks += n * n / 2;
  for (int32_t k = 0; k < whole->n_pairs; k++) {
    if (work->layout.chosen[k] && work->kept[whole->pairs[k].born] && work->kept[whole->pairs[k].dying]) {
      now->links[now->n_links++] = k;
    }
  }
  return true;
}

static memplan_status ask(finder *work, const subject *about, int64_t ticks, memplan_joint_answer *answer,
                          memplan_error *error) {
  const memplan_joint_nogood_task *task = work->task;
  const memplan_joint_question question = {.whole = task->whole,
                                           .items = about->items,
                                           .n_items = about->n_items,
                                           .overlaps = about->overlaps,
                                           .n_overlaps = about->n_overlaps,
                                           .links = about->links,
                                           .n_links = about->n_links};
  MEMPLAN_TRY(
      memplan_joint_refute(&question, task->capacity, false, ticks, task->without, task->limits, answer, error));
  work->news->ticks += answer->ticks;
  work->news->questions++;
  return MEMPLAN_OK;
}

// ---- leaving out

typedef struct portion {
  int32_t begin, end; // places
} portion;

// What is left of `now` goes to `tried`.
static void copy_without_items(finder *work, portion out) {
  const memplan_joint_graph *whole = work->task->whole;
  const subject *now = &work->now;
  subject *tried = &work->tried;
  tried->n_items = tried->n_overlaps = tried->n_links = tried->n_open = 0;
  memset(work->kept, 0, (size_t)whole->n_items * sizeof *work->kept);
  for (int32_t k = 0; k < now->n_items; k++) {
    if (k < out.begin || k >= out.end) {
      work->kept[now->items[k]] = true;
      tried->items[tried->n_items++] = now->items[k];
    }
  }
  for (int32_t k = 0; k < now->n_overlaps; k++) {
    if (work->kept[now->overlaps[k].first] && work->kept[now->overlaps[k].second]) {
      tried->n_open += k < now->n_open;
      tried->overlaps[tried->n_overlaps++] = now->overlaps[k];
    }
  }
  for (int32_t k = 0; k < now->n_links; k++) {
    if (work->kept[whole->pairs[now->links[k]].born] && work->kept[whole->pairs[now->links[k]].dying]) {
      tried->links[tried->n_links++] = now->links[k];
    }
  }
}

static void copy_without_overlaps(finder *work, portion out) {
  const subject *now = &work->now;
  subject *tried = &work->tried;
  memcpy(tried->items, now->items, (size_t)now->n_items * sizeof *tried->items);
  memcpy(tried->links, now->links, (size_t)now->n_links * sizeof *tried->links);
  tried->n_items = now->n_items;
  tried->n_links = now->n_links;
  tried->n_overlaps = 0;
  for (int32_t k = 0; k < now->n_overlaps; k++) {
    if (k < out.begin || k >= out.end) {
      tried->overlaps[tried->n_overlaps++] = now->overlaps[k];
    }
  }
  tried->n_open = now->n_open - (out.end - out.begin);
}

static void copy_without_links(finder *work, portion out) {
  const subject *now = &work->now;
  subject *tried = &work->tried;
  memcpy(tried->items, now->items, (size_t)now->n_items * sizeof *tried->items);
  memcpy(tried->overlaps, now->overlaps, (size_t)now->n_overlaps * sizeof *tried->overlaps);
  tried->n_items = now->n_items;
  tried->n_overlaps = now->n_overlaps;
  tried->n_open = now->n_open;
  tried->n_links = 0;
  for (int32_t k = 0; k < now->n_links; k++) {
    if (k < out.begin || k >= out.end) {
      tried->links[tried->n_links++] = now->links[k];
    }
  }
}

typedef void (*copier)(finder *work, portion out);

// `count`: how many parts there are now, of which the last ones are tried first.
static memplan_status leave_out(finder *work, const int32_t *count, copier copy, memplan_error *error) {
  for (int32_t size = *count > 1 ? *count / 2 : *count; size > 0; size /= 2) {
    for (int32_t end = *count; end > 0; end -= size) {
      if (memplan_limits_reached(work->task->limits) != MEMPLAN_STOP_DONE) {
        return MEMPLAN_OK;
      }
      memplan_joint_answer answer;
      copy(work, (portion){end > size ? end - size : 0, end});
      if (work->tried.n_items == 0) {
        continue;
      }
      MEMPLAN_TRY(ask(work, &work->tried, work->ticks, &answer, error));
      if (answer.fit == MEMPLAN_FIT_NO) {
        subject replaced = work->now;
        work->now = work->tried;
        work->tried = replaced;
      }
    }
  }
  return MEMPLAN_OK;
}

// Puts the overlaps that are not certain first; both kinds stay in their order. Once a limit is reached, none is told
// to be certain any more.
static void part_overlaps(finder *work) {
  const memplan_joint_graph *whole = work->task->whole;
  subject *now = &work->now, *tried = &work->tried;
  int32_t n_certain = 0;
  now->n_open = 0;
  for (int32_t k = 0; k < now->n_overlaps; k++) {
    memplan_joint_overlap entry = now->overlaps[k];
    int32_t at;
    if (memplan_limits_reached(work->task->limits) == MEMPLAN_STOP_DONE &&
        memplan_joint_overlap_always(whole, entry.first, entry.second, &at)) {
      tried->overlaps[n_certain++] = entry;
    } else {
      now->overlaps[now->n_open++] = entry;
    }
  }
  memcpy(now->overlaps + now->n_open, tried->overlaps, (size_t)n_certain * sizeof *now->overlaps);
  work->news->ticks += (int64_t)ticks_of_op * now->n_overlaps * whole->n_ops;
}

static memplan_status shorten(finder *work, memplan_error *error) {
  MEMPLAN_TRY(leave_out(work, &work->now.n_items, copy_without_items, error));
  part_overlaps(work);
  MEMPLAN_TRY(leave_out(work, &work->now.n_open, copy_without_overlaps, error));
  return leave_out(work, &work->now.n_links, copy_without_links, error);
}

// ---- the nogood

static memplan_status find_height(finder *work, int64_t *height, memplan_error *error) {
  const memplan_joint_nogood_task *task = work->task;
  const subject *now = &work->now;
  const memplan_joint_question question = {.whole = task->whole,
                                           .items = now->items,
                                           .n_items = now->n_items,
                                           .overlaps = now->overlaps,
                                           .n_overlaps = now->n_overlaps,
                                           .links = now->links,
                                           .n_links = now->n_links};
  memplan_joint_answer answer;
  MEMPLAN_TRY(memplan_joint_refute(&question, task->upper - 1, true, height_share * work->ticks, task->without,
                                   task->limits, &answer, error));
  work->news->ticks += answer.ticks;
  work->news->questions++;
  *height = answer.height > task->capacity ? answer.height : task->capacity + 1;
  return MEMPLAN_OK;
}

static memplan_status keep(finder *work, memplan_arena *arena, memplan_joint_nogood *nogood, memplan_error *error) {
  const subject *now = &work->now;
  int32_t *items = MEMPLAN_NEW(arena, int32_t, now->n_items), *links = MEMPLAN_NEW(arena, int32_t, now->n_links);
  memplan_joint_overlap *overlaps = MEMPLAN_NEW(arena, memplan_joint_overlap, now->n_overlaps);
  if (items == NULL || links == NULL || overlaps == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(items, now->items, (size_t)now->n_items * sizeof *items);
  memcpy(links, now->links, (size_t)now->n_links * sizeof *links);
  memcpy(overlaps, now->overlaps, (size_t)now->n_overlaps * sizeof *overlaps);
  *nogood = (memplan_joint_nogood){.items = items,
                                   .n_items = now->n_items,
                                   .overlaps = overlaps,
                                   .n_open = now->n_open,
                                   .n_overlaps = now->n_overlaps,
                                   .links = links,
                                   .n_links = now->n_links};
  return find_height(work, &nogood->height, error);
}

static memplan_status set_up(finder *work, memplan_error *error) {
  const memplan_joint_nogood_task *task = work->task;
  const memplan_joint_graph *whole = task->whole;
  memplan_arena *arena = &work->scratch;
  memplan_joint_layout *layout = &work->layout;
  *layout = (memplan_joint_layout){.order = MEMPLAN_NEW(arena, int32_t, whole->n_ops),
                                   .chosen = MEMPLAN_NEW(arena, bool, whole->n_pairs),
                                   .step = MEMPLAN_NEW(arena, int32_t, whole->n_ops),
                                   .first = MEMPLAN_NEW(arena, int32_t, whole->n_items),
                                   .last = MEMPLAN_NEW(arena, int32_t, whole->n_items)};
  work->source = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  work->kept = MEMPLAN_NEW(arena, bool, whole->n_items);
  work->now.items = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  work->tried.items = MEMPLAN_NEW(arena, int32_t, whole->n_items);
  work->now.links = MEMPLAN_NEW(arena, int32_t, whole->n_pairs);
  work->tried.links = MEMPLAN_NEW(arena, int32_t, whole->n_pairs);
  if (layout->order == NULL || layout->chosen == NULL || layout->step == NULL || layout->first == NULL ||
      layout->last == NULL || work->source == NULL || work->kept == NULL || work->now.items == NULL ||
      work->tried.items == NULL || work->now.links == NULL || work->tried.links == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(layout->order, task->order, (size_t)whole->n_ops * sizeof *layout->order);
  for (int32_t k = 0; k < whole->n_pairs; k++) {
    for (int32_t l = 0; l < task->n_choices; l++) {
      layout->chosen[k] = layout->chosen[k] || task->choice[l] == whole->pairs[k].index;
    }
  }
  for (int32_t item = 0; item < whole->n_items; item++) {
    work->source[item] = -1;
  }
  for (int32_t k = 0; k < whole->n_pairs; k++) {
    if (layout->chosen[k]) { // of those with one output only one can be
      work->source[whole->pairs[k].born] = whole->pairs[k].dying;
    }
  }
  memplan_joint_layout_live(whole, layout);
  return MEMPLAN_OK;
}

static memplan_status try_window(finder *work, int32_t start, int32_t end, int64_t ticks, memplan_arena *arena,
                                 memplan_joint_nogood *nogood, memplan_error *error) {
  memplan_arena_mark mark = memplan_arena_get_mark(&work->scratch);
  memplan_joint_answer answer;
  if (!open_window(work, start, end)) {
    return MEMPLAN_OK;
  }
  if (!fill_window(work)) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(ask(work, &work->now, ticks, &answer, error));
  if (answer.fit == MEMPLAN_FIT_NO) {
    work->ticks = filter_share * answer.ticks + filter_ticks;
    work->news->found = true;
    MEMPLAN_TRY(shorten(work, error));
    MEMPLAN_TRY(keep(work, arena, nogood, error));
  }
  memplan_arena_release(&work->scratch, mark);
  return MEMPLAN_OK;
}

static memplan_status try_windows(finder *work, memplan_arena *arena, memplan_joint_nogood *nogood,
                                  memplan_error *error) {
  const memplan_joint_nogood_task *task = work->task;
  int32_t n = task->whole->n_ops, width = narrowest < n ? narrowest : n;
  int64_t ticks = task->ticks;
  for (;; width = width < n / 2 ? 2 * width : n, ticks *= 2) {
    int32_t stride = width > 1 ? width / 2 : 1;
    for (int32_t start = 0;; start += stride) {
      start = start < n - width ? start : n - width;
      if (memplan_limits_reached(task->limits) != MEMPLAN_STOP_DONE) {
        return MEMPLAN_OK;
      }
      MEMPLAN_TRY(try_window(work, start, start + width, ticks, arena, nogood, error));
      if (work->news->found) {
        return MEMPLAN_OK;
      }
      if (start == n - width) {
        break;
      }
    }
    if (width == n) {
      return MEMPLAN_OK;
    }
  }
}

memplan_status memplan_joint_nogood_find(const memplan_joint_nogood_task *task, memplan_arena *arena,
                                         memplan_joint_nogood *nogood, memplan_joint_nogood_news *news,
                                         memplan_error *error) {
  *news = (memplan_joint_nogood_news){.found = false};
  finder work = {.task = task, .news = news};
  memplan_status status = set_up(&work, error);
  if (status == MEMPLAN_OK && task->whole->n_ops > 0) {
    status = try_windows(&work, arena, nogood, error);
  }
  memplan_arena_free(&work.scratch);
  return status;
}
