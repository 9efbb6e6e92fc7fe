// SPDX-License-Identifier: Apache-2.0
#include "solvers/proof.h"

#include <jansson.h>

#include <inttypes.h>

// A JSON string; ids are UTF-8 already. False if memory is out.
static bool write_text(const char *text, FILE *out) {
  json_t *string = json_string(text);
  bool good = string != NULL && json_dumpf(string, out, JSON_ENCODE_ANY) == 0;
  json_decref(string);
  return good;
}

static bool write_head(const char *fingerprint, const char *options, const char *kind, int64_t claim, FILE *out) {
  fputs("{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":", out);
  bool good = write_text(fingerprint, out);
  if (options != NULL) {
    fprintf(out, ",\"problem\":%s", options);
  }
  fprintf(out, ",\"kind\":\"%s\",\"claim\":%" PRId64, kind, claim);
  return good;
}

static void write_numbers(const int64_t *numbers, int64_t n, FILE *out) {
  fputc('[', out);
  for (int64_t k = 0; k < n; k++) {
    fprintf(out, k == 0 ? "%" PRId64 : ",%" PRId64, numbers[k]);
  }
  fputc(']', out);
}

static void write_hints(const memplan_proof *proof, const memplan_proof_step *step, FILE *out) {
  fputs(",\"h\":[", out);
  for (int64_t k = 0; k < step->n_hints; k++) {
    int32_t hint = proof->hints[step->first_hint + k];
    if (k > 0) {
      fputc(',', out);
    }
    if (hint > 0) {
      fprintf(out, "%" PRId32, hint);
    } else {
      int64_t start = proof->lemma_starts[-1 - hint], end = proof->lemma_starts[-hint];
      write_numbers(&proof->lemma_numbers[start], end - start, out);
    }
  }
  fputs("]}\n", out);
}

// The pair of the exclusion with this number, counted over a < b.
static void write_pair(const memplan_place_problem *problem, int64_t index, FILE *out) {
  for (int32_t a = 0; a < problem->n_items; a++) {
    for (int32_t k = problem->first_exclusion[a]; k < problem->first_exclusion[a + 1]; k++) {
      if (problem->exclusions[k].other > a && index-- == 0) {
        fprintf(out, "{\"g\":[%" PRId32 ",%" PRId32 "]}\n", a, problem->exclusions[k].other);
        return;
      }
    }
  }
}

bool memplan_proof_write(const memplan_proof *proof, const memplan_instance *instance,
                         const memplan_place_problem *problem, const char *fingerprint, const char *options,
                         FILE *out) {
  bool good = write_head(fingerprint, options, "clauses", proof->claim, out);
  fprintf(out, ",\"unit\":%" PRId64 ",\"buffers\":[", problem->unit);
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_block *block = &instance->blocks[problem->block[item]];
    if (item > 0) {
      fputc(',', out);
    }
    good = good && write_text(instance->buffers[instance->members[block->first_member].buffer].id, out);
  }
  fputs("]}\n", out);
  for (int64_t k = 0; k < proof->n_steps && ferror(out) == 0; k++) {
    const memplan_proof_step *step = &proof->steps[k];
    const int64_t *literals = &proof->literal_numbers[step->first_literal];
    if (step->given) {
      write_pair(problem, literals[0] / 2 - problem->n_items - 1, out);
    } else {
      fputs("{\"c\":", out);
      write_numbers(literals, 2 * step->n_literals, out);
      write_hints(proof, step, out);
    }
  }
  return good;
}

bool memplan_proof_write_load(const memplan_load *load, const char *pool, const char *fingerprint, const char *options,
                              FILE *out) {
  bool good = write_head(fingerprint, options, "load", load->bytes, out);
  if (pool != NULL) {
    fputs(",\"pool\":", out);
    good = write_text(pool, out) && good;
  }
  fprintf(out, ",\"time\":%" PRId64 "}\n", load->time);
  return good;
}

bool memplan_proof_write_clique(const memplan_bound *clique, const char *fingerprint, const char *options, FILE *out) {
  bool good = write_head(fingerprint, options, "clique", clique->bytes, out);
  fputs(",\"buffers\":[", out);
  for (int32_t k = 0; k < clique->n_buffers; k++) {
    if (k > 0) {
      fputc(',', out);
    }
    good = write_text(clique->buffers[k], out) && good;
  }
  fputs("]}\n", out);
  return good;
}
