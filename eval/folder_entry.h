// SPDX-License-Identifier: Apache-2.0
// Which files of a folder are problems. A file that is named on the command line is always taken for one.
#ifndef MEMPLAN_EVAL_FOLDER_ENTRY_H
#define MEMPLAN_EVAL_FOLDER_ENTRY_H

typedef enum memplan_folder_entry {
  MEMPLAN_ENTRY_PROBLEM = 0, // or one that is damaged: it gets its row
  MEMPLAN_ENTRY_OTHER_NAME,  // no extension of a format that is read, or a hidden file
  MEMPLAN_ENTRY_OTHER_CONTENT
} memplan_folder_entry;

// Looks at the name and, where many kinds of files have its extension (.json, .csv), at the first bytes: what is text
// and clearly something else, as a plan, an index or a list of shapes, is no problem.
memplan_folder_entry memplan_folder_entry_of(const char *path, const char *name);

#endif
