// SPDX-License-Identifier: Apache-2.0
#include "solvers/joint_piece.h"

enum {
  most_items = 900,
  first_share = 1 << 18, // ticks
  share_growth = 2,      // binary digits, from round to round
  most_share_digits = 40,
  most_ticks = 1 << 20, // of one call
  ticks_of_cell = 4     // making a piece: of a pair of items, or of an item and an operator
};

memplan_status memplan_joint_piece_open(memplan_joint_piece *piece, const memplan_joint_graph *graph, int32_t n_steps,
                                        int64_t lower, int64_t upper, const memplan_joint_settings *settings,
                                        memplan_joint_work *work, memplan_error *error) {
  int64_t items = graph->n_items;
  work->ticks += ticks_of_cell * items * n_steps;
  if (items > most_items) {
    return MEMPLAN_OK;
  }
  work->ticks += ticks_of_cell * (items * items / 2);
  piece->spent = 0;
  memplan_status status = memplan_joint_search_new(graph, lower, upper, settings, &piece->search, error);
  return status == MEMPLAN_UNSUPPORTED ? MEMPLAN_OK : status;
}

void memplan_joint_piece_close(memplan_joint_piece *piece) {
  memplan_joint_search_free(piece->search);
  memplan_arena_free(&piece->arena);
  *piece = (memplan_joint_piece){.search = NULL};
}

memplan_status memplan_joint_piece_run(memplan_joint_piece *piece, int32_t round, int64_t ticks,
                                       memplan_joint_work *work, memplan_joint_result *result, bool *spent,
                                       memplan_error *error) {
  int32_t digits = share_growth * round < most_share_digits ? share_growth * round : most_share_digits;
  int64_t share = (int64_t)first_share << digits, left = share - piece->spent;
  int64_t limit = ticks < most_ticks ? ticks : most_ticks;
  memplan_engine_counts before = memplan_joint_search_count(piece->search);
  *result = memplan_joint_search_run(piece->search, left < limit ? left : limit);
  memplan_engine_counts counts = memplan_joint_search_count(piece->search);
  if (*result == MEMPLAN_JOINT_NOMEM) {
    return memplan_fail_nomem(error);
  }
  int64_t done = counts.ticks - before.ticks + 1;
  piece->spent += done;
  work->ticks += done;
  work->conflicts += counts.conflicts - before.conflicts;
  *spent = piece->spent >= share;
  return MEMPLAN_OK;
}
