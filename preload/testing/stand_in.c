// Stands in for a host MPI or a backend. MPI_File_open takes arguments in every register class and
// on the stack and gives back a sum that is wrong if one of them was lost.
double PMPI_File_open(long a, long b, long c, long d, long e, long f, double g, double h, double i,
                      double j, double k, double l, double m, double n, long o, double p);
__attribute__((weak, alias("PMPI_File_open"))) double MPI_File_open(long a, long b, long c, long d,
                                                                    long e, long f, double g,
                                                                    double h, double i, double j,
                                                                    double k, double l, double m,
                                                                    double n, long o, double p);

double PMPI_File_open(long a, long b, long c, long d, long e, long f, double g, double h, double i,
                      double j, double k, double l, double m, double n, long o, double p) {
  return (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * o) + g + 2 * h + 3 * i + 4 * j +
         5 * k + 6 * l + 7 * m + 8 * n + 9 * p;
}

const char* PMPI_File_close(void);
__attribute__((weak, alias("PMPI_File_close"))) const char* MPI_File_close(void);
const char* PMPI_File_close(void) { return WHO; }

#ifndef NO_SEEK
const char* PMPI_File_seek(void);
__attribute__((weak, alias("PMPI_File_seek"))) const char* MPI_File_seek(void);
const char* PMPI_File_seek(void) { return WHO; }
#endif
