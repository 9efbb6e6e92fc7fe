// SPDX-License-Identifier: Apache-2.0
// Certificates of several pools: kind "pools".
//
// Line 1: {"format":"memplan-certificate","version":1,"fingerprint":"…","problem":{…},"kind":"pools","claim":bytes}.
// Further lines: {"certificate":[lines]}, a certificate of one pool (its first line names it by "pool") of the same
// problem; no two are of the same pool, and there are at most MEMPLAN_MOST_CERTIFIED_POOLS of them. Each says how low
// the peak of its pool cannot be, and the claim, the largest of their claims, how low the largest peak cannot be. Of a
// graph, either all of them are about every plan, or those that are not state the same order, in-place pairs and
// certificates of bodies.
//
// A plan whose peaks in all pools are claimed is the best, whatever is minimised of them.
#ifndef MEMPLAN_SOLVERS_CERTIFY_POOLS_H
#define MEMPLAN_SOLVERS_CERTIFY_POOLS_H

#include "solvers/certify_writer.h"

// The certificate of what has to lie in each pool; of kind "pools", unless something can be said of one pool only.
// `missing` stays set where not all peaks of the plan are claimed.
memplan_status memplan_certify_pools(memplan_certify_writer *w, memplan_error *error);

// The certificate of the bound of each pool that is listed, as far as it has a proof in what has to lie in that pool
// alone: of a graph on every order. No plan is needed; the writer's solution has none. `missing` is set where a bound
// has none. Without an instance (a graph) the writer needs no options.
memplan_status memplan_certify_pool_bounds(memplan_certify_writer *w, const memplan_bounds *bounds,
                                           memplan_error *error);

// There is no plan: the certificate of a pool that does not hold what has to lie in it alone, if one is found; of a
// graph on every order, or else on that of the writer's instance, if there is one.
memplan_status memplan_certify_pool_refutation(memplan_certify_writer *w, memplan_error *error);

#endif
