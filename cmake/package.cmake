# SPDX-License-Identifier: Apache-2.0
# What is installed: the command, libmemplan (everything below eval/), memplan.h with the headers that it includes, and
# what finds it from outside (memplan.pc, memplanConfig.cmake). A program that links a static libmemplan needs its
# libraries too; a shared one brings them along.
include(CMakePackageConfigHelpers)

set(layers memplan_model memplan_heuristics memplan_instances memplan_solvers)
set(objects "")
foreach(layer IN LISTS layers)
  list(APPEND objects $<TARGET_OBJECTS:${layer}>)
endforeach()

add_library(memplan_library ${objects})
add_library(memplan::memplan ALIAS memplan_library)
set_target_properties(
  memplan_library
  PROPERTIES OUTPUT_NAME memplan
             EXPORT_NAME memplan
             LINKER_LANGUAGE C
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(
  memplan_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/model>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/memplan>)
target_link_libraries(
  memplan_library PRIVATE PkgConfig::JANSSON PkgConfig::LIBMD Nanopb::Nanopb ${MEMPLAN_OPENMP_LIBRARIES} m)
if(MEMPLAN_GLPK)
  target_link_libraries(memplan_library PRIVATE GLPK::GLPK)
endif()
if(MEMPLAN_SANITIZE)
  target_link_options(memplan_library PUBLIC -fsanitize=${MEMPLAN_SANITIZE})
endif()

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/memplan")
install(TARGETS memplan RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(
  TARGETS memplan_library
  EXPORT memplanTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(
  EXPORT memplanTargets
  NAMESPACE memplan::
  DESTINATION "${config_dir}")

# memplan.h lies on top; it and the headers that it needs include each other as "model/...".
set(waiting model/memplan.h)
set(public_headers "")
while(waiting)
  list(POP_FRONT waiting header)
  list(APPEND public_headers ${header})
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" includes REGEX "^#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" include "${include}")
    if(NOT include IN_LIST public_headers AND NOT include IN_LIST waiting)
      list(APPEND waiting ${include})
    endif()
  endforeach()
endwhile()
foreach(header IN LISTS public_headers)
  get_filename_component(folder "${header}" DIRECTORY)
  if(header STREQUAL "model/memplan.h")
    set(folder "")
  endif()
  install(FILES "${PROJECT_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/memplan/${folder}")
endforeach()

set(libraries "")
foreach(library IN LISTS MEMPLAN_OPENMP_LIBRARIES)
  if(library MATCHES "^/")
    string(APPEND libraries " ${library}")
  else()
    string(APPEND libraries " -l${library}")
  endif()
endforeach()
set(libraries " -lprotobuf-nanopb${libraries} -lm")
if(MEMPLAN_GLPK)
  string(PREPEND libraries " -lglpk")
endif()
if(BUILD_SHARED_LIBS)
  set(MEMPLAN_PC_REQUIRES "Requires.private: jansson libmd")
  set(MEMPLAN_PC_LIBS "Libs: -L\${libdir} -lmemplan\nLibs.private:${libraries}")
else()
  set(MEMPLAN_PC_REQUIRES "Requires: jansson libmd")
  set(MEMPLAN_PC_LIBS "Libs: -L\${libdir} -lmemplan${libraries}")
endif()
# Relative to itself where it can be, so that `cmake --install --prefix` and a moved tree keep working.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(MEMPLAN_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(MEMPLAN_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
  set(MEMPLAN_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}")
else()
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(MEMPLAN_PC_PREFIX "\${pcfiledir}/${up}")
  set(MEMPLAN_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  set(MEMPLAN_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
configure_file(cmake/memplan.pc.in memplan.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/memplan.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

configure_package_config_file(cmake/memplanConfig.cmake.in memplanConfig.cmake INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file(memplanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/memplanConfig.cmake" "${PROJECT_BINARY_DIR}/memplanConfigVersion.cmake"
              cmake/FindNanopb.cmake cmake/FindGLPK.cmake DESTINATION "${config_dir}")
install(
  DIRECTORY instances/schema
  DESTINATION "${CMAKE_INSTALL_DATADIR}/memplan"
  FILES_MATCHING
  PATTERN "*.json")
install(FILES LICENSE NOTICE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
