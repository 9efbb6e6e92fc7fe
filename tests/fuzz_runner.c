// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target once over each given file, and over each file of each given folder, in order of their names. For
// compilers without libFuzzer, and to replay a corpus or a crash. Fails if there is nothing to run.
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return -1;
  }
  uint8_t *data = NULL;
  size_t size = 0, capacity = 0, part = 0;
  do {
    if (capacity - size < 4096) {
      capacity = 2 * capacity + 4096;
      uint8_t *grown = realloc(data, capacity);
      if (grown == NULL) {
        free(data);
        (void)fclose(file);
        return -1;
      }
      data = grown;
    }
    part = fread(data + size, 1, capacity - size, file);
    size += part;
  } while (part > 0);
  (void)fclose(file);
  // A block of exactly that size, so that reading past its end is seen.
  uint8_t *exact = realloc(data, size > 0 ? size : 1);
  (void)LLVMFuzzerTestOneInput(exact != NULL ? exact : data, size);
  free(exact != NULL ? exact : data);
  return 1;
}

static int run_folder(const char *path) {
  struct dirent **entries = NULL;
  int count = scandir(path, &entries, NULL, alphasort);
  int runs = 0;
  for (int i = 0; i < count; i++) {
    size_t length = strlen(path) + strlen(entries[i]->d_name) + 2;
    char *name = malloc(length);
    struct stat info;
    if (name != NULL && runs >= 0) {
      (void)snprintf(name, length, "%s/%s", path, entries[i]->d_name);
      if (stat(name, &info) == 0 && S_ISREG(info.st_mode)) {
        runs = run_file(name) < 0 ? -1 : runs + 1;
      }
    }
    free(name);
    free(entries[i]);
  }
  free(entries);
  return count < 0 ? -1 : runs;
}

int main(int argc, char **argv) {
  int runs = 0;
  for (int i = 1; i < argc; i++) {
    struct stat info;
    bool folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
    int done = folder ? run_folder(argv[i]) : run_file(argv[i]);
    if (done < 0) {
      return 1;
    }
    runs += done;
  }
  (void)fprintf(stderr, "%d inputs\n", runs);
  return runs > 0 ? 0 : 1;
}
