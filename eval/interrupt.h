// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM ask for an orderly end; the second one ends the process at once. SIGPIPE is ignored, so that a
// closed pipe is seen as a failed write.
#ifndef MEMPLAN_EVAL_INTERRUPT_H
#define MEMPLAN_EVAL_INTERRUPT_H

#include <stdbool.h>

// Installs the handlers.
void memplan_interrupt_install(void);

// The flag that the handler sets; for memplan_limits.cancel.
const volatile int *memplan_interrupt_flag(void);

#endif
