// SPDX-License-Identifier: Apache-2.0
#include "instances/csv_survey.h"

#include "model/base/quote.h"
#include "model/occupancy.h"

#include <stdio.h>
#include <string.h>

// A comment sign at the start would hide the row from a reader, and outer spaces would be trimmed.
bool memplan_csv_needs_quotes(const char *text) {
  size_t length = strlen(text);
  return length == 0 || strpbrk(text, ",\"\r\n") != NULL || text[0] == '#' || text[0] == ' ' || text[0] == '\t' ||
         text[length - 1] == ' ' || text[length - 1] == '\t';
}

static void count(memplan_csv_survey *survey, memplan_csv_feature feature, bool has, const char *id) {
  if (has) {
    if (survey->count[feature] == 0) {
      survey->first[feature] = id;
    }
    survey->count[feature]++;
  }
}

static bool is_small_number(const char *id) {
  size_t length = strlen(id);
  if (length == 0 || length > 10 || (id[0] == '0' && length > 1)) {
    return false;
  }
  int64_t value = 0;
  for (const char *c = id; *c != '\0'; c++) {
    if (*c < '0' || *c > '9') {
      return false;
    }
    value = value * 10 + (*c - '0');
  }
  return value <= UINT32_MAX;
}

static bool survey_buffer(memplan_csv_survey *survey, const memplan_buffer *buffer, memplan_arena *arena) {
  memplan_occupancy occupancy;
  if (!memplan_buffer_occupancy(buffer, arena, &occupancy)) {
    return false;
  }
  const char *id = buffer->id;
  bool negative = occupancy.n_live > 0 && occupancy.live[0].start < 0;
  bool gaps = occupancy.n_live > 1 || occupancy.n_gaps > 0;
  count(survey, MEMPLAN_CSV_HAS_ALIGNMENT, buffer->align != 1, id);
  count(survey, MEMPLAN_CSV_HAS_RESIDUE, buffer->residue != 0, id);
  count(survey, MEMPLAN_CSV_HAS_GAPS, gaps, id);
  count(survey, MEMPLAN_CSV_HAS_WINDOWS, occupancy.n_gaps > 0, id);
  count(survey, MEMPLAN_CSV_HAS_NEGATIVE_TIME, negative, id);
  bool negative_gap =
      (occupancy.n_live > 1 && occupancy.live[0].end < 0) || (occupancy.n_gaps > 0 && occupancy.gaps[0].start < 0);
  count(survey, MEMPLAN_CSV_HAS_NEGATIVE_GAP, negative_gap, id);
  count(survey, MEMPLAN_CSV_HAS_EMPTY_LIFE, occupancy.n_live == 0, id);
  count(survey, MEMPLAN_CSV_HAS_ZERO_SIZE, buffer->bytes == 0, id);
  count(survey, MEMPLAN_CSV_HAS_TEXT_ID, !is_small_number(id), id);
  count(survey, MEMPLAN_CSV_HAS_QUOTED_ID, memplan_csv_needs_quotes(id), id);
  count(survey, MEMPLAN_CSV_HAS_PIN, buffer->pin >= 0, id);
  count(survey, MEMPLAN_CSV_HAS_OFFSET, buffer->offset >= 0, id);
  count(survey, MEMPLAN_CSV_HAS_HINT, buffer->hint >= 0, id);
  return true;
}

bool memplan_csv_survey_take(memplan_csv_survey *survey, const memplan_instance *instance) {
  *survey = (memplan_csv_survey){0};
  memplan_arena arena = {0};
  bool good = true;
  for (int32_t i = 0; good && i < instance->n_buffers; i++) {
    memplan_arena_mark mark = memplan_arena_get_mark(&arena);
    good = survey_buffer(survey, &instance->buffers[i], &arena);
    memplan_arena_release(&arena, mark);
  }
  memplan_arena_free(&arena);
  for (int32_t i = 0; i < instance->n_pools; i++) {
    const memplan_pool *pool = &instance->pools[i];
    count(survey, MEMPLAN_CSV_HAS_BASE, pool->base != 0, NULL);
    count(survey, MEMPLAN_CSV_HAS_CAPACITY, pool->capacity >= 0, NULL);
    count(survey, MEMPLAN_CSV_HAS_RESERVED, pool->n_reserved > 0, NULL);
  }
  survey->count[MEMPLAN_CSV_HAS_POOLS] = instance->n_pools > 1 ? instance->n_pools : 0;
  survey->count[MEMPLAN_CSV_HAS_SEPARATE] = instance->n_separate;
  survey->count[MEMPLAN_CSV_HAS_COLOCATE] = instance->n_colocate;
  survey->count[MEMPLAN_CSV_HAS_CONFLICTS] = instance->n_conflicts;
  return good;
}

typedef enum verdict {
  CARRIED = 0,
  REFUSED,
  NOTED,  // left out, with a line in the report
  OUTSIDE // carried in a way to know about, with a line in the report
} verdict;

typedef struct feature_row {
  const char *name;
  verdict lifetimes, omnimalloc, idealloc;
  verdict placed;   // instead, wherever it would be refused, if the file holds a plan's offsets
  const char *note; // for NOTED and OUTSIDE
} feature_row;

// What idealloc and OmniMalloc do with a column they do not know differs between versions, so none is written for them.
static const feature_row features[MEMPLAN_CSV_FEATURES] = {
    [MEMPLAN_CSV_HAS_ALIGNMENT] = {"alignments", CARRIED, REFUSED, REFUSED, NOTED,
                                   "not carried; the offsets respect them"},
    [MEMPLAN_CSV_HAS_RESIDUE] = {"alignments of views", REFUSED, REFUSED, REFUSED, NOTED,
                                 "not carried; the offsets respect them"},
    [MEMPLAN_CSV_HAS_GAPS] = {"gaps and lifetimes of several parts", CARRIED, REFUSED, REFUSED, REFUSED, ""},
    [MEMPLAN_CSV_HAS_WINDOWS] = {"gaps in which a part stays", CARRIED, CARRIED, CARRIED, CARRIED, ""},
    [MEMPLAN_CSV_HAS_NEGATIVE_TIME] = {"negative times", CARRIED, REFUSED, REFUSED, REFUSED, ""},
    [MEMPLAN_CSV_HAS_NEGATIVE_GAP] = {"gaps at negative times", OUTSIDE, CARRIED, CARRIED, CARRIED,
                                      "written with a sign, which MiniMalloc does not read"},
    [MEMPLAN_CSV_HAS_EMPTY_LIFE] = {"empty lifetimes", OUTSIDE, REFUSED, REFUSED, REFUSED,
                                    "written, but MiniMalloc does not accept them"},
    [MEMPLAN_CSV_HAS_ZERO_SIZE] = {"sizes of 0", OUTSIDE, REFUSED, CARRIED, REFUSED,
                                   "written, but MiniMalloc does not accept them"},
    [MEMPLAN_CSV_HAS_TEXT_ID] = {"ids that are no 32-bit numbers", CARRIED, CARRIED, REFUSED, REFUSED, ""},
    [MEMPLAN_CSV_HAS_QUOTED_ID] = {"ids with commas, quotes or outer spaces", OUTSIDE, CARRIED, CARRIED, CARRIED,
                                   "quoted, which MiniMalloc does not read"},
    [MEMPLAN_CSV_HAS_PIN] = {"pins", OUTSIDE, REFUSED, REFUSED, NOTED, "written as offsets; read them back with --pin"},
    [MEMPLAN_CSV_HAS_OFFSET] = {"offsets of the source file", OUTSIDE, NOTED, NOTED, NOTED,
                                "not a plan of this run; MiniMalloc takes an offset as a pin"},
    [MEMPLAN_CSV_HAS_HINT] = {"hints", CARRIED, NOTED, NOTED, NOTED, "not carried"},
    [MEMPLAN_CSV_HAS_BASE] = {"the base of the arena", OUTSIDE, CARRIED, REFUSED, REFUSED,
                              "a first line \"# pool_offset=N\", which MiniMalloc does not read"},
    [MEMPLAN_CSV_HAS_CAPACITY] = {"the capacity", NOTED, NOTED, NOTED, NOTED, "not carried; give --capacity again"},
    [MEMPLAN_CSV_HAS_RESERVED] = {"reserved ranges", REFUSED, REFUSED, REFUSED, NOTED,
                                  "not carried; the offsets respect them"},
    [MEMPLAN_CSV_HAS_POOLS] = {"several pools", REFUSED, REFUSED, REFUSED, REFUSED, ""},
    [MEMPLAN_CSV_HAS_SEPARATE] = {"rules `separate`", REFUSED, REFUSED, REFUSED, NOTED,
                                  "not carried; the offsets respect them"},
    [MEMPLAN_CSV_HAS_COLOCATE] = {"rules `colocate`", REFUSED, REFUSED, REFUSED, NOTED,
                                  "not carried; the offsets respect them"},
    [MEMPLAN_CSV_HAS_CONFLICTS] = {"rules `conflicts`", REFUSED, REFUSED, REFUSED, NOTED,
                                   "not carried; the offsets respect them"},
};

// What becomes pairs beside a file of sizes.
static bool is_in_pairs(int feature) {
  return feature == MEMPLAN_CSV_HAS_GAPS || feature == MEMPLAN_CSV_HAS_NEGATIVE_TIME ||
         feature == MEMPLAN_CSV_HAS_NEGATIVE_GAP || feature == MEMPLAN_CSV_HAS_EMPTY_LIFE ||
         feature == MEMPLAN_CSV_HAS_SEPARATE || feature == MEMPLAN_CSV_HAS_CONFLICTS;
}

static verdict judge(int feature, memplan_csv_dialect dialect, bool placed) {
  const feature_row *row = &features[feature];
  if (dialect == MEMPLAN_CSV_SIZES && (is_in_pairs(feature) || feature == MEMPLAN_CSV_HAS_WINDOWS)) {
    return feature == MEMPLAN_CSV_HAS_WINDOWS ? REFUSED : CARRIED;
  }
  verdict found = dialect == MEMPLAN_CSV_OMNIMALLOC ? row->omnimalloc
                  : dialect == MEMPLAN_CSV_IDEALLOC ? row->idealloc
                                                    : row->lifetimes;
  return found == REFUSED && placed ? row->placed : found;
}

static void describe(const memplan_csv_survey *survey, int feature, char *text, size_t size) {
  if (survey->first[feature] != NULL) {
    (void)snprintf(text, size, "%s (%lld, first '%s')", features[feature].name, (long long)survey->count[feature],
                   memplan_quote(survey->first[feature]).text);
  } else {
    (void)snprintf(text, size, "%s (%lld)", features[feature].name, (long long)survey->count[feature]);
  }
}

memplan_status memplan_csv_survey_check(const memplan_csv_survey *survey, memplan_csv_dialect dialect, bool placed,
                                        memplan_export_report *report, memplan_error *error) {
  static const char *const names[] = {"csv", "omnimalloc", "idealloc", "csv with --conflicts-out"};
  char refused[768];
  size_t used = 0;
  bool pairs_help = dialect != MEMPLAN_CSV_SIZES;
  for (int feature = 0; feature < MEMPLAN_CSV_FEATURES; feature++) {
    verdict found = survey->count[feature] > 0 ? judge(feature, dialect, placed) : CARRIED;
    char text[200];
    describe(survey, feature, text, sizeof text);
    pairs_help = pairs_help && (found != REFUSED || judge(feature, MEMPLAN_CSV_SIZES, placed) != REFUSED);
    if (found == REFUSED && used < sizeof refused) {
      int length = snprintf(refused + used, sizeof refused - used, "%s%s", used > 0 ? ", " : "", text);
      used += length > 0 ? (size_t)length : 0;
    }
    // A plan's own offsets take the place of these.
    bool replaced =
        placed && (feature == MEMPLAN_CSV_HAS_OFFSET || (feature == MEMPLAN_CSV_HAS_PIN && found == OUTSIDE));
    if ((found == NOTED || found == OUTSIDE) && !replaced &&
        !memplan_export_report_add(report, "%s: %s: %s", names[dialect], text, features[feature].note)) {
      return memplan_fail_nomem(error);
    }
  }
  if (used > 0) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "the format %s cannot carry: %s; write instance-json instead%s",
                        names[dialect], refused,
                        pairs_help ? ", or sizes and pairs: --to csv --conflicts-out FILE" : "");
  }
  return MEMPLAN_OK;
}
