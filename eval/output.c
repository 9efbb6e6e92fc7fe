// SPDX-License-Identifier: Apache-2.0
#include "eval/output.h"

#include "eval/interrupt.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 4 };

bool memplan_output_defer(const char *path) {
  struct stat kind;
  bool file = path != NULL && strcmp(path, "-") != 0 && (stat(path, &kind) != 0 || S_ISREG(kind.st_mode));
  if (file) {
    memplan_interrupt_defer();
  }
  return file;
}

void memplan_output_resume(bool deferred) {
  if (deferred) {
    memplan_interrupt_resume();
  }
}

memplan_status memplan_output_open(memplan_output *output, const char *path, memplan_error *error) {
  *output = (memplan_output){.file = stdout};
  if (path == NULL || strcmp(path, "-") == 0) {
    return MEMPLAN_OK;
  }
  output->path = path;
  output->file = open_memstream(&output->text, &output->length);
  return output->file == NULL ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

memplan_status memplan_output_flush(memplan_output *output, memplan_error *error) {
  errno = 0;
  if (fflush(output->file) == 0 && ferror(output->file) == 0) {
    return MEMPLAN_OK;
  }
  if (output->path != NULL) {
    return memplan_fail_nomem(error);
  }
  return memplan_fail(error, MEMPLAN_IO, "cannot write to standard output: %s",
                      errno == 0 ? "an earlier write failed" : strerror(errno));
}

memplan_status memplan_output_close(memplan_output *output, memplan_error *error) {
  memplan_status status = memplan_output_flush(output, error);
  if (output->path != NULL) {
    bool closed = fclose(output->file) == 0;
    output->file = NULL;
    if (status == MEMPLAN_OK && !closed) {
      status = memplan_fail_nomem(error);
    }
    if (status == MEMPLAN_OK) {
      bool deferred = memplan_output_defer(output->path);
      status = memplan_file_write(output->path, output->text, output->length, error);
      memplan_output_resume(deferred);
    }
  }
  memplan_output_drop(output);
  return status;
}

memplan_status memplan_output_write_all(const memplan_whole_file *files, int32_t n_files, memplan_error *error) {
  if (n_files > MOST_FILES) {
    return memplan_fail(error, MEMPLAN_INTERNAL, "%d files are to be written at once, and there is room for %d",
                        (int)n_files, (int)MOST_FILES);
  }
  memplan_draft drafts[MOST_FILES];
  bool direct[MOST_FILES];
  int32_t n_drafts = 0;
  const char *written = NULL; // the one before
  memplan_status status = MEMPLAN_OK;
  for (int32_t i = 0; status == MEMPLAN_OK && i < n_files; i++) {
    direct[i] = memplan_file_is_direct(files[i].path);
    if (direct[i]) {
      status = memplan_file_write(files[i].path, files[i].text, files[i].length, error);
    }
  }
  memplan_interrupt_defer();
  for (int32_t i = 0; status == MEMPLAN_OK && i < n_files; i++) {
    if (!direct[i]) {
      status = memplan_file_draft(&drafts[n_drafts], files[i].path, files[i].text, files[i].length, error);
      n_drafts += status == MEMPLAN_OK ? 1 : 0;
    }
  }
  for (int32_t i = 0; i < n_drafts; i++) {
    if (status == MEMPLAN_OK) {
      const char *path = drafts[i].path;
      status = memplan_file_commit(&drafts[i], error);
      if (status != MEMPLAN_OK && written != NULL) {
        memplan_error_prefix(error, "%.300s is new already, but not what belongs to it",
                             memplan_quote_path(written).text);
      }
      written = path;
    } else {
      memplan_file_drop(&drafts[i]);
    }
  }
  memplan_interrupt_resume();
  return status;
}

void memplan_output_drop(memplan_output *output) {
  if (output->path != NULL && output->file != NULL) {
    fclose(output->file);
  }
  free(output->text);
  *output = (memplan_output){0};
}
