// SPDX-License-Identifier: Apache-2.0
#include "eval/output.h"

#include "eval/interrupt.h"
#include "model/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

void memplan_output_drop(memplan_output *output) {
  if (output->path != NULL && output->file != NULL) {
    fclose(output->file);
  }
  free(output->text);
  *output = (memplan_output){0};
}
