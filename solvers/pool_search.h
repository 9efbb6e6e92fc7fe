// SPDX-License-Identifier: Apache-2.0
// Placements over several pools for another objective than the model's own order of pools.
#ifndef MEMPLAN_SOLVERS_POOL_SEARCH_H
#define MEMPLAN_SOLVERS_POOL_SEARCH_H

#include "model/memplan.h"
#include "solvers/place.h"

// memplan_place_best, and where the instance has several pools and the objective asks for it, again with other
// preferences of pools or with capacities that keep the largest peak down; the best by the objective. Nothing but the
// instance and the options decides what is tried.
memplan_status memplan_pool_search(const memplan_instance *instance, const memplan_solve_options *solve,
                                   const memplan_place_news *news, memplan_arena *arena, memplan_place_result *result,
                                   memplan_error *error);

#endif
