// SPDX-License-Identifier: Apache-2.0
#include "instances/write_dsa.h"

#include "model/base/json_write.h"
#include "model/base/quote.h"
#include "model/occupancy.h"

typedef struct dsa_writer {
  const memplan_instance *instance;
  memplan_arena arena;
  int64_t next_time; // of the next buffer that is never live
  int64_t n_never;   // that got a step of their own
  memplan_export_report *report;
  memplan_error *error;
} dsa_writer;

static memplan_status refuse(const dsa_writer *w, const char *what, const char *id) {
  return memplan_fail(w->error, MEMPLAN_UNSUPPORTED,
                      "the format dsa cannot carry %s (first '%s'); write instance-json instead", what,
                      memplan_quote(id).text);
}

// ---- what the form cannot say

static memplan_status check_buffers(dsa_writer *w) {
  for (int32_t i = 0; i < w->instance->n_buffers; i++) {
    const memplan_buffer *buffer = &w->instance->buffers[i];
    memplan_arena_mark mark = memplan_arena_get_mark(&w->arena);
    memplan_occupancy occupancy;
    if (!memplan_buffer_occupancy(buffer, &w->arena, &occupancy)) {
      return memplan_fail_nomem(w->error);
    }
    int64_t end = occupancy.n_live > 0 ? occupancy.live[occupancy.n_live - 1].end : INT64_MIN;
    memplan_arena_release(&w->arena, mark);
    if (buffer->bytes == 0) {
      return refuse(w, "sizes of 0", buffer->id);
    }
    if (occupancy.n_gaps > 0) {
      return refuse(w, "gaps in which a part of a buffer is occupied", buffer->id);
    }
    if (buffer->residue != 0) {
      return refuse(w, "alignments of views", buffer->id);
    }
    bool open = buffer->n_pools != 1 && w->instance->n_pools > 1;
    if (buffer->pin >= 0 && open) {
      return refuse(w, "pins without a pool of their own", buffer->id);
    }
    w->next_time = end > w->next_time ? end : w->next_time;
  }
  return MEMPLAN_OK;
}

// A class of dsa-solver takes the bytes of its largest member at all times: so must the block.
static memplan_status check_blocks(const dsa_writer *w) {
  const memplan_instance *instance = w->instance;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    const char *id = instance->buffers[instance->members[block->first_member].buffer].id;
    for (int32_t m = 0; m < block->n_members; m++) {
      if (instance->members[block->first_member + m].delta != 0) {
        return refuse(w, "colocation at a distance", id);
      }
    }
    for (int32_t k = 0; k < block->n_parts; k++) {
      const memplan_part *part = &instance->parts[block->first_part + k];
      if (part->high - part->low != block->bytes) {
        return refuse(w, "colocated buffers of different sizes of which the largest is not always live", id);
      }
    }
    for (int32_t k = 0; k < block->n_apart; k++) {
      const memplan_apart *apart = &instance->apart[block->first_apart + k];
      if (apart->high - apart->low != block->bytes) {
        return refuse(w, "separations of a smaller one of several colocated buffers", id);
      }
    }
  }
  for (int32_t i = 0; i < instance->n_pools; i++) {
    if (instance->pools[i].base != 0) {
      return refuse(w, "the base of a pool", instance->pools[i].id);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status note_losses(const dsa_writer *w) {
  const memplan_instance *instance = w->instance;
  bool offsets = false;
  bool hints = false;
  bool several = false;
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    offsets = offsets || (instance->buffers[i].offset >= 0 && instance->buffers[i].pin < 0);
    hints = hints || instance->buffers[i].hint >= 0;
    several = several || (instance->n_pools > 1 && instance->buffers[i].n_pools != 1);
  }
  bool good =
      (!offsets || memplan_export_report_add(w->report, "dsa: offsets are not carried; write plan-json or csv for "
                                                        "them")) &&
      (!hints || memplan_export_report_add(w->report, "dsa: hints are not carried")) &&
      (!several || memplan_export_report_add(w->report, "dsa: the objective becomes the least sum of the pools' "
                                                        "peaks")) &&
      (instance->n_conflicts == 0 ||
       memplan_export_report_add(w->report,
                                 "dsa: explicit conflicts (%d) are written as separations, which is the "
                                 "same",
                                 instance->n_conflicts)) &&
      (w->n_never == 0 || memplan_export_report_add(w->report,
                                                    "dsa: %lld buffers that are never live get a step of "
                                                    "their own behind all others",
                                                    (long long)w->n_never));
  return good ? MEMPLAN_OK : memplan_fail_nomem(w->error);
}

// ---- parts of the document; NULL: memory is out

static json_t *range_json(const memplan_interval *range, const char *first, const char *second) {
  json_t *object = json_object();
  return memplan_json_finish(object, memplan_json_set_integer(object, first, range->start) &&
                                         memplan_json_set_integer(object, second, range->end));
}

static json_t *pool_json(const memplan_pool *pool, int32_t index) {
  json_t *ranges = json_array();
  bool good = ranges != NULL;
  for (int32_t i = 0; good && i < pool->n_reserved; i++) {
    good = pool->reserved[i].start == pool->reserved[i].end ||
           memplan_json_add(ranges, range_json(&pool->reserved[i], "begin", "end"));
  }
  json_t *object = json_object();
  json_t *capacity = pool->capacity < 0 ? json_null() : json_integer(pool->capacity);
  good = memplan_json_set(object, "capacity", capacity) && good;
  good = memplan_json_set(object, "reserved_ranges", ranges) && good;
  return memplan_json_finish(object, good && memplan_json_set_integer(object, "id", index) &&
                                         memplan_json_set_string(object, "name", pool->id));
}

static json_t *pools_json(const memplan_instance *instance) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < instance->n_pools; i++) {
    good = memplan_json_add(array, pool_json(&instance->pools[i], i));
  }
  return memplan_json_finish(array, good);
}

// The first lifetime of another member, whose time the whole block takes anyway; or a step of the buffer's own.
static memplan_interval borrow_life(dsa_writer *w, int32_t index) {
  const memplan_instance *instance = w->instance;
  const memplan_block *block = &instance->blocks[instance->block_of[index]];
  if (block->n_parts > 0) {
    const memplan_part *part = &instance->parts[block->first_part];
    return (memplan_interval){instance->times[part->start], instance->times[part->end]};
  }
  w->n_never++;
  w->next_time++;
  return (memplan_interval){w->next_time - 1, w->next_time};
}

static json_t *live_json(dsa_writer *w, int32_t index) {
  memplan_occupancy occupancy;
  if (!memplan_buffer_occupancy(&w->instance->buffers[index], &w->arena, &occupancy)) {
    return NULL;
  }
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < occupancy.n_live; i++) {
    good = memplan_json_add(array, range_json(&occupancy.live[i], "lower", "upper"));
  }
  if (good && occupancy.n_live == 0) {
    memplan_interval life = borrow_life(w, index);
    good = memplan_json_add(array, range_json(&life, "lower", "upper"));
  }
  return memplan_json_finish(array, good);
}

static json_t *buffer_json(dsa_writer *w, int32_t index) {
  const memplan_buffer *buffer = &w->instance->buffers[index];
  json_t *pools = json_array();
  int32_t count = buffer->n_pools > 0 ? buffer->n_pools : w->instance->n_pools;
  bool good = pools != NULL;
  for (int32_t i = 0; good && i < count; i++) {
    good = memplan_json_add(pools, json_integer(buffer->n_pools > 0 ? buffer->pools[i] : i));
  }
  json_t *object = json_object();
  good = memplan_json_set(object, "allowed_pools", pools) && good;
  good = good && memplan_json_set(object, "live_intervals", live_json(w, index));
  return memplan_json_finish(object, good && memplan_json_set_integer(object, "id", index) &&
                                         memplan_json_set_string(object, "name", buffer->id) &&
                                         memplan_json_set_integer(object, "size", buffer->bytes) &&
                                         memplan_json_set_integer(object, "alignment", buffer->align));
}

static json_t *buffers_json(dsa_writer *w) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < w->instance->n_buffers; i++) {
    memplan_arena_mark mark = memplan_arena_get_mark(&w->arena);
    good = memplan_json_add(array, buffer_json(w, i));
    memplan_arena_release(&w->arena, mark);
  }
  return memplan_json_finish(array, good);
}

static json_t *rule_json(const memplan_rule *rule) {
  json_t *object = json_object();
  return memplan_json_finish(object, memplan_json_set_integer(object, "first", rule->first) &&
                                         memplan_json_set_integer(object, "second", rule->second));
}

static bool add_rules(json_t *array, const memplan_rule *rules, int32_t count) {
  bool good = array != NULL;
  for (int32_t i = 0; good && i < count; i++) {
    good = memplan_json_add(array, rule_json(&rules[i]));
  }
  return good;
}

static json_t *pins_json(const memplan_instance *instance) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < instance->n_buffers; i++) {
    const memplan_buffer *buffer = &instance->buffers[i];
    if (buffer->pin < 0) {
      continue;
    }
    json_t *object = json_object();
    bool filled = memplan_json_set_integer(object, "buffer", i) &&
                  memplan_json_set_integer(object, "pool", buffer->n_pools == 1 ? buffer->pools[0] : 0) &&
                  memplan_json_set_integer(object, "offset", buffer->pin) &&
                  memplan_json_set(object, "exclusive_for_all_time", json_false());
    good = memplan_json_add(array, memplan_json_finish(object, filled));
  }
  return memplan_json_finish(array, good);
}

static json_t *constraints_json(const memplan_instance *instance) {
  json_t *object = json_object();
  json_t *colocations = json_array();
  json_t *separations = json_array();
  bool good = add_rules(colocations, instance->colocate, instance->n_colocate);
  good = add_rules(separations, instance->separate, instance->n_separate) && good;
  good = good && add_rules(separations, instance->conflicts, instance->n_conflicts);
  good = memplan_json_set(object, "colocations", colocations) && good;
  good = memplan_json_set(object, "separations", separations) && good;
  return memplan_json_finish(object, good && memplan_json_set(object, "temporal_exclusions", json_array()) &&
                                         memplan_json_set(object, "pinned_allocations", pins_json(instance)));
}

static json_t *penalties_json(const memplan_instance *instance) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < instance->n_reuse; i++) {
    const memplan_reuse *reuse = &instance->reuse[i];
    json_t *object = json_object();
    bool filled = memplan_json_set_integer(object, "first", reuse->first) &&
                  memplan_json_set_integer(object, "second", reuse->second) &&
                  memplan_json_set_integer(object, "cost", reuse->cost) &&
                  memplan_json_set_string(object, "reason", "generic");
    good = memplan_json_add(array, memplan_json_finish(object, filled));
  }
  json_t *object = json_object();
  good = memplan_json_set(object, "reuse_penalties", array) && good;
  return memplan_json_finish(object, good);
}

static json_t *objective_json(const memplan_instance *instance) {
  json_t *object = json_object();
  json_t *terms = instance->prefer_low_reuse ? memplan_json_strings("capacity_overflow", "reuse_cost")
                                             : memplan_json_strings("total_peak", "max_peak");
  bool good = memplan_json_set(object, "terms", terms);
  return memplan_json_finish(object, good && memplan_json_set_string(object, "aggregation", "lexicographic"));
}

static json_t *document_json(dsa_writer *w) {
  const memplan_instance *instance = w->instance;
  json_t *problem = json_object();
  bool good = memplan_json_set(problem, "pools", pools_json(instance)) &&
              memplan_json_set(problem, "buffers", buffers_json(w)) &&
              memplan_json_set(problem, "constraints", constraints_json(instance)) &&
              ((instance->n_reuse == 0 && !instance->prefer_low_reuse) ||
               memplan_json_set(problem, "cost_model", penalties_json(instance))) &&
              memplan_json_set(problem, "objective", objective_json(instance));
  json_t *document = json_object();
  good = good && memplan_json_set_integer(document, "schema_version", 1) &&
         memplan_json_set_string(document, "profile", "pypto_research_v1") &&
         memplan_json_set_string(document, "instance", instance->name[0] != '\0' ? instance->name : "memplan") &&
         memplan_json_set(document, "metadata", json_object());
  good = memplan_json_set(document, "problem", problem) && good;
  return memplan_json_finish(document, good);
}

static memplan_status write_document(dsa_writer *w, json_t **document) {
  MEMPLAN_TRY(check_buffers(w));
  MEMPLAN_TRY(check_blocks(w));
  if (w->instance->n_buffers == 0) {
    return memplan_fail(w->error, MEMPLAN_UNSUPPORTED,
                        "the format dsa cannot carry a problem without buffers; write instance-json instead");
  }
  if (w->next_time > INT64_MAX - w->instance->n_buffers) {
    return refuse(w, "times next to 2^63", w->instance->buffers[0].id);
  }
  *document = document_json(w);
  if (*document == NULL) {
    return memplan_fail_nomem(w->error);
  }
  memplan_status status = note_losses(w);
  if (status != MEMPLAN_OK) {
    json_decref(*document);
    *document = NULL;
  }
  return status;
}

memplan_status memplan_dsa_to_json(const memplan_instance *instance, memplan_export_report *report, json_t **document,
                                   memplan_error *error) {
  dsa_writer w = {.instance = instance, .report = report, .error = error};
  *document = NULL;
  memplan_status status = write_document(&w, document);
  memplan_arena_free(&w.arena);
  return status;
}
