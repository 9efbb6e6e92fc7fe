// SPDX-License-Identifier: Apache-2.0
#include "eval/option_table.h"

#include "eval/program_file.h"
#include "instances/formats.h"
#include "model/memplan.h"

#include <stddef.h>
#include <string.h>

enum {
  SOLVE = MEMPLAN_COMMAND_SOLVE,
  INFO = MEMPLAN_COMMAND_INFO,
  BOUND = MEMPLAN_COMMAND_BOUND,
  VERIFY = MEMPLAN_COMMAND_VERIFY,
  CONVERT = MEMPLAN_COMMAND_CONVERT,
  BENCH = MEMPLAN_COMMAND_BENCH,
  TABLE = MEMPLAN_COMMAND_TABLE,
  LIST = MEMPLAN_COMMAND_LIST,
  GEN = MEMPLAN_COMMAND_GEN,
  EXPLAIN = MEMPLAN_COMMAND_EXPLAIN,
  CHECK = MEMPLAN_COMMAND_CHECK,
  READING = SOLVE | INFO | BOUND | VERIFY | CONVERT | BENCH | EXPLAIN | CHECK,
  PLANNING = SOLVE | CONVERT | BENCH,
  ALL = READING | TABLE | LIST | GEN
};

static const char *const fold_choices[] = {"shapes", "constants", "none", NULL};
static const char *const views_choices[] = {"reshape", "none", NULL};
static const char *const inplace_choices[] = {"safe", "none", NULL};
static const char *const io_choices[] = {"arena", "external", "persistent", NULL};
static const char *const weights_choices[] = {"external", "resident", NULL};
static const char *const bodies_choices[] = {"plan", "ignore", NULL};
static const char *const lifetimes_choices[] = {"auto", "half-open", "inclusive", NULL};
static const char *const dup_ids_choices[] = {"error", "rename", NULL};
static const char *const format_choices[] = {"text", "json", "csv", "md", NULL};
static const char *const rows_choices[] = {"runs", "instances", "methods", NULL};

static const char *method_at(memplan_method_kind kind, int32_t index) {
  const memplan_method *method;
  for (int32_t k = 0; (method = memplan_method_at(k)) != NULL; k++) {
    if (method->kind == kind && index-- == 0) {
      return method->name;
    }
  }
  return NULL;
}

static const char *order_at(int32_t index) { return method_at(MEMPLAN_METHOD_ORDER, index); }

// Names of all methods; one that serves two kinds comes once.
static const char *any_method_at(int32_t index) {
  const memplan_method *method;
  for (int32_t k = 0; (method = memplan_method_at(k)) != NULL; k++) {
    bool seen = false;
    for (int32_t before = 0; before < k && !seen; before++) {
      seen = strcmp(memplan_method_at(before)->name, method->name) == 0;
    }
    if (!seen && index-- == 0) {
      return method->name;
    }
  }
  return NULL;
}

static const char *place_at(int32_t index) { return method_at(MEMPLAN_METHOD_PLACE, index); }

static const char *format_at(memplan_format_use use, int32_t index) {
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    const memplan_file_format *format = memplan_format_at(i);
    if (memplan_format_can(format, use) && index-- == 0) {
      return format->name;
    }
  }
  return NULL;
}

static const char *reader_at(int32_t index) { return format_at(MEMPLAN_FORMAT_READ, index); }

static const char *writer_at(int32_t index) { return format_at(MEMPLAN_FORMAT_WRITE, index); }

static const char *technique_at(int32_t index) {
  const memplan_technique *technique = memplan_technique_at(index);
  return technique != NULL ? technique->name : NULL;
}

// Those of problems and plans, then those of integer programs.
static const char *target_at(int32_t index) {
  int32_t n_writers = 0;
  while (writer_at(n_writers) != NULL) {
    n_writers++;
  }
  const memplan_program_format *program = memplan_program_format_at(index - n_writers);
  return index < n_writers ? writer_at(index) : program != NULL ? program->name : NULL;
}

static bool is_format(memplan_format_use use, const char *text) {
  const memplan_file_format *format = memplan_format_find(text);
  return format != NULL && memplan_format_can(format, use);
}

static bool is_reader(const char *text) { return is_format(MEMPLAN_FORMAT_READ, text); }

static bool is_writer(const char *text) { return is_format(MEMPLAN_FORMAT_WRITE, text); }

static const char input_group[] = "Input";
static const char problem_group[] = "Problem";
static const char search_group[] = "Search";
static const char family_group[] = "Family";
static const char output_group[] = "Output";

static const memplan_option table[MEMPLAN_OPTION_COUNT] = {
    [MEMPLAN_OPTION_FROM] = {.name = "from",
                             .seldom = true,
                             .kind = MEMPLAN_OPTION_NAME,
                             .argument = "FORMAT",
                             .name_at = reader_at,
                             .accepts = is_reader,
                             .commands = READING,
                             .group = input_group,
                             .text = "read the files in this format instead of telling it from their content"},
    [MEMPLAN_OPTION_DIM] = {.name = "dim",
                            .kind = MEMPLAN_OPTION_TEXT,
                            .many = true,
                            .argument = "NAME=N",
                            .commands = READING,
                            .group = input_group,
                            .text =
                                "value of a symbolic dimension of a model, as `info` names it; may be given several "
                                "times"},
    [MEMPLAN_OPTION_SHAPE] = {.name = "shape",
                              .kind = MEMPLAN_OPTION_TEXT,
                              .many = true,
                              .argument = "INPUT=1x3x224x224",
                              .commands = READING,
                              .group = input_group,
                              .text = "shape of a model's input, INPUT=scalar for one without dimensions; may be "
                                      "given several times"},
    [MEMPLAN_OPTION_FOLD] = {.name = "fold",
                             .seldom = true,
                             .kind = MEMPLAN_OPTION_CHOICE,
                             .argument = "WHAT",
                             .fallback = "shapes",
                             .choices = fold_choices,
                             .commands = READING,
                             .group = input_group,
                             .text =
                                 "what becomes a constant before planning: whatever depends on shapes and constants "
                                 "alone, or on constants alone, or nothing"},
    [MEMPLAN_OPTION_VIEWS] = {.name = "views",
                              .seldom = true,
                              .kind = MEMPLAN_OPTION_CHOICE,
                              .argument = "WHICH",
                              .fallback = "reshape",
                              .choices = views_choices,
                              .commands = READING,
                              .group = input_group,
                              .text = "whether outputs of Reshape and its like lie in their input's buffer"},
    [MEMPLAN_OPTION_LIFETIMES] =
        {.name = "lifetimes",
         .seldom = true,
         .kind = MEMPLAN_OPTION_CHOICE,
         .argument = "HOW",
         .fallback = "auto",
         .choices = lifetimes_choices,
         .commands = READING,
         .group = input_group,
         .text = "whether lifetimes in a CSV file end after their last step or with it; auto: as its "
                 "column names say"},
    [MEMPLAN_OPTION_DUP_IDS] = {.name = "dup-ids",
                                .seldom = true,
                                .kind = MEMPLAN_OPTION_CHOICE,
                                .argument = "WHAT",
                                .fallback = "error",
                                .choices = dup_ids_choices,
                                .commands = READING,
                                .group = input_group,
                                .text = "what to do about rows of a CSV file with the same id"},
    [MEMPLAN_OPTION_STRICT] = {.name = "strict",
                               .seldom = true,
                               .kind = MEMPLAN_OPTION_FLAG,
                               .commands = READING,
                               .group = input_group,
                               .text = "refuse what is otherwise only warned about, as unknown keys and columns"},
    [MEMPLAN_OPTION_INPLACE] = {.name = "inplace",
                                .kind = MEMPLAN_OPTION_CHOICE,
                                .argument = "WHICH",
                                .fallback = "safe",
                                .choices = inplace_choices,
                                .commands = READING,
                                .group = problem_group,
                                .text =
                                    "whether an output may take over the buffer of an input that is not read again"},
    [MEMPLAN_OPTION_IO] = {.name = "io",
                           .kind = MEMPLAN_OPTION_CHOICE,
                           .argument = "WHERE",
                           .fallback = "arena",
                           .choices = io_choices,
                           .commands = READING,
                           .group = problem_group,
                           .text = "where graph inputs and outputs lie: in the arena while needed, outside it, or in "
                                   "it throughout"},
    [MEMPLAN_OPTION_WEIGHTS] = {.name = "weights",
                                .kind = MEMPLAN_OPTION_CHOICE,
                                .argument = "WHERE",
                                .fallback = "external",
                                .choices = weights_choices,
                                .commands = READING,
                                .group = problem_group,
                                .text = "where weights lie: outside the arena, or in it throughout"},
    [MEMPLAN_OPTION_INPUTS_WRITABLE] = {.name = "inputs-writable",
                                        .seldom = true,
                                        .kind = MEMPLAN_OPTION_FLAG,
                                        .commands = READING,
                                        .group = problem_group,
                                        .text = "graph inputs may be overwritten in-place by their last reader"},
    [MEMPLAN_OPTION_BODIES] = {.name = "bodies",
                               .seldom = true,
                               .kind = MEMPLAN_OPTION_CHOICE,
                               .argument = "WHAT",
                               .fallback = "plan",
                               .choices = bodies_choices,
                               .commands = READING,
                               .group = problem_group,
                               .text =
                                   "what to do about the bodies of If, Loop and Scan: plan them as workspace of their "
                                   "operator, or not count them"},
    [MEMPLAN_OPTION_NO_BRANCH_SHARING] = {.name = "no-branch-sharing",
                                          .seldom = true,
                                          .kind = MEMPLAN_OPTION_FLAG,
                                          .commands = READING,
                                          .group = problem_group,
                                          .text = "the bodies of one operator lie side by side instead of sharing "
                                                  "memory"},
    [MEMPLAN_OPTION_ALIGN] = {.name = "align",
                              .kind = MEMPLAN_OPTION_SIZE,
                              .argument = "N",
                              .fallback = "1",
                              .minimum = 1,
                              .maximum = INT64_C(1) << 40,
                              .unit = "bytes",
                              .commands = READING,
                              .group = problem_group,
                              .text = "each offset is a multiple of N too"},
    [MEMPLAN_OPTION_CAPACITY] = {.name = "capacity",
                                 .kind = MEMPLAN_OPTION_SIZE,
                                 .argument = "SIZE",
                                 .minimum = 0,
                                 .maximum = INT64_C(1) << 62,
                                 .unit = "bytes",
                                 .commands = PLANNING | VERIFY | EXPLAIN,
                                 .group = problem_group,
                                 .text = "largest peak that is of use: the goal is then to fit, not to be optimal"},
    [MEMPLAN_OPTION_PIN] = {.name = "pin",
                            .seldom = true,
                            .kind = MEMPLAN_OPTION_FLAG,
                            .commands = READING,
                            .group = problem_group,
                            .text = "offsets in a CSV file are fixed (otherwise they are ignored)"},
    [MEMPLAN_OPTION_PIN_SPACE] = {.name = "pin-space",
                                  .seldom = true,
                                  .kind = MEMPLAN_OPTION_TEXT,
                                  .many = true,
                                  .argument = "ID=POOL",
                                  .commands = READING,
                                  .group = problem_group,
                                  .text = "the buffer ID lies in this pool; may be given several times"},
    [MEMPLAN_OPTION_CONFLICTS] = {.name = "conflicts",
                                  .kind = MEMPLAN_OPTION_FILE,
                                  .argument = "FILE",
                                  .commands = READING,
                                  .group = problem_group,
                                  .text = "pairs of buffers that may not share memory: a CSV of two ids a row, beside "
                                          "or instead of lifetimes"},
    [MEMPLAN_OPTION_PAIR] = {.name = "pair",
                             .kind = MEMPLAN_OPTION_TEXT,
                             .pair = true,
                             .argument = "A B",
                             .commands = EXPLAIN,
                             .group = problem_group,
                             .text = "two buffers or tensors, by their ids: may they share bytes, and what forbids it"},
    [MEMPLAN_OPTION_PLAN] = {.name = "plan",
                             .kind = MEMPLAN_OPTION_FILE,
                             .argument = "PLAN",
                             .commands = EXPLAIN | CONVERT,
                             .group = problem_group,
                             .text = "a plan for FILE: its order, in-place pairs and offsets are explained, or written "
                                     "(to NAME.onnx: the model with its nodes in the plan's order)"},
    [MEMPLAN_OPTION_ORDER] =
        {.name = "order",
         .kind = MEMPLAN_OPTION_NAME,
         .argument = "NAME|FILE",
         .name_at = order_at,
         .or_file = true,
         .commands = PLANNING | BOUND | EXPLAIN | INFO,
         .group = search_group,
         .text = "use this order method alone, or the order in FILE: one operator id a line (lines that begin with \"# "
                 "\" are comments; "
                 "of ONNX models "
                 "the name of the node, or of its first output if it has none of its own), or a plan (./NAME is a "
                 "file in any case). Default of solve: all of them, then the search for order and placement "
                 "together unless --place is given; of explain, info and convert to lifetimes: given. bound takes "
                 "optimal, whose search proves a bound for every order, or given or FILE, of whose plans the "
                 "bounds then speak; by default it searches no orders"},
    [MEMPLAN_OPTION_PLACE] = {.name = "place",
                              .seldom = true,
                              .kind = MEMPLAN_OPTION_NAME,
                              .argument = "NAME",
                              .name_at = place_at,
                              .commands = PLANNING,
                              .group = search_group,
                              .text = "use this placement method alone (default: the best of the heuristics; then for "
                                      "lifetimes optimal, the exact one, and for models the search for order and "
                                      "placement together unless --order is given)"},
    [MEMPLAN_OPTION_METHOD] =
        {.name = "method",
         .seldom = true,
         .kind = MEMPLAN_OPTION_NAME,
         .argument = "NAME",
         .name_at = any_method_at,
         .commands = PLANNING,
         .group = search_group,
         .text =
             "use this method: as --order or --place (optimal: as both, that is the best order, then the best "
             "placement on it, which on another order may be smaller: without --method solve looks there too), or a "
             "joint one (joint-engine, "
             "joint-nogoods, ilp-joint), which finds order and placement together after the others have found a plan; "
             "convert: the method whose integer program is meant"},
    [MEMPLAN_OPTION_SOLUTION] = {.name = "solution",
                                 .kind = MEMPLAN_OPTION_FILE,
                                 .argument = "FILE",
                                 .commands = CONVERT,
                                 .group = search_group,
                                 .text = "what another solver found for the program that --to lp or mps writes, with "
                                         "the same options: its plan is verified and written"},
    [MEMPLAN_OPTION_START] = {.name = "start",
                              .kind = MEMPLAN_OPTION_FILE,
                              .argument = "PLAN",
                              .commands = SOLVE,
                              .group = search_group,
                              .text = "begin with this plan, which has to be valid here; what is found is never worse"},
    [MEMPLAN_OPTION_SCORE_WEIGHTS] = {.name = "score-weights",
                                      .seldom = true,
                                      .kind = MEMPLAN_OPTION_TEXT,
                                      .argument = "A,B,C",
                                      .fallback = "500,300,-200",
                                      .commands = PLANNING | EXPLAIN,
                                      .group = search_group,
                                      .text = "weights of the order weighted-score: released bytes, longest "
                                              "remaining path, added bytes"},
    [MEMPLAN_OPTION_MINIMIZE] = {.name = "minimize",
                                 .seldom = true,
                                 .kind = MEMPLAN_OPTION_TEXT,
                                 .argument = "peak|total|max|POOL",
                                 .fallback = "peak",
                                 .commands = PLANNING,
                                 .group = search_group,
                                 .text =
                                     "with several pools: the peaks of the pools from the last one to the first, or "
                                     "before these their sum, the largest of them, or that of one pool; any of them "
                                     "stands in the place of the least reuse cost that a dsa-solver file may ask for"},
    [MEMPLAN_OPTION_GAP] = {.name = "gap",
                            .kind = MEMPLAN_OPTION_PERCENT,
                            .argument = "PERCENT",
                            .fallback = "0%",
                            .minimum = 0,
                            .maximum = 1000000,
                            .unit = "millionths",
                            .commands = PLANNING,
                            .group = search_group,
                            .text = "a plan within this gap is good enough"},
    [MEMPLAN_OPTION_TIME_LIMIT] =
        {.name = "time-limit",
         .kind = MEMPLAN_OPTION_TIME,
         .argument = "TIME",
         .minimum = 0,
         .maximum = INT64_C(1) << 40,
         .unit = "ms",
         .commands = PLANNING | BOUND | EXPLAIN,
         .group = search_group,
         .text = "stop each file after this time (30s, 500ms, 2m; without a unit: seconds), counted from its opening, "
                 "with the best plan so far; 0 still gives a plan (default: none)"},
    [MEMPLAN_OPTION_WORK_LIMIT] = {.name = "work-limit",
                                   .seldom = true,
                                   .kind = MEMPLAN_OPTION_INTEGER,
                                   .argument = "N",
                                   .fallback = "6000000000",
                                   .minimum = 0,
                                   .maximum = INT64_MAX,
                                   .commands = PLANNING | BOUND | EXPLAIN,
                                   .group = search_group,
                                   .text = "end each exact search after this much work (about a minute by default); "
                                           "unlike a time, it ends at the same place on every machine"},
    [MEMPLAN_OPTION_MEMORY_LIMIT] = {.name = "memory-limit",
                                     .seldom = true,
                                     .kind = MEMPLAN_OPTION_SIZE,
                                     .argument = "SIZE",
                                     .fallback = "2G",
                                     .minimum = 1 << 20,
                                     .maximum = INT64_C(1) << 50,
                                     .unit = "bytes",
                                     .commands = PLANNING | BOUND,
                                     .group = search_group,
                                     .text =
                                         "memory that the exact searches (states of orders, clauses, nogoods, beams, "
                                         "windows), or an integer program, may hold together, beside the model and its "
                                         "placement problems; where it is full, parts of the search end, and what was "
                                         "found so far stays"},
    [MEMPLAN_OPTION_THREADS] = {.name = "threads",
                                .kind = MEMPLAN_OPTION_INTEGER,
                                .argument = "N",
                                .fallback = "0",
                                .minimum = 0,
                                .maximum = 1024,
                                .commands = PLANNING | BOUND | EXPLAIN,
                                .group = search_group,
                                .text = "threads to use, 0 for all; plans do not depend on it"},
    [MEMPLAN_OPTION_SEED] = {.name = "seed",
                             .kind = MEMPLAN_OPTION_INTEGER,
                             .argument = "N",
                             .fallback = "0",
                             .minimum = 0,
                             .maximum = INT64_MAX,
                             .commands = PLANNING | GEN | EXPLAIN,
                             .group = search_group,
                             .text = "seed of the methods that `list methods -v` marks as seeded, recorded in results; "
                                     "gen: of the instances"},
    [MEMPLAN_OPTION_WITHOUT] = {.name = "without",
                                .seldom = true,
                                .kind = MEMPLAN_OPTION_NAME,
                                .many = true,
                                .argument = "TECHNIQUE",
                                .name_at = technique_at,
                                .commands = SOLVE | BENCH,
                                .group = search_group,
                                .text = "switch a part of the exact searches off, to measure what it is worth (`list "
                                        "techniques`); may be given several times"},
    [MEMPLAN_OPTION_OUTPUT] = {.name = "output",
                               .letter = 'o',
                               .kind = MEMPLAN_OPTION_FILE,
                               .written = true,
                               .argument = "FILE",
                               .commands = ALL,
                               .group = output_group,
                               .text = "solve: write the plan to FILE (several files: to DIR/, one plan each); bench: "
                                       "append to FILE; gen: several instances into the folder FILE; others: write "
                                       "there instead of to standard output (-)"},
    [MEMPLAN_OPTION_PLOT] = {.name = "plot",
                             .kind = MEMPLAN_OPTION_FILE,
                             .written = true,
                             .argument = "FILE",
                             .commands = SOLVE | VERIFY,
                             .group = output_group,
                             .text = "draw the plan and its load: FILE.svg, or FILE.html to explore"},
    [MEMPLAN_OPTION_CERTIFICATE] = {.name = "certificate",
                                    .kind = MEMPLAN_OPTION_FILE,
                                    .written = true,
                                    .argument = "FILE",
                                    .commands = SOLVE | BOUND,
                                    .group = output_group,
                                    .text =
                                        "write a proof, for `memplan check`. solve: that no plan is smaller than the "
                                        "one found, if it is proven optimal, of a model on any order or, as the report "
                                        "then says, on the plan's own; of a plan that is not: of a bound below it. "
                                        "bound: of the largest lower bound that has a proof, without a plan"},
    [MEMPLAN_OPTION_CERTIFICATE_LIMIT] = {.name = "certificate-limit",
                                          .seldom = true,
                                          .kind = MEMPLAN_OPTION_SIZE,
                                          .argument = "SIZE",
                                          .fallback = "1G",
                                          .minimum = 1,
                                          .maximum = INT64_C(1) << 40,
                                          .unit = "bytes",
                                          .commands = SOLVE | BOUND,
                                          .group = output_group,
                                          .text = "leave the certificate out where it would be larger; the report "
                                                  "says so"},
    [MEMPLAN_OPTION_CONFLICTS_OUT] = {.name = "conflicts-out",
                                      .kind = MEMPLAN_OPTION_FILE,
                                      .written = true,
                                      .argument = "FILE",
                                      .commands = CONVERT,
                                      .group = output_group,
                                      .text = "write the pairs of buffers that may not share memory to FILE, for "
                                              "--conflicts, and the CSV without lifetimes"},
    [MEMPLAN_OPTION_TO] =
        {.name = "to",
         .kind = MEMPLAN_OPTION_NAME,
         .argument = "FORMAT",
         .name_at = target_at,
         .accepts = is_writer,
         .commands =
             CONVERT | GEN,
         .group = output_group,
         .text = "format to write. gen writes problems alone: no plans (plan-json) and no integer programs (lp, mps)"},
    [MEMPLAN_OPTION_PROGRAM_LIMIT] = {.name = "program-limit",
                                      .kind = MEMPLAN_OPTION_SIZE,
                                      .argument = "SIZE",
                                      .fallback = "100M",
                                      .minimum = 1,
                                      .maximum = INT64_C(1) << 40,
                                      .unit = "bytes",
                                      .commands = CONVERT,
                                      .group = output_group,
                                      .text = "refuse to write an integer program, lp or mps, that would be larger"},
    [MEMPLAN_OPTION_FORMAT] = {.name = "format",
                               .kind = MEMPLAN_OPTION_CHOICE,
                               .argument = "FORMAT",
                               .fallback = "text",
                               .choices = format_choices,
                               .commands = SOLVE | INFO | BOUND | VERIFY | TABLE | LIST | EXPLAIN | CHECK,
                               .group = output_group,
                               .text = "form of the report: for people, JSON (one object a line), CSV, or Markdown"},
    [MEMPLAN_OPTION_ROWS] = {.name = "rows",
                             .kind = MEMPLAN_OPTION_CHOICE,
                             .argument = "WHAT",
                             .fallback = "runs",
                             .choices = rows_choices,
                             .commands = TABLE,
                             .group = output_group,
                             .text =
                                 "one row for each run, the best run of each instance, or a summary of each method"},
    [MEMPLAN_OPTION_DEVICE_MEMORY] = {.name = "device-memory",
                                      .kind = MEMPLAN_OPTION_SIZE,
                                      .argument = "SIZE",
                                      .minimum = 1024,
                                      .maximum = INT64_C(1) << 62,
                                      .unit = "bytes",
                                      .commands = SOLVE,
                                      .group = output_group,
                                      .text = "memory of the device, as in 24G: the report gives the plan's share"},
    [MEMPLAN_OPTION_GEN_COUNT] = {.name = "count",
                                  .kind = MEMPLAN_OPTION_INTEGER,
                                  .argument = "N",
                                  .fallback = "1",
                                  .minimum = 1,
                                  .maximum = 100000,
                                  .commands = GEN,
                                  .group = family_group,
                                  .text = "how many instances"},
    [MEMPLAN_OPTION_GEN_N] = {.name = "n",
                              .kind = MEMPLAN_OPTION_INTEGER,
                              .argument = "N",
                              .minimum = INT64_MIN, // each family has a range of its own
                              .maximum = INT64_MAX,
                              .commands = GEN,
                              .group = family_group,
                              .text = "buffers or operators of a problem (default: the family's own choice)"},
    [MEMPLAN_OPTION_GEN_FILL] =
        {.name = "fill",
         .kind = MEMPLAN_OPTION_INTEGER,
         .argument = "PERCENT",
         .minimum = 1,
         .maximum = 100,
         .commands = GEN,
         .group = family_group,
         .text = "how full a problem is, in percent: `memplan list generators` says of what (default: "
                 "the family's own choice)"},
    [MEMPLAN_OPTION_KEEP_GOING] = {.name = "keep-going",
                                   .seldom = true,
                                   .kind = MEMPLAN_OPTION_FLAG,
                                   .fallback = "on",
                                   .commands = SOLVE | BENCH,
                                   .group = output_group,
                                   .text = "go on with the other files when one fails"},
    [MEMPLAN_OPTION_NO_KEEP_GOING] = {.name = "no-keep-going",
                                      .seldom = true,
                                      .kind = MEMPLAN_OPTION_NEGATION,
                                      .negates = MEMPLAN_OPTION_KEEP_GOING,
                                      .commands = SOLVE | BENCH,
                                      .group = output_group,
                                      .text = "stop at the first file that fails"},
    [MEMPLAN_OPTION_QUIET] = {.name = "quiet",
                              .letter = 'q',
                              .kind = MEMPLAN_OPTION_FLAG,
                              .commands = ALL,
                              .group = output_group,
                              .text = "errors only: no warnings, and no report unless its form is asked for; files are "
                                      "written all the same"},
    [MEMPLAN_OPTION_VERBOSE] = {.name = "verbose",
                                .letter = 'v',
                                .kind = MEMPLAN_OPTION_FLAG,
                                .commands = ALL,
                                .group = output_group,
                                .text = "all warnings, each improvement as it is found, and longer reports"},
    [MEMPLAN_OPTION_NO_PROGRESS] = {.name = "no-progress",
                                    .seldom = true,
                                    .kind = MEMPLAN_OPTION_FLAG,
                                    .commands = SOLVE | BENCH,
                                    .group = output_group,
                                    .text = "no progress line (there is none anyway where stderr is no terminal)"},
    [MEMPLAN_OPTION_HELP] = {.name = "help",
                             .letter = 'h',
                             .kind = MEMPLAN_OPTION_FLAG,
                             .commands = ALL,
                             .group = output_group,
                             .text = "this text"},
};

const memplan_option *memplan_option_table(void) { return table; }

const memplan_option_value *memplan_option_get(const memplan_options *options, memplan_option_id id) {
  return &options->values[id];
}
