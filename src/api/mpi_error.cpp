#include "api/mpi_error.hpp"

#include <mpi.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/call.hpp"
#include "mpi/real_mpi.hpp"

namespace tutti {

int error_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return MPI_ERR_ARG;
    case ErrorKind::invalid_handle:
      return MPI_ERR_FILE;
    case ErrorKind::invalid_count:
      return MPI_ERR_COUNT;
    case ErrorKind::invalid_type:
      return MPI_ERR_TYPE;
    case ErrorKind::invalid_buffer:
      return MPI_ERR_BUFFER;
    case ErrorKind::invalid_comm:
      return MPI_ERR_COMM;
    case ErrorKind::invalid_amode:
      return MPI_ERR_AMODE;
    case ErrorKind::invalid_info:
      return MPI_ERR_INFO;
    case ErrorKind::access_denied:
      return MPI_ERR_ACCESS;
    case ErrorKind::bad_file_name:
      return MPI_ERR_BAD_FILE;
    case ErrorKind::file_exists:
      return MPI_ERR_FILE_EXISTS;
    case ErrorKind::file_in_use:
      return MPI_ERR_FILE_IN_USE;
    case ErrorKind::no_such_file:
      return MPI_ERR_NO_SUCH_FILE;
    case ErrorKind::no_space:
      return MPI_ERR_NO_SPACE;
    case ErrorKind::quota_exceeded:
      return MPI_ERR_QUOTA;
    case ErrorKind::read_only:
      return MPI_ERR_READ_ONLY;
    case ErrorKind::not_same:
      return MPI_ERR_NOT_SAME;
    case ErrorKind::unsupported_datarep:
      return MPI_ERR_UNSUPPORTED_DATAREP;
    case ErrorKind::unsupported_operation:
      return MPI_ERR_UNSUPPORTED_OPERATION;
    case ErrorKind::duplicate_datarep:
      return MPI_ERR_DUP_DATAREP;
    case ErrorKind::conversion:
      return MPI_ERR_CONVERSION;
    case ErrorKind::no_memory:
      return MPI_ERR_NO_MEM;
    case ErrorKind::io:
      return MPI_ERR_IO;
    case ErrorKind::internal:
      return MPI_ERR_INTERN;
  }
  return MPI_ERR_OTHER;
}

namespace {

// Keeps the beginning and the end: the file's name and what happened to it.
std::string shortened(const std::string& text, std::size_t limit) {
  constexpr std::string_view kGap = " ... ";
  if (text.size() <= limit) return text;
  const std::size_t tail = (limit - kGap.size()) / 2;
  const std::size_t head = limit - kGap.size() - tail;
  return text.substr(0, head).append(kGap).append(text.substr(text.size() - tail));
}

#if defined(TUTTI_HOST_MPICH)

// MPICH does not let a program attach text to codes of predefined classes. Its own I/O part makes
// codes by this function, whose texts live in a ring of the host's.
using CreateCode = int(int last, int fatal, const char* function, int line, int error_class,
                       const char* generic, const char* specific, ...);

int coded(int error_class, const std::string& message, const char* call) {
  static CreateCode* const create =
      reinterpret_cast<CreateCode*>(host_symbol("MPIR_Err_create_code"));
  if (create == nullptr) return error_class;
  constexpr std::size_t kLongest = 250;
  constexpr int kRecoverable = 0;
  const std::string text = shortened(message, kLongest);
  return create(MPI_SUCCESS, kRecoverable, call, 0, error_class, "**other", "%s", text.c_str());
}

#else

// Codes that were added to the host, which never gives them back: a bounded number per class, the
// oldest of which gets the next text. One call that completes many requests has a code for each.
class AddedCodes {
 public:
  int code_for(int error_class, const std::string& text) {
    const std::lock_guard guard(lock_);
    Ring& ring = rings_[error_class];
    const auto known = std::find(ring.texts.begin(), ring.texts.end(), text);
    if (known != ring.texts.end()) return ring.codes[known - ring.texts.begin()];
    const std::size_t slot = ring.next;
    if (slot == ring.codes.size()) {
      int code = error_class;
      if (PMPI_Add_error_code(error_class, &code) != MPI_SUCCESS) return error_class;
      ring.codes.push_back(code);
      ring.texts.emplace_back();
    }
    ring.next = (slot + 1) % kPerClass;
    ring.texts[slot] = text;
    PMPI_Add_error_string(ring.codes[slot], text.c_str());
    return ring.codes[slot];
  }

 private:
  static constexpr std::size_t kPerClass = 256;
  struct Ring {
    std::vector<int> codes;
    std::vector<std::string> texts;
    std::size_t next = 0;
  };
  std::mutex lock_;
  std::map<int, Ring> rings_;
};

int coded(int error_class, const std::string& message, const char* call) {
  static AddedCodes& codes = *new AddedCodes;  // errors may happen in exit handlers
  return codes.code_for(error_class,
                        shortened(std::string(call) + ": " + message, MPI_MAX_ERROR_STRING - 1));
}

#endif

}  // namespace

int error_code(const Error& error, const char* call) {
  const int plain = error_class(error.kind);
  return mpi_is_running() ? coded(plain, error.message, call) : plain;
}

}  // namespace tutti
