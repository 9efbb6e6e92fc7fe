// SPDX-License-Identifier: Apache-2.0
// The progress line is erased before anything else is printed, and drawn at most ten times a second.
#include "eval/console.h"

#include "eval/numbers.h"
#include "model/base/clock.h"
#include "model/base/quote.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARNINGS_SHOWN = 5, PROGRESS_US = 100000, LOG_US = 5000000, MESSAGE_SIZE = 2048 };

void memplan_console_init(memplan_console *console, FILE *out, bool quiet, bool verbose, bool no_progress) {
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  bool terminal = isatty(fileno(out)) == 1;
  bool dumb = term != NULL && term[0] == 'd' && term[1] == 'u';
  *console = (memplan_console){.out = out, .quiet = quiet, .verbose = verbose};
  console->colour = terminal && !dumb && (no_color == NULL || no_color[0] == '\0');
  console->progress = terminal && !dumb && !quiet && !verbose && !no_progress;
}

static void erase_line(memplan_console *console) {
  if (console->line_shown) {
    fputs("\r\033[K", console->out);
    console->line_shown = false;
  }
}

static void print_message(memplan_console *console, const char *word, const char *colour, const char *format,
                          va_list arguments) {
  erase_line(console);
  fflush(stdout);
  fprintf(console->out, "memplan: %s%s:%s ", console->colour ? colour : "", word, console->colour ? "\033[0m" : "");
  char text[MESSAGE_SIZE];
  int length = vsnprintf(text, sizeof text, format, arguments);
  memplan_show_in_place(text, sizeof text, length >= (int)sizeof text);
  fprintf(console->out, "%s\n", text);
}

void memplan_console_error(memplan_console *console, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_message(console, "error", "\033[1;31m", format, arguments);
  va_end(arguments);
}

void memplan_console_warn(memplan_console *console, const char *format, ...) {
  if (!console->quiet) {
    va_list arguments;
    va_start(arguments, format);
    print_message(console, "warning", "\033[1;35m", format, arguments);
    va_end(arguments);
  }
}

void memplan_console_note(memplan_console *console, const char *format, ...) {
  if (!console->quiet) {
    va_list arguments;
    va_start(arguments, format);
    print_message(console, "note", "\033[1m", format, arguments);
    va_end(arguments);
  }
}

void memplan_console_warnings(memplan_console *console, const char *path, const char *const *warnings, int32_t n) {
  int32_t shown = console->verbose || n <= WARNINGS_SHOWN + 1 ? n : WARNINGS_SHOWN;
  size_t length = strlen(path);
  for (int32_t i = 0; i < shown; i++) {
    bool named = strncmp(warnings[i], path, length) == 0 && warnings[i][length] == ':';
    memplan_console_warn(console, "%s%s%s", named ? "" : path, named ? "" : ": ", warnings[i]);
  }
  if (shown < n) {
    memplan_console_warn(console, "%s: %" PRId32 " more warnings, which -v shows", path, n - shown);
  }
}

static void draw_line(memplan_console *console, const char *text) {
  erase_line(console);
  fprintf(console->out, "%s%s", console->label, text);
  fflush(console->out);
  console->line_shown = true;
  console->shown_us = memplan_clock_us();
}

void memplan_console_begin(memplan_console *console, const char *label) {
  console->label = label;
  console->start_us = memplan_clock_us();
  console->head_shown = false;
  console->best = -1;
  console->best_order = 0;
  console->bound = 0;
  if (console->verbose) {
    fprintf(console->out, "%s\n", label);
  }
  if (console->progress) {
    draw_line(console, " …");
  }
}

void memplan_console_end(memplan_console *console) { erase_line(console); }

static void log_progress(memplan_console *console, const memplan_progress *now, int64_t us) {
  bool better = now->peak >= 0 && (console->best < 0 || now->peak < console->best);
  bool better_order = now->order_peak > 0 && (console->best_order == 0 || now->order_peak < console->best_order);
  if (!better && !better_order && now->lower_bound <= console->bound && us - console->shown_us < LOG_US) {
    return;
  }
  console->best = better ? now->peak : console->best;
  console->best_order = better_order ? now->order_peak : console->best_order;
  console->bound = now->lower_bound > console->bound ? now->lower_bound : console->bound;
  console->shown_us = us;
  char gap[MEMPLAN_NUMBER_SIZE] = "", best[MEMPLAN_NUMBER_SIZE] = "-", seconds[MEMPLAN_NUMBER_SIZE];
  int64_t shown = now->order_peak > 0 ? console->best_order : console->best; // a line about orders, or about plans
  if (shown >= 0) {
    memplan_percent_text(memplan_gap_ratio(shown, console->bound), gap);
    snprintf(best, sizeof best, "%" PRId64, shown);
  }
  memplan_ratio_text((memplan_ratio){us - console->start_us, 1000000}, 1, 2, seconds);
  if (!console->head_shown) {
    fprintf(console->out, "%-28s %12s %14s %14s %9s %8s\n", "source", "nodes", "bound", "best", "gap", "time");
    console->head_shown = true;
  }
  fprintf(console->out, "%-28s %12" PRId64 " %14" PRId64 " %14s %9s %7ss\n", now->source, now->nodes, console->bound,
          best, gap, seconds);
}

void memplan_console_progress(void *context, const memplan_progress *now) {
  memplan_console *console = context;
  int64_t us = memplan_clock_us();
  if (console->verbose) {
    log_progress(console, now, us);
  } else if (console->progress && us - console->shown_us >= PROGRESS_US) {
    char text[160], gap[MEMPLAN_NUMBER_SIZE] = "", bytes[MEMPLAN_NUMBER_SIZE] = "-", seconds[MEMPLAN_NUMBER_SIZE];
    if (now->peak >= 0) {
      memplan_percent_text(memplan_gap_ratio(now->peak, now->lower_bound), gap);
      memplan_bytes_text(now->peak, bytes);
    }
    memplan_ratio_text((memplan_ratio){us - console->start_us, 1000000}, 1, 2, seconds);
    snprintf(text, sizeof text, "  %s  gap %s  %ss", bytes, gap, seconds);
    draw_line(console, text);
  }
}
