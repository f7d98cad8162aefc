#include "mpi/host_completion.hpp"

#include "mpi/real_mpi.hpp"

namespace tutti {

namespace {

template <class Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(host_symbol(name));
}

HostCompletion look_up_all() {
  HostCompletion host{};
  look_up(host.wait, "PMPI_Wait");
  look_up(host.test, "PMPI_Test");
  look_up(host.wait_all, "PMPI_Waitall");
  look_up(host.test_all, "PMPI_Testall");
  look_up(host.wait_any, "PMPI_Waitany");
  look_up(host.test_any, "PMPI_Testany");
  look_up(host.wait_some, "PMPI_Waitsome");
  look_up(host.test_some, "PMPI_Testsome");
  look_up(host.get_status, "PMPI_Request_get_status");
  return host;
}

}  // namespace

const HostCompletion& host_completion() {
  static const HostCompletion host = look_up_all();
  return host;
}

}  // namespace tutti
