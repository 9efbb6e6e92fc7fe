// SPDX-License-Identifier: Apache-2.0
#include "solvers/techniques.h"

#include "model/memplan.h"
#include "solvers/place_problem.h"
#include "solvers/place_reduce.h"
#include "solvers/place_search.h"

#include <assert.h>
#include <stddef.h>

static_assert(MEMPLAN_TECHNIQUE_SECTIONS == (int)MEMPLAN_RULE_SECTION, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_FORCED_FIRST == (int)MEMPLAN_RULE_RISE, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_DOMINANCE == (int)MEMPLAN_RULE_DOMINANCE, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_OFFMAX == (int)MEMPLAN_RULE_LIMIT, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_HATLESS == (int)MEMPLAN_RULE_HATLESS, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_CUTS == (int)MEMPLAN_RULE_SPLIT, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_BACKJUMPING == (int)MEMPLAN_RULE_BACKJUMP, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_NOGOODS == (int)MEMPLAN_RULE_STORE, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_TWINS == (int)MEMPLAN_RULE_TWINS, "rules of the search come first");
static_assert(MEMPLAN_TECHNIQUE_BOTTOM == MEMPLAN_TECHNIQUE_PARTS * (int)MEMPLAN_REDUCE_BOTTOM, "in one order");
static_assert(MEMPLAN_TECHNIQUE_PIGEONHOLE == MEMPLAN_TECHNIQUE_PARTS * (int)MEMPLAN_REDUCE_PIGEONHOLE, "in one order");
static_assert(MEMPLAN_FORM_UNITS == 1, "in one order");
static_assert(MEMPLAN_TECHNIQUE_CLIQUES == MEMPLAN_TECHNIQUE_GCD * (int)MEMPLAN_FORM_CLIQUES, "in one order");

static const memplan_technique techniques[] = {
    {"sections", "nogood search: items of a section must fit above each other, and those above any level above it"},
    {"forced-first", "nogood search: an item that cannot be the lowest of a section lies above one that can"},
    {"dominance", "nogood search: an item below which another one fits is not the lowest"},
    {"offmax", "nogood search: an item above what a section leaves free is not the lowest"},
    {"hatless", "nogood search: an item without unplaced neighbours is placed at once"},
    {"cuts", "nogood search: parts without common section are packed one by one"},
    {"backjumping", "nogood search: a failure that needs nothing of a node is the node's own"},
    {"nogoods", "nogood search: what was refuted is kept, and looked up at each node"},
    {"twins", "nogood search: of items that may be exchanged only the first is tried as the lowest"},
    {"tightest", "nogood search: ties go to the item in the tightest section"},
    {"restarts", "nogood search: budgets follow Luby's sequence; without it they double from epoch to epoch"},
    {"elite", "nogood search: half of the orders are drawn around that of the best placement"},
    {"nogood-search", "the nogood search as a whole"},
    {"overload", "clause learning: more than fits lies in a stretch of a section"},
    {"edges", "clause learning: energy of predecessors and edge finding in sections"},
    {"lifting", "clause learning: the slack of an explanation weakens its literals"},
    {"dropping", "clause learning: the slack of an explanation drops items from it"},
    {"symmetry", "clause learning: twins are sorted, and one pair is fixed against turning upside down"},
    {"minimisation", "clause learning: literals that others imply are taken out of learned clauses"},
    {"bound-branching", "clause learning: decisions on bounds beside those on pairs"},
    {"start-activity", "clause learning: pairs of large items are decided first"},
    {"clause-learning", "the clause learning as a whole"},
    {"parts", "presolve: what nothing ties together is searched apart"},
    {"bottom", "presolve: what excludes everything else goes to the bottom"},
    {"pigeonhole", "presolve: what finds room wherever the others lie is left out"},
    {"gcd", "presolve: sizes and offsets are counted in units of their greatest common divisor"},
    {"cliques", "presolve: of the sets that are live together only the maximal ones become sections"},
    {"sums", "a bound of the exact placement rises to the next sum of sizes, where a packing must have such a height"},
    {"beam", "the beam search for placements"},
    {"order-commits", "order search: operators that can only lower what is live run at once"},
    {"order-intervals", "order search: small sets of operators that end no higher than they begin run at once"},
    {"order-lazy", "order search: an operator that can wait for its first reader without loss does"},
    {"order-beam", "order search: beams"},
    {"order-reversed", "order search: the threshold search from the end"},
    {"order-windows", "order search: stretches of the best order are ordered anew"},
    {"order-decisions", "order search: searches in the middle of the gap"},
    {"order-probing", "order search: precedences that a target peak fixes, and what they refute"},
    {"order-chains", "order search: operators that can follow another one at once without loss become one with it"},
    {"order-valleys", "order search: what runs before a set that some optimal order passes is ordered apart"},
    {"ilp-known", "joint integer programs: they are run only below a plan, above a bound, and where these do not meet"},
    {"ilp-probing",
     "joint integer programs: both values of each decision are tried before GLPK begins and at its nodes"},
    {"ilp-guide", "joint integer programs: bounds are propagated at GLPK's nodes, and branches chosen by what follows"},
    {"ilp-windows", "joint integer programs: low peaks are refuted first, in windows that grow"},
    {"joint-engine", "order and placement: clause learning on the whole graph"},
    {"joint-load", "order and placement: clause learning knows the load of each operator"},
    {"joint-probing", "order and placement: precedences that a capacity fixes become clauses"},
    {"joint-windows", "order and placement: windows of the best plan refute a capacity"},
    {"joint-slices", "order and placement: slices of the best plan are planned anew"},
    {"joint-nogoods", "order and placement: orders are searched with what cannot be placed as nogoods"},
    {"joint-smoothing", "order and placement: the best order is smoothed into others that are placed too"},
    {"joint-choices", "order and placement: other in-place pairs are drawn for the best order"},
    {"ilp-lazy", "joint integer programs: rows of transitivity and overlap join GLPK's problem when they are violated"},
    {"ilp-rounding", "joint integer programs: plans are made of the order program's order and of rounded relaxations"},
    {"ilp-circles", "joint integer programs: cuts, no three items lie below each other in a circle"},
    {"ilp-stacks", "joint integer programs: cuts, what is live at once and lies below an item lies below it together"},
    {"ilp-at-once", "joint integer programs: rows of ilp-lazy do not wait where they are few"},
    {"ilp-mir", "joint integer programs: GLPK's cuts by mixed integer rounding"},
    {"ilp-gomory", "joint integer programs: GLPK's mixed integer Gomory cuts, where ilp-guide is off"},
    {"ilp-cliques", "joint integer programs: GLPK's clique cuts, where ilp-guide is off"},
    {"ilp-covers", "joint integer programs: GLPK's cover cuts, where ilp-guide is off"},
};

const memplan_technique *memplan_technique_at(int32_t index) {
  return index >= 0 && index < (int32_t)(sizeof techniques / sizeof *techniques) ? &techniques[index] : NULL;
}

int32_t memplan_techniques_search_rules(uint64_t without) { return (int32_t)(MEMPLAN_RULE_ALL & ~without); }

int32_t memplan_techniques_reduce_rules(uint64_t without) {
  int32_t rules = (int32_t)(MEMPLAN_REDUCE_ALL & ~(without / MEMPLAN_TECHNIQUE_PARTS));
  return (without & MEMPLAN_TECHNIQUE_GCD) != 0 ? rules | MEMPLAN_REDUCE_BYTES : rules;
}

int32_t memplan_techniques_forms(uint64_t without) {
  return (int32_t)(MEMPLAN_FORM_ALL & ~(without / MEMPLAN_TECHNIQUE_GCD));
}
