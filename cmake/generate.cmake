# SPDX-License-Identifier: Apache-2.0
# cmake -D MEMPLAN=<command> -D KIND=man|bash-completion -D OUTPUT=<file> -P generate.cmake

execute_process(
  COMMAND "${MEMPLAN}" --generate ${KIND}
  OUTPUT_VARIABLE text
  ERROR_VARIABLE errors
  RESULT_VARIABLE result)
if(NOT result STREQUAL "0" OR text STREQUAL "")
  message(FATAL_ERROR "'${MEMPLAN} --generate ${KIND}' failed (${result}): ${errors}")
endif()
file(WRITE "${OUTPUT}" "${text}")
