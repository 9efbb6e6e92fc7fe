// SPDX-License-Identifier: Apache-2.0
// A good placement when the limits of a solve are spent: what a search of orders has found is worth little without one.
#ifndef MEMPLAN_SOLVERS_PLACE_RESCUE_H
#define MEMPLAN_SOLVERS_PLACE_RESCUE_H

#include "solvers/place.h"

// Where the limits ended the methods that `result` comes from and left nothing, or only a placement without much
// reuse, places with bounded work whatever the limits: by the method named if the instance is small and the method
// cheap, else by the skyline (one pool; of many buffers one ranking, O(n log n)) or first fit (few buffers). Keeps the
// better placement; result->stop still says what ended the methods. Deterministic.
memplan_status memplan_place_rescue(const memplan_instance *instance, const memplan_solve_options *solve,
                                    const memplan_place_news *news, memplan_arena *arena, memplan_place_result *result,
                                    memplan_error *error);

#endif
