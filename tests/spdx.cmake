# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE_DIR=<repository> -P spdx.cmake: each source file that git tracks or would track has its SPDX line
# first (second after a #!).

cmake_minimum_required(VERSION 3.25)

set(line "SPDX-License-Identifier: Apache-2.0")
set(sources "\\.(c|h|cu|py|sh|cmake|in|md)$|(^|/)(CMakeLists\\.txt|run|\\.clang-format|\\.editorconfig|\\.gitignore)$")

execute_process(
  COMMAND git -c core.quotePath=false ls-files --cached --others --exclude-standard
  WORKING_DIRECTORY "${SOURCE_DIR}"
  OUTPUT_VARIABLE files
  ERROR_QUIET
  RESULT_VARIABLE result)
if(result STREQUAL "0")
  string(REGEX REPLACE "\n$" "" files "${files}")
  string(REPLACE "\n" ";" files "${files}")
else()
  file(GLOB_RECURSE files RELATIVE "${SOURCE_DIR}" "${SOURCE_DIR}/*")
  list(FILTER files EXCLUDE REGEX "^build/")
endif()
list(FILTER files INCLUDE REGEX "${sources}")
list(FILTER files EXCLUDE REGEX "^tests/corpus/")
list(REMOVE_DUPLICATES files)

set(faults "")
set(n_files 0)
foreach(file IN LISTS files)
  if(NOT EXISTS "${SOURCE_DIR}/${file}")
    continue()
  endif()
  math(EXPR n_files "${n_files} + 1")
  file(STRINGS "${SOURCE_DIR}/${file}" head LIMIT_COUNT 2)
  if(head MATCHES "^#!")
    list(REMOVE_AT head 0)
  endif()
  list(GET head 0 first)
  if(NOT first MATCHES "${line}")
    string(APPEND faults "${file}: '${line}' is missing in its first line\n")
  endif()
endforeach()
if(n_files EQUAL 0)
  message(FATAL_ERROR "no source files under ${SOURCE_DIR}")
endif()
if(faults)
  message(FATAL_ERROR "\n${faults}")
endif()
message(STATUS "${n_files} files")
