// SPDX-License-Identifier: Apache-2.0
// Lifetimes CSV in the dialects of other planners.
//
//   lifetimes   MiniMalloc's columns id,lower,upper,size[,alignment][,hint][,gaps][,offset] (upper is called end if
//               lifetimes are inclusive); cells are quoted by RFC 4180 where they need it, a base becomes a first line
//               "# pool_offset=N"
//   omnimalloc  id,lower,upper,size[,offset] with a first line "# pool_offset=N" and lines that end in CRLF
//   sizes       lifetimes without lower and upper, beside the pairs of write_conflicts.h
//   idealloc    id,lower,upper,size[,offset] by position; ids are 32-bit numbers
#ifndef MEMPLAN_INSTANCES_WRITE_CSV_H
#define MEMPLAN_INSTANCES_WRITE_CSV_H

#include "instances/csv_dialect.h"
#include "instances/export_report.h"
#include "model/base/status.h"
#include "model/instance.h"

#include <stddef.h>
#include <stdio.h>

// One cell, quoted where it has to be.
void memplan_csv_write_cell(const char *text, FILE *out);

// Writes a resolved instance into a malloc'd text. `offset`: by buffer, of a plan; or NULL, and then the lifetimes
// dialect writes pins or the offsets that came with the file. What the dialect cannot say is MEMPLAN_UNSUPPORTED, all
// of it named in one message, or a line in the report where the file is true without it.
memplan_status memplan_csv_write(const memplan_instance *instance, const int64_t *offset, memplan_csv_dialect dialect,
                                 bool inclusive, char **text, size_t *length, memplan_export_report *report,
                                 memplan_error *error);

#endif
