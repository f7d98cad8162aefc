// The host MPI's own functions, also those whose names Tutti exports itself.
#pragma once

namespace tutti {

// Local. The address of `name` inside the loaded host MPI library, never one of ours or of a tool
// stacked above it; nullptr when the host has no such function or no MPI library is loaded.
void* host_symbol(const char* name);

// The same with the type of a declared function, looked up once:
//   host_function<&PMPI_File_open>("PMPI_File_open")(comm, …)
template <auto Function>
decltype(Function) host_function(const char* name) {
  static const auto found = reinterpret_cast<decltype(Function)>(host_symbol(name));
  return found;
}

}  // namespace tutti
