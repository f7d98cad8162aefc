// An error handler of the C++ bindings that Open MPI still has: it gets an MPI::File.
// Usage: errhandler FILE
#include <mpi.h>

#include <iostream>
#include <string>

namespace {

int times = 0;
int last_code = MPI_SUCCESS;
bool right_file = false;
MPI::File* expected = nullptr;

void note_error(MPI::File& file, int* code, ...) {
  ++times;
  last_code = *code;
  right_file =
      expected != nullptr && static_cast<MPI_File>(file) == static_cast<MPI_File>(*expected);
}

bool check(bool good, const char* what) {
  if (!good) std::cerr << "wrong: " << what << "\n";
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const std::string name = argc > 1 ? argv[1] : "errhandler.out";
  MPI::File file = MPI::File::Open(MPI::COMM_WORLD, name.c_str(),
                                   MPI::MODE_CREATE | MPI::MODE_WRONLY | MPI::MODE_DELETE_ON_CLOSE,
                                   MPI::INFO_NULL);
  expected = &file;
  MPI::Errhandler handler = MPI::File::Create_errhandler(note_error);
  file.Set_errhandler(handler);
  handler.Free();
  char byte = 'x';
  file.Read_at(0, &byte, 1, MPI::CHAR);
  bool good = check(times == 1, "the handler is called once");
  good &= check(right_file, "with the file");
  good &= check(MPI::Get_error_class(last_code) == MPI::ERR_ACCESS, "and the code");
  MPI::Request request = file.Iwrite_at(0, &byte, 1, MPI::CHAR);
  request.Wait();
  good &= check(times == 1, "nothing is raised where nothing is wrong");
  file.Call_errhandler(MPI::ERR_IO);
  good &= check(times == 2 && last_code == MPI::ERR_IO, "the program may call it");
  MPI::Info used = file.Get_info();
  char version[100] = "host";
  if (!used.Get("tutti_version", 99, version)) std::string("host").copy(version, 99);
  used.Free();
  file.Close();
  const int failed_here = good ? 0 : 1;
  int failed = 0;
  MPI::COMM_WORLD.Allreduce(&failed_here, &failed, 1, MPI::INT, MPI::SUM);
  if (MPI::COMM_WORLD.Get_rank() == 0 && failed == 0)
    std::cout << "errhandler-cxx: ok, served by "
              << (std::string(version) == "host" ? "the host" : "tutti") << "\n";
  MPI::Finalize();
  return failed == 0 ? 0 : 1;
}
