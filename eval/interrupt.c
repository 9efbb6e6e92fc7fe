// SPDX-License-Identifier: Apache-2.0
// What a signal handler can reach has to be global: the flag, which the handler alone writes, and how often its effect
// is deferred and what it says, which the main thread alone writes; the length of the message is 0 while it changes. A
// handler that leaves at once needs no check of a flag in whatever loop or blocked call it meets.
#include "eval/interrupt.h"

#include "eval/exit_code.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int interrupted = 0;
static volatile sig_atomic_t deferrals = 0;
static volatile sig_atomic_t on_terminal = 0;
static volatile sig_atomic_t message_length = 0;
static char message[1024];
_Static_assert(sizeof(sig_atomic_t) >= sizeof(int), "a handler may only write objects as small as sig_atomic_t");

static void handle(int signal_number) {
  (void)signal_number;
  if (deferrals > 0 && interrupted == 0) {
    interrupted = 1;
    return;
  }
  if (on_terminal != 0) {
    // Behind a progress line, the prompt of the shell starts a line of its own.
    ssize_t written = write(STDERR_FILENO, "\n", 1);
    (void)written;
  }
  if (message_length > 0) {
    ssize_t written = write(STDERR_FILENO, message, (size_t)message_length);
    (void)written;
  }
  _exit(MEMPLAN_EXIT_INTERRUPTED);
}

void memplan_interrupt_install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  on_terminal = isatty(STDERR_FILENO) == 1 ? 1 : 0;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
}

void memplan_interrupt_defer(void) { deferrals = deferrals + 1; }

void memplan_interrupt_resume(void) { deferrals = deferrals - 1; }

void memplan_interrupt_tell(const char *where, const char *text) {
  message_length = 0;
  atomic_signal_fence(memory_order_seq_cst);
  if (text != NULL) {
    int length = snprintf(message, sizeof message, "memplan: error: %s%s%s\n", where != NULL ? where : "",
                          where != NULL ? ": " : "", text);
    if (length >= (int)sizeof message) {
      length = (int)sizeof message - 1;
      message[length - 1] = '\n';
    }
    atomic_signal_fence(memory_order_seq_cst);
    message_length = length;
  }
}

const volatile int *memplan_interrupt_flag(void) { return &interrupted; }
