// SPDX-License-Identifier: Apache-2.0
// ONNX models are read from the file itself wherever that can be told beforehand: their weights are skipped, and can be
// larger than memory. A protocol buffer has no mark; it is told by its first fields.
#include "instances/format.h"

#include "instances/read_onnx.h"
#include "instances/survey_onnx.h"

// A number in base 128, the lowest digits first; false if it does not end within the head or has more than 10 digits.
static bool read_varint(const memplan_head *head, size_t *at, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 70 && *at < head->length; shift += 7) {
    unsigned char byte = (unsigned char)head->bytes[(*at)++];
    *value |= shift < 64 ? (uint64_t)(byte & 0x7F) << shift : 0;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

// The first fields are fields of onnx.ModelProto with the wire types that these have there.
static bool sniff(const memplan_head *head) {
  enum { checked_fields = 8, wire_varint = 0, wire_bytes = 2 };
  size_t at = 0;
  if (head->text || head->wide) {
    return false;
  }
  for (int field = 0; field < checked_fields && at < head->length; field++) {
    uint64_t tag = 0;
    uint64_t value = 0;
    if (!read_varint(head, &at, &tag)) {
      return false;
    }
    uint64_t number = tag >> 3;
    bool is_number = number == 1 || number == 5; // ir_version, model_version
    bool is_bytes =
        (number >= 2 && number <= 8 && number != 5) || number == 14 || number == 20 || number == 25 || number == 26;
    if ((tag & 7) != (is_number ? wire_varint : wire_bytes) || !(is_number || is_bytes) ||
        !read_varint(head, &at, &value)) {
      return false;
    }
    if (is_bytes) {
      if (value > head->length - at) {
        return true; // goes on behind the head
      }
      at += (size_t)value;
    }
  }
  return at > 0;
}

static memplan_status read_stream(const memplan_source *source, FILE *file) {
  if (source->options->n_pin_pools > 0) {
    return memplan_fail(source->error, MEMPLAN_INPUT, "%s: an ONNX model defines no pools to put buffers into",
                        source->path);
  }
  MEMPLAN_TRY(memplan_source_refuse_conflicts(source));
  MEMPLAN_TRY(memplan_read_onnx(file, source->path, source->options, &source->problem->graph, source->error));
  source->problem->options.lifetimes = MEMPLAN_LIFETIMES_HALF_OPEN;
  source->problem->has_graph = true;
  return MEMPLAN_OK;
}

static memplan_status read(const memplan_source *source, const char *text, size_t length) {
  if (length == 0) {
    return memplan_source_fail_empty(source);
  }
  // A stream for reading changes nothing, though its buffer is not const.
  FILE *file = fmemopen((void *)(uintptr_t)text, length, "rb");
  if (file == NULL) {
    return memplan_fail_nomem(source->error);
  }
  memplan_status status = read_stream(source, file);
  (void)fclose(file);
  return status;
}

static memplan_status survey(const memplan_source *source, FILE *file, memplan_survey *survey) {
  return memplan_survey_onnx(file, source->options, survey, source->error);
}

const memplan_file_format memplan_format_onnx = {
    .name = "onnx",
    .aliases = "",
    .description = "ONNX model; shapes are inferred, weights are not loaded",
    .extensions = ".onnx",
    .carries = "operators, tensors, control flow",
    .kind = MEMPLAN_FORMAT_GRAPH,
    .sniff = sniff,
    .read = read,
    .read_stream = read_stream,
    .survey = survey,
};
