// SPDX-License-Identifier: Apache-2.0
#include "eval/json_keys.h"

#include "eval/summary_keys.h"

static const memplan_json_key others[] = {
    {"tool", "bound, check, explain, info, verify", "memplan"},
    {"version", "bound, check, explain, info, verify", "of memplan"},
    {"path", "bound, check, explain, info, verify", "of the file"},
    {"format", "bound, check, explain, info, verify", "that it was read as"},
    {"fingerprint", "bound, check, explain, info, verify", "of the problem"},
    {"name", "info", "of the model or problem, as its file gives it"},
    {"source", "info", "what the file says that it was made by"},
    {"ops", "info", "operators of a model; of a file read only in part null where that is not known"},
    {"tensors", "info", "of a model; the same"},
    {"views", "info", "tensors of a model that are views of others"},
    {"inplace_pairs", "info", "possible in-place pairs of a model"},
    {"op_types", "info", "object: how many operators of each type a model has"},
    {"roles", "info", "object: tensors and bytes of each role in a model"},
    {"bodies", "info", "array, of a model: op, body and ops of each body of control flow"},
    {"weight_bytes", "info", "of a model's weights, wherever they lie"},
    {"external_bytes", "info", "of a model's inputs and outputs that lie outside the arena"},
    {"rules", "info", "object, of lifetimes: separate, colocated and conflicts, how many of each"},
    {"pools", "info", "array: id and capacity (null: none) of each pool that the file states"},
    {"naive_bytes", "info", "sum of all buffers: memory without any reuse"},
    {"order_file", "info", "of a model with --order FILE: that file"},
    {"load", "info", "object: bytes of the largest load, step where it is, and op of a model; on the order"},
    {"buffers", "info",
     "array, the largest first: id, bytes, align, live (pairs of start and end), and pin if it has one; on the order"},
    {"warnings", "info", "array of what the reader warned about"},
    {"tensors_known", "info", "of a model whose dimensions or shapes are not all known: tensors with a known size"},
    {"unknown_dims", "info", "the same: array of the dimensions to give by --dim"},
    {"unknown_tensors", "info", "the same: array of the first tensors without a known shape"},
    {"n_unknown_tensors", "info", "the same: how many there are, listed or not"},
    {"error", "info", "the same: why it is no problem yet"},
    {"lower_bound", "bound", "bytes that no plan can go below: the first of bounds"},
    {"bounds", "bound",
     "array, the largest first: kind, problem (joint or placement), bytes, and step, op, pool or buffers that "
     "witness it"},
    {"certificate", "bound",
     "object, with --certificate: kind, problem and bytes of what the file holds, and a reason if a larger bound has "
     "no "
     "proof"},
    {"plan", "explain, verify", "path of the plan, null without one"},
    {"valid", "verify", "whether the plan is"},
    {"peak", "verify", "bytes that the plan's offsets need"},
    {"bound_checked", "verify",
     "of a valid plan with a lower bound: whether its witness shows it; false: only a certificate can; null else"},
    {"n_violations", "verify", "how many there are, listed or not"},
    {"violations", "verify", "array: kind, first and second buffer or operator, step, bytes low to high, text"},
    {"options", "check", "object of the options that the problem was read with, as far as they are not the defaults"},
    {"certificate", "check", "path of the certificate"},
    {"proven", "check", "whether it proves its claim"},
    {"kind", "check",
     "of the certificate: load, clique, clauses, cut, probe, order-search, inputs, outputs, joint-clauses, "
     "nogoods or pools"},
    {"scope", "check",
     "placement; order: of placements on the order and with the in-place pairs that it states; joint: of every "
     "plan"},
    {"pool", "check", "whose peak is meant, or null"},
    {"pools", "check", "object, of kind pools: bytes that the peak of each pool named is not below; else null"},
    {"claim", "check", "bytes that no peak is below, if it is proven"},
    {"steps", "check", "of the proof"},
    {"reason", "check", "why it proves nothing, or null"},
    {"line", "check", "of the certificate where it fails, or null"},
    {"plan_peak", "explain", "peak of the plan, null without one"},
    {"order", "explain", "order that this holds for: a method, plan, or null for lifetimes"},
    {"inplace", "explain", "in-place pairs chosen; null for lifetimes"},
    {"fullest", "explain",
     "object: time or step with the largest load (with a plan: of those that reach highest), its "
     "operator, bytes, reach (end of the highest buffer; null without a plan), and the buffers"},
    {"capacity", "explain",
     "object: fits (yes, no or unknown) and peak of a plan that does; if not: pool (null: the "
     "only one, or all together), bytes and room of it, needs and short for this order, scope "
     "(problem, order or choice), every_order (needed whatever the order, if that is too much), "
     "and core"},
    {"core", "explain",
     "object in capacity: kind (buffer, load or search), needs, exact (it fits then), time and load, "
     "minimal, and groups of buffers that block the capacity"},
    {"pair", "explain",
     "object: first, second, may_share, same_buffer, together (no reason is enough alone), reasons, "
     "meet_start and meet_end, orders (can one be dead before the other), inplace_operator, "
     "planned_bytes shared in the plan"},
};

int32_t memplan_json_key_count(void) { return MEMPLAN_KEY_COUNT + (int32_t)(sizeof others / sizeof *others); }

memplan_json_key memplan_json_key_at(int32_t index) {
  if (index >= MEMPLAN_KEY_COUNT) {
    return others[index - MEMPLAN_KEY_COUNT];
  }
  memplan_summary_key key = (memplan_summary_key)index;
  return (memplan_json_key){memplan_summary_key_name(key), memplan_summary_key_of(key), memplan_summary_key_text(key)};
}
