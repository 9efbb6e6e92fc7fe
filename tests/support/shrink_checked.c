// SPDX-License-Identifier: Apache-2.0
// A failed assertion leaves the check by a jump, so that what it was about is kept before it: shallow copies, since
// whatever they point to on the heap is never freed then. Each question of the shrinker is asked in a child process,
// where a failed assertion aborts; the first line that it prints tells which one it was.
#include "tests/support/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_context = 4096, most_line = 400, most_seconds = 20 };

typedef struct watch {
  bool open; // a check has begun and not ended
  memplan_problem problem;
  shrink_check check;
  _Alignas(max_align_t) unsigned char context[most_context];
  size_t size;
  char label[256];
  char failure[most_line]; // which assertion failed; "": not known yet
} watch;

static watch watched;

static void ask_in_child(const memplan_problem *problem, int out) {
  static const int signals[] = {SIGABRT, SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS};
  const struct rlimit none = {0, 0};
  int nowhere = open("/dev/null", O_WRONLY);
  _Alignas(max_align_t) unsigned char context[most_context];
  memcpy(context, watched.context, watched.size);
  for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
    (void)signal(signals[k], SIG_DFL);
  }
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)setenv("CMOCKA_TEST_ABORT", "1", 1);
  (void)alarm(most_seconds);
  (void)dup2(nowhere, STDOUT_FILENO);
  (void)dup2(out, STDERR_FILENO);
  watched.check(problem, context);
  _exit(0);
}

// What the child has printed, up to `most_line` bytes; the rest is read and dropped.
static void read_all(int in, char *text) {
  size_t length = 0;
  char rest[512];
  for (;;) {
    bool full = length + 1 >= most_line;
    ssize_t got = full ? read(in, rest, sizeof rest) : read(in, text + length, most_line - 1 - length);
    if (got <= 0) {
      break;
    }
    length += full ? 0 : (size_t)got;
  }
  text[length] = '\0';
}

// How the child ended, as one line: the place of the assertion where it printed one, else its signal.
static void describe(const char *text, int status, char *line) {
  const char *place = strstr(text, ".c:");
  if (place != NULL) {
    while (place > text && place[-1] != '\n') {
      place--;
    }
    (void)snprintf(line, most_line, "%.*s", (int)strcspn(place, "\n"), place);
  } else {
    (void)snprintf(line, most_line, "signal %d, code %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                   WIFEXITED(status) ? WEXITSTATUS(status) : 0);
  }
}

// Does the check fail on the problem as it did on the one watched?
static bool fails_alike(const memplan_problem *problem, void *context) {
  (void)context;
  int pipes[2], status = 0;
  char text[most_line], line[most_line];
  (void)fflush(NULL);
  if (pipe(pipes) != 0) {
    return false;
  }
  pid_t child = fork();
  if (child == 0) {
    (void)close(pipes[0]);
    ask_in_child(problem, pipes[1]);
  }
  (void)close(pipes[1]);
  read_all(pipes[0], text);
  (void)close(pipes[0]);
  if (child < 0 || waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
    return false;
  }
  describe(text, status, line);
  if (watched.failure[0] == '\0') {
    memcpy(watched.failure, line, sizeof line);
  }
  return strcmp(watched.failure, line) == 0;
}

static void report(void) {
  if (watched.open) {
    watched.open = false;
    (void)printf("%s failed\n", watched.label);
    shrink_print(&watched.problem, fails_alike, NULL);
    (void)fflush(stdout);
  }
}

void shrink_checked(const memplan_problem *problem, shrink_check check, void *context, size_t size, const char *label,
                    ...) {
  static bool registered = false;
  if (!registered) {
    registered = atexit(report) == 0;
  }
  report(); // of a test before this one
  if (size > most_context) {
    fail_msg("a context of %zu bytes is larger than shrink_checked keeps", size);
  }
  va_list arguments;
  va_start(arguments, label);
  (void)vsnprintf(watched.label, sizeof watched.label, label, arguments);
  va_end(arguments);
  watched.problem = *problem;
  watched.check = check;
  watched.size = size;
  watched.failure[0] = '\0';
  memcpy(watched.context, context, size);
  watched.open = true;
  check(problem, context);
  watched.open = false;
}
