// Posted access of PnetCDF: iput, bput through an attached buffer, varn, records of several
// variables in one wait, cancelled requests, iget. Usage: pnetcdf_nonblocking FILE
#include "pnetcdf_file.h"

enum { kVariables = 6, kRecords = 8, kWidth = 20, kScattered = 50 };

static MPI_Offset first_column(void) { return kWidth * rank / ranks; }
static MPI_Offset columns(void) { return kWidth * (rank + 1) / ranks - first_column(); }

static void values_of_record(int record, int* values) {
  for (MPI_Offset i = 0; i < columns(); ++i)
    values[i] = value_at((long)(record * kWidth + first_column() + i));
}

// All records of all variables are posted and written by one wait, or by a wait for each record.
static void post_records(int file, const int* variables, int one_wait) {
  int values[kRecords][kWidth];
  int requests[kRecords * kVariables];
  int states[kRecords * kVariables];
  int posted = 0;
  for (int record = 0; record < kRecords; ++record) {
    const MPI_Offset from[2] = {record, first_column()};
    const MPI_Offset size[2] = {1, columns()};
    values_of_record(record, values[record]);
    for (int v = 0; v < kVariables; ++v)
      NC(ncmpi_iput_vara_int(file, variables[v], from, size, values[record], &requests[posted++]));
    if (one_wait) continue;
    NC(ncmpi_wait_all(file, posted, requests, states));
    for (int i = 0; i < posted; ++i) CHECK(states[i] == NC_NOERR);
    posted = 0;
  }
  if (posted > 0) NC(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
}

// Buffered: the values change as soon as each call is back.
static void buffer_records(int file, const int* variables) {
  NC(ncmpi_buffer_attach(file, (MPI_Offset)sizeof(double) * kRecords * kVariables * kWidth));
  for (int record = kRecords - 1; record >= 0; --record) {
    const MPI_Offset from[2] = {record, first_column()};
    const MPI_Offset size[2] = {1, columns()};
    int values[kWidth];
    for (int v = 0; v < kVariables; ++v) {
      int request;
      values_of_record(record, values);
      NC(ncmpi_bput_vara_int(file, variables[v], from, size, values, &request));
      memset(values, 0x55, sizeof values);
    }
  }
  NC(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
  NC(ncmpi_buffer_detach(file));
}

// Single elements in a scattered order, independent wait.
static void post_scattered(int file, int variable_id) {
  MPI_Offset places[kScattered][1];
  MPI_Offset* starts[kScattered];
  int values[kScattered];
  int count = 0;
  for (int i = 0; i < kScattered; ++i) {
    const int place = i * 17 % kScattered;
    if (place % ranks != rank) continue;
    places[count][0] = place;
    starts[count] = places[count];
    values[count++] = value_at(place);
  }
  int request;
  int state;
  NC(ncmpi_begin_indep_data(file));
  NC(ncmpi_iput_varn_int(file, variable_id, count, starts, NULL, values, &request));
  NC(ncmpi_wait(file, 1, &request, &state));
  CHECK(state == NC_NOERR);
  NC(ncmpi_end_indep_data(file));
}

static void cancel_one(int file, int variable_id) {
  const MPI_Offset from[1] = {0};
  const MPI_Offset size[1] = {kScattered};
  int values[kScattered] = {0};
  int request;
  int state;
  NC(ncmpi_iput_vara_int(file, variable_id, from, size, values, &request));
  NC(ncmpi_cancel(file, 1, &request, &state));
  NC(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
}

static void get_records(int file, const int* variables) {
  int got[kVariables][kRecords * kWidth];
  int requests[kVariables];
  int states[kVariables];
  const MPI_Offset from[2] = {0, 0};
  const MPI_Offset size[2] = {kRecords, kWidth};
  for (int v = 0; v < kVariables; ++v)
    NC(ncmpi_iget_vara_int(file, variables[v], from, size, got[v], &requests[v]));
  NC(ncmpi_wait_all(file, kVariables, requests, states));
  for (int v = 0; v < kVariables; ++v)
    for (int i = 0; i < kRecords * kWidth; ++i) CHECK(got[v][i] == value_at(i));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  int file = create_file(argv[1], NC_64BIT_DATA);
  const int series[2] = {dimension(file, "time", NC_UNLIMITED), dimension(file, "width", kWidth)};
  const int line = dimension(file, "line", kScattered);
  int posted[kVariables];
  int stepwise[kVariables];
  int buffered[kVariables];
  for (int v = 0; v < kVariables; ++v) {
    char name[32];
    const nc_type type = v % 2 == 0 ? NC_INT : NC_DOUBLE;
    snprintf(name, sizeof name, "posted_%d", v);
    posted[v] = variable(file, name, type, 2, series);
    snprintf(name, sizeof name, "stepwise_%d", v);
    stepwise[v] = variable(file, name, type, 2, series);
    snprintf(name, sizeof name, "buffered_%d", v);
    buffered[v] = variable(file, name, type, 2, series);
  }
  const int scattered = variable(file, "scattered", NC_INT, 1, &line);
  NC(ncmpi_enddef(file));
  post_records(file, posted, 1);
  post_records(file, stepwise, 0);
  buffer_records(file, buffered);
  post_scattered(file, scattered);
  cancel_one(file, scattered);
  NC(ncmpi_sync(file));
  get_records(file, posted);
  NC(ncmpi_close(file));

  NC(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &file));
  get_records(file, stepwise);
  get_records(file, buffered);
  check_variable(file, "scattered", kScattered);
  NC(ncmpi_close(file));
  return finish("pnetcdf_nonblocking");
}
