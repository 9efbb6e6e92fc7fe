// SPDX-License-Identifier: Apache-2.0
// A piece of a joint problem, a window or a slice, that is searched in shares of work: how it is held.
#ifndef MEMPLAN_SOLVERS_JOINT_PIECE_H
#define MEMPLAN_SOLVERS_JOINT_PIECE_H

#include "solvers/joint_search.h"

typedef struct memplan_joint_piece {
  memplan_arena arena;          // of its graph
  memplan_joint_search *search; // NULL: none is open
  int64_t spent;                // ticks of the search
} memplan_joint_piece;

typedef struct memplan_joint_work {
  int64_t ticks, conflicts;
} memplan_joint_work;

// Begins the search for a plan of `graph`, made in the piece's arena of `n_steps` steps, with a peak in [lower, upper).
// piece->search stays NULL where the graph is too large: nothing comes of it then. Adds to the work what making the
// graph and the search is counted as.
memplan_status memplan_joint_piece_open(memplan_joint_piece *piece, const memplan_joint_graph *graph, int32_t n_steps,
                                        int64_t lower, int64_t upper, const memplan_joint_settings *settings,
                                        memplan_joint_work *work, memplan_error *error);

// Ends what is open, if anything is, and gives its memory back.
void memplan_joint_piece_close(memplan_joint_piece *piece);

// Goes on with the search for at most so many ticks (of a call no more than there should be between two looks at the
// limits of a run), within the piece's share, which grows from round to round. *spent: the share is used up. The work
// is added.
memplan_status memplan_joint_piece_run(memplan_joint_piece *piece, int32_t round, int64_t ticks,
                                       memplan_joint_work *work, memplan_joint_result *result, bool *spent,
                                       memplan_error *error);

#endif
