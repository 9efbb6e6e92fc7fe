// SPDX-License-Identifier: Apache-2.0
// Sets of operators that a search has met, each with the nogoods that were broken on its way there. The fewer are
// broken, the less is possible from there.
#ifndef MEMPLAN_SOLVERS_JOINT_SEEN_H
#define MEMPLAN_SOLVERS_JOINT_SEEN_H

#include <stdbool.h>
#include <stdint.h>

// Sets are known by 128-bit keys: 10^8 of them collide with a probability of about 10^-23.
typedef struct memplan_joint_seen {
  int32_t words;  // of the bits of a way
  int64_t n;      // ways kept
  int64_t memory; // bytes in use
  // private
  uint64_t (*keys)[2]; // open addressing
  int64_t *newest;     // by key: its last way + 1, 0: the slot is free
  int64_t n_keys, key_capacity;
  int64_t *older; // by way: the one before with its key + 1
  uint64_t *bits; // by way
  int64_t older_capacity, bits_capacity;
} memplan_joint_seen;

void memplan_joint_seen_init(memplan_joint_seen *seen, int32_t words);
void memplan_joint_seen_free(memplan_joint_seen *seen);

// *is_new: no way to the set is known on which all of these nogoods were broken; this one is kept then. False if
// memory is out. O(ways known to the set x words).
bool memplan_joint_seen_note(memplan_joint_seen *seen, const uint64_t *key, const uint64_t *broken, bool *is_new);

#endif
