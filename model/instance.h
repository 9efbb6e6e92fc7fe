// SPDX-License-Identifier: Apache-2.0
// The placement problem: buffers with lifetimes, to be given offsets.
//
// A reader (or the lowering of a graph on an order) fills the public arrays and calls memplan_instance_resolve, which
// checks them and computes the derived part that every placement method works on:
//
//   part   a rectangle: a byte window of a block that is occupied during an interval of time ranks
//   block  what is placed as one: a buffer, or buffers tied to each other by `colocate`
//
// Two blocks may not share a byte at a time at which both have parts there, and `separate` blocks never. Times are
// compressed to ranks 0 … n_times-1 (rank r stands for [times[r], times[r+1])), which keeps every overlap.
// Sizes and offsets in bytes. All memory belongs to `arena`. After resolve the instance is passed as const.
#ifndef MEMPLAN_INSTANCE_H
#define MEMPLAN_INSTANCE_H

#include "model/base/arena.h"
#include "model/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_interval {
  int64_t start, end; // half-open
} memplan_interval;

// During [start, end) only the bytes [low, high) of the buffer are occupied; low == high: none.
typedef struct memplan_gap {
  int64_t start, end, low, high;
} memplan_gap;

typedef struct memplan_pool {
  const char *id;
  int64_t capacity;                 // bytes of offsets, -1: none
  int64_t base;                     // added to an offset before its alignment is taken
  const memplan_interval *reserved; // offsets that no buffer may use: its whole extent stays off them, also bytes that
                                    // its gaps leave unoccupied throughout
  int32_t n_reserved;
} memplan_pool;

// The cells of a table that a buffer is read from, for messages about it.
typedef enum memplan_buffer_cell {
  MEMPLAN_CELL_ID = 0,
  MEMPLAN_CELL_LIVE,
  MEMPLAN_CELL_GAPS,
  MEMPLAN_CELL_PIN,
  MEMPLAN_CELL_ALIGN,
  MEMPLAN_CELLS
} memplan_buffer_cell;

typedef struct memplan_buffer {
  const char *id;         // unique
  int64_t bytes;          // >= 0
  int64_t align, residue; // base + offset = residue (modulo align), 0 <= residue < align
  int64_t pin;            // fixed offset or -1
  int64_t offset;         // offset that came with the file, -1 if none; ignored by the methods
  int64_t hint;           // wished offset or -1; ignored by the methods
  const memplan_interval *live;
  const memplan_gap *gaps;
  const int32_t *pools; // admissible pools, the preferred first; none: all, in their order
  int32_t n_live, n_gaps, n_pools;
  int32_t row;                   // line in the source, 0 if none
  int32_t column[MEMPLAN_CELLS]; // where its cells start in that line, in characters from 1; 0 if unknown
} memplan_buffer;

// first and second never share a byte (separate, conflicts), or off(second) = off(first) + delta (colocate),
// also where one of them is empty: an empty buffer conflicts with nothing, but the rule is the file's word about
// offsets.
typedef struct memplan_rule {
  int32_t first, second;
  int64_t delta;
} memplan_rule;

// What it costs that two buffers use the same bytes, at different times. Information: no constraint.
typedef struct memplan_reuse {
  int32_t first, second;
  int64_t cost; // >= 0
} memplan_reuse;

// ---- derived

typedef struct memplan_part {
  int32_t start, end; // time ranks, half-open
  int64_t low, high;  // bytes relative to the block's offset, low < high
  int32_t buffer;     // that it belongs to
} memplan_part;

typedef struct memplan_block {
  int32_t first_member, n_members; // in instance.members: buffer and its delta
  int32_t first_part, n_parts;     // in instance.parts; parts of one block may not be merged further
  int32_t start, end;              // hull of its parts in time ranks; start == end: never live
  int64_t bytes;                   // largest delta + bytes of a member: the block ends at offset + bytes
  int64_t align, residue;          // of base + offset
  int64_t pin;                     // or -1
  int32_t first_apart, n_apart;    // in instance.apart: bytes it may never share with other blocks
  int32_t first_pool, n_pools;     // in instance.block_pools
} memplan_block;

// Bytes [low, high) of this block and [other_low, other_high) of block `block` are never the same, whatever the times.
typedef struct memplan_apart {
  int32_t block;
  int64_t low, high, other_low, other_high; // relative to the blocks' offsets
} memplan_apart;

typedef struct memplan_member {
  int32_t buffer;
  int64_t delta; // >= 0, 0 for the lowest member
} memplan_member;

typedef struct memplan_instance {
  memplan_arena arena;
  const char *name, *source; // never NULL
  memplan_buffer *buffers;
  memplan_pool *pools; // none given: one pool without capacity is made by resolve
  memplan_rule *separate, *colocate, *conflicts;
  memplan_reuse *reuse;
  int32_t n_buffers, n_pools, n_separate, n_colocate, n_conflicts, n_reuse;
  bool prefer_low_reuse; // among the plans that fit, the file asks for the least reuse cost, not for the least peak
  bool default_pool;     // the only pool was made by resolve
  bool lifetimes_forced; // the options count lifetimes otherwise than the file by itself would
  // derived
  int64_t *times;        // n_times + 1 entries: the last one only ends lifetimes
  memplan_block *blocks; // in canonical order: (start, end, bytes, align, id of the lowest member), so that the
                         // order of the rows never matters
  memplan_member *members;
  memplan_part *parts;
  memplan_apart *apart; // by block
  int32_t *block_pools;
  int32_t *block_of; // by buffer
  int64_t *delta_of; // by buffer: its offset is its block's plus this
  int32_t n_times, n_blocks, n_members, n_parts, n_apart;
  bool contradiction;  // resolve failed because nothing can be placed by these rules, whatever the peak: no limit of
                       // memplan, and no malformed number
  int64_t naive_bytes; // sum of the buffers' bytes, saturated at INT64_MAX
  int32_t n_warnings;
  const char **warnings;
} memplan_instance;

void memplan_instance_init(memplan_instance *instance);
void memplan_instance_free(memplan_instance *instance);

// Index of the pool with this id; NULL: of the only pool. -1 if there is none.
int32_t memplan_instance_find_pool(const memplan_instance *instance, const char *id);

// The first pool of that name; -1: none, or `id` is NULL.
int32_t memplan_pool_find(const memplan_pool *pools, int32_t n_pools, const char *id);

// Checks the instance and computes the derived part. MEMPLAN_INPUT, naming both rows, if ids repeat, a number is out of
// range, gaps of one buffer overlap with different windows, rules contradict each other (cycles of colocate with
// different sums; colocated buffers that are live together on the same bytes; colocate against separate), pins collide
// or are misaligned, or the bytes of one time-connected component pass 2^62. Empty lifetimes: a warning. A block whose
// members have a common alignment above 2^62 is pinned to the only offset that this leaves; MEMPLAN_UNSUPPORTED if its
// pools have different bases, so that it is not the same in all of them.
// `align` multiplies in: each alignment becomes lcm(alignment, align); pass 1 for none.
// Time: O(n log n) in buffers, intervals and rules.
memplan_status memplan_instance_resolve(memplan_instance *instance, int64_t align, memplan_error *error);

bool memplan_instance_warn(memplan_instance *instance, const char *format, ...) MEMPLAN_PRINTF(2, 3);

// Has no buffer a lifetime, although there are bytes? Then rules alone say what may not share them.
bool memplan_instance_is_timeless(const memplan_instance *instance);

// The largest load and the first time at which it is met: a lower bound for the peak of a one-pool instance (with
// several pools: for the sum of their peaks). `aligned` asks for the aligned load: the sizes live at a time that share
// an alignment, rounded up to it, less the largest rounding.
typedef struct memplan_load {
  int64_t bytes;
  int64_t time; // a step or a time of the file
} memplan_load;
memplan_status memplan_instance_load(const memplan_instance *instance, bool aligned, memplan_load *load,
                                     memplan_error *error);

// load[r] for each time rank, into an array of n_times from `arena`. NULL if memory is out.
int64_t *memplan_instance_profile(const memplan_instance *instance, memplan_arena *arena);

// Peak of a placement: largest offset + bytes over buffers with bytes > 0, of all pools together (largest).
int64_t memplan_instance_peak(const memplan_instance *instance, const int64_t *block_offset);

// Sum of the costs of the reuse penalties that a valid placement incurs, saturated at INT64_MAX. Offsets and pools by
// block; `block_pool` NULL: all in one.
int64_t memplan_instance_reuse_cost(const memplan_instance *instance, const int64_t *block_offset,
                                    const int32_t *block_pool);

#endif
