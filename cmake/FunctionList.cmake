# The list of functions that Tutti owns, in the forms that the build needs.
#
#   TUTTI_FUNCTIONS          names without MPI_
#   TUTTI_INNER_FUNCTIONS    names of other functions of a host, which have no PMPI_ form
#   tutti_export_only(TARGET)  makes a shared library export MPI_X and PMPI_X of the list and what the
#                              C++ interface (namespace tutti::io) marks as public, nothing else
set(TUTTI_FUNCTION_FILE ${CMAKE_SOURCE_DIR}/preload/functions.txt)
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TUTTI_FUNCTION_FILE})
file(STRINGS ${TUTTI_FUNCTION_FILE} TUTTI_FUNCTIONS REGEX "^MPI_")
list(TRANSFORM TUTTI_FUNCTIONS REPLACE "^MPI_" "")
file(STRINGS ${TUTTI_FUNCTION_FILE} TUTTI_INNER_FUNCTIONS REGEX "^[a-z]")

set(TUTTI_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
set(lines "")
set(exports "{\n  global:\n")
foreach(name IN LISTS TUTTI_FUNCTIONS)
  string(APPEND lines "TUTTI_FUNCTION(${name})\n")
  string(APPEND exports "    MPI_${name}; PMPI_${name};\n")
endforeach()
foreach(name IN LISTS TUTTI_INNER_FUNCTIONS)
  string(APPEND lines "TUTTI_INNER_FUNCTION(${name})\n")
  string(APPEND exports "    ${name};\n")
endforeach()
string(APPEND exports "    extern \"C++\" { tutti::io::*; };\n")
string(APPEND exports "  local: *;\n};\n")
file(CONFIGURE OUTPUT ${TUTTI_GENERATED_DIR}/functions.inc CONTENT "${lines}" @ONLY)
file(CONFIGURE OUTPUT ${TUTTI_GENERATED_DIR}/exports.map CONTENT "${exports}" @ONLY)

function(tutti_export_only target)
  target_link_options(${target} PRIVATE -Wl,--version-script=${TUTTI_GENERATED_DIR}/exports.map)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${TUTTI_GENERATED_DIR}/exports.map)
endfunction()
