// SPDX-License-Identifier: Apache-2.0
// Propagator of sections: members of a section occupy [x + low, x + high) of their variables x and share nothing, so
// that a section is a machine that does one job at a time along the axis of offsets. O(m^2) a run in the m members.
//
//   overload       members that have to lie inside [A, B) are longer than that
//   edge finding   with one more member they would be too long: that one lies behind them (mirrored: in front)
//
// Reasons are made when asked for, lowered by what the inequality has to spare, and freed of members that it does not
// need.
// Source: Carlier and Pinson 1989; Vilím 2004 (the rules); Schutt et al., Constraints 2011 (their explanation).
#ifndef MEMPLAN_SOLVERS_ENGINE_SECTION_H
#define MEMPLAN_SOLVERS_ENGINE_SECTION_H

#include "solvers/engine.h"

typedef struct memplan_section_settings {
  bool overload, edges, lift, drop;
} memplan_section_settings;

// Members that take part only while all their literals are true, and then exclude each other.
typedef struct memplan_section_conditions {
  const int32_t *first; // by member, and one more
  const memplan_literal *literals;
} memplan_section_conditions;

// Copies the sections (the variables of members are the items); of the problem, only items, sizes, sections and members
// are read. `conditions`: NULL: all members always take part. False if memory is out.
bool memplan_engine_add_sections(memplan_engine *engine, const memplan_place_problem *problem,
                                 const memplan_section_conditions *conditions,
                                 const memplan_section_settings *settings);

#endif
