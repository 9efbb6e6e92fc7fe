// SPDX-License-Identifier: Apache-2.0
// What reports are made of: exact numbers, tables, JSON, rectangles of a plan, free-space fragmentation, witnesses.
#include "eval/exit_code.h"
#include "eval/fragmentation.h"
#include "eval/grid.h"
#include "eval/json_writer.h"
#include "eval/numbers.h"
#include "eval/plan_map.h"
#include "eval/results.h"
#include "eval/summary.h"
#include "eval/witness.h"
#include "instances/formats.h"
#include "model/base/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 1;

static uint64_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 11;
}

static int64_t random_below(int64_t limit) { return (int64_t)(next_random() % (uint64_t)limit); }

// ---- numbers

// numerator * 10^places / denominator, rounded half up, in a wide type.
static void check_ratio(int64_t numerator, int64_t denominator, int32_t places) {
  char text[MEMPLAN_NUMBER_SIZE], expected[64];
  memplan_int128 scale = 1;
  for (int32_t i = 0; i < places; i++) {
    scale *= 10;
  }
  memplan_int128 size = numerator < 0 ? -(memplan_int128)numerator : numerator;
  memplan_int128 value = (2 * size * scale + denominator) / (2 * (memplan_int128)denominator);
  snprintf(expected, sizeof expected, "%s%" PRIu64 "%s%0*" PRIu64, numerator < 0 && value > 0 ? "-" : "",
           (uint64_t)(value / scale), places > 0 ? "." : "", places, (uint64_t)(value % scale));
  if (places == 0) {
    expected[strlen(expected) - 1] = '\0'; // the fraction's lone zero
  }
  assert_string_equal(memplan_ratio_text((memplan_ratio){numerator, denominator}, 1, places, text), expected);
}

// Numbers of any length.
static int64_t draw_number(void) {
  uint64_t number = next_random();
  return (int64_t)(number >> (next_random() % 53));
}

static void ratios_are_exact(void **state) {
  (void)state;
  char text[MEMPLAN_NUMBER_SIZE];
  check_ratio(1, 3, 2);
  check_ratio(2, 3, 6);
  check_ratio(-1, 2, 0);
  check_ratio(999999, 1000000, 2);
  check_ratio(995, 1000, 2);
  check_ratio(INT64_MAX, INT64_MAX, 6);
  check_ratio(INT64_MAX - 1, INT64_MAX, 6);
  check_ratio(-1, INT64_MAX, 6);
  for (int32_t i = 0; i < 20000; i++) {
    int64_t denominator = 1 + draw_number(), numerator = draw_number();
    numerator = i % 2 == 0 ? numerator % (denominator + 1) : numerator;
    check_ratio(i % 3 == 0 ? -numerator : numerator, denominator, (int32_t)(i % 7));
  }
  assert_string_equal(memplan_ratio_text((memplan_ratio){5, 0}, 1, 2, text), "0.00");
  assert_string_equal(memplan_percent_text((memplan_ratio){1, 8}, text), "12.50 %");
  assert_string_equal(memplan_percent_text((memplan_ratio){0, 8}, text), "0.00 %");
  assert_string_equal(memplan_percent_text((memplan_ratio){1, 1000000}, text), "<0.01 %");
  assert_string_equal(memplan_percent_text((memplan_ratio){1, 1}, text), "100.00 %");
  assert_string_equal(memplan_percent_text(memplan_gap_ratio(0, 0), text), "0.00 %");
}

static void ratios_compare_exactly(void **state) {
  (void)state;
  for (int32_t i = 0; i < 50000; i++) {
    int32_t shift = (int32_t)(next_random() % 53);
    int64_t drawn[4];
    for (int32_t k = 0; k < 4; k++) {
      drawn[k] = (int64_t)(next_random() >> shift);
    }
    memplan_ratio a = {drawn[0], 1 + drawn[1]}, b = {drawn[2], 1 + drawn[3]};
    if (i % 4 == 0) {
      b = (memplan_ratio){a.numerator + random_below(3) - (a.numerator > 0 ? 1 : 0), a.denominator};
    }
    memplan_int128 left = (memplan_int128)a.numerator * b.denominator,
                   right = (memplan_int128)b.numerator * a.denominator;
    assert_int_equal(memplan_ratio_compare(a, b), (left > right) - (left < right));
  }
  assert_int_equal(memplan_ratio_compare((memplan_ratio){7, 0}, (memplan_ratio){0, 1}), 0);
}

static void sizes_for_people(void **state) {
  (void)state;
  static const struct {
    int64_t bytes;
    const char *human, *grouped;
  } cases[] = {{0, "0 B", "0"},
               {1023, "1023 B", "1,023"},
               {1024, "1 KiB", "1,024"},
               {1536, "1.50 KiB", "1,536"},
               {9633792, "9.19 MiB", "9,633,792"},
               {INT64_C(24) << 30, "24 GiB", "25,769,803,776"},
               {INT64_MAX, "8.00 EiB", "9,223,372,036,854,775,807"}};
  char text[MEMPLAN_NUMBER_SIZE];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_string_equal(memplan_bytes_text(cases[i].bytes, text), cases[i].human);
    assert_string_equal(memplan_grouped_text(cases[i].bytes, text), cases[i].grouped);
  }
}

static void exit_codes(void **state) {
  (void)state;
  int32_t n;
  const memplan_exit_text *texts = memplan_exit_texts(&n);
  assert_int_equal(n, 11);
  for (int32_t i = 1; i < n; i++) {
    assert_true(texts[i - 1].code < texts[i].code);
  }
  assert_int_equal(memplan_exit_of_status(MEMPLAN_OK), 0);
  assert_int_equal(memplan_exit_of_status(MEMPLAN_INPUT), 2);
  assert_int_equal(memplan_exit_of_status(MEMPLAN_UNSUPPORTED), 3);
  assert_int_equal(memplan_exit_of_status(MEMPLAN_NOMEM), 5);
  assert_int_equal(memplan_exit_of_status(MEMPLAN_IO), 5);
  assert_int_equal(memplan_exit_of_status(MEMPLAN_INTERNAL), 5);
  static const memplan_exit rising[] = {MEMPLAN_EXIT_GOAL,    MEMPLAN_EXIT_FEASIBLE, MEMPLAN_EXIT_INFEASIBLE,
                                        MEMPLAN_EXIT_NO_PLAN, MEMPLAN_EXIT_PARTIAL,  MEMPLAN_EXIT_INTERRUPTED};
  for (int32_t i = 0; i < 6; i++) {
    for (int32_t j = 0; j < 6; j++) {
      assert_int_equal(memplan_exit_worse(rising[i], rising[j]), rising[i > j ? i : j]);
    }
  }
}

// ---- tables and JSON

static void check_grid(memplan_style style, const char *expected) {
  static const memplan_column columns[] = {{"id", "buffer", MEMPLAN_CELL_TEXT, 0},
                                           {"bytes", "bytes", MEMPLAN_CELL_NUMBER, 0},
                                           {"note", "note", MEMPLAN_CELL_TEXT, 0}};
  memplan_grid grid;
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  assert_true(memplan_grid_init(&grid, columns, 3));
  assert_true(memplan_grid_add(&grid, (const char *const[]){"a,\"b\"", "7", NULL}));
  assert_true(memplan_grid_add(&grid, (const char *const[]){"é|<x>\033", "1234567", "end"}));
  memplan_grid_write(&grid, stream, style);
  fclose(stream);
  memplan_grid_free(&grid);
  assert_string_equal(text, expected);
  free(text);
}

static void grids(void **state) {
  (void)state;
  check_grid(MEMPLAN_STYLE_TEXT, "buffer       bytes  note\n"
                                 "a,\"b\"            7\n"
                                 "é|<x>\\x1B  1234567  end\n");
  check_grid(MEMPLAN_STYLE_CSV, "id,bytes,note\n\"a,\"\"b\"\"\",7,\né|<x>\033,1234567,end\n");
  check_grid(MEMPLAN_STYLE_MD, "| buffer | bytes | note |\n|---|---:|---|\n"
                               "| a,\"b\" | 7 |  |\n| é\\|\\<x>\\\\x1B | 1234567 | end |\n");
  check_grid(MEMPLAN_STYLE_JSON, "{\"id\":\"a,\\\"b\\\"\",\"bytes\":7,\"note\":null}\n"
                                 "{\"id\":\"é|<x>\\u001b\",\"bytes\":1234567,\"note\":\"end\"}\n");
}

static void json_survives_any_bytes(void **state) {
  (void)state;
  for (int32_t round = 0; round < 2000; round++) {
    char bytes[24], *text = NULL;
    size_t length, n = (size_t)random_below(23);
    for (size_t i = 0; i < n; i++) {
      bytes[i] = (char)(1 + random_below(255));
    }
    bytes[n] = '\0';
    FILE *stream = open_memstream(&text, &length);
    memplan_writer writer = {.out = stream, .in_html = round % 2 == 0};
    memplan_writer_open(&writer, NULL, '{');
    memplan_writer_put_text(&writer, bytes, bytes);
    memplan_writer_put_integer(&writer, "n", INT64_MIN);
    memplan_writer_put_boolean(&writer, "b", true);
    memplan_writer_put_number(&writer, "r", "0.125000");
    memplan_writer_open(&writer, "list", '[');
    memplan_writer_put_number(&writer, NULL, NULL);
    memplan_writer_put_integer(&writer, NULL, 2);
    memplan_writer_close(&writer, ']');
    memplan_writer_close(&writer, '}');
    fclose(stream);
    json_t *value = json_loadb(text, length, 0, NULL);
    if (value == NULL) {
      fail_msg("round %d is no JSON: %s", (int)round, text);
    }
    assert_int_equal(json_array_size(json_object_get(value, "list")), 2);
    assert_true(round % 2 == 1 || strchr(text, '<') == NULL);
    json_decref(value);
    free(text);
  }
}

// ---- plans

typedef struct solved {
  memplan_problem problem;
  memplan_solution solution;
} solved;

static void solve_text(solved *made, const char *text, const char *path, const char *place) {
  memplan_error error = {0};
  memplan_problem_options options = memplan_problem_options_default();
  memplan_solve_options solve = memplan_solve_options_default();
  solve.place = place;
  memplan_problem_init(&made->problem);
  memplan_solution_init(&made->solution);
  if (memplan_read_text(text, strlen(text), path, NULL, &options, &made->problem, &error) != MEMPLAN_OK ||
      memplan_solve(&made->problem, &solve, &made->solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

static void free_solved(solved *made) {
  memplan_solution_free(&made->solution);
  memplan_problem_free(&made->problem);
}

// Largest 1 - largest free run / free bytes over all times, byte by byte.
static void check_fragmentation(const memplan_plan_map *map, const memplan_fragmentation *found) {
  int64_t peak = map->pool_peak[0];
  memplan_ratio worst = {0, 1};
  int64_t worst_time = -1;
  for (int64_t time = map->first_time; time < map->last_time; time++) {
    int64_t total = 0, run = 0, longest = 0;
    for (int64_t byte = 0; byte < peak; byte++) {
      bool taken = false;
      for (int32_t i = 0; i < map->n_rects; i++) {
        const memplan_rect *rect = &map->rects[i];
        taken = taken || (rect->start <= time && time < rect->end && rect->low <= byte && byte < rect->high);
      }
      total += taken ? 0 : 1;
      run = taken ? 0 : run + 1;
      longest = run > longest ? run : longest;
    }
    memplan_ratio here = {total - longest, total};
    if (memplan_ratio_compare(here, worst) > 0) {
      worst = here;
      worst_time = time;
    }
  }
  assert_int_equal(memplan_ratio_compare(worst, found->value), 0);
  assert_int_equal(worst_time, found->time);
}

static void fragmentation_is_that_of_the_bytes(void **state) {
  (void)state;
  for (int32_t round = 0; round < 200; round++) {
    char text[4096];
    int length = snprintf(text, sizeof text, "id,lower,upper,size,gaps\n");
    int32_t n = 1 + (int32_t)random_below(9);
    for (int32_t i = 0; i < n; i++) {
      int64_t start = random_below(10), end = start + 2 + random_below(6), size = 1 + random_below(9);
      length +=
          snprintf(text + length, sizeof text - (size_t)length, "b%d,%d,%d,%d,", i, (int)start, (int)end, (int)size);
      if (random_below(3) == 0) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%d-%d@0:%d", (int)start + 1, (int)end - 1 + 1,
                           (int)random_below(size + 1));
      }
      length += snprintf(text + length, sizeof text - (size_t)length, "\n");
    }
    solved made;
    memplan_plan_map map;
    memplan_fragmentation found;
    memplan_error error = {0};
    solve_text(&made, text, "random.csv", round % 2 == 0 ? "naive" : "first-fit-size");
    assert_int_equal(memplan_plan_map_init(&map, &made.problem, &made.solution, &error), MEMPLAN_OK);
    assert_int_equal(memplan_fragmentation_find(&map, &found, &error), MEMPLAN_OK);
    check_fragmentation(&map, &found);
    memplan_plan_map_free(&map);
    free_solved(&made);
  }
}

static void rects_add_up_to_the_load(void **state) {
  (void)state;
  static const char graph[] =
      "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":["
      "{\"id\":\"x\",\"bytes\":256,\"roles\":[\"input\"]},{\"id\":\"a\",\"bytes\":512},{\"id\":\"b\",\"bytes\":512},"
      "{\"id\":\"y\",\"bytes\":64,\"roles\":[\"output\"]}],\"ops\":["
      "{\"id\":\"f\",\"type\":\"F\",\"in\":[\"x\"],\"out\":[\"a\"],\"workspace\":128},"
      "{\"id\":\"g\",\"type\":\"G\",\"in\":[\"a\"],\"out\":[\"b\"],\"inplace\":[[\"b\",\"a\"]]},"
      "{\"id\":\"h\",\"type\":\"H\",\"in\":[\"b\"],\"out\":[\"y\"]}]}";
  solved made;
  memplan_plan_map map;
  memplan_error error = {0};
  solve_text(&made, graph, "graph.json", NULL);
  assert_int_equal(made.solution.plan.peak, 256 + 512 + 128);
  assert_int_equal(memplan_plan_map_init(&map, &made.problem, &made.solution, &error), MEMPLAN_OK);
  assert_int_equal(map.first_time, 0);
  assert_int_equal(map.last_time, 3);
  for (int64_t step = 0; step < 3; step++) {
    int64_t sum = 0;
    for (int32_t i = 0; i < map.n_rects; i++) {
      bool live = map.rects[i].start <= step && step < map.rects[i].end;
      sum += live ? map.rects[i].high - map.rects[i].low : 0;
    }
    assert_int_equal(sum, made.solution.load[step]);
  }
  int32_t seen[MEMPLAN_CLASS_COUNT] = {0};
  for (int32_t i = 0; i < map.instance->n_buffers; i++) {
    seen[map.class_of[i]]++;
  }
  assert_int_equal(seen[MEMPLAN_CLASS_INPUT], 1);
  assert_int_equal(seen[MEMPLAN_CLASS_OUTPUT], 1);
  assert_int_equal(seen[MEMPLAN_CLASS_ACTIVATION], 2);
  assert_int_equal(seen[MEMPLAN_CLASS_WORKSPACE], 1);

  memplan_witness witness;
  char text[256];
  assert_int_equal(memplan_witness_of_bound(&made.problem, NULL, &made.solution.plan.bound, &witness, &error),
                   MEMPLAN_OK);
  assert_int_equal(witness.bytes, made.solution.plan.lower_bound);
  assert_string_equal(memplan_witness_text(&witness, 2, text, sizeof text), "a (512), x (256) and 1 more");
  memplan_witness_free(&witness);
  assert_string_equal(memplan_bound_text(&made.solution.plan.bound, true, text, sizeof text),
                      "for every order: what operator 'f' needs at once");
  memplan_plan_map_free(&map);
  free_solved(&made);
}

static void witness_at_a_time(void **state) {
  (void)state;
  solved made;
  memplan_witness witness;
  memplan_error error = {0};
  char text[64];
  solve_text(&made, "id,lower,upper,size,gaps\nA,0,2,8,\nB,1,9,5,3-6@1:3\nC,5,9,0,\n", "w.csv", NULL);
  assert_int_equal(memplan_witness_at_time(&made.problem.instance, 1, &witness, &error), MEMPLAN_OK);
  assert_string_equal(memplan_witness_text(&witness, 9, text, sizeof text), "A (8), B (5)");
  assert_string_equal(memplan_witness_text(&witness, 1, text, sizeof text), "A (8) and 1 more");
  assert_string_equal(memplan_witness_text(&witness, 9, text, 8), "A (8) a"); // cut, never overrun
  memplan_witness_free(&witness);
  assert_int_equal(memplan_witness_at_time(&made.problem.instance, 4, &witness, &error), MEMPLAN_OK);
  assert_string_equal(memplan_witness_text(&witness, 9, text, sizeof text), "B (2)");
  memplan_witness_free(&witness);
  free_solved(&made);
}

// The lines that bench writes are those that it finds again and that table reads.
static void result_lines_round_trip(void **state) {
  (void)state;
  solved made;
  memplan_error error = {0};
  memplan_settings settings = {.problem = memplan_problem_options_default(), .solve = memplan_solve_options_default()};
  solve_text(&made, "id,lower,upper,size\nA,0,2,8\nB,1,3,5\n", "dir/x \"y\".csv", NULL);
  memplan_summary summary = {.path = made.problem.path,
                             .problem = &made.problem,
                             .solution = &made.solution,
                             .settings = &settings,
                             .time_us = 1500};
  memplan_run run = {&summary, NULL, "naive"};
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  memplan_run_write(&run, stream);
  fputs("\n  \nnot a line\n", stream);
  fclose(stream);
  memplan_arena arena = {0};
  memplan_names keys = {0};
  assert_int_equal(memplan_results_keys("r.jsonl", text, length, &arena, &keys, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "r.jsonl:4"));
  memplan_names_free(&keys);
  size_t good = length - strlen("not a line\n");
  assert_int_equal(memplan_results_keys("r.jsonl", text, good, &arena, &keys, &error), MEMPLAN_OK);
  // A torn last line is none; a foreign one, or a whole one without its end, is.
  assert_int_equal(memplan_results_whole(text, length), length);
  assert_int_equal(memplan_results_whole(text, length - 1), length - 1);
  assert_int_equal(memplan_results_whole(text, 40), 0);
  assert_int_equal(memplan_results_whole(text, strcspn(text, "\n")), strcspn(text, "\n"));
  assert_int_equal(memplan_results_whole(text, 0), 0);
  char *key = memplan_run_key(&run);
  assert_true(memplan_names_find(&keys, key) >= 0);
  free(key);
  run.place = "best-fit";
  key = memplan_run_key(&run);
  assert_int_equal(memplan_names_find(&keys, key), -1);
  free(key);
  memplan_results results = {0};
  assert_int_equal(memplan_results_parse(&results, "r.jsonl", text, length, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "r.jsonl:4"));
  memplan_results_free(&results);
  assert_int_equal(memplan_results_parse(&results, "r.jsonl", text, length - strlen("not a line\n"), &error),
                   MEMPLAN_OK);
  assert_int_equal(results.n_lines, 1);
  assert_string_equal(results.lines[0].instance, "dir/x \"y\".csv");
  assert_string_equal(results.lines[0].place, "naive");
  assert_null(results.lines[0].order);
  assert_int_equal(results.lines[0].peak, 13);
  assert_int_equal(results.lines[0].lower_bound, 13);
  assert_int_equal(results.lines[0].time_us, 1500);
  assert_true(results.lines[0].comparable);
  memplan_results_free(&results);
  memplan_names_free(&keys);
  memplan_arena_free(&arena);
  free(text);
  free_solved(&made);
}

static memplan_exit exit_of(memplan_solution *solution, int64_t capacity, int64_t gap_millionths) {
  memplan_problem problem = {.options = memplan_problem_options_default(), .has_instance = true};
  memplan_settings settings = {.solve = {.gap_millionths = gap_millionths}};
  problem.options.capacity = capacity;
  memplan_summary summary = {.problem = &problem, .solution = solution, .settings = &settings};
  return memplan_summary_exit(&summary);
}

static void goals(void **state) {
  (void)state;
  memplan_solution solution = {.has_plan = true, .outcome = MEMPLAN_FEASIBLE};
  solution.plan.peak = 1000;
  solution.plan.lower_bound = 990;
  assert_int_equal(exit_of(&solution, -1, 0), MEMPLAN_EXIT_FEASIBLE);
  assert_int_equal(exit_of(&solution, -1, 9999), MEMPLAN_EXIT_FEASIBLE);
  assert_int_equal(exit_of(&solution, -1, 10000), MEMPLAN_EXIT_GOAL);
  assert_int_equal(exit_of(&solution, 1000, 0), MEMPLAN_EXIT_GOAL);
  solution.outcome = MEMPLAN_UNKNOWN;
  assert_int_equal(exit_of(&solution, 999, 10000), MEMPLAN_EXIT_NO_PLAN);
  solution.outcome = MEMPLAN_INFEASIBLE;
  assert_int_equal(exit_of(&solution, 989, 0), MEMPLAN_EXIT_INFEASIBLE);
  solution.stop = MEMPLAN_STOP_INTERRUPTED;
  assert_int_equal(exit_of(&solution, -1, 0), MEMPLAN_EXIT_INTERRUPTED);
  solution = (memplan_solution){.outcome = MEMPLAN_UNKNOWN};
  assert_int_equal(exit_of(&solution, -1, 0), MEMPLAN_EXIT_NO_PLAN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ratios_are_exact),
      cmocka_unit_test(ratios_compare_exactly),
      cmocka_unit_test(sizes_for_people),
      cmocka_unit_test(exit_codes),
      cmocka_unit_test(grids),
      cmocka_unit_test(json_survives_any_bytes),
      cmocka_unit_test(fragmentation_is_that_of_the_bytes),
      cmocka_unit_test(rects_add_up_to_the_load),
      cmocka_unit_test(witness_at_a_time),
      cmocka_unit_test(result_lines_round_trip),
      cmocka_unit_test(goals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
