// SPDX-License-Identifier: Apache-2.0
// Protocol-buffer wire format, read field by field from a stream through nanopb's stream primitives.
//
// The caller loops over the fields of a message with memplan_wire_next and takes each with the function of its kind, or
// skips it. Skipping costs no memory and, in a seekable file, no reading, so that gigabytes of weights are free.
// Lengths have 64 bits. Memory grows only with bytes that were really read, never with a length that a file claims.
// Every failure is stored in the reader's memplan_error with the byte offset, and ends the reading.
#ifndef MEMPLAN_INSTANCES_ONNX_WIRE_H
#define MEMPLAN_INSTANCES_ONNX_WIRE_H

#include "model/base/arena.h"
#include "model/base/status.h"

#include <pb_decode.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
  MEMPLAN_WIRE_MAX_DEPTH = 200, // messages in messages; protobuf's own readers stop at 100
  MEMPLAN_WIRE_BUFFER = 1 << 16
};

typedef struct memplan_wire {
  FILE *file;
  memplan_error *error;
  memplan_arena *arena;   // of strings, which stay
  memplan_arena *scratch; // of lists of numbers and of short bytes, which are taken over or dropped
  uint64_t offset;        // bytes taken so far, from where reading began
  bool seekable;
  bool read_failed, ended;
  size_t used, filled; // of buffer
  char *text;          // scratch for strings
  size_t text_size;
  uint8_t buffer[MEMPLAN_WIRE_BUFFER];
} memplan_wire;

typedef struct memplan_wire_message {
  memplan_wire *wire;
  const char *type; // "NodeProto", for messages
  pb_istream_t in;  // what is left of it; SIZE_MAX: until the stream ends
  int32_t depth;
} memplan_wire_message;

typedef struct memplan_wire_field {
  uint32_t number; // 0: the message has ended
  pb_wire_type_t type;
} memplan_wire_field;

// Starts reading at the stream's position; `top` becomes the message that fills the rest of the stream. The wire must
// be closed, also after failures; the stream is not closed.
memplan_status memplan_wire_open(memplan_wire *wire, FILE *file, memplan_arena *arena, memplan_arena *scratch,
                                 const char *type, memplan_wire_message *top, memplan_error *error);
void memplan_wire_close(memplan_wire *wire);

// Stores "byte N: " and the text. Returns MEMPLAN_INPUT.
memplan_status memplan_wire_fail(memplan_wire *wire, const char *format, ...) MEMPLAN_PRINTF(2, 3);

memplan_status memplan_wire_next(memplan_wire_message *message, memplan_wire_field *field);
memplan_status memplan_wire_skip(memplan_wire_message *message, memplan_wire_field field);

// Opens a message inside `message`; the caller then reads `inner` up to its end before it goes on with `message`.
memplan_status memplan_wire_enter(memplan_wire_message *message, memplan_wire_field field, const char *type,
                                  memplan_wire_message *inner);

memplan_status memplan_wire_int(memplan_wire_message *message, memplan_wire_field field, int64_t *value);
memplan_status memplan_wire_float(memplan_wire_message *message, memplan_wire_field field, float *value);

// A string: UTF-8 without NUL, zero-terminated. memplan_wire_bytes takes any bytes, and adds the zero.
memplan_status memplan_wire_string(memplan_wire_message *message, memplan_wire_field field, const char **text);
memplan_status memplan_wire_bytes(memplan_wire_message *message, memplan_wire_field field, const char **bytes,
                                  int64_t *length);

// As memplan_wire_bytes if there are at most `limit` bytes, else *bytes = NULL and the field is skipped.
memplan_status memplan_wire_short_bytes(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                        const char **bytes, int64_t *length);

// Repeated numbers, packed or not, appended over several fields. With more than `limit` of them all are dropped
// (`overflowed`), and the rest is skipped where that is possible without reading.
typedef struct memplan_wire_list {
  void *items; // int64_t, float or double by the function used
  int64_t count, capacity;
  bool overflowed;
} memplan_wire_list;
memplan_status memplan_wire_ints(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                 memplan_wire_list *list);
memplan_status memplan_wire_floats(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                   memplan_wire_list *list);
memplan_status memplan_wire_doubles(memplan_wire_message *message, memplan_wire_field field, int64_t limit,
                                    memplan_wire_list *list);

#endif
