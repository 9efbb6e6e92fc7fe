// SPDX-License-Identifier: Apache-2.0
// nanopb decodes tags, varints and fixed numbers from a pb_istream_t whose callback serves one 64 KiB buffer. Nested
// messages are copies of that stream with fewer bytes left: nanopb's own substreams know 32-bit lengths only.
//
// Invariant: the bytes left of a message are taken off its parent when it is entered, and in a seekable file the
// outermost message is as long as the file, so a length that passes its parent is found before anything is read.
// Wire format: protobuf.dev/programming-guides/encoding.
#include "instances/onnx_wire.h"

#include "model/base/grow.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool refill(memplan_wire *wire) {
  if (wire->ended || wire->read_failed) {
    return false;
  }
  wire->used = 0;
  wire->filled = fread(wire->buffer, 1, sizeof wire->buffer, wire->file);
  if (wire->filled == 0) {
    wire->read_failed = ferror(wire->file) != 0;
    wire->ended = true;
    return false;
  }
  return true;
}

static bool read_stream(pb_istream_t *stream, pb_byte_t *bytes, size_t count) {
  memplan_wire *wire = stream->state;
  while (count > 0) {
    if (wire->used == wire->filled && !refill(wire)) {
      return false;
    }
    size_t part = wire->filled - wire->used;
    if (part > count) {
      part = count;
    }
    memcpy(bytes, wire->buffer + wire->used, part);
    wire->used += part;
    wire->offset += part;
    bytes += part;
    count -= part;
  }
  return true;
}

// Length of a regular file (or memory stream) from the current position on.
static bool find_length(FILE *file, uint64_t *length) {
  struct stat info;
  int descriptor = fileno(file);
  if (descriptor >= 0 && (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))) {
    return false;
  }
  off_t start = ftello(file);
  if (start < 0 || fseeko(file, 0, SEEK_END) != 0) {
    return false;
  }
  off_t end = ftello(file);
  if (fseeko(file, start, SEEK_SET) != 0 || end < start) {
    return false;
  }
  *length = (uint64_t)(end - start);
  return true;
}

memplan_status memplan_wire_open(memplan_wire *wire, FILE *file, memplan_arena *arena, memplan_arena *scratch,
                                 const char *type, memplan_wire_message *top, memplan_error *error) {
  *wire = (memplan_wire){.file = file, .error = error, .arena = arena, .scratch = scratch};
  *top = (memplan_wire_message){.wire = wire, .type = type};
  top->in.callback = read_stream;
  top->in.state = wire;
  top->in.bytes_left = SIZE_MAX;
  uint64_t length = 0;
  if (find_length(file, &length)) {
    if (length >= SIZE_MAX) {
      return memplan_fail(error, MEMPLAN_UNSUPPORTED, "the file has %llu bytes, more than this machine can address",
                          (unsigned long long)length);
    }
    wire->seekable = true;
    top->in.bytes_left = (size_t)length;
  }
  return MEMPLAN_OK;
}

void memplan_wire_close(memplan_wire *wire) {
  free(wire->text);
  wire->text = NULL;
}

memplan_status memplan_wire_fail(memplan_wire *wire, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return memplan_fail(wire->error, MEMPLAN_INPUT, "byte %llu: %s", (unsigned long long)wire->offset, text);
}

static memplan_status fail_reading(memplan_wire_message *message) {
  memplan_wire *wire = message->wire;
  if (wire->read_failed) {
    return memplan_fail(wire->error, MEMPLAN_IO, "byte %llu: reading failed", (unsigned long long)wire->offset);
  }
  if (wire->ended) {
    return memplan_wire_fail(wire, "the file ends inside a %s; it is truncated or not an ONNX model", message->type);
  }
  return memplan_wire_fail(wire, "%s in a %s; the file is damaged or not an ONNX model",
                           message->in.errmsg != NULL ? message->in.errmsg : "bad encoding", message->type);
}

static memplan_status fail_type(memplan_wire_message *message, memplan_wire_field field, const char *expected) {
  return memplan_wire_fail(message->wire, "field %u of a %s has wire type %d where %s is due; the file is damaged",
                           (unsigned)field.number, message->type, (int)field.type, expected);
}

memplan_status memplan_wire_next(memplan_wire_message *message, memplan_wire_field *field) {
  memplan_wire *wire = message->wire;
  *field = (memplan_wire_field){0};
  bool open_end = message->depth == 0 && !wire->seekable;
  if (message->in.bytes_left == 0) {
    return MEMPLAN_OK;
  }
  if (open_end && wire->used == wire->filled && !refill(wire)) {
    return wire->read_failed ? fail_reading(message) : MEMPLAN_OK;
  }
  bool ended = false;
  if (!pb_decode_tag(&message->in, &field->type, &field->number, &ended)) {
    field->number = 0;
    return fail_reading(message);
  }
  if (field->number == 0) {
    return memplan_wire_fail(wire, "field number 0 in a %s; the file is damaged or not an ONNX model", message->type);
  }
  return MEMPLAN_OK;
}

// Takes the length in front of a string, bytes, message or packed field off the message.
static memplan_status take_length(memplan_wire_message *message, memplan_wire_field field, const char *expected,
                                  size_t *length) {
  if (field.type != PB_WT_STRING) {
    return fail_type(message, field, expected);
  }
  uint64_t value = 0;
  if (!pb_decode_varint(&message->in, &value)) {
    return fail_reading(message);
  }
  if (value > message->in.bytes_left) {
    return memplan_wire_fail(
        message->wire, "field %u of a %s claims %llu bytes, but only %llu are left; the file is truncated or damaged",
        (unsigned)field.number, message->type, (unsigned long long)value, (unsigned long long)message->in.bytes_left);
  }
  *length = (size_t)value;
  message->in.bytes_left -= *length;
  return MEMPLAN_OK;
}

// Passes over bytes that were taken off the message already.
static memplan_status pass_over(memplan_wire_message *message, size_t count) {
  memplan_wire *wire = message->wire;
  size_t part = wire->filled - wire->used;
  if (part > count) {
    part = count;
  }
  wire->used += part;
  wire->offset += part;
  count -= part;
  if (count > 0 && wire->seekable) {
    // The length of the file bounds `count`, so the position fits.
    if (fseeko(wire->file, (off_t)count, SEEK_CUR) != 0) {
      wire->read_failed = true;
      return fail_reading(message);
    }
    wire->offset += count;
    return MEMPLAN_OK;
  }
  while (count > 0) {
    if (!refill(wire)) {
      return fail_reading(message);
    }
    part = wire->filled < count ? wire->filled : count;
    wire->used = part;
    wire->offset += part;
    count -= part;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_wire_skip(memplan_wire_message *message, memplan_wire_field field) {
  if (field.type == PB_WT_STRING) {
    size_t length = 0;
    MEMPLAN_TRY(take_length(message, field, "bytes", &length));
    return pass_over(message, length);
  }
  if (field.type != PB_WT_VARINT && field.type != PB_WT_32BIT && field.type != PB_WT_64BIT) {
    return fail_type(message, field, "a number or bytes");
  }
  if (!pb_skip_field(&message->in, field.type)) {
    return fail_reading(message);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_wire_enter(memplan_wire_message *message, memplan_wire_field field, const char *type,
                                  memplan_wire_message *inner) {
  if (message->depth >= MEMPLAN_WIRE_MAX_DEPTH) {
    return memplan_wire_fail(message->wire, "messages are nested deeper than %d; memplan reads no such file",
                             (int)MEMPLAN_WIRE_MAX_DEPTH);
  }
  size_t length = 0;
  MEMPLAN_TRY(take_length(message, field, "a message", &length));
  *inner = *message;
  inner->type = type;
  inner->in.bytes_left = length;
  inner->depth++;
  return MEMPLAN_OK;
}

memplan_status memplan_wire_int(memplan_wire_message *message, memplan_wire_field field, int64_t *value) {
  uint64_t bits = 0;
  if (field.type != PB_WT_VARINT) {
    return fail_type(message, field, "an integer");
  }
  if (!pb_decode_varint(&message->in, &bits)) {
    return fail_reading(message);
  }
  memcpy(value, &bits, sizeof bits);
  return MEMPLAN_OK;
}

memplan_status memplan_wire_float(memplan_wire_message *message, memplan_wire_field field, float *value) {
  if (field.type != PB_WT_32BIT) {
    return fail_type(message, field, "a 32-bit number");
  }
  if (!pb_decode_fixed32(&message->in, value)) {
    return fail_reading(message);
  }
  return MEMPLAN_OK;
}

// Reads `length` bytes, taken off the message already, into the scratch text, which grows as they arrive.
static memplan_status read_text(memplan_wire_message *message, size_t length) {
  memplan_wire *wire = message->wire;
  size_t done = 0;
  while (done < length) {
    size_t part = length - done < sizeof wire->buffer ? length - done : sizeof wire->buffer;
    if (wire->text_size - done < part) {
      size_t size = 2 * wire->text_size > done + part ? 2 * wire->text_size : done + part;
      char *text = realloc(wire->text, size);
      if (text == NULL) {
        return memplan_fail_nomem(wire->error);
      }
      wire->text = text;
      wire->text_size = size;
    }
    if (!read_stream(&message->in, (pb_byte_t *)wire->text + done, part)) {
      return fail_reading(message);
    }
    done += part;
  }
  return MEMPLAN_OK;
}

static memplan_status read_bytes(memplan_wire_message *message, memplan_arena *arena, size_t length,
                                 const char **bytes) {
  if (length == 0) {
    *bytes = "";
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(read_text(message, length));
  *bytes = memplan_arena_text(arena, message->wire->text, length);
  return *bytes != NULL ? MEMPLAN_OK : memplan_fail_nomem(message->wire->error);
}

// Length of the UTF-8 sequence at `text`, 0 if it is none (too long a form, surrogate, beyond U+10FFFF, cut) or NUL.
static size_t utf8_sequence(const unsigned char *text, size_t left) {
  if (text[0] < 0x80) {
    return text[0] != 0 ? 1 : 0;
  }
  size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
  if (text[0] < 0xc2 || text[0] > 0xf4 || left < length) {
    return 0;
  }
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
      (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)) {
    return 0;
  }
  return length;
}

memplan_status memplan_wire_string(memplan_wire_message *message, memplan_wire_field field, const char **text) {
  size_t length = 0;
  MEMPLAN_TRY(take_length(message, field, "a string", &length));
  MEMPLAN_TRY(read_bytes(message, message->wire->arena, length, text));
  for (size_t i = 0; i < length;) {
    size_t step = utf8_sequence((const unsigned char *)*text + i, length - i);
    if (step == 0) {
      uint64_t offset = message->wire->offset - length + i;
      return memplan_fail(message->wire->error, MEMPLAN_INPUT, "byte %llu: a string of a %s %s; the file is damaged",
                          (unsigned long long)offset, message->type,
                          (*text)[i] == '\0' ? "holds a NUL" : "is not UTF-8");
    }
    i += step;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_wire_bytes(memplan_wire_message *message, memplan_wire_field field, const char **bytes,
                                  int64_t *length) {
  size_t size = 0;
  MEMPLAN_TRY(take_length(message, field, "bytes", &size));
  *length = (int64_t)size;
  return read_bytes(message, message->wire->arena, size, bytes);
}

memplan_status memplan_wire_short_bytes(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                        const char **bytes, int64_t *length) {
  size_t size = 0;
  MEMPLAN_TRY(take_length(message, field, "bytes", &size));
  *length = size < (size_t)INT64_MAX ? (int64_t)size : INT64_MAX;
  if (*length > limit) {
    *bytes = NULL;
    return pass_over(message, size);
  }
  return read_bytes(message, message->wire->scratch, size, bytes);
}

typedef enum number_kind { NUMBER_VARINT, NUMBER_FIXED32, NUMBER_FIXED64 } number_kind;

static size_t number_size(number_kind kind) { return kind == NUMBER_FIXED32 ? sizeof(float) : sizeof(int64_t); }

static memplan_status append_number(memplan_wire_message *message, number_kind kind, int64_t limit,
                                    memplan_wire_list *list) {
  uint64_t bits = 0; // holds either size of number
  bool read = kind == NUMBER_VARINT    ? pb_decode_varint(&message->in, &bits)
              : kind == NUMBER_FIXED32 ? pb_decode_fixed32(&message->in, &bits)
                                       : pb_decode_fixed64(&message->in, &bits);
  if (!read) {
    return fail_reading(message);
  }
  if (list->count >= limit || list->overflowed) {
    list->overflowed = true;
    return MEMPLAN_OK;
  }
  size_t size = number_size(kind);
  list->items = memplan_grow_in(message->wire->scratch, list->items, list->count, &list->capacity, size);
  if (list->items == NULL) {
    return memplan_fail_nomem(message->wire->error);
  }
  memcpy((char *)list->items + (size_t)list->count * size, &bits, size);
  list->count++;
  return MEMPLAN_OK;
}

static memplan_status read_numbers(memplan_wire_message *message, memplan_wire_field field, number_kind kind,
                                   int64_t limit, memplan_wire_list *list) {
  pb_wire_type_t single = kind == NUMBER_VARINT ? PB_WT_VARINT : kind == NUMBER_FIXED32 ? PB_WT_32BIT : PB_WT_64BIT;
  if (field.type == single) {
    return append_number(message, kind, limit, list);
  }
  size_t length = 0;
  MEMPLAN_TRY(take_length(message, field, "a number or packed numbers", &length));
  // A varint takes at most ten bytes: so many bytes hold more numbers than the limit.
  size_t widest = kind == NUMBER_VARINT ? 10 : number_size(kind);
  if (list->overflowed || (int64_t)(length / widest) > limit - list->count) {
    list->overflowed = true;
    return pass_over(message, length);
  }
  memplan_wire_message packed = *message;
  packed.in.bytes_left = length;
  packed.depth++; // its end is not the end of the stream
  while (packed.in.bytes_left > 0) {
    MEMPLAN_TRY(append_number(&packed, kind, limit, list));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_wire_ints(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                 memplan_wire_list *list) {
  return read_numbers(message, field, NUMBER_VARINT, limit, list);
}

memplan_status memplan_wire_floats(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                   memplan_wire_list *list) {
  return read_numbers(message, field, NUMBER_FIXED32, limit, list);
}

memplan_status memplan_wire_doubles(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                    memplan_wire_list *list) {
  return read_numbers(message, field, NUMBER_FIXED64, limit, list);
}
