// SPDX-License-Identifier: Apache-2.0
// Decimals by long division. A remainder is below the denominator, so that each digit can be had by ten additions with
// one subtraction each, in 64 unsigned bits, without a wider type.
#include "eval/numbers.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// rest * factor = quotient * denominator + new rest, for rest < denominator < 2^63.
static uint64_t multiply(uint64_t *rest, uint64_t denominator, int32_t factor) {
  uint64_t quotient = 0, sum = 0;
  for (int32_t i = 0; i < factor; i++) {
    sum += *rest;
    if (sum >= denominator) {
      sum -= denominator;
      quotient++;
    }
  }
  *rest = sum;
  return quotient;
}

static uint64_t magnitude(int64_t value) { return value < 0 ? 0 - (uint64_t)value : (uint64_t)value; }

const char *memplan_ratio_text(memplan_ratio ratio, int32_t scale, int32_t places, char text[MEMPLAN_NUMBER_SIZE]) {
  uint64_t denominator = ratio.denominator == 0 ? 1 : (uint64_t)ratio.denominator;
  uint64_t numerator = ratio.denominator == 0 ? 0 : magnitude(ratio.numerator);
  uint64_t whole = numerator / denominator, rest = numerator % denominator;
  whole = whole * (uint64_t)scale + multiply(&rest, denominator, scale);
  char digits[16] = "";
  for (int32_t i = 0; i < places; i++) {
    digits[i] = (char)('0' + multiply(&rest, denominator, 10));
  }
  bool up = rest >= denominator - rest;
  for (int32_t i = places - 1; up && i >= 0; i--) {
    up = digits[i] == '9';
    digits[i] = up ? '0' : (char)(digits[i] + 1);
  }
  whole += up ? 1 : 0;
  bool zero = whole == 0 && strspn(digits, "0") == (size_t)places;
  snprintf(text, MEMPLAN_NUMBER_SIZE, "%s%" PRIu64 "%s%s", ratio.numerator < 0 && !zero ? "-" : "", whole,
           places > 0 ? "." : "", digits);
  return text;
}

const char *memplan_percent_text(memplan_ratio ratio, char text[MEMPLAN_NUMBER_SIZE]) {
  memplan_ratio_text(ratio, 100, 2, text);
  if (ratio.numerator > 0 && ratio.denominator > 0 && strcmp(text, "0.00") == 0) {
    strcpy(text, "<0.01");
  }
  strcat(text, " %");
  return text;
}

// Compares whole parts, then the reciprocals of what is left: a continued fraction, so that nothing is multiplied.
int32_t memplan_ratio_compare(memplan_ratio a, memplan_ratio b) {
  int32_t sign = 1;
  if (a.denominator == 0) {
    a = (memplan_ratio){0, 1};
  }
  if (b.denominator == 0) {
    b = (memplan_ratio){0, 1};
  }
  for (;;) {
    int64_t whole_a = a.numerator / a.denominator, whole_b = b.numerator / b.denominator;
    if (whole_a != whole_b) {
      return whole_a < whole_b ? -sign : sign;
    }
    int64_t rest_a = a.numerator % a.denominator, rest_b = b.numerator % b.denominator;
    if (rest_a == 0 || rest_b == 0) {
      return rest_a == rest_b ? 0 : rest_a == 0 ? -sign : sign;
    }
    a = (memplan_ratio){a.denominator, rest_a};
    b = (memplan_ratio){b.denominator, rest_b};
    sign = -sign;
  }
}

memplan_ratio memplan_gap_ratio(int64_t peak, int64_t lower_bound) { return (memplan_ratio){peak - lower_bound, peak}; }

memplan_ratio memplan_reuse_ratio(int64_t peak, int64_t naive_bytes) {
  return (memplan_ratio){naive_bytes - peak, naive_bytes};
}

const char *memplan_bytes_text(int64_t bytes, char text[MEMPLAN_NUMBER_SIZE]) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int64_t unit = 1;
  int32_t i = 0;
  for (; i < 6 && bytes / unit >= 1024; i++) {
    unit *= 1024;
  }
  memplan_ratio_text((memplan_ratio){bytes, unit}, 1, bytes % unit == 0 ? 0 : 2, text);
  strcat(text, " ");
  strcat(text, units[i]);
  return text;
}

const char *memplan_grouped_text(int64_t number, char text[MEMPLAN_NUMBER_SIZE]) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, magnitude(number));
  size_t n = strlen(digits), length = 0;
  if (number < 0) {
    text[length++] = '-';
  }
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0) {
      text[length++] = ',';
    }
    text[length++] = digits[i];
  }
  text[length] = '\0';
  return text;
}
