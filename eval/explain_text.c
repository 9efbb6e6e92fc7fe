// SPDX-License-Identifier: Apache-2.0
#include "eval/explain_report.h"
#include "eval/numbers.h"
#include "eval/witness.h"
#include "model/base/quote.h"

#include <inttypes.h>
#include <string.h>

enum { LARGEST_SHOWN = 10 };

const char *memplan_explanation_maker(const memplan_explanation *explanation, int32_t buffer) {
  const memplan_subject *subject = explanation->subject;
  if (!explanation->problem->has_graph || subject->maker[buffer] < 0) {
    return NULL;
  }
  return explanation->problem->graph.ops[subject->maker[buffer]].id;
}

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

// ", on the given order" and the like; "" for an instance.
static const char *order_phrase(const memplan_explanation *explanation, char *text, size_t size) {
  const memplan_subject *subject = explanation->subject;
  text[0] = '\0';
  if (explanation->problem->has_graph && explanation->order_path != NULL) {
    (void)snprintf(text, size, "the order in %s", memplan_quote_path(explanation->order_path).text);
  } else if (explanation->problem->has_graph) {
    (void)snprintf(text, size, explanation->plan_path != NULL ? "the %s's order" : "order '%s'", subject->order_name);
  }
  return text;
}

// `of`: what the share is of, 0: no share.
static void write_row(const memplan_explanation *explanation, int32_t index, int64_t bytes, int64_t of, FILE *out) {
  const memplan_subject *subject = explanation->subject;
  const memplan_buffer *buffer = &subject->instance->buffers[index];
  const char *maker = memplan_explanation_maker(explanation, index);
  char number[MEMPLAN_NUMBER_SIZE], share[MEMPLAN_NUMBER_SIZE], lifetime[64] = "never";
  bool timeless = memplan_instance_is_timeless(subject->instance);
  if (buffer->n_live > 0) {
    (void)snprintf(lifetime, sizeof lifetime, "[%" PRId64 ", %" PRId64 ")%s", buffer->live[0].start,
                   buffer->live[buffer->n_live - 1].end, buffer->n_live > 1 ? " .." : "");
  }
  fprintf(out, "  %15s", memplan_grouped_text(bytes, number));
  if (of > 0) {
    fprintf(out, " %8s", memplan_percent_text((memplan_ratio){bytes, of}, share));
  }
  if (subject->offset != NULL) {
    fprintf(out, " %15s", memplan_grouped_text(subject->offset[index], number));
  }
  fprintf(out, timeless ? "  %.0s'%s'" : "  %-16s '%s'", lifetime, memplan_quote(buffer->id).text);
  if (maker != NULL) {
    fprintf(out, " of operator '%s'", memplan_quote(maker).text);
  }
  if (buffer->row > 0) {
    fprintf(out, " (line %" PRId32 ")", buffer->row);
  }
  if (subject->offset != NULL && subject->instance->n_pools > 1 && subject->pool[index] >= 0) {
    fprintf(out, " in pool '%s'", memplan_quote(subject->instance->pools[subject->pool[index]].id).text);
  }
  fputc('\n', out);
}

static void write_head(const memplan_explanation *explanation, bool share, FILE *out) {
  bool planned = explanation->subject->offset != NULL;
  bool timeless = memplan_instance_is_timeless(explanation->subject->instance);
  fprintf(out, "  %15s%s%s  %s%s\n", "bytes", share ? "    share" : "", planned ? "          offset" : "",
          timeless ? "" : "lifetime         ", "buffer");
}

static void write_fullest(const memplan_explanation *explanation, FILE *out) {
  const memplan_filling *filling = &explanation->filling;
  const memplan_problem *problem = explanation->problem;
  char number[MEMPLAN_NUMBER_SIZE], order[500];
  const char *what = problem->has_graph ? "step" : "time";
  fprintf(out, "%s", memplan_quote_path(problem->path).text);
  if (explanation->plan_path != NULL) {
    fprintf(out, " with %s: peak", memplan_quote_path(explanation->plan_path).text);
    fprintf(out, " %s bytes. The fullest %s that reaches", memplan_grouped_text(explanation->plan_peak, number), what);
    fprintf(out, " %s is", memplan_grouped_text(filling->reach, number));
  } else {
    fprintf(out, "%s%s: the fullest %s is", problem->has_graph ? ", " : "",
            order_phrase(explanation, order, sizeof order), what);
  }
  fprintf(out, " %" PRId64, filling->time);
  const memplan_op *op =
      problem->has_graph ? memplan_graph_op_at(&problem->graph, explanation->subject->order, filling->time) : NULL;
  if (op != NULL) {
    fprintf(out, ", operator '%s'", memplan_quote(op->id).text);
    if (op->type != NULL) {
      fprintf(out, " (%s)", memplan_quote(op->type).text);
    }
  }
  fprintf(out, ": %" PRId32 " buffer%s, %s bytes", filling->n_items, plural(filling->n_items),
          memplan_grouped_text(filling->load, number));
  if (explanation->plan_path != NULL && explanation->subject->instance->n_pools == 1) {
    fprintf(out, ", %s of the arena free then", memplan_grouped_text(filling->reach - filling->load, number));
  }
  fputs("\n\n", out);
}

// Without lifetimes, and so without a time.
static void write_clique(const memplan_explanation *explanation, FILE *out) {
  const memplan_filling *filling = &explanation->filling;
  char number[MEMPLAN_NUMBER_SIZE];
  fprintf(out, "%s", memplan_quote_path(explanation->problem->path).text);
  if (explanation->plan_path != NULL) {
    fprintf(out, " with %s: peak", memplan_quote_path(explanation->plan_path).text);
    fprintf(out, " %s bytes", memplan_grouped_text(explanation->plan_peak, number));
  }
  if (!memplan_instance_is_timeless(explanation->subject->instance)) {
    fputs(": nothing is ever in memory\n", out);
  } else if (filling->n_items == 0) {
    fputs(": no lifetimes, and no two buffers conflict\n", out);
  } else {
    fprintf(out,
            ": no lifetimes, only pairs that conflict. %" PRId32
            " buffers of which no two may share a byte have %s bytes\n\n",
            filling->n_items, memplan_grouped_text(filling->load, number));
  }
}

static void write_filling(const memplan_explanation *explanation, FILE *out) {
  const memplan_filling *filling = &explanation->filling;
  if (filling->rank < 0) {
    write_clique(explanation, out);
    if (filling->n_items == 0) {
      return;
    }
  } else {
    write_fullest(explanation, out);
  }
  write_head(explanation, true, out);
  int32_t limit = explanation->verbose || filling->n_items <= LARGEST_SHOWN ? filling->n_items : LARGEST_SHOWN;
  for (int32_t k = 0; k < limit; k++) {
    write_row(explanation, filling->items[k].buffer, filling->items[k].bytes, filling->load, out);
  }
  if (limit < filling->n_items) {
    fprintf(out, "  %15s %" PRId32 " more\n", "and", filling->n_items - limit);
  }
}

static void write_core_rows(const memplan_explanation *explanation, FILE *out) {
  const memplan_instance *instance = explanation->subject->instance;
  const memplan_capacity_answer *answer = &explanation->capacity;
  for (int32_t k = 0; k < answer->n_blocks; k++) {
    const memplan_block *block = &instance->blocks[answer->blocks[k]];
    for (int32_t m = 0; m < block->n_members; m++) {
      int32_t index = instance->members[block->first_member + m].buffer;
      write_row(explanation, index, instance->buffers[index].bytes, 0, out);
    }
  }
}

static bool has_groups(const memplan_explanation *explanation) {
  const memplan_capacity_answer *answer = &explanation->capacity;
  for (int32_t k = 0; k < answer->n_blocks; k++) {
    if (explanation->subject->instance->blocks[answer->blocks[k]].n_members > 1) {
      return true;
    }
  }
  return false;
}

static void write_core(const memplan_explanation *explanation, FILE *out) {
  const memplan_capacity_answer *answer = &explanation->capacity;
  char number[MEMPLAN_NUMBER_SIZE];
  bool one = answer->n_blocks == 1;
  fprintf(out, "\n%s ", one ? "This" : "These");
  if (!one) {
    fprintf(out, "%" PRId32 " ", answer->n_blocks);
  }
  fprintf(out, "%s%s alone", has_groups(explanation) ? "group" : "buffer", plural(answer->n_blocks));
  if (answer->core_needs >= 0) {
    fprintf(out, " %s%s %s bytes", one ? "needs" : "need", answer->core_exact ? "" : " at least",
            memplan_grouped_text(answer->core_needs, number));
  } else {
    fprintf(out, " %s not fit", one ? "does" : "do");
  }
  if (has_groups(explanation)) {
    fputs(" (a group: buffers tied by colocations or in-place pairs)", out);
  }
  if (answer->kind == MEMPLAN_CORE_LOAD) {
    fprintf(out, ", %s%s at once at %s %" PRId64,
            answer->load == answer->core_needs ? "all" : memplan_grouped_text(answer->load, number),
            answer->load == answer->core_needs ? "" : " of them", explanation->problem->has_graph ? "step" : "time",
            answer->time);
  } else if (answer->kind == MEMPLAN_CORE_SEARCH) {
    bool timeless = memplan_instance_is_timeless(explanation->subject->instance);
    fprintf(out, "%s, a search proved it", timeless ? "" : "; no single time needs more than there is");
  }
  fputs(":\n\n", out);
  write_head(explanation, false, out);
  write_core_rows(explanation, out);
  if (answer->n_unproven > 0) {
    fprintf(out, "\nNot proven minimal: for %" PRId32 " of them it is open whether the others fit without.\n",
            answer->n_unproven);
  } else if (!one) {
    fputs("\nLeave out any one of these, and the others listed here fit.\n", out);
  }
}

static void write_scope(const memplan_explanation *explanation, FILE *out) {
  char order[500], text[400], number[MEMPLAN_NUMBER_SIZE];
  if (!explanation->problem->has_graph) {
    return;
  }
  order_phrase(explanation, order, sizeof order);
  switch (explanation->scope) {
  case MEMPLAN_SCOPE_PROBLEM:
    memplan_bound_text(&explanation->bound, true, text, sizeof text);
    fprintf(out, "No order helps: at least %s in each (%s).\n", memplan_grouped_text(explanation->bound.bytes, number),
            text);
    break;
  case MEMPLAN_SCOPE_ORDER:
    fprintf(out, "This holds for %s; another order may fit: memplan solve --capacity looks for one.\n", order);
    break;
  case MEMPLAN_SCOPE_CHOICE:
    fprintf(out,
            "This holds for %s with its %" PRId32 " in-place pair%s; another order or choice may fit: memplan "
            "solve --capacity looks for one.\n",
            order, explanation->subject->n_choices, plural(explanation->subject->n_choices));
    break;
  }
}

static void write_capacity(const memplan_explanation *explanation, FILE *out) {
  const memplan_capacity_answer *answer = &explanation->capacity;
  const memplan_instance *instance = explanation->subject->instance;
  char number[MEMPLAN_NUMBER_SIZE], order[500], pool[160] = "the capacity";
  if (instance->n_pools > 1) {
    (void)snprintf(pool, sizeof pool, answer->pool >= 0 ? "pool '%s'" : "the pools%s",
                   answer->pool >= 0 ? memplan_quote(instance->pools[answer->pool].id).text : " together");
  }
  fputc('\n', out);
  if (answer->fit == MEMPLAN_FIT_YES) {
    fputs("It fits into the capacity", out);
    if (answer->peak >= 0) {
      fprintf(out, ": there is a plan of %s bytes.\n", memplan_grouped_text(answer->peak, number));
    } else {
      fputs(": a search proved it.\n", out);
    }
  } else if (answer->fit == MEMPLAN_FIT_UNKNOWN) {
    fputs("Open: no plan that fits the capacity was found, and none is ruled out.\n", out);
  } else {
    fprintf(out, "It does not fit into %s", pool);
    if (answer->capacity >= 0) {
      fprintf(out, " of %s bytes", memplan_grouped_text(answer->capacity, number));
    }
    if (answer->room < answer->capacity) {
      fprintf(out, ", %s of them reserved", memplan_grouped_text(answer->capacity - answer->room, number));
    }
    if (answer->needs >= 0) {
      fprintf(out, ": it needs at least %s", memplan_grouped_text(answer->needs, number));
      // What holds for every order may be less, or be about another pool.
      const char *of = explanation->bound.pool;
      bool other = of != NULL && (answer->pool < 0 || strcmp(of, instance->pools[answer->pool].id) != 0);
      bool narrow = explanation->problem->has_graph && (other || explanation->bound.bytes < answer->needs);
      fprintf(out, "%s%s,", narrow ? " with " : "", narrow ? order_phrase(explanation, order, sizeof order) : "");
      fprintf(out, " %s byte%s short", memplan_grouped_text(answer->needs - answer->capacity, number),
              plural(answer->needs - answer->capacity));
    }
    fputs(".\n", out);
    write_scope(explanation, out);
    write_core(explanation, out);
  }
}

static void write_apart(const memplan_explanation *explanation, FILE *out) {
  const memplan_pair_answer *pair = &explanation->pair;
  char text[600];
  for (int32_t tie = 0; tie < MEMPLAN_TIE_COUNT; tie++) {
    if (pair->forbids[tie]) {
      fprintf(out, "  %-10s  %s\n", memplan_tie_name((memplan_tie)tie),
              memplan_explanation_tie_text(explanation, (memplan_tie)tie, text, sizeof text));
    }
  }
  if (pair->together) {
    fputs("  None of these alone forbids it, all together do.\n", out);
  }
  if (pair->forbids[MEMPLAN_TIE_LIFETIME] && pair->has_order) {
    for (int32_t direction = 0; direction < 2; direction++) {
      fprintf(out, "  %-10s  %s\n", direction == 0 ? "orders" : "",
              memplan_explanation_order_text(explanation, direction, text, sizeof text));
    }
  }
  if (pair->inplace_op >= 0) {
    fprintf(out, "  %-10s  operator '%s' could write the one over the other, but the plan does not choose so\n",
            "in-place", memplan_quote(explanation->problem->graph.ops[pair->inplace_op].id).text);
  } else if (pair->blocked_op >= 0) {
    fprintf(out, "  %-10s  operator '%s' could write the one over the other,", "in-place",
            memplan_quote(explanation->problem->graph.ops[pair->blocked_op].id).text);
    fprintf(out, " were it not for operator '%s' in this order\n",
            memplan_quote(explanation->problem->graph.ops[pair->blocking_op].id).text);
  }
}

static void write_together(const memplan_explanation *explanation, FILE *out) {
  const memplan_pair_answer *pair = &explanation->pair;
  const memplan_instance *instance = explanation->subject->instance;
  char text[600];
  if (pair->same_buffer) {
    fprintf(out, "  %-10s  %s\n", "alias",
            memplan_explanation_tie_text(explanation, MEMPLAN_TIE_ALIAS, text, sizeof text));
    return;
  }
  if (pair->tied) {
    fprintf(out, "  %-10s  %s\n", pair->inplace_chosen ? "in-place" : "colocation",
            memplan_explanation_tie_text(explanation, MEMPLAN_TIE_COLOCATION, text, sizeof text));
  } else if (pair->inplace_op >= 0) {
    fprintf(out, "  %-10s  operator '%s' may write the one over the other\n", "in-place",
            memplan_quote(explanation->problem->graph.ops[pair->inplace_op].id).text);
  } else if (pair->meet) {
    fprintf(out, "  %-10s  %s; but not with all their bytes\n", "lifetime",
            memplan_explanation_tie_text(explanation, MEMPLAN_TIE_LIFETIME, text, sizeof text));
  } else if (memplan_instance_is_timeless(instance)) {
    fprintf(out, "  %-10s  no rule keeps them apart, and they have no lifetimes\n", "conflicts");
  } else {
    fprintf(out, "  %-10s  they are never in memory together:", "lifetime");
    for (int32_t side = 0; side < 2; side++) {
      const memplan_buffer *buffer = &instance->buffers[pair->side[side].buffer];
      fprintf(out, "%s '%s'", side == 0 ? "" : " and", memplan_quote(pair->side[side].id).text);
      for (int32_t k = 0; k < buffer->n_live && k < 3; k++) {
        fprintf(out, " [%" PRId64 ", %" PRId64 ")", buffer->live[k].start, buffer->live[k].end);
      }
      fputs(buffer->n_live == 0 ? " never" : buffer->n_live > 3 ? " .." : "", out);
    }
    fputc('\n', out);
  }
}

static void write_pair(const memplan_explanation *explanation, FILE *out) {
  const memplan_pair_answer *pair = &explanation->pair;
  char order[500], number[MEMPLAN_NUMBER_SIZE];
  fprintf(out, "%s", memplan_quote_path(explanation->problem->path).text);
  if (explanation->problem->has_graph) {
    fprintf(out, ", %s", order_phrase(explanation, order, sizeof order));
  }
  fprintf(out, ": '%s' and", memplan_quote(pair->side[0].id).text);
  fprintf(out, " '%s' %s share bytes\n", memplan_quote(pair->side[1].id).text, pair->may_share ? "may" : "may not");
  if (pair->may_share) {
    write_together(explanation, out);
  } else {
    write_apart(explanation, out);
  }
  if (pair->planned_bytes >= 0) {
    fprintf(out, "  %-10s  they share %s bytes\n", "plan", memplan_grouped_text(pair->planned_bytes, number));
  }
}

void memplan_explanation_write_text(const memplan_explanation *explanation, FILE *out) {
  if (explanation->has_pair) {
    write_pair(explanation, out);
    return;
  }
  write_filling(explanation, out);
  if (explanation->has_capacity) {
    write_capacity(explanation, out);
  }
}
