// SPDX-License-Identifier: Apache-2.0
// Files are read whole from anything that can be read, and written so that a failure leaves the old file alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/output.h"
#include "model/base/file.h"
#include "model/base/quote.h"

static char folder[] = "/tmp/memplan-test-XXXXXX";

static const char *in_folder(const char *name) {
  static char path[256];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  DIR *list = opendir(folder);
  for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
    (void)unlinkat(dirfd(list), entry->d_name, 0);
  }
  (void)closedir(list);
  return rmdir(folder);
}

static int count_entries(void) {
  int count = 0;
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
    count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2 ? 1 : 0;
  }
  (void)closedir(list);
  return count;
}

static void expect_content(const char *path, const char *wanted) {
  FILE *file = NULL;
  char *text = NULL;
  size_t length = 0;
  memplan_error error = {0};
  assert_int_equal(memplan_file_open(path, &file, &error), MEMPLAN_OK);
  assert_int_equal(memplan_file_read(file, &text, &length, &error), MEMPLAN_OK);
  memplan_file_close(file);
  assert_int_equal(length, strlen(wanted));
  assert_string_equal(text, wanted);
  free(text);
}

static void write_good(const char *path, const char *text) {
  memplan_error error = {0};
  if (memplan_file_write(path, text, strlen(text), &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

static void test_write_and_replace(void **state) {
  (void)state;
  int before = count_entries();
  write_good(in_folder("a"), "one");
  expect_content(in_folder("a"), "one");
  assert_int_equal(chmod(in_folder("a"), 0640), 0);
  write_good(in_folder("a"), "");
  expect_content(in_folder("a"), "");
  struct stat status;
  assert_int_equal(stat(in_folder("a"), &status), 0);
  assert_int_equal(status.st_mode & 07777, 0640);
  assert_int_equal(count_entries(), before + 1); // no temporary file is left
}

static void test_symbolic_link(void **state) {
  (void)state;
  write_good(in_folder("target"), "old");
  char target[256];
  (void)snprintf(target, sizeof target, "%s", in_folder("target"));
  assert_int_equal(symlink(target, in_folder("link")), 0);
  write_good(in_folder("link"), "new");
  expect_content(target, "new");
  struct stat status;
  assert_int_equal(lstat(in_folder("link"), &status), 0);
  assert_true(S_ISLNK(status.st_mode));
}

static void expect_write_error(const char *path, const char *part) {
  memplan_error error = {0};
  assert_int_equal(memplan_file_write(path, "text", 4, &error), MEMPLAN_IO);
  if (strstr(error.message, part) == NULL || strstr(error.message, path) == NULL) {
    fail_msg("wanted '%s', got: %s", part, error.message);
  }
}

// A link to nothing yet is written through, a loop of links is not followed for ever.
static void test_dangling_link(void **state) {
  (void)state;
  char link[256], chain[256];
  memplan_error error = {0};
  (void)snprintf(link, sizeof link, "%s", in_folder("to-new"));
  (void)snprintf(chain, sizeof chain, "%s", in_folder("to-link"));
  assert_int_equal(symlink("new", link), 0);
  assert_int_equal(symlink(link, chain), 0);
  char *target = memplan_file_target(chain);
  assert_non_null(target);
  assert_string_equal(target, in_folder("new"));
  free(target);
  assert_int_equal(memplan_file_write(chain, "text", 4, &error), MEMPLAN_OK);
  struct stat status;
  assert_int_equal(lstat(link, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_int_equal(stat(in_folder("new"), &status), 0);
  assert_int_equal(status.st_size, 4);
  assert_int_equal(symlink("loop", in_folder("loop")), 0);
  assert_null(memplan_file_target(in_folder("loop")));
  assert_int_equal(memplan_file_write(in_folder("loop"), "text", 4, &error), MEMPLAN_IO);
}

static void test_write_errors(void **state) {
  (void)state;
  expect_write_error("/nonexistent-folder/a", "No such file or directory");
  expect_write_error(folder, "Is a directory");
  expect_write_error("/dev/full", "No space left on device");
  expect_write_error("/proc/version", "cannot write");
}

// A limit on file sizes stands for a full disk: the old file must survive.
static void test_old_file_survives(void **state) {
  (void)state;
  write_good(in_folder("kept"), "old");
  int before = count_entries();
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    static const char text[4096] = "new";
    struct rlimit limit = {1024, 1024};
    (void)signal(SIGXFSZ, SIG_IGN);
    bool limited = setrlimit(RLIMIT_FSIZE, &limit) == 0;
    _exit(limited && memplan_file_write(in_folder("kept"), text, sizeof text, NULL) == MEMPLAN_IO ? 0 : 1);
  }
  int result = 0;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  expect_content(in_folder("kept"), "old");
  assert_int_equal(count_entries(), before);
}

static void test_devices(void **state) {
  (void)state;
  write_good("/dev/null", "gone");
  struct stat status;
  assert_int_equal(stat("/dev/null", &status), 0);
  assert_true(S_ISCHR(status.st_mode));
}

static void test_fifo(void **state) {
  (void)state;
  assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
  int reader = open(in_folder("fifo"), O_RDONLY | O_NONBLOCK);
  assert_true(reader >= 0);
  write_good(in_folder("fifo"), "through");
  char text[16] = "";
  assert_int_equal(read(reader, text, sizeof text - 1), 7);
  assert_string_equal(text, "through");
  (void)close(reader);
}

static void test_closed_pipe(void **state) {
  (void)state;
  (void)signal(SIGPIPE, SIG_IGN);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  (void)close(ends[0]);
  (void)fflush(stdout);
  int saved = dup(STDOUT_FILENO);
  assert_true(dup2(ends[1], STDOUT_FILENO) >= 0);
  memplan_error error = {0};
  memplan_status dash = memplan_file_write("-", "text", 4, &error);
  memplan_status named = memplan_file_write("/dev/stdout", "text", 4, NULL);
  assert_true(dup2(saved, STDOUT_FILENO) >= 0);
  (void)close(saved);
  (void)close(ends[1]);
  assert_int_equal(dash, MEMPLAN_IO);
  assert_int_equal(named, MEMPLAN_IO);
  assert_non_null(strstr(error.message, "standard output: Broken pipe"));
}

static void test_read_errors(void **state) {
  (void)state;
  FILE *file = NULL;
  memplan_error error = {0};
  assert_int_equal(memplan_file_open("/nonexistent", &file, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "No such file"));
  assert_null(file);
  assert_int_equal(memplan_file_open(folder, &file, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "is a directory"));
}

static void test_read_large_pipe(void **state) {
  (void)state;
  enum { size = 1 << 20 };
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    (void)close(ends[0]);
    char block[1000];
    memset(block, 'm', sizeof block);
    for (size_t sent = 0; sent < size; sent += sizeof block) {
      if (write(ends[1], block, sizeof block) != (ssize_t)sizeof block) {
        _exit(1);
      }
    }
    _exit(0);
  }
  (void)close(ends[1]);
  FILE *file = fdopen(ends[0], "rb");
  char *text = NULL;
  size_t length = 0;
  memplan_error error = {0};
  assert_int_equal(memplan_file_read(file, &text, &length, &error), MEMPLAN_OK);
  assert_int_equal(length, (size + 999) / 1000 * 1000);
  assert_int_equal(text[length], '\0');
  free(text);
  memplan_file_close(file);
  int result = 0;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
}

static void test_quoting(void **state) {
  (void)state;
  assert_string_equal(memplan_quote("a\nb\x1B[0m\xC3\xA4\xFF\xC2\x9B").text, "a\\x0Ab\\x1B[0m\xC3\xA4\\xFF\\u009B");
  assert_string_equal(memplan_quote(NULL).text, "");
  char wide[400];
  for (size_t i = 0; i + 2 < sizeof wide; i += 2) {
    memcpy(wide + i, "\xC3\xA4", 3);
  }
  memplan_quoted shown = memplan_quote(wide);
  assert_true(strlen(shown.text) < sizeof shown.text);
  assert_string_equal(shown.text + strlen(shown.text) - 5, "\xC3\xA4…");
  memplan_quoted_path path = memplan_quote_path(wide);
  assert_true(strlen(path.text) < sizeof path.text);
  assert_int_equal(strncmp(path.text, "…\xC3\xA4", 5), 0);
  assert_string_equal(memplan_quote_path("dir/file.csv").text, "dir/file.csv");
  assert_int_equal(memplan_utf8_length("\xED\xA0\x80", 3), 0); // a surrogate
  assert_int_equal(memplan_utf8_length("\xC0\x80", 2), 0);     // overlong
  assert_int_equal(memplan_utf8_length("\xF4\x8F\xBF\xBF", 4), 4);
  assert_int_equal(memplan_utf8_length("\xF4\x90\x80\x80", 4), 0);
  assert_int_equal(memplan_utf8_length("\xE2\x82", 2), 0);
}

// Of several files none is written if one cannot be, and no more than there is room for.
static void test_all_or_none(void **state) {
  (void)state;
  char first[256], second[256];
  (void)snprintf(first, sizeof first, "%s", in_folder("first.txt"));
  (void)snprintf(second, sizeof second, "%s", in_folder("second"));
  assert_int_equal(mkdir(second, 0700), 0);
  memplan_error error = {0};
  const memplan_whole_file files[] = {{first, "new", 3}, {second, "new", 3}};
  assert_int_equal(memplan_output_write_all(files, 2, &error), MEMPLAN_IO);
  assert_non_null(strstr(error.message, "second"));
  assert_int_equal(access(first, F_OK), -1);
  const memplan_whole_file many[5] = {{first, "", 0}, {first, "", 0}, {first, "", 0}, {first, "", 0}, {first, "", 0}};
  assert_int_equal(memplan_output_write_all(many, 5, &error), MEMPLAN_INTERNAL);
  assert_int_equal(access(first, F_OK), -1);
  assert_int_equal(rmdir(second), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_write_and_replace),
      cmocka_unit_test(test_symbolic_link),
      cmocka_unit_test(test_dangling_link),
      cmocka_unit_test(test_write_errors),
      cmocka_unit_test(test_old_file_survives),
      cmocka_unit_test(test_devices),
      cmocka_unit_test(test_fifo),
      cmocka_unit_test(test_closed_pipe),
      cmocka_unit_test(test_read_errors),
      cmocka_unit_test(test_read_large_pipe),
      cmocka_unit_test(test_quoting),
      cmocka_unit_test(test_all_or_none),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
