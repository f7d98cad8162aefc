// Calls MPI-IO functions the way a program does and prints who answered.
//   caller first       one call with arguments in every register class, then who served it
//   caller threads     eight threads make the process's first call at the same time
//   caller missing     a function that the stand-in backends do not have
//   caller profiling   the PMPI_ name
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double OpenFunction(long, long, long, long, long, long, double, double, double, double,
                            double, double, double, double, long, double);
typedef const char* AnswerFunction(void);

#ifdef AS_PLUGIN
// As an interpreter sees it: the MPI came with a plugin and is outside the global search order.
static void* find(const char* name) {
  if (!dlopen(getenv("STAND_IN_HOST"), RTLD_NOW | RTLD_LOCAL)) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return dlsym(RTLD_DEFAULT, name);
}
#define OPEN ((OpenFunction*)find("MPI_File_open"))
#define CLOSE ((AnswerFunction*)find("MPI_File_close"))
#define PCLOSE ((AnswerFunction*)find("PMPI_File_close"))
#define SEEK ((AnswerFunction*)find("MPI_File_seek"))
#else
OpenFunction MPI_File_open;
AnswerFunction MPI_File_close, PMPI_File_close, MPI_File_seek;
#define OPEN MPI_File_open
#define CLOSE MPI_File_close
#define PCLOSE PMPI_File_close
#define SEEK MPI_File_seek
#endif

static int arguments_arrive(void) {
  const double sum = OPEN(1, 10, 100, 1000, 10000, 100000, 0.5, 0.25, 0.125, 0.0625, 2e6, 3e6, 4e6,
                          5e6, 6000000, 7e7);
  const double expected = 1 + 20 + 300 + 4000 + 50000 + 600000 + 42000000 + 0.5 + 0.5 + 0.375 +
                          0.25 + 1e7 + 1.8e7 + 2.8e7 + 4e7 + 63e7;
  return sum == expected;
}

static pthread_barrier_t together;

static void* first_call(void* good) {
  pthread_barrier_wait(&together);
  *(int*)good = arguments_arrive();
  return NULL;
}

static int threads_agree(void) {
  enum { kThreads = 8 };
  pthread_t threads[kThreads];
  int good[kThreads] = {0};
  pthread_barrier_init(&together, NULL, kThreads);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, first_call, &good[i]);
  int all = 1;
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    all = all && good[i];
  }
  return all;
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  if (strcmp(what, "first") == 0 || strcmp(what, "threads") == 0) {
    const int good = strcmp(what, "first") == 0 ? arguments_arrive() : threads_agree();
    printf("%s %s\n", CLOSE(), good ? "arguments arrived" : "ARGUMENTS LOST");
    return good ? 0 : 1;
  }
  if (strcmp(what, "missing") == 0) printf("%s\n", SEEK());
  if (strcmp(what, "profiling") == 0) printf("%s\n", PCLOSE());
  return 0;
}
