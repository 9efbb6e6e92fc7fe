# SPDX-License-Identifier: Apache-2.0
# Finds nanopb's run time (pb_decode.h, libprotobuf-nanopb; Debian: libnanopb-dev): target Nanopb::Nanopb.

find_path(NANOPB_INCLUDE_DIR pb_decode.h PATH_SUFFIXES nanopb)
find_library(NANOPB_LIBRARY NAMES protobuf-nanopb)
mark_as_advanced(NANOPB_INCLUDE_DIR NANOPB_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nanopb REQUIRED_VARS NANOPB_LIBRARY NANOPB_INCLUDE_DIR)

if(Nanopb_FOUND AND NOT TARGET Nanopb::Nanopb)
  add_library(Nanopb::Nanopb UNKNOWN IMPORTED)
  set_target_properties(Nanopb::Nanopb PROPERTIES IMPORTED_LOCATION "${NANOPB_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${NANOPB_INCLUDE_DIR}")
endif()
