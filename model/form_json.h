// SPDX-License-Identifier: Apache-2.0
// What the canonical JSON forms of graphs and instances have in common.
#ifndef MEMPLAN_FORM_JSON_H
#define MEMPLAN_FORM_JSON_H

#include "model/instance.h"

#include <jansson.h>

#include <stdbool.h>

// {"format": …, "version": 1, "name": …, "source": …}; empty texts are left out. NULL if memory is out.
json_t *memplan_form_heading(const char *format, const char *name, const char *source);

// Adds "pools", unless there are none.
bool memplan_form_put_pools(json_t *object, const memplan_pool *pools, int32_t count);

// Adds the ids of the pools in `list`, unless it is empty.
bool memplan_form_put_pool_ids(json_t *object, const char *key, const memplan_pool *pools, const int32_t *list,
                               int32_t count);

// The canonical form of an instance; `inclusive` writes ends that belong to the lifetime, and says so. NULL if memory
// is out.
json_t *memplan_form_instance(const memplan_instance *instance, bool inclusive);

// Its compact text, handed over in pieces, in memory for one buffer. False if memory is out.
typedef void memplan_form_put(void *context, const char *text, size_t length);
bool memplan_form_instance_put(const memplan_instance *instance, bool inclusive, memplan_form_put *put, void *context);

#endif
