// SPDX-License-Identifier: Apache-2.0
// Options of a command from one table: storage, parsing, help and the lists for completion are all made from it.
//
// An option is identified by its position in the table. `commands` is a set of bits, one for each subcommand that has
// the option. Arguments are kept as text (pointers into argv) and, where the kind has one, as an exact number.
#ifndef MEMPLAN_BASE_OPTIONS_H
#define MEMPLAN_BASE_OPTIONS_H

#include "model/base/arena.h"
#include "model/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum memplan_option_kind {
  MEMPLAN_OPTION_FLAG = 0, // number: 1 if given
  MEMPLAN_OPTION_NEGATION, // a flag that sets the option `negates` to 0
  MEMPLAN_OPTION_INTEGER,
  MEMPLAN_OPTION_SIZE,    // bytes, with K, M, G or T for powers of 1024; 512k and 512KiB are 512K
  MEMPLAN_OPTION_TIME,    // milliseconds, from 500ms, 10s, 0.5s, 2m, 1h; 10 is 10s
  MEMPLAN_OPTION_PERCENT, // millionths, from 1% or 0.25%
  MEMPLAN_OPTION_CHOICE,  // index of the value in its list
  MEMPLAN_OPTION_NAME,    // one of a list made at run time: its index
  MEMPLAN_OPTION_TEXT,
  MEMPLAN_OPTION_FILE
} memplan_option_kind;

typedef struct memplan_option {
  const char *name; // without dashes
  char letter;      // short name or 0
  memplan_option_kind kind;
  bool many;                             // may be given several times, each kept
  bool pair;                             // TEXT: it takes two arguments, both in the value's list
  bool written;                          // FILE: it is an output
  bool seldom;                           // help texts name it, and explain it on request only
  bool or_file;                          // NAME: an existing file that has none of the names will do too (number -1)
  const char *argument;                  // its name in help texts, NULL for flags
  const char *fallback;                  // default as it would be typed, NULL: none
  int64_t minimum, maximum;              // of the number (INTEGER, SIZE, TIME, PERCENT)
  const char *unit;                      // or NULL
  const char *const *choices;            // CHOICE: NULL-terminated
  const char *(*name_at)(int32_t index); // NAME: the index-th name, NULL after the last
  bool (*accepts)(const char *text);     // NAME: are there other names for these? NULL: none; their number is -1
  int32_t negates;                       // NEGATION: the option that it turns off
  uint32_t commands;
  const char *group; // heading in help texts
  const char *text;
} memplan_option;

typedef struct memplan_option_value {
  bool given;
  int64_t number;    // of the argument or default; 0 if there is neither
  const char *text;  // argument or default as typed, NULL if there is neither
  const char **list; // arguments of an option with `many` or `pair`
  int32_t n_list;
} memplan_option_value;

typedef struct memplan_options {
  memplan_arena arena;
  const memplan_option *table;
  int32_t n_table;
  memplan_option_value *values; // n_table
  const char **arguments;       // what is no option, in order
  int32_t n_arguments;
} memplan_options;

// The index-th value that an option of kind CHOICE or NAME admits, NULL after the last (and for other kinds).
const char *memplan_option_choice(const memplan_option *option, int32_t index);

// Parses argv[1] … argv[argc-1] (argv[0] is a name for messages): `--name value`, `--name=value`, `-x value`, options
// and other arguments mixed, `--` ends the options. Names may not be shortened. Of a repeated option without `many` the
// last counts. MEMPLAN_INPUT: unknown option (with the nearest name), one that this command has not, missing or surplus
// argument, bad or out-of-range value (with what is admitted). argv is permuted; not reentrant (getopt_long).
memplan_status memplan_options_parse(memplan_options *options, const memplan_option *table, int32_t n_table,
                                     uint32_t command, int argc, char **argv, memplan_error *error);
void memplan_options_free(memplan_options *options);

// The number that `text` means for this option. MEMPLAN_INPUT says what is admitted.
memplan_status memplan_option_parse(const memplan_option *option, const char *text, int64_t *number,
                                    memplan_error *error);

// Index of the name nearest to `word` among `n` names, or -1 if none is near: edit distance at most a third of its
// length. Ties go to the first.
int32_t memplan_nearest_name(const char *word, const char *const *names, int32_t n);

#endif
