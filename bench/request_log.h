// What the I/O nodes of a striped file were asked for, by the log that its device keeps.
#ifndef BENCH_REQUEST_LOG_H
#define BENCH_REQUEST_LOG_H

#include <mpi.h>

#include "report.h"

// Collective. Makes an empty log for opens from now on, and the file with `info` where it is
// missing. Returns 0, on all ranks, for files whose device keeps no log.
int begin_log(const struct run* run, MPI_Info info);

// Collective. Records, for every I/O node, how many requests it got, from how many processes, and
// how many began below (backward) or above (apart) the end of the one before them. The log is gone
// afterwards.
void end_log(const struct run* run, const char* case_name, const char* contestant, const char* op);

#endif
