// SPDX-License-Identifier: Apache-2.0
// Guards what is there: no output may be one of the inputs, no two outputs the same file, and no two inputs standard
// input.
#ifndef MEMPLAN_EVAL_OUTPUT_PATHS_H
#define MEMPLAN_EVAL_OUTPUT_PATHS_H

#include "model/base/options.h"

// A file that a run reads or writes. Its identity is that of the file it leads to, through links, or, if there is none
// yet, the folder that it is to be made in and its name there. Pipes, devices, folders and "-" have none.
typedef struct memplan_used_path {
  const char *path;
  const char *option; // "--plot" for messages, NULL: an argument
  bool written;
} memplan_used_path;

// MEMPLAN_INPUT names the two that are the same file, one of them written. O(n log n) and one look at each file.
memplan_status memplan_output_paths_check(const memplan_used_path *paths, int64_t n_paths, memplan_error *error);

// The same for all options of kind FILE of a command, and its arguments if they name files. Two that are read from
// standard input are MEMPLAN_INPUT as well: the second would find nothing.
memplan_status memplan_output_paths_check_options(const memplan_options *options, bool arguments, memplan_error *error);

// MEMPLAN_IO if a file that an option names cannot be written, as far as that shows before there is anything to write
// (memplan_file_check). A folder after -o is left to the command, which may make it.
memplan_status memplan_output_paths_check_places(const memplan_options *options, memplan_error *error);

// For inputs[0 … n-1] with the files written for each (NULL entries: none), and one more written file or NULL.
memplan_status memplan_output_paths_check_batch(const char *const *inputs, const char *const *outputs, int32_t n,
                                                const char *extra, const char *extra_option, memplan_error *error);

#endif
