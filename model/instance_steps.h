// SPDX-License-Identifier: Apache-2.0
// The steps of memplan_instance_resolve, in their order. Internal to model/.
#ifndef MEMPLAN_INSTANCE_STEPS_H
#define MEMPLAN_INSTANCE_STEPS_H

#include "model/instance.h"

// " (line 7)" if the buffer has a row, else "". `text` has room for 24 characters.
const char *memplan_buffer_row(const memplan_buffer *buffer, char *text);

// Ranges of all numbers, unique ids, alignment joined with `align`; merges lifetimes and gaps; makes the default pool.
memplan_status memplan_instance_check(memplan_instance *instance, int64_t align, memplan_error *error);

// Parts in time ranks by buffer (first_part has n_buffers + 1 entries, low and high relative to the buffer).
memplan_status memplan_instance_make_parts(memplan_instance *instance, memplan_part **parts, int32_t **first_part,
                                           memplan_error *error);

// Ties buffers to blocks and puts the blocks in canonical order.
memplan_status memplan_instance_make_blocks(memplan_instance *instance, const memplan_part *parts,
                                            const int32_t *first_part, memplan_error *error);

// Contradictions that show only in blocks: members on the same bytes, rules inside a block, colliding pins, sizes.
memplan_status memplan_instance_check_blocks(memplan_instance *instance, memplan_error *error);

#endif
