// SPDX-License-Identifier: Apache-2.0
// What the readers of memplan's graph and instance JSON have in common: headings, unknown keys, references by id, pairs
// and pools. Every error names the path in the document.
#ifndef MEMPLAN_INSTANCES_JSON_READER_H
#define MEMPLAN_INSTANCES_JSON_READER_H

#include "instances/remarks.h"
#include "model/base/json.h"
#include "model/base/names.h"
#include "model/instance.h"

// Zeroed but for arena, remarks and error, it is ready for use. Freed by memplan_json_reader_free.
typedef struct memplan_json_reader {
  memplan_arena *arena; // of the graph or instance
  memplan_remarks remarks;
  memplan_names unknown; // keys warned about already, by the kind of object
  memplan_names pools;
  memplan_error *error;
} memplan_json_reader;

void memplan_json_reader_free(memplan_json_reader *reader);

extern const char *const memplan_json_pool_keys[];

// "PATH reason", MEMPLAN_INPUT.
memplan_status memplan_json_fail(const memplan_json_reader *reader, const memplan_json_place *place, const char *key,
                                 const char *reason);

// The document must be an object with this format and version 1.
memplan_status memplan_json_check_heading(const memplan_json_reader *reader, const json_t *document,
                                          const char *format);

// Warns about keys that are not in `known`, each once for all objects of a kind ("tensors[]"); errors under strict.
memplan_status memplan_json_check_keys(memplan_json_reader *reader, const json_t *object,
                                       const memplan_json_place *place, const char *kind, const char *const *known);

// The `id` of element `index` of the list at place `list`, entered into `names`; empty and repeated ids are errors.
memplan_status memplan_json_read_id(memplan_json_reader *reader, const json_t *object, const memplan_json_place *list,
                                    size_t index, memplan_names *names, const char **id);

// The index of the string `value` in `names`. `what` names the kind of thing, as in "no tensor 'x'".
memplan_status memplan_json_read_reference(const memplan_json_reader *reader, const json_t *value,
                                           const memplan_json_place *place, const memplan_names *names,
                                           const char *what, int32_t *index);

// The list of ids in field `key`; absent: *count stays 0.
memplan_status memplan_json_read_references(const memplan_json_reader *reader, const json_t *object, const char *key,
                                            const memplan_json_place *place, const memplan_names *names,
                                            const char *what, const int32_t **list, int32_t *count);

// [first, second], two integers.
memplan_status memplan_json_read_pair(const memplan_json_reader *reader, const json_t *value,
                                      const memplan_json_place *place, int64_t *first, int64_t *second);

// The array in field `key` with its length checked to fit; absent: NULL and 0. `of_objects`: each element must be an
// object.
memplan_status memplan_json_read_list(const memplan_json_reader *reader, const json_t *object, const char *key,
                                      const memplan_json_place *place, bool required, bool of_objects,
                                      const json_t **array, int32_t *count);

// The top-level field `pools`, and their names into reader->pools.
memplan_status memplan_json_read_pools(memplan_json_reader *reader, const json_t *document, memplan_pool **pools,
                                       int32_t *n_pools);

#endif
