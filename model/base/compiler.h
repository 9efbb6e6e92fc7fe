// SPDX-License-Identifier: Apache-2.0
// The only place where compiler extensions are named.
#ifndef MEMPLAN_BASE_COMPILER_H
#define MEMPLAN_BASE_COMPILER_H

#if !defined(__GNUC__)
#error "memplan needs 128-bit integers: compile it with gcc or clang"
#endif

// 128-bit integers for products of two 64-bit ones.
__extension__ typedef __int128 memplan_int128;

#define MEMPLAN_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))

#endif
