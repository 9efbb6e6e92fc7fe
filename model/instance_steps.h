// SPDX-License-Identifier: Apache-2.0
// The steps of memplan_instance_resolve, in their order. Internal to model/.
#ifndef MEMPLAN_INSTANCE_STEPS_H
#define MEMPLAN_INSTANCE_STEPS_H

#include "model/instance.h"

enum { MEMPLAN_ROW_TEXT = 48 };

// " (line 7, column 12)" of a cell of the buffer's row, " (line 7)" if that has none, "" without a row. `text` has room
// for MEMPLAN_ROW_TEXT characters.
const char *memplan_buffer_row(const memplan_buffer *buffer, memplan_buffer_cell cell, char *text);

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
