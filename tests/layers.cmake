# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE_DIR=<repository> -P layers.cmake: rejects an include that goes upward or sideways through the layers
#   model/base <- model <- {heuristics, instances} <- solvers <- eval,
# one that is not rooted at the repository, a .c file that does not start with its own header, and an external
# library's header outside the files meant for it. The checker of certificates sees nothing but itself and model/.
# cmake -D SCRATCH_DIR=<folder> -P layers.cmake: writes a small tree with one fault of each kind and demands that
# exactly these are found.

cmake_minimum_required(VERSION 3.25)

set(layers model/base model heuristics instances solvers eval)
set(may_see_model/base model/base)
set(may_see_model model model/base)
set(may_see_heuristics heuristics model model/base)
set(may_see_instances instances model model/base)
set(may_see_solvers solvers heuristics instances model model/base)
set(may_see_eval eval solvers heuristics instances model model/base)
set(checker "^eval/(check_[a-z_]+|order_replay)\\.[ch]$")

macro(fault text)
  set_property(GLOBAL APPEND PROPERTY faults "${text}")
endmacro()

# One #include of `file`, which belongs to `layer`.
function(check_include root file layer line include)
  set(here "${file}:${line}: ")
  if(include MATCHES "^<(.*)>$")
    set(header "${CMAKE_MATCH_1}")
    if(header STREQUAL "glpk.h" AND NOT file MATCHES "^solvers/.*_glpk\\.c$")
      fault("${here}<glpk.h> belongs only into solvers/*_glpk.c")
    elseif(header MATCHES "^pb(_[a-z]+)?\\.h$" AND NOT layer STREQUAL "instances")
      fault("${here}<${header}> belongs only into instances/")
    elseif(header STREQUAL "cmocka.h")
      fault("${here}<cmocka.h> belongs only into tests/")
    endif()
  elseif(include MATCHES "^\"(.*)\"$")
    set(header "${CMAKE_MATCH_1}")
    get_filename_component(target "${header}" DIRECTORY)
    if(NOT target IN_LIST layers OR NOT EXISTS "${root}/${header}" OR NOT header MATCHES "\\.h$")
      fault("${here}\"${header}\" is no header of a layer, written from the root of the repository")
    elseif(NOT target IN_LIST may_see_${layer})
      list(JOIN may_see_${layer} ", " allowed)
      fault("${here}${layer} may not include \"${header}\", only from ${allowed}")
    elseif(file MATCHES "${checker}" AND NOT header MATCHES "${checker}" AND NOT target MATCHES "^model")
      fault("${here}the checker of certificates may not include \"${header}\", only itself and model/")
    endif()
  else()
    fault("${here}cannot judge #include ${include}")
  endif()
endfunction()

function(check_file root file layer)
  # Semicolons and brackets would split or join elements of the list of lines.
  file(READ "${root}/${file}" text)
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  string(REGEX REPLACE "\\.c$" ".h" own "${file}")
  if(own STREQUAL file OR NOT EXISTS "${root}/${own}")
    set(own "")
  endif()
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(NOT line MATCHES "^[ \t]*#[ \t]*include[ \t]*([^ \t]+)")
      continue()
    endif()
    set(include "${CMAKE_MATCH_1}")
    check_include("${root}" "${file}" "${layer}" ${number} "${include}")
    if(own AND NOT include STREQUAL "\"${own}\"")
      fault("${file}:${number}: its own header \"${own}\" has to be the first include")
    endif()
    set(own "")
  endforeach()
endfunction()

function(check_tree root)
  set(n_files 0)
  foreach(layer IN LISTS layers)
    file(GLOB files RELATIVE "${root}" "${root}/${layer}/*.c" "${root}/${layer}/*.h" "${root}/${layer}/*.cu")
    foreach(file IN LISTS files)
      check_file("${root}" "${file}" "${layer}")
      math(EXPR n_files "${n_files} + 1")
    endforeach()
  endforeach()
  if(n_files EQUAL 0)
    fault("no source files under ${root}")
  endif()
  message(STATUS "${n_files} files in ${root}")
endfunction()

# The repository with one fault of each kind, each named by the start of the message it has to cause.
function(check_rejections scratch)
  file(REMOVE_RECURSE "${scratch}")
  set(good "// good\n#include <stdio.h>\n")
  file(WRITE "${scratch}/model/base/low.h" "#include \"model/graph.h\"\n")
  file(WRITE "${scratch}/model/graph.h" "#include \"model/base/low.h\"\n")
  file(WRITE "${scratch}/model/graph.c" "#include <stdio.h>\n#include \"model/graph.h\"\n")
  file(WRITE "${scratch}/model/uses_pb.c" "#include <pb_decode.h>\n")
  file(WRITE "${scratch}/heuristics/place.h" "${good}#  include \"solvers/exact.h\"\n")
  file(WRITE "${scratch}/heuristics/side.c" "int a[1]; // it's\n#include \"instances/read.h\"\n")
  file(WRITE "${scratch}/instances/read.h" "${good}#include \"heuristics/place.h\"\n")
  file(WRITE "${scratch}/solvers/exact.h" "${good}#include \"place.h\"\n#include \"../model/graph.h\"\n")
  file(WRITE "${scratch}/solvers/exact.c" "#include \"solvers/exact.h\"\n#include \"solvers/missing.h\"\n")
  file(WRITE "${scratch}/solvers/ilp_glpk.c" "#include <glpk.h>\n")
  file(WRITE "${scratch}/eval/check_it.h" "${good}#include \"model/graph.h\"\n")
  file(WRITE "${scratch}/eval/check_it.c"
       "#include \"eval/check_it.h\"\n#include \"solvers/exact.h\"\n#include \"eval/other.h\"\n")
  file(WRITE "${scratch}/eval/other.h" "${good}#include \"solvers/exact.h\"\n")
  file(WRITE "${scratch}/eval/main.c" "#include <glpk.h>\n#include HEADER\n#include \"solvers/exact.h\"\n")
  check_tree("${scratch}")
  get_property(found GLOBAL PROPERTY faults)
  set(expected
      "model/base/low.h:1: "
      "model/graph.c:1: "
      "model/uses_pb.c:1: "
      "heuristics/place.h:3: "
      "heuristics/side.c:2: "
      "instances/read.h:3: "
      "solvers/exact.c:2: "
      "solvers/exact.h:3: "
      "solvers/exact.h:4: "
      "eval/check_it.c:2: "
      "eval/check_it.c:3: "
      "eval/main.c:1: "
      "eval/main.c:2: ")
  list(LENGTH found n_found)
  list(LENGTH expected n_expected)
  if(NOT n_found EQUAL n_expected)
    message(FATAL_ERROR "${n_found} faults found, ${n_expected} expected: ${found}")
  endif()
  foreach(message start IN ZIP_LISTS found expected)
    string(FIND "${message}" "${start}" position)
    if(NOT position EQUAL 0)
      message(FATAL_ERROR "expected '${start}...', found '${message}'")
    endif()
  endforeach()
endfunction()

if(SCRATCH_DIR)
  check_rejections("${SCRATCH_DIR}")
else()
  check_tree("${SOURCE_DIR}")
  get_property(faults GLOBAL PROPERTY faults)
  if(faults)
    list(JOIN faults "\n" faults)
    message(FATAL_ERROR "\n${faults}\n")
  endif()
endif()
