// One rank ends MPI with a collective access outstanding that no other rank has started:
//   finalize_alone FILE
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  static char data[64];
  memset(data, 'x', sizeof data);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_File_iwrite_at_all(file, 0, data, sizeof data, MPI_BYTE, &request);
  MPI_Finalize();
  return 0;
}
