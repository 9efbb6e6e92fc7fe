// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM end the process with exit code 130: at once where nothing can be lost, as while a file is read or
// a report is printed, and in an orderly way where the end is deferred, as while there is an incumbent to write. A
// second signal ends the process at once in any case.
#ifndef MEMPLAN_EVAL_INTERRUPT_H
#define MEMPLAN_EVAL_INTERRUPT_H

// Installs the handlers. SIGPIPE has its usual effect, whatever the parent process set: a reader that goes away ends
// the process without a message (128 + SIGPIPE = 141). SIGXFSZ is ignored, so that a file size limit is seen as a
// failed write.
void memplan_interrupt_install(void);

// Between these calls, which may be nested, the first signal only sets the flag. Called by the main thread.
void memplan_interrupt_defer(void);
void memplan_interrupt_resume(void);

// What an end at once says on stderr from now on, as "memplan: error: WHERE: TEXT"; WHERE may be NULL. TEXT NULL:
// nothing. Cut to what fits in 1 KiB. Called by the main thread.
void memplan_interrupt_tell(const char *where, const char *text);

// The flag that the handler sets; for memplan_limits.cancel.
const volatile int *memplan_interrupt_flag(void);

#endif
