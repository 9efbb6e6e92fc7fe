// SPDX-License-Identifier: Apache-2.0
// A candidate of the joint portfolio and its placements: what a thread works on in a round.
#ifndef MEMPLAN_SOLVERS_JOINT_JOB_H
#define MEMPLAN_SOLVERS_JOINT_JOB_H

#include "solvers/graph_candidates.h"
#include "solvers/place.h"

typedef struct memplan_joint_job {
  const memplan_candidate *entry;
  memplan_instance instance;
  bool lowered, closed; // closed: nothing more to be found
  memplan_arena arena;  // of its placement
  memplan_place_result best;
  int64_t bound;  // of its placements
  int64_t rounds; // that it took part in
  // of the round
  int64_t ticks, nodes;
  memplan_status status;
  memplan_error error;
} memplan_joint_job;

// The same for all jobs of a round.
typedef struct memplan_joint_round {
  const memplan_ordering *ordering;
  const memplan_limits *limits; // started; their work counts for nothing here
  uint64_t without;             // as in memplan_solve_options
  int64_t work, goal;           // ticks of the exact search; a peak that is good enough
} memplan_joint_round;

// NULL if memory is out. The candidate has to outlive the job.
memplan_joint_job *memplan_joint_job_new(const memplan_candidate *entry);
void memplan_joint_job_free(memplan_joint_job *job); // may be NULL

// Gives the memory of its placement problem and placement back; its bound stays.
void memplan_joint_job_release(memplan_joint_job *job);

// Samples skylines, then searches from the best placement so far. A function of the job and the slice alone, unless
// time is over. Its status and message are in the job.
void memplan_joint_job_run(memplan_joint_job *job, const memplan_joint_round *round);

#endif
