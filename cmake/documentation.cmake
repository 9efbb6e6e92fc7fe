# SPDX-License-Identifier: Apache-2.0
# The man page and the shell completion are printed by the command itself, from its option tables.

if(CMAKE_CROSSCOMPILING)
  message(STATUS "Cross compiling: no man page and no bash completion, since the built command cannot run here")
  return()
endif()

set(documents "")
foreach(document IN ITEMS "man:memplan.1" "bash-completion:memplan.bash")
  string(REPLACE ":" ";" document "${document}")
  list(GET document 0 kind)
  list(GET document 1 name)
  add_custom_command(
    OUTPUT "${PROJECT_BINARY_DIR}/${name}"
    COMMAND ${CMAKE_COMMAND} -D MEMPLAN=$<TARGET_FILE:memplan> -D KIND=${kind} -D
            OUTPUT=${PROJECT_BINARY_DIR}/${name} -P ${PROJECT_SOURCE_DIR}/cmake/generate.cmake
    DEPENDS memplan "${PROJECT_SOURCE_DIR}/cmake/generate.cmake"
    VERBATIM)
  list(APPEND documents "${PROJECT_BINARY_DIR}/${name}")
endforeach()
add_custom_target(memplan_documentation ALL DEPENDS ${documents})

install(FILES "${PROJECT_BINARY_DIR}/memplan.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(
  FILES "${PROJECT_BINARY_DIR}/memplan.bash"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
  RENAME memplan)
