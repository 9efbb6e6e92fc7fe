// SPDX-License-Identifier: Apache-2.0
// What an instance asks of a CSV dialect, and whether the dialect can say it.
#ifndef MEMPLAN_INSTANCES_CSV_SURVEY_H
#define MEMPLAN_INSTANCES_CSV_SURVEY_H

#include "instances/write_csv.h"

typedef enum memplan_csv_feature {
  MEMPLAN_CSV_HAS_ALIGNMENT = 0,
  MEMPLAN_CSV_HAS_RESIDUE,
  MEMPLAN_CSV_HAS_GAPS,
  MEMPLAN_CSV_HAS_WINDOWS, // gaps in which a part stays
  MEMPLAN_CSV_HAS_NEGATIVE_TIME,
  MEMPLAN_CSV_HAS_NEGATIVE_GAP,
  MEMPLAN_CSV_HAS_EMPTY_LIFE,
  MEMPLAN_CSV_HAS_ZERO_SIZE,
  MEMPLAN_CSV_HAS_TEXT_ID, // that is no 32-bit number
  MEMPLAN_CSV_HAS_QUOTED_ID,
  MEMPLAN_CSV_HAS_PIN,
  MEMPLAN_CSV_HAS_OFFSET, // that came with the file
  MEMPLAN_CSV_HAS_HINT,
  MEMPLAN_CSV_HAS_BASE,
  MEMPLAN_CSV_HAS_CAPACITY,
  MEMPLAN_CSV_HAS_RESERVED,
  MEMPLAN_CSV_HAS_POOLS, // more than one
  MEMPLAN_CSV_HAS_SEPARATE,
  MEMPLAN_CSV_HAS_COLOCATE,
  MEMPLAN_CSV_HAS_CONFLICTS,
  MEMPLAN_CSV_FEATURES
} memplan_csv_feature;

typedef struct memplan_csv_survey {
  int64_t count[MEMPLAN_CSV_FEATURES];     // buffers or rules
  const char *first[MEMPLAN_CSV_FEATURES]; // id of the first buffer, or NULL
} memplan_csv_survey;

// False if memory is out. O(size of the instance).
bool memplan_csv_survey_take(memplan_csv_survey *survey, const memplan_instance *instance);

// MEMPLAN_UNSUPPORTED naming everything that the dialect cannot say; lines in the report for what it may leave out.
// `placed`: the file will hold the offsets of a plan.
memplan_status memplan_csv_survey_check(const memplan_csv_survey *survey, memplan_csv_dialect dialect, bool placed,
                                        memplan_export_report *report, memplan_error *error);

// Does the cell need quotes?
bool memplan_csv_needs_quotes(const char *text);

#endif
