// SPDX-License-Identifier: Apache-2.0
#include "eval/explain_report.h"
#include "eval/numbers.h"
#include "model/base/quote.h"

#include <inttypes.h>

// "'a' [0, 3) (line 2)"
static const char *name_life(const memplan_explanation *explanation, int32_t side, char *text, size_t size) {
  const memplan_pair_side *entry = &explanation->pair.side[side];
  const memplan_buffer *buffer = &explanation->subject->instance->buffers[entry->buffer];
  char row[40] = "";
  if (buffer->row > 0) {
    (void)snprintf(row, sizeof row, " (line %" PRId32 ")", buffer->row);
  }
  if (buffer->n_live == 0) {
    (void)snprintf(text, size, "'%s' never%s", memplan_quote(entry->id).text, row);
  } else {
    (void)snprintf(text, size, "'%s' [%" PRId64 ", %" PRId64 ")%s%s", memplan_quote(entry->id).text,
                   buffer->live[0].start, buffer->live[buffer->n_live - 1].end, buffer->n_live > 1 ? " .." : "", row);
  }
  return text;
}

static const char *name_op(const memplan_explanation *explanation, int32_t op, char *text, size_t size) {
  (void)snprintf(text, size, "'%s'", memplan_quote(explanation->problem->graph.ops[op].id).text);
  return text;
}

static void write_lifetime(const memplan_explanation *explanation, char *text, size_t size) {
  const memplan_pair_answer *pair = &explanation->pair;
  char first[200], second[200];
  (void)snprintf(text, size, "both are in memory at %s [%" PRId64 ", %" PRId64 "): %s and %s",
                 explanation->problem->has_graph ? "steps" : "times", pair->meet_start, pair->meet_end,
                 name_life(explanation, 0, first, sizeof first), name_life(explanation, 1, second, sizeof second));
}

static void write_pins(const memplan_explanation *explanation, char *text, size_t size) {
  const memplan_instance *instance = explanation->subject->instance;
  size_t used = 0;
  text[0] = '\0';
  for (int32_t side = 0; side < 2; side++) {
    const memplan_pair_side *entry = &explanation->pair.side[side];
    int64_t pin = instance->buffers[entry->buffer].pin;
    if (pin >= 0 && used < size) {
      int written = snprintf(text + used, size - used, "%s'%s' is fixed at %" PRId64, used > 0 ? ", " : "",
                             memplan_quote(entry->id).text, pin + entry->low);
      used += written > 0 ? (size_t)written : 0;
    }
  }
}

const char *memplan_explanation_tie_text(const memplan_explanation *explanation, memplan_tie tie, char *text,
                                         size_t size) {
  const memplan_pair_answer *pair = &explanation->pair;
  const memplan_pair_side *side = pair->side;
  const memplan_instance *instance = explanation->subject->instance;
  memplan_quoted first = memplan_quote(side[0].id), second = memplan_quote(side[1].id);
  switch (tie) {
  case MEMPLAN_TIE_EMPTY:
    (void)snprintf(text, size, "'%s' has no bytes", (side[0].low == side[0].high ? first : second).text);
    break;
  case MEMPLAN_TIE_OUTSIDE:
    (void)snprintf(text, size, "'%s' lies outside the arena", (side[0].buffer < 0 ? first : second).text);
    break;
  case MEMPLAN_TIE_ALIAS:
    (void)snprintf(
        text, size,
        "both are views of buffer '%s', of its bytes [%" PRId64 ", %" PRId64 ") and [%" PRId64 ", %" PRId64 ")",
        memplan_quote(instance->buffers[side[0].buffer].id).text, side[0].low, side[0].high, side[1].low, side[1].high);
    break;
  case MEMPLAN_TIE_LIFETIME:
    write_lifetime(explanation, text, size);
    break;
  case MEMPLAN_TIE_RULE:
    (void)snprintf(text, size, "a rule '%s' names both", pair->rule == NULL ? "" : pair->rule);
    break;
  case MEMPLAN_TIE_COLOCATION:
    if (pair->tied) {
      (void)snprintf(text, size, "they are colocated: '%s' lies %" PRId64 " bytes after '%s'", second.text,
                     pair->distance + side[1].low - side[0].low, first.text);
    } else {
      (void)snprintf(text, size, "what one of them is colocated with stands in the way");
    }
    break;
  case MEMPLAN_TIE_ALIGNMENT:
    (void)snprintf(text, size, "their alignments keep their offsets %" PRId64 " apart, modulo %" PRId64, pair->residue,
                   pair->align);
    break;
  case MEMPLAN_TIE_PIN:
    write_pins(explanation, text, size);
    if (text[0] == '\0') {
      (void)snprintf(text, size, "what they are colocated with has a fixed offset");
    }
    break;
  case MEMPLAN_TIE_POOL:
    (void)snprintf(text, size, "no pool that admits both leaves them such a place");
    break;
  case MEMPLAN_TIE_RESERVED:
    (void)snprintf(text, size, "reserved ranges of the pool stand in the way");
    break;
  case MEMPLAN_TIE_CAPACITY:
    (void)snprintf(text, size, "the capacity leaves them no such place");
    break;
  case MEMPLAN_TIE_COUNT:
    text[0] = '\0';
    break;
  }
  return text;
}

const char *memplan_explanation_order_text(const memplan_explanation *explanation, int32_t direction, char *text,
                                           size_t size) {
  const memplan_pair_answer *pair = &explanation->pair;
  const memplan_precede *precede = &pair->precede[direction];
  memplan_quoted first = memplan_quote(pair->side[direction].id), second = memplan_quote(pair->side[1 - direction].id);
  char birth[120], death[120];
  switch (precede->result) {
  case MEMPLAN_PRECEDE_POSSIBLE:
    (void)snprintf(text, size, "another order could have done with '%s' before '%s' is made", first.text, second.text);
    break;
  case MEMPLAN_PRECEDE_KEPT:
    (void)snprintf(text, size, "in every order '%s' stays to the end", first.text);
    break;
  case MEMPLAN_PRECEDE_INIT:
    (void)snprintf(text, size, "in every order '%s' is there from the start", second.text);
    break;
  case MEMPLAN_PRECEDE_OPS:
    name_op(explanation, precede->birth, birth, sizeof birth);
    if (precede->birth == precede->death) {
      (void)snprintf(text, size, "in every order operator %s makes '%s' while it uses '%s'", birth, second.text,
                     first.text);
    } else {
      (void)snprintf(text, size, "in every order %s, which makes '%s', runs before %s, which uses '%s'", birth,
                     second.text, name_op(explanation, precede->death, death, sizeof death), first.text);
    }
    break;
  case MEMPLAN_PRECEDE_GROUPS:
    (void)snprintf(text, size, "in every order the groups of operators keep '%s' until '%s' is made", first.text,
                   second.text);
    break;
  case MEMPLAN_PRECEDE_UNKNOWN:
    (void)snprintf(text, size, "whether another order could have done with '%s' before '%s' is made was not determined",
                   first.text, second.text);
    break;
  }
  return text;
}
