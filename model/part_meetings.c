// SPDX-License-Identifier: Apache-2.0
// A merge of two lists that are sorted by start. Each part that starts meets the parts of the other block that are
// open; those that have ended are dropped on the way, so that each is passed over in vain once.
#include "model/part_meetings.h"

void memplan_part_meetings_begin(memplan_part_meetings *walk, const memplan_part *parts, const memplan_block *a,
                                 const memplan_block *b, int32_t *room) {
  *walk = (memplan_part_meetings){.parts = parts,
                                  .next = {a->first_part, b->first_part},
                                  .end = {a->first_part + a->n_parts, b->first_part + b->n_parts},
                                  .open = {room, room + a->n_parts},
                                  .started = -1};
}

// Does the next part of another start come from this block?
static bool comes_first(const memplan_part_meetings *walk, int32_t side) {
  int32_t other = 1 - side;
  return walk->next[side] < walk->end[side] &&
         (walk->next[other] == walk->end[other] ||
          walk->parts[walk->next[side]].start <= walk->parts[walk->next[other]].start);
}

bool memplan_part_meetings_next(memplan_part_meetings *walk, int32_t *of_a, int32_t *of_b) {
  for (;;) {
    if (walk->started >= 0) {
      int32_t other = 1 - walk->side, *open = walk->open[other];
      while (walk->at < walk->n_open[other]) {
        int32_t part = open[walk->at++];
        if (walk->parts[part].end > walk->parts[walk->started].start) {
          open[walk->kept++] = part;
          *of_a = walk->side == 0 ? walk->started : part;
          *of_b = walk->side == 0 ? part : walk->started;
          return true;
        }
      }
      walk->n_open[other] = walk->kept;
      walk->open[walk->side][walk->n_open[walk->side]++] = walk->started;
    }
    for (int32_t side = 0; side < 2; side++) { // nothing is left that it could meet
      if (walk->next[side] == walk->end[side] && walk->n_open[side] == 0) {
        walk->started = -1;
        return false;
      }
    }
    walk->side = comes_first(walk, 0) ? 0 : 1;
    if (walk->next[walk->side] == walk->end[walk->side]) {
      walk->started = -1;
      return false;
    }
    walk->started = walk->next[walk->side]++;
    walk->at = walk->kept = 0;
  }
}
