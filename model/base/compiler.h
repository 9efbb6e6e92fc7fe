// SPDX-License-Identifier: Apache-2.0
// The only place where compiler extensions are named.
#ifndef MEMPLAN_BASE_COMPILER_H
#define MEMPLAN_BASE_COMPILER_H

#include <stdint.h>

#if !defined(__GNUC__)
#error "memplan needs 128-bit integers: compile it with gcc or clang"
#endif

// 128-bit integers for products of two 64-bit ones.
__extension__ typedef __int128 memplan_int128;

// Number of ones; index of the lowest and of the highest one of a number that has any.
static inline int32_t memplan_bit_count(uint64_t bits) {
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (int32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}
static inline int32_t memplan_bit_lowest(uint64_t bits) { return __builtin_ctzll(bits); }
static inline int32_t memplan_bit_highest(uint64_t bits) { return 63 - __builtin_clzll(bits); }

#define MEMPLAN_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))

// A function compiled for two generations of the machine, of which the loader picks the better: for passes over arrays.
// The sanitizers do not know such functions.
#if defined(__x86_64__) && defined(__ELF__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                 \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define MEMPLAN_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define MEMPLAN_CLONES
#endif

// Is this a build whose every access is checked, some ten times slower? For time limits of tests.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMPLAN_SANITISED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMPLAN_SANITISED 1
#endif
#ifndef MEMPLAN_SANITISED
#define MEMPLAN_SANITISED 0
#endif

#endif
