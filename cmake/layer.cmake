# SPDX-License-Identifier: Apache-2.0

# memplan_add_layer(<folder> LINKS <target>... EXCLUDE <regex>...): static library memplan_<folder> of the C files of
# the calling folder and its base/, without those whose name matches one of the expressions.
function(memplan_add_layer folder)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "LINKS;EXCLUDE")
  file(GLOB sources CONFIGURE_DEPENDS *.c base/*.c)
  foreach(pattern IN LISTS layer_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  add_library(memplan_${folder} STATIC ${sources})
  target_link_libraries(memplan_${folder} PUBLIC memplan_settings ${layer_LINKS})
endfunction()
