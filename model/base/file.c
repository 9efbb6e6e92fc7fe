// SPDX-License-Identifier: Apache-2.0
// The temporary name holds the process id and a counter and is created exclusively, so that concurrent writers, threads
// included, never meet.
#include "model/base/file.h"

#include "model/base/quote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t largest_file = (size_t)1 << 40;
static const size_t largest_stream = (size_t)1 << 30;
static const size_t first_block = (size_t)64 << 10;
enum { temporary_attempts = 10000, most_links = 40, copied_block = 1 << 16 };

bool memplan_file_ends_with(const char *path, const char *end) {
  size_t length = strlen(path), size = strlen(end);
  return length > size && strcmp(path + length - size, end) == 0;
}

memplan_status memplan_file_open(const char *path, FILE **file, memplan_error *error) {
  *file = NULL;
  FILE *opened = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
  if (opened == NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "cannot open the file: %s; check the path", strerror(errno));
  }
  struct stat status;
  if (fstat(fileno(opened), &status) != 0) {
    int reason = errno;
    memplan_file_close(opened);
    return memplan_fail(error, MEMPLAN_INPUT, "cannot read the file: %s", strerror(reason));
  }
  if (S_ISDIR(status.st_mode)) {
    memplan_file_close(opened);
    return memplan_fail(error, MEMPLAN_INPUT, "is a directory; give the files in it");
  }
  *file = opened;
  return MEMPLAN_OK;
}

void memplan_file_close(FILE *file) {
  if (file != NULL && file != stdin) {
    (void)fclose(file);
  }
}

static memplan_status fail_large(bool regular, memplan_error *error) {
  return regular ? memplan_fail(error, MEMPLAN_INPUT, "is larger than 2^40 bytes; nothing that memplan reads is")
                 : memplan_fail(error, MEMPLAN_INPUT,
                                "more than 1 GiB came from what is no regular file, and no end; save what it gives to "
                                "a file and read that");
}

memplan_status memplan_file_read(FILE *file, char **text, size_t *length, memplan_error *error) {
  *text = NULL;
  *length = 0;
  struct stat status;
  bool regular = fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
  size_t limit = regular ? largest_file : largest_stream;
  size_t size = first_block;
  size_t used = 0;
  char *block = malloc(size);
  if (block == NULL) {
    return memplan_fail_nomem(error);
  }
  for (;;) {
    size_t got = fread(block + used, 1, size - used - 1, file);
    used += got;
    if (used < size - 1) {
      break;
    }
    if (used >= limit) {
      free(block);
      return fail_large(regular, error);
    }
    size = size < limit ? 2 * size : limit + 2;
    char *larger = realloc(block, size);
    if (larger == NULL) {
      free(block);
      return memplan_fail_nomem(error);
    }
    block = larger;
  }
  if (ferror(file)) {
    int reason = errno;
    free(block);
    return memplan_fail(error, MEMPLAN_INPUT, "cannot read the file: %s", strerror(reason));
  }
  block[used] = '\0';
  *text = block;
  *length = used;
  return MEMPLAN_OK;
}

memplan_status memplan_file_load(const char *path, char **text, size_t *length, memplan_error *error) {
  FILE *file = NULL;
  memplan_status status = memplan_file_open(path, &file, error);
  if (status == MEMPLAN_OK) {
    status = memplan_file_read(file, text, length, error);
    memplan_file_close(file);
  }
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(path).text);
  }
  return status;
}

static memplan_status fail_write(memplan_error *error, const char *path, int reason) {
  if (reason == ENOMEM) {
    return memplan_fail_nomem(error);
  }
  const char *remedy = "check the path and its permissions";
  if (reason == ENOSPC || reason == EDQUOT) {
    remedy = "free some space or write elsewhere";
  } else if (reason == EFBIG) {
    remedy = "raise the limit on the size of files (ulimit -f)";
  } else if (reason == EPIPE) {
    remedy = "the reader closed the pipe before everything was written";
  }
  return memplan_fail(error, MEMPLAN_IO, "cannot write %s: %s; %s",
                      strcmp(path, "-") == 0 ? "standard output" : memplan_quote_path(path).text, strerror(reason),
                      remedy);
}

// 0, or the errno of the failure.
static int write_all(int descriptor, const char *text, size_t length) {
  size_t done = 0;
  while (done < length) {
    ssize_t count = write(descriptor, text + done, length - done);
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    if (count == 0) {
      return EIO;
    }
    done += (size_t)count;
  }
  return 0;
}

// What a file is to hold: a text, or pieces of another file.
typedef struct content {
  const char *text;
  size_t length;
  FILE *source; // NULL: the text
  const memplan_file_piece *pieces;
  int64_t n_pieces;
} content;

static int copy_piece(int descriptor, int source, memplan_file_piece piece, char *block) {
  while (piece.length > 0) {
    size_t wanted = piece.length < copied_block ? (size_t)piece.length : (size_t)copied_block;
    ssize_t count = pread(source, block, wanted, (off_t)piece.offset);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return count < 0 ? errno : EIO;
    }
    int reason = write_all(descriptor, block, (size_t)count);
    if (reason != 0) {
      return reason;
    }
    piece.offset += count;
    piece.length -= count;
  }
  return 0;
}

// 0, or the errno of the failure.
static int write_content(int descriptor, const content *what) {
  if (what->source == NULL) {
    return write_all(descriptor, what->text, what->length);
  }
  char *block = malloc(copied_block);
  int reason = block != NULL ? 0 : ENOMEM;
  for (int64_t k = 0; k < what->n_pieces && reason == 0; k++) {
    reason = copy_piece(descriptor, fileno(what->source), what->pieces[k], block);
  }
  free(block);
  return reason;
}

static memplan_status write_stdout(const char *path, const content *what, memplan_error *error) {
  errno = 0;
  if (what->source != NULL) {
    int failed = fflush(stdout) != 0 ? errno : write_content(STDOUT_FILENO, what);
    return failed == 0 ? MEMPLAN_OK : fail_write(error, path, failed);
  }
  const char *text = what->text;
  size_t length = what->length;
  if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0) {
    int reason = errno != 0 ? errno : EIO;
    clearerr(stdout);
    return fail_write(error, path, reason);
  }
  return MEMPLAN_OK;
}

static memplan_status write_directly(const char *path, const content *what, memplan_error *error) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    return fail_write(error, path, errno);
  }
  int reason = write_content(descriptor, what);
  if (close(descriptor) != 0 && reason == 0) {
    reason = errno;
  }
  return reason == 0 ? MEMPLAN_OK : fail_write(error, path, reason);
}

// Creates a new file beside `path` and stores its name, malloc'd. Returns its descriptor, or -1 with errno set.
static int create_temporary(const char *path, char **name) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  size_t size = folder + 64;
  char *text = malloc(size);
  if (text == NULL) {
    errno = ENOMEM;
    return -1;
  }
  memcpy(text, path, folder);
  for (int attempt = 0; attempt < temporary_attempts; attempt++) {
    (void)snprintf(text + folder, size - folder, ".memplan-%ld-%d.tmp", (long)getpid(), attempt);
    int descriptor = open(text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      *name = text;
      return descriptor;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  int reason = errno;
  free(text);
  errno = reason;
  return -1;
}

// `old`: the status of the file that is replaced, or NULL. 0, or the errno of the failure.
static int write_temporary(const char *target, const struct stat *old, const content *what, char **name) {
  char *temporary = NULL;
  int descriptor = create_temporary(target, &temporary);
  if (descriptor < 0) {
    return errno;
  }
  int reason = write_content(descriptor, what);
  if (reason == 0 && old != NULL && fchmod(descriptor, old->st_mode & 07777) != 0) {
    reason = errno;
  }
  if (reason == 0 && fsync(descriptor) != 0 && errno != EINVAL && errno != ENOSYS) {
    reason = errno;
  }
  if (close(descriptor) != 0 && reason == 0) {
    reason = errno;
  }
  if (reason != 0) {
    (void)unlink(temporary);
    free(temporary);
    return reason;
  }
  *name = temporary;
  return 0;
}

char *memplan_file_target(const char *path) {
  char *name = strdup(path);
  for (int link = 0; name != NULL; link++) {
    char target[PATH_MAX];
    ssize_t length = readlink(name, target, sizeof target - 1);
    if (length < 0) {
      return name; // no link, or nothing
    }
    target[length] = '\0';
    const char *slash = strrchr(name, '/');
    size_t folder = slash != NULL && target[0] != '/' ? (size_t)(slash - name) + 1 : 0;
    char *next = link < most_links ? malloc(folder + (size_t)length + 1) : NULL;
    if (next == NULL) {
      free(name);
      errno = link < most_links ? ENOMEM : ELOOP;
      return NULL;
    }
    memcpy(next, name, folder);
    memcpy(next + folder, target, (size_t)length + 1);
    free(name);
    name = next;
  }
  errno = ENOMEM;
  return NULL;
}

static bool names_stdout(const char *path) {
  return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 ||
         strcmp(path, "/proc/self/fd/1") == 0;
}

bool memplan_file_is_direct(const char *path) {
  struct stat status;
  if (names_stdout(path)) {
    return true;
  }
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode) &&
         (!S_ISREG(status.st_mode) || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0);
}

// What `path` leads to, malloc'd, and the status of the file that is there already, if there is one. 0, or the errno of
// the reason why no file can be written there.
static int find_target(const char *path, char **target, struct stat *old, bool *exists) {
  *target = NULL;
  *exists = stat(path, old) == 0;
  if (!*exists && errno != ENOENT) {
    return errno;
  }
  if (*exists && S_ISDIR(old->st_mode)) {
    return EISDIR;
  }
  if (*exists && access(path, W_OK) != 0) {
    return errno;
  }
  *target = *exists ? realpath(path, NULL) : memplan_file_target(path);
  return *target == NULL ? errno : 0;
}

static memplan_status make_draft(memplan_draft *draft, const char *path, const content *what, memplan_error *error) {
  struct stat old;
  bool exists = false;
  *draft = (memplan_draft){.path = path};
  int reason = find_target(path, &draft->target, &old, &exists);
  if (reason == 0) {
    reason = write_temporary(draft->target, exists ? &old : NULL, what, &draft->temporary);
  }
  if (reason == 0) {
    return MEMPLAN_OK;
  }
  memplan_file_drop(draft);
  return fail_write(error, path, reason);
}

memplan_status memplan_file_draft(memplan_draft *draft, const char *path, const char *text, size_t length,
                                  memplan_error *error) {
  return make_draft(draft, path, &(content){.text = text, .length = length}, error);
}

memplan_status memplan_file_commit(memplan_draft *draft, memplan_error *error) {
  const char *path = draft->path;
  if (rename(draft->temporary, draft->target) != 0) {
    int reason = errno;
    memplan_file_drop(draft);
    return fail_write(error, path, reason);
  }
  free(draft->temporary);
  draft->temporary = NULL;
  memplan_file_drop(draft);
  return MEMPLAN_OK;
}

void memplan_file_drop(memplan_draft *draft) {
  if (draft->temporary != NULL) {
    (void)unlink(draft->temporary);
  }
  free(draft->temporary);
  free(draft->target);
  *draft = (memplan_draft){0};
}

static memplan_status write_file(const char *path, const content *what, memplan_error *error) {
  if (names_stdout(path)) {
    return write_stdout(path, what, error);
  }
  if (memplan_file_is_direct(path)) {
    return write_directly(path, what, error);
  }
  memplan_draft draft;
  MEMPLAN_TRY(make_draft(&draft, path, what, error));
  return memplan_file_commit(&draft, error);
}

memplan_status memplan_file_write(const char *path, const char *text, size_t length, memplan_error *error) {
  return write_file(path, &(content){.text = text, .length = length}, error);
}

memplan_status memplan_file_copy(const char *path, FILE *source, const memplan_file_piece *pieces, int64_t n_pieces,
                                 memplan_error *error) {
  return write_file(path, &(content){.source = source, .pieces = pieces, .n_pieces = n_pieces}, error);
}

memplan_status memplan_file_check(const char *path, memplan_error *error) {
  struct stat old;
  bool exists = false;
  char *target = NULL;
  if (names_stdout(path)) {
    return MEMPLAN_OK;
  }
  if (memplan_file_is_direct(path)) {
    return access(path, W_OK) == 0 ? MEMPLAN_OK : fail_write(error, path, errno);
  }
  int reason = find_target(path, &target, &old, &exists);
  if (reason == 0) {
    char *slash = strrchr(target, '/');
    if (slash != NULL) {
      slash[slash == target ? 1 : 0] = '\0';
    }
    reason = access(slash == NULL ? "." : target, W_OK | X_OK) == 0 ? 0 : errno;
  }
  free(target);
  return reason == 0 ? MEMPLAN_OK : fail_write(error, path, reason);
}
