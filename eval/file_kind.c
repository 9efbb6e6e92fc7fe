// SPDX-License-Identifier: Apache-2.0
#include "eval/file_kind.h"

#include "instances/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEAD_SIZE = 1 << 16 };

memplan_file_kind memplan_file_kind_of(const char *text, size_t length) {
  static const char mark[] = "\"memplan-certificate\"";
  size_t head = length < HEAD_SIZE ? length : HEAD_SIZE;
  const char *end = head > 0 ? memchr(text, '\n', head) : NULL;
  size_t line = end != NULL ? (size_t)(end - text) : head;
  if (line > 0 && text[0] == '{' && memmem(text, line, mark, strlen(mark)) != NULL) {
    return MEMPLAN_FILE_CERTIFICATE;
  }
  return memplan_format_detect(text, head, NULL) == &memplan_format_plan_json ? MEMPLAN_FILE_PLAN : MEMPLAN_FILE_OTHER;
}

memplan_file_kind memplan_file_kind_at(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
    return MEMPLAN_FILE_OTHER;
  }
  FILE *file = fopen(path, "rbe");
  char *head = file != NULL ? malloc(HEAD_SIZE) : NULL;
  memplan_file_kind kind = MEMPLAN_FILE_OTHER;
  if (head != NULL) {
    kind = memplan_file_kind_of(head, fread(head, 1, HEAD_SIZE, file));
  }
  free(head);
  if (file != NULL) {
    (void)fclose(file);
  }
  return kind;
}
