// SPDX-License-Identifier: Apache-2.0
// Matrix products, Einsum, determinants and inverses.
#include "instances/onnx_shape_families.h"

static void swap_last(memplan_dims *dims) {
  int64_t last = dims->at[dims->rank - 1];
  dims->at[dims->rank - 1] = dims->at[dims->rank - 2];
  dims->at[dims->rank - 2] = last;
}

// Batched product of numpy.matmul: a vector on the left is a row, on the right a column, and its dimension vanishes.
static memplan_status multiply(memplan_call *call, const memplan_dims *left, const memplan_dims *right,
                               memplan_dims *out) {
  *out = memplan_dims_none();
  if (left->rank < 0 || right->rank < 0) {
    return MEMPLAN_OK;
  }
  if (left->rank == 0 || right->rank == 0) {
    return memplan_call_fail(call, "a product of scalars");
  }
  int64_t inner_left = left->at[left->rank - 1];
  int64_t inner_right = right->at[right->rank == 1 ? 0 : right->rank - 2];
  if (inner_left >= 0 && inner_right >= 0 && inner_left != inner_right) {
    return memplan_call_fail(call, "inner dimensions %lld and %lld differ", (long long)inner_left,
                             (long long)inner_right);
  }
  memplan_dims a = *left;
  memplan_dims b = *right;
  a.rank = left->rank > 2 ? left->rank - 2 : 0;
  b.rank = right->rank > 2 ? right->rank - 2 : 0;
  MEMPLAN_TRY(memplan_call_broadcast(call, &a, &b, out));
  if (left->rank > 1) {
    MEMPLAN_TRY(memplan_call_append(call, out, left->at[left->rank - 2]));
  }
  if (right->rank > 1) {
    MEMPLAN_TRY(memplan_call_append(call, out, right->at[right->rank - 1]));
  }
  return MEMPLAN_OK;
}

static memplan_status matmul(memplan_call *call, int32_t left, int32_t right, int32_t elem_type) {
  memplan_dims a;
  memplan_dims b;
  memplan_dims out;
  MEMPLAN_TRY(memplan_call_dims(call, left, &a));
  MEMPLAN_TRY(memplan_call_dims(call, right, &b));
  MEMPLAN_TRY(multiply(call, &a, &b, &out));
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_matmul(memplan_call *call) { return matmul(call, 0, 1, memplan_call_elem(call, 0)); }

memplan_status memplan_shape_matmul_integer(memplan_call *call) { return matmul(call, 0, 1, MEMPLAN_ONNX_INT32); }

// MatMulIntegerToFloat: the type of the scale of A.
memplan_status memplan_shape_matmul_to_float(memplan_call *call) {
  int32_t scale = memplan_call_elem(call, 2);
  return matmul(call, 0, 1, scale != 0 ? scale : MEMPLAN_ONNX_FLOAT);
}

memplan_status memplan_shape_qlinear_matmul(memplan_call *call) {
  return matmul(call, 0, 3, memplan_call_elem(call, 7));
}

// QOrderedMatMul: A, its scale, B.
memplan_status memplan_shape_matmul_ordered(memplan_call *call) {
  return matmul(call, 0, 2, memplan_call_elem(call, 0));
}

// transBatchA: an operand stored as [m, batch..., k] is multiplied as [batch..., m, k].
static void move_batch(memplan_dims *dims) {
  if (dims->rank < 3) {
    return;
  }
  int64_t first = dims->at[0];
  for (int32_t d = 0; d + 2 < dims->rank; d++) {
    dims->at[d] = dims->at[d + 1];
  }
  dims->at[dims->rank - 2] = first;
}

static memplan_status fused_operand(memplan_call *call, int32_t k, const char *swap, const char *batch,
                                    memplan_dims *dims) {
  int64_t swapped = 0;
  int64_t moved = 0;
  MEMPLAN_TRY(memplan_call_dims(call, k, dims));
  MEMPLAN_TRY(memplan_call_int(call, swap, &swapped));
  MEMPLAN_TRY(memplan_call_int(call, batch, &moved));
  if (moved != 0) {
    move_batch(dims);
  }
  if (swapped != 0 && dims->rank >= 2) {
    swap_last(dims);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_fused_matmul(memplan_call *call) {
  memplan_dims a;
  memplan_dims b;
  memplan_dims out;
  MEMPLAN_TRY(fused_operand(call, 0, "transA", "transBatchA", &a));
  MEMPLAN_TRY(fused_operand(call, 1, "transB", "transBatchB", &b));
  MEMPLAN_TRY(multiply(call, &a, &b, &out));
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

static memplan_status gemm(memplan_call *call, int32_t left, int32_t right, int32_t elem_type) {
  memplan_dims a;
  memplan_dims b;
  int64_t trans_a = 0;
  int64_t trans_b = 0;
  MEMPLAN_TRY(memplan_call_dims(call, left, &a));
  MEMPLAN_TRY(memplan_call_dims(call, right, &b));
  MEMPLAN_TRY(memplan_call_int(call, "transA", &trans_a));
  MEMPLAN_TRY(memplan_call_int(call, "transB", &trans_b));
  if ((a.rank >= 0 && a.rank != 2) || (b.rank >= 0 && b.rank != 2)) {
    return memplan_call_fail(call, "operands must be matrices");
  }
  if (trans_a != 0 && a.rank == 2) {
    swap_last(&a);
  }
  if (trans_b != 0 && b.rank == 2) {
    swap_last(&b);
  }
  if (a.rank == 2 && b.rank == 2 && a.at[1] >= 0 && b.at[0] >= 0 && a.at[1] != b.at[0]) {
    return memplan_call_fail(call, "inner dimensions %lld and %lld differ", (long long)a.at[1], (long long)b.at[0]);
  }
  memplan_dims out = memplan_dims_unknown(2);
  out.at[0] = a.rank == 2 ? a.at[0] : -1;
  out.at[1] = b.rank == 2 ? b.at[1] : -1;
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_gemm(memplan_call *call) { return gemm(call, 0, 1, memplan_call_elem(call, 0)); }

memplan_status memplan_shape_gemm_float8(memplan_call *call) {
  int64_t elem_type = MEMPLAN_ONNX_FLOAT;
  MEMPLAN_TRY(memplan_call_int(call, "dtype", &elem_type));
  return gemm(call, 0, 1, memplan_elem_type_checked(elem_type));
}

memplan_status memplan_shape_qgemm(memplan_call *call) {
  return gemm(call, 0, 3, memplan_call_has(call, 8) ? memplan_call_elem(call, 8) : MEMPLAN_ONNX_FLOAT);
}

// Products with packed weights whose logical size [K, N] only the attributes tell.
memplan_status memplan_shape_matmul_packed(memplan_call *call) {
  memplan_dims data;
  int64_t n = 0;
  int64_t k = 0;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_int_required(call, "N", &n));
  MEMPLAN_TRY(memplan_call_int_required(call, "K", &k));
  if (n < 0 || data.rank == 0) {
    return memplan_call_fail(call, "a product with %lld columns", (long long)n);
  }
  if (data.rank > 0) {
    if (data.at[data.rank - 1] >= 0 && data.at[data.rank - 1] != k) {
      return memplan_call_fail(call, "inner dimensions %lld and %lld differ", (long long)data.at[data.rank - 1],
                               (long long)k);
    }
    data.at[data.rank - 1] = n;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}

// MatMulFpQ4: the logical shape of B is the data of input 2.
memplan_status memplan_shape_matmul_fpq4(memplan_call *call) {
  memplan_dims a;
  memplan_dims out;
  memplan_list shape;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &a));
  MEMPLAN_TRY(memplan_call_list(call, 2, &shape));
  memplan_dims b = memplan_dims_none();
  if (shape.count >= 0 && shape.count <= MEMPLAN_ONNX_MAX_RANK) {
    b = memplan_dims_unknown((int32_t)shape.count);
    for (int32_t d = 0; d < b.rank; d++) {
      MEMPLAN_TRY(memplan_call_entry(call, &shape, d, 0, &b.at[d]));
    }
  }
  MEMPLAN_TRY(multiply(call, &a, &b, &out));
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_det(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  if (data.rank >= 0) {
    int64_t rows = data.at[data.rank - 2];
    int64_t columns = data.at[data.rank - 1];
    if (rows >= 0 && columns >= 0 && rows != columns) {
      return memplan_call_fail(call, "the matrices are not square");
    }
    data.rank -= 2;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}

// CDist: distances between the rows of two matrices.
memplan_status memplan_shape_cdist(memplan_call *call) {
  memplan_dims a;
  memplan_dims b;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 2, &a));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 2, 2, &b));
  memplan_dims out = memplan_dims_unknown(2);
  out.at[0] = a.rank < 0 ? -1 : a.at[0];
  out.at[1] = b.rank < 0 ? -1 : b.at[0];
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// Einsum. A letter stands for one dimension in all operands; the ellipsis for leading dimensions that broadcast.
typedef struct einsum {
  int64_t letters[52]; // size of each letter, 0 where it has not been seen
  bool seen[52];
  memplan_dims ellipsis;
  bool has_ellipsis;
  bool ranks_known;
} einsum;

static int32_t letter_index(char c) {
  if (c >= 'a' && c <= 'z') {
    return c - 'a';
  }
  return c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1;
}

// A term without blanks: letters before and after the ellipsis.
typedef struct einsum_term {
  int8_t letters[MEMPLAN_ONNX_MAX_RANK];
  int32_t n;
  int32_t ellipsis; // position, -1: none
} einsum_term;

static memplan_status parse_term(memplan_call *call, const char **text, einsum_term *term) {
  *term = (einsum_term){.ellipsis = -1};
  const char *c = *text;
  while (*c != '\0' && *c != ',' && !(c[0] == '-' && c[1] == '>')) {
    if (c[0] == '.' && c[1] == '.' && c[2] == '.' && term->ellipsis < 0) {
      term->ellipsis = term->n;
      c += 3;
      continue;
    }
    int32_t letter = letter_index(*c);
    if (*c != ' ' && letter < 0) {
      return memplan_call_fail(call, "the equation cannot be read at '%.20s'", c);
    }
    if (letter >= 0) {
      if (term->n == MEMPLAN_ONNX_MAX_RANK) {
        return memplan_call_fail(call, "more than %d dimensions", MEMPLAN_ONNX_MAX_RANK);
      }
      term->letters[term->n++] = (int8_t)letter;
    }
    c++;
  }
  *text = c;
  return MEMPLAN_OK;
}

static memplan_status bind_letter(memplan_call *call, einsum *state, int32_t letter, int64_t size) {
  int64_t *known = &state->letters[letter];
  if (!state->seen[letter]) {
    *known = size;
  } else if (*known == 1 || *known < 0) {
    *known = size < 0 && *known == 1 ? -1 : size == 1 && *known < 0 ? *known : size;
  } else if (size >= 0 && size != 1 && size != *known) {
    return memplan_call_fail(call, "a letter of the equation stands for %lld and %lld", (long long)*known,
                             (long long)size);
  }
  state->seen[letter] = true;
  return MEMPLAN_OK;
}

static memplan_status bind_operand(memplan_call *call, einsum *state, const einsum_term *term, int32_t k) {
  memplan_dims dims;
  MEMPLAN_TRY(memplan_call_dims(call, k, &dims));
  state->has_ellipsis = state->has_ellipsis || term->ellipsis >= 0;
  if (dims.rank < 0) {
    state->ranks_known = false;
    for (int32_t i = 0; i < term->n; i++) {
      MEMPLAN_TRY(bind_letter(call, state, term->letters[i], -1));
    }
    return MEMPLAN_OK;
  }
  int32_t extra = dims.rank - term->n;
  if (extra < 0 || (extra > 0 && term->ellipsis < 0)) {
    return memplan_call_fail(call, "input %d has rank %d, the equation wants %d", (int)k, (int)dims.rank, (int)term->n);
  }
  memplan_dims middle = {.rank = 0};
  int32_t at = 0;
  for (int32_t i = 0; i <= term->n; i++) {
    if (i == term->ellipsis) {
      for (int32_t e = 0; e < extra; e++) {
        middle.at[middle.rank++] = dims.at[at++];
      }
    }
    if (i < term->n) {
      MEMPLAN_TRY(bind_letter(call, state, term->letters[i], dims.at[at++]));
    }
  }
  return memplan_call_broadcast(call, &state->ellipsis, &middle, &state->ellipsis);
}

// Without "->" the result has the ellipsis, then the letters that occur once, in alphabetical order (capitals first).
static void implicit_result(const char *equation, bool has_ellipsis, einsum_term *term) {
  *term = (einsum_term){.ellipsis = has_ellipsis ? 0 : -1};
  int32_t uses[52] = {0};
  for (const char *c = equation; *c != '\0'; c++) {
    int32_t letter = letter_index(*c);
    if (letter >= 0) {
      uses[letter]++;
    }
  }
  for (int32_t i = 0; i < 52; i++) {
    int32_t letter = i < 26 ? i + 26 : i - 26;
    if (uses[letter] == 1) {
      term->letters[term->n++] = (int8_t)letter;
    }
  }
}

memplan_status memplan_shape_einsum(memplan_call *call) {
  const char *equation = NULL;
  MEMPLAN_TRY(memplan_call_text(call, "equation", &equation));
  if (equation == NULL) {
    return memplan_call_fail(call, "attribute 'equation' is missing");
  }
  einsum state = {.ranks_known = true};
  einsum_term term;
  const char *c = equation;
  for (int32_t k = 0; k < call->node->n_in; k++) {
    MEMPLAN_TRY(parse_term(call, &c, &term));
    MEMPLAN_TRY(bind_operand(call, &state, &term, k));
    if (k + 1 < call->node->n_in && *c != ',') {
      return memplan_call_fail(call, "the equation '%.60s' has fewer terms than inputs", equation);
    }
    c += *c == ',' ? 1 : 0;
  }
  if (*c == '-') {
    c += 2;
    MEMPLAN_TRY(parse_term(call, &c, &term));
  } else {
    implicit_result(equation, state.has_ellipsis, &term);
  }
  if (*c != '\0') {
    return memplan_call_fail(call, "the equation '%.60s' has more terms than inputs", equation);
  }
  memplan_dims out = {.rank = 0};
  if (term.ellipsis >= 0 && !state.ranks_known) {
    out = memplan_dims_none();
    return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
  }
  for (int32_t i = 0; i <= term.n; i++) {
    if (i == term.ellipsis) {
      for (int32_t e = 0; e < state.ellipsis.rank; e++) {
        MEMPLAN_TRY(memplan_call_append(call, &out, state.ellipsis.at[e]));
      }
    }
    if (i < term.n) {
      if (!state.seen[term.letters[i]]) {
        return memplan_call_fail(call, "a letter of the result occurs in no term");
      }
      MEMPLAN_TRY(memplan_call_append(call, &out, state.letters[term.letters[i]]));
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}
