// SPDX-License-Identifier: Apache-2.0
// Arena, growing arrays, heap, name index, word lists, exact numbers and error messages.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/arena.h"
#include "model/base/grow.h"
#include "model/base/heap.h"
#include "model/base/names.h"
#include "model/base/number.h"
#include "model/base/quote.h"
#include "model/base/status.h"
#include "model/base/words.h"

static void arena_gives_zeroed_aligned_memory(void **state) {
  (void)state;
  memplan_arena arena = {0};
  for (size_t size = 1; size < 20000; size = size * 3 + 1) {
    unsigned char *bytes = memplan_arena_alloc(&arena, size, 1);
    assert_non_null(bytes);
    assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
    for (size_t k = 0; k < size; k++) {
      assert_int_equal(bytes[k], 0);
    }
    memset(bytes, 0xff, size);
  }
  memplan_arena_free(&arena);
}

static void arena_release_rolls_back(void **state) {
  (void)state;
  memplan_arena arena = {0};
  char *kept = memplan_arena_text(&arena, "kept", 4);
  memplan_arena_mark mark = memplan_arena_get_mark(&arena);
  char *first = memplan_arena_alloc(&arena, 100, 1);
  memset(first, 1, 100);
  assert_non_null(memplan_arena_alloc(&arena, 1000000, 1));
  memplan_arena_release(&arena, mark);
  assert_string_equal(kept, "kept");
  char *again = memplan_arena_alloc(&arena, 100, 1);
  assert_ptr_equal(again, first);
  assert_int_equal(again[99], 0);
  memplan_arena_free(&arena);
}

static void arena_refuses_overflow(void **state) {
  (void)state;
  memplan_arena arena = {0};
  assert_null(memplan_arena_alloc(&arena, SIZE_MAX / 2, 8));
  assert_null(memplan_arena_alloc(&arena, SIZE_MAX, 1));
  assert_non_null(memplan_arena_alloc(&arena, 0, 8));
  memplan_arena_free(&arena);
}

static void arrays_grow_and_keep_what_they_hold(void **state) {
  (void)state;
  memplan_arena arena = {0};
  int32_t *in_arena = NULL;
  int32_t *on_heap = NULL;
  int64_t capacities[2] = {0, 0};
  for (int32_t i = 0; i < 1000; i++) {
    in_arena = memplan_grow_in(&arena, in_arena, i, &capacities[0], sizeof *in_arena);
    on_heap = memplan_grow_heap(on_heap, i, &capacities[1], sizeof *on_heap);
    assert_non_null(in_arena);
    assert_non_null(on_heap);
    assert_true(capacities[0] > i && capacities[1] > i);
    assert_int_equal(in_arena[i], 0);
    in_arena[i] = on_heap[i] = i;
  }
  for (int32_t i = 0; i < 1000; i++) {
    assert_int_equal(in_arena[i], i);
    assert_int_equal(on_heap[i], i);
  }
  int64_t huge = INT64_MAX / 4;
  assert_null(memplan_grow_in(&arena, in_arena, huge, &huge, sizeof *in_arena));
  assert_null(memplan_grow_heap(on_heap, huge, &huge, sizeof *on_heap));
  assert_int_equal(huge, INT64_MAX / 4);
  free(on_heap);
  memplan_arena_free(&arena);
}

static void the_heap_sorts_by_key_and_tie(void **state) {
  (void)state;
  memplan_heap_entry room[300];
  memplan_heap heap = {.entries = room};
  uint32_t random = 1;
  for (int32_t i = 0; i < 300; i++) {
    random = random * 1664525u + 1013904223u;
    memplan_heap_push(&heap, (memplan_heap_entry){.key = (int64_t)(random >> 28) - 8, .tie = i, .item = 1000 + i});
  }
  memplan_heap_entry last = memplan_heap_pop(&heap);
  for (int32_t i = 1; i < 300; i++) {
    memplan_heap_entry next = memplan_heap_pop(&heap);
    assert_true(last.key < next.key || (last.key == next.key && last.tie < next.tie));
    assert_int_equal(next.item, 1000 + next.tie);
    last = next;
  }
  assert_int_equal(heap.n, 0);
}

static void names_become_unique(void **state) {
  (void)state;
  static const char *const rows[][2] = {{"a", "a"},   {"a", "a#2"},     {"a", "a#3"}, {"b#2", "b#2"}, {"b", "b"},
                                        {"b", "b#3"}, {"a#2", "a#2#2"}, {"a", "a#4"}, {"", ""},       {"", "#2"}};
  memplan_arena arena = {0};
  memplan_names names = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *name = memplan_names_unique(&names, &arena, rows[i][0]);
    assert_non_null(name);
    assert_string_equal(name, rows[i][1]);
    assert_int_equal(name == rows[i][0], strcmp(rows[i][0], rows[i][1]) == 0);
  }
  memplan_names_free(&names);
  memplan_arena_free(&arena);
}

static void words_are_whole(void **state) {
  (void)state;
  assert_true(memplan_words_hold("one two three", "two"));
  assert_true(memplan_words_hold("one", "one"));
  assert_true(memplan_words_hold("one two", "two"));
  assert_false(memplan_words_hold("one two", "tw"));
  assert_false(memplan_words_hold("one two", "twoo"));
  assert_false(memplan_words_hold("one two", "one two"));
  assert_false(memplan_words_hold("", "one"));
  assert_false(memplan_words_hold("one", ""));
}

static void names_find_what_was_added(void **state) {
  (void)state;
  enum { count = 5000 };
  static char text[count][16];
  memplan_names names = {0};
  assert_int_equal(memplan_names_find(&names, "absent"), -1);
  for (int32_t k = 0; k < count; k++) {
    (void)snprintf(text[k], sizeof text[k], "n%d", k);
    assert_int_equal(memplan_names_add(&names, text[k], k), -1);
  }
  for (int32_t k = 0; k < count; k++) {
    assert_int_equal(memplan_names_find(&names, text[k]), k);
    assert_int_equal(memplan_names_add(&names, text[k], 7), k);
  }
  assert_true(memplan_names_set(&names, "n3", 99));
  assert_true(memplan_names_set(&names, "new", 100));
  assert_int_equal(memplan_names_find(&names, "n3"), 99);
  assert_int_equal(memplan_names_find(&names, "new"), 100);
  memplan_names_free(&names);
}

static void align_up_is_the_least_one(void **state) {
  (void)state;
  for (int64_t align = 1; align < 9; align++) {
    for (int64_t residue = 0; residue < align; residue++) {
      for (int64_t value = 0; value < 40; value++) {
        int64_t expected = value;
        while (expected % align != residue) {
          expected++;
        }
        assert_int_equal(memplan_align_up(value, align, residue), expected);
      }
    }
  }
}

// All pairs of conditions with small moduli against a search over one common period.
static void congruences_join_as_by_search(void **state) {
  (void)state;
  for (int64_t a = 1; a < 13; a++) {
    for (int64_t b = 1; b < 13; b++) {
      for (int64_t r = 0; r < a; r++) {
        for (int64_t s = 0; s < b; s++) {
          int64_t found = -1, period = a / memplan_gcd(a, b) * b;
          for (int64_t x = 0; x < period && found < 0; x++) {
            found = x % a == r && x % b == s ? x : -1;
          }
          memplan_congruence both;
          memplan_congruence_result result =
              memplan_congruence_join((memplan_congruence){a, r}, (memplan_congruence){b, s}, &both);
          assert_int_equal(result, found < 0 ? MEMPLAN_CONGRUENCE_CONTRADICTION : MEMPLAN_CONGRUENCE_OK);
          if (found >= 0) {
            assert_int_equal(both.align, period);
            assert_int_equal(both.residue, found);
          }
        }
      }
    }
  }
}

static void large_congruences_do_not_overflow(void **state) {
  (void)state;
  memplan_congruence both;
  memplan_congruence large = {(INT64_C(1) << 31) - 1, 5}, other = {(INT64_C(1) << 30) + 3, 7};
  assert_int_equal(memplan_congruence_join(large, other, &both), MEMPLAN_CONGRUENCE_OK);
  assert_int_equal(both.residue % large.align, 5);
  assert_int_equal(both.residue % other.align, 7);
  memplan_congruence huge = {(INT64_C(1) << 40) - 87, 0}, too = {(INT64_C(1) << 40) - 167, 0};
  assert_int_equal(memplan_congruence_join(huge, too, &both), MEMPLAN_CONGRUENCE_TOO_LARGE);
  assert_int_equal(memplan_add_saturated(INT64_MAX - 1, 5), INT64_MAX);
}

// Past 2^62 one number below it is left, or none.
static void congruences_meet_below_the_limit(void **state) {
  (void)state;
  memplan_congruence both;
  memplan_congruence small = {12, 5}, other = {18, 11};
  assert_int_equal(memplan_congruence_meet(small, other, &both), MEMPLAN_CONGRUENCE_OK);
  assert_true(both.align == 36 && both.residue == 29);
  assert_int_equal(memplan_congruence_meet(small, (memplan_congruence){18, 10}, &both),
                   MEMPLAN_CONGRUENCE_CONTRADICTION);
  const int64_t p = (INT64_C(1) << 40) - 87, q = (INT64_C(1) << 40) - 167, x = (INT64_C(1) << 61) + 12345;
  assert_int_equal(memplan_congruence_meet((memplan_congruence){p, x % p}, (memplan_congruence){q, x % q}, &both),
                   MEMPLAN_CONGRUENCE_OK);
  assert_true(both.align == MEMPLAN_SIZE_LIMIT && both.residue == x);
  // joined with more: that number, or none below the limit
  memplan_congruence more;
  assert_int_equal(memplan_congruence_meet(both, (memplan_congruence){1000003, x % 1000003}, &more),
                   MEMPLAN_CONGRUENCE_OK);
  assert_true(more.align == MEMPLAN_SIZE_LIMIT && more.residue == x);
  assert_int_equal(memplan_congruence_meet((memplan_congruence){8, x % 8}, both, &more), MEMPLAN_CONGRUENCE_OK);
  assert_true(more.align == MEMPLAN_SIZE_LIMIT && more.residue == x);
  assert_int_equal(memplan_congruence_meet(both, (memplan_congruence){1000003, x % 1000003 - 1}, &more),
                   MEMPLAN_CONGRUENCE_TOO_LARGE);
  assert_int_equal(memplan_congruence_meet(both, (memplan_congruence){8, (x + 1) % 8}, &more),
                   MEMPLAN_CONGRUENCE_TOO_LARGE);
  assert_int_equal(memplan_congruence_meet((memplan_congruence){p, p - 1}, (memplan_congruence){q, q - 1}, &both),
                   MEMPLAN_CONGRUENCE_TOO_LARGE);
}

static void messages_are_cut_not_overrun(void **state) {
  (void)state;
  memplan_error error = {0};
  char long_text[3000];
  memset(long_text, 'x', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  assert_int_equal(memplan_fail(&error, MEMPLAN_INPUT, "%s", long_text), MEMPLAN_INPUT);
  assert_int_equal(strlen(error.message), sizeof error.message - 1);
  memplan_error_prefix(&error, "%s", "file.csv");
  assert_memory_equal(error.message, "file.csv: xxx", 13);
  memplan_error_prefix(&error, "%s", long_text);
  assert_true(strlen(error.message) < sizeof error.message);
  assert_int_equal(memplan_fail(NULL, MEMPLAN_IO, "nobody listens"), MEMPLAN_IO);
}

static void shows(const char *text, const char *expected) {
  char buffer[64];
  (void)snprintf(buffer, sizeof buffer, "%s", text);
  memplan_show_in_place(buffer, sizeof buffer, false);
  assert_string_equal(buffer, expected);
  memplan_show_in_place(buffer, sizeof buffer, false);
  assert_string_equal(buffer, expected);
}

// Control characters, marks of the writing direction and invalid UTF-8 are written out, once and for all.
static void messages_are_printable(void **state) {
  (void)state;
  shows("plain, é, 漢, \xF0\x9F\x98\x80", "plain, é, 漢, \xF0\x9F\x98\x80");
  shows("\033[31m\n\t\x7F", "\\x1B[31m\\x0A\\x09\\x7F");
  shows("a\xC2\x9B\xC2\xA0", "a\\u009B\xC2\xA0");
  shows("\xE2\x80\xAE\xE2\x81\xA6\xD8\x9C\xEF\xBB\xBF", "\\u202E\\u2066\\u061C\\uFEFF");
  shows("\xFF\xC3(\xED\xA0\x80", "\\xFF\\xC3(\\xED\\xA0\\x80");
  char small[8] = "ab\033\033";
  memplan_show_in_place(small, sizeof small, false);
  assert_string_equal(small, "ab\\x1B");
  char cut[8] = "abc\xE6\xBC";
  memplan_show_in_place(cut, sizeof cut, true);
  assert_string_equal(cut, "abc");
  memplan_error error;
  assert_int_equal(memplan_fail(&error, MEMPLAN_INPUT, "no '%s'", "\033]0;x\a"), MEMPLAN_INPUT);
  assert_string_equal(error.message, "no '\\x1B]0;x\\x07'");
  memplan_error_prefix(&error, "%s", "f\033");
  assert_string_equal(error.message, "f\\x1B: no '\\x1B]0;x\\x07'");
  char text[2048];
  memset(text, 'a', sizeof text);
  memcpy(text + 1022, "\xC3\xA9", 2);
  text[2000] = '\0';
  memplan_fail(&error, MEMPLAN_INPUT, "%s", text);
  assert_int_equal(strlen(error.message), 1022);
}

static void powers_of_two_undo_logarithms(void **state) {
  (void)state;
  int64_t last = 1;
  assert_int_equal(memplan_exp2(-5), 1);
  for (int64_t log = 0; log < INT64_C(64) << 16; log += 97) {
    int64_t power = memplan_exp2(log);
    assert_true(power >= last);
    last = power;
    if (log >= INT64_C(10) << 16 && log < INT64_C(62) << 16) {
      int64_t error = memplan_log2(power) - log;
      assert_true(error <= 512 && error >= -512);
    }
  }
  assert_true(last == INT64_C(1) << 62);
  for (int32_t k = 0; k < 63; k++) {
    assert_true(memplan_exp2((int64_t)k << 16) == INT64_C(1) << k);
    assert_int_equal(memplan_log2(INT64_C(1) << k), k << 16);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_gives_zeroed_aligned_memory),
      cmocka_unit_test(arena_release_rolls_back),
      cmocka_unit_test(arena_refuses_overflow),
      cmocka_unit_test(arrays_grow_and_keep_what_they_hold),
      cmocka_unit_test(the_heap_sorts_by_key_and_tie),
      cmocka_unit_test(names_become_unique),
      cmocka_unit_test(words_are_whole),
      cmocka_unit_test(names_find_what_was_added),
      cmocka_unit_test(align_up_is_the_least_one),
      cmocka_unit_test(congruences_join_as_by_search),
      cmocka_unit_test(large_congruences_do_not_overflow),
      cmocka_unit_test(congruences_meet_below_the_limit),
      cmocka_unit_test(messages_are_cut_not_overrun),
      cmocka_unit_test(messages_are_printable),
      cmocka_unit_test(powers_of_two_undo_logarithms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
