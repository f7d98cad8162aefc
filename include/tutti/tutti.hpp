// Tutti's C++ interface (docs/cxx.md): open a file on a communicator, describe accesses as shapes,
// make a plan once and run it many times. Link with libtutti_mpich or libtutti_openmpi, the one
// that belongs to the program's MPI. C++20.
#pragma once

#include "tutti/counters.hpp"
#include "tutti/file.hpp"
#include "tutti/inplace.hpp"
#include "tutti/outcome.hpp"
#include "tutti/shape.hpp"
