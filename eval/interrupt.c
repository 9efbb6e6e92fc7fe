// SPDX-License-Identifier: Apache-2.0
// The one variable that a signal handler can reach has to be global; it is written by the handler alone.
#include "eval/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static volatile int interrupted = 0;
_Static_assert(sizeof(sig_atomic_t) >= sizeof(int), "a handler may only write objects as small as sig_atomic_t");

static void handle(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

void memplan_interrupt_install(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = handle;
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

const volatile int *memplan_interrupt_flag(void) { return &interrupted; }
