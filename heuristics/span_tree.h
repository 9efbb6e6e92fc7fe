// SPDX-License-Identifier: Apache-2.0
// The items left, by span and rank: which is the best that lives inside a stretch of sections?
#ifndef MEMPLAN_SPAN_TREE_H
#define MEMPLAN_SPAN_TREE_H

#include "heuristics/sections.h"

#include <stdbool.h>
#include <stdint.h>

// How the spans are laid out. By start: a question looks at the spans that begin inside the stretch, few where
// lifetimes are short or nested; it may have to look at all of them. In the plane of starts and ends: a question begins
// at the root, and looks at about the square root of the number of spans at worst.
typedef enum memplan_span_layout { MEMPLAN_SPANS_BY_START = 0, MEMPLAN_SPANS_IN_PLANE } memplan_span_layout;

typedef struct memplan_span_tree memplan_span_tree;

// NULL if memory is out. O(spans log spans) in the plane, else linear.
memplan_span_tree *memplan_span_tree_new(const memplan_sections *sections, memplan_span_layout layout,
                                         memplan_arena *arena);

// Fills the tree with all items; order[r] is the item of rank r, the best first. O(n).
void memplan_span_tree_plant(memplan_span_tree *tree, const int32_t *order);

// Best rank of an item that lives in [start, end), and its span; -1 if there is none.
int32_t memplan_span_tree_find(memplan_span_tree *tree, int32_t start, int32_t end, int32_t *span);

// Takes out the best item of a span.
void memplan_span_tree_take(memplan_span_tree *tree, int32_t span);

// Nodes looked into since the tree was planted.
int64_t memplan_span_tree_visits(const memplan_span_tree *tree);

#endif
