# Finds a host MPI through its compiler wrapper and describes it as an imported target.
#
#   tutti_find_mpi(NAME WRAPPER_NAMES LAUNCHER_NAMES)
#
# Defines the target host_NAME (include directories, libraries) and NAME_LAUNCHER, and appends NAME
# to TUTTI_MPIS. A missing MPI is reported and left out.
set(TUTTI_MPIS "")

function(tutti_find_mpi name wrappers launchers)
  string(TOUPPER ${name} upper)
  find_program(TUTTI_${upper}_CC NAMES ${wrappers} DOC "C compiler wrapper of ${name}")
  find_program(TUTTI_${upper}_EXEC NAMES ${launchers} DOC "launcher of ${name}")
  if(NOT TUTTI_${upper}_CC OR NOT TUTTI_${upper}_EXEC)
    message(STATUS "${name}: not found, its backend is left out")
    return()
  endif()
  execute_process(COMMAND ${TUTTI_${upper}_CC} -show OUTPUT_VARIABLE shown
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${shown}")
  add_library(host_${name} INTERFACE)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(host_${name} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(host_${name} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(host_${name} INTERFACE ${CMAKE_MATCH_1})
    endif()
  endforeach()
  target_compile_definitions(host_${name} INTERFACE TUTTI_HOST_${upper}=1
    OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  list(APPEND TUTTI_MPIS ${name})
  set(TUTTI_MPIS ${TUTTI_MPIS} PARENT_SCOPE)
  message(STATUS "${name}: ${TUTTI_${upper}_CC}")
endfunction()

tutti_find_mpi(mpich "mpicc.mpich" "mpiexec.mpich")
tutti_find_mpi(openmpi "mpicc.openmpi" "mpirun.openmpi")
if(NOT TUTTI_MPIS)
  message(FATAL_ERROR "no MPI found: install MPICH or Open MPI (mpicc.mpich or mpicc.openmpi)")
endif()
