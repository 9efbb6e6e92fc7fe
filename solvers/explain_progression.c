// SPDX-License-Identifier: Apache-2.0
// Do two arithmetic progressions have members at a wanted distance? Where the window of y that x allows lies wholly
// inside y's range, the question is whether (c - a i) mod m gets into an interval for some i: the first such i comes
// from the Euclidean algorithm. Where the window is cut by an end of y's range, the window only grows with x, or only
// with -x, so that one x decides.
#include "model/base/compiler.h"
#include "solvers/explain_pair.h"

// Smallest i >= 0 with low <= a i mod m <= high, -1 if there is none; 0 <= low <= high < m, 0 <= a < m. Each level has
// the numbers of the next step of Euclid's algorithm, so that there are less than 100.
static memplan_int128 first_inside(memplan_int128 a, memplan_int128 m, memplan_int128 low, memplan_int128 high) {
  if (low == 0) {
    return 0;
  }
  if (a == 0) {
    return -1;
  }
  memplan_int128 i = (low + a - 1) / a;
  if (a * i <= high) {
    return i;
  }
  // a i - m k in [low, high] needs m k mod a in [-high, -low], and no multiple of a lies in [low, high].
  memplan_int128 k = first_inside(m % a, a, a - high % a, a - low % a);
  return k < 0 ? -1 : (low + m * k + a - 1) / a;
}

static memplan_int128 remainder_of(memplan_int128 value, memplan_int128 m) {
  memplan_int128 rest = value % m;
  return rest < 0 ? rest + m : rest;
}

static memplan_int128 round_up(memplan_int128 value, const memplan_progression *to) {
  return value + remainder_of(to->residue - value, to->align);
}

static memplan_int128 round_down(memplan_int128 value, const memplan_progression *to) {
  return value - remainder_of(value - to->residue, to->align);
}

static memplan_int128 least(memplan_int128 a, memplan_int128 b) { return a < b ? a : b; }

static memplan_int128 most(memplan_int128 a, memplan_int128 b) { return a > b ? a : b; }

// Is there a y in [from, to] of the progression's range?
static bool has_member(const memplan_progression *y, memplan_int128 from, memplan_int128 to) {
  return round_up(most(from, y->first), y) <= least(to, y->last);
}

bool memplan_progressions_meet(const memplan_progression *x, const memplan_progression *y, int64_t low, int64_t high) {
  memplan_int128 first = round_up(x->first, x), last = round_down(x->last, x);
  if (low > high || first > last || y->first > y->last) {
    return false;
  }
  memplan_int128 low_edge = (memplan_int128)y->first - low, high_edge = (memplan_int128)y->last - high;
  memplan_int128 at = round_down(least(last, low_edge), x);
  if (at >= first && has_member(y, y->first, at + high)) {
    return true;
  }
  at = round_up(most(first, high_edge), x);
  if (at <= last && has_member(y, at + low, y->last)) {
    return true;
  }
  memplan_int128 from = round_up(most(first, low_edge), x), to = round_down(least(last, high_edge), x);
  if (from > to) {
    return false;
  }
  memplan_int128 m = y->align, width = (memplan_int128)high - low;
  memplan_int128 c = remainder_of(y->residue - from - low, m);
  if (c <= width) {
    return true;
  }
  memplan_int128 i = first_inside(remainder_of(-(memplan_int128)x->align, m), m, m - c, m - c + width);
  return i >= 0 && i <= (to - from) / x->align;
}
