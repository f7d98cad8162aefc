// The universal preload: finds at the first call which MPI the process has loaded and sends every
// owned function to the Tutti backend for it. Until then it does nothing at all.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One slot per exported name, in the order of the function list: MPI_X, PMPI_X, MPI_Y, ...; an
// inner function of a host has one name and two slots. The trampolines jump through them; at the
// start each leads to tutti_preload_resolve.
extern void* tutti_preload_slots[] __attribute__((visibility("hidden")));

__attribute__((visibility("hidden"))) void* tutti_preload_resolve(void** slot);

static const char* const kNames[] = {
#define TUTTI_FUNCTION(name) "MPI_" #name, "PMPI_" #name,
#define TUTTI_INNER_FUNCTION(name) #name, #name,
#include "functions.inc"
#undef TUTTI_FUNCTION
#undef TUTTI_INNER_FUNCTION
};
enum { kNameCount = sizeof kNames / sizeof kNames[0] };

struct Backend {
  const char* mpi_soname;
  const char* library;
};
static const struct Backend kBackends[] = {
    {"libmpich.so.12", "libtutti_mpich.so"},
    {"libmpi.so.40", "libtutti_openmpi.so"},
};
enum { kBackendCount = sizeof kBackends / sizeof kBackends[0] };

// What the search through the loaded objects found. `path` is empty when no MPI is there.
struct LoadedMpi {
  char path[4096];
  char soname[256];
  const struct Backend* backend;  // null: an MPI that no backend is made for
};

static const char* soname_of(const struct dl_phdr_info* object) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn)* entry =
        (const ElfW(Dyn)*)(uintptr_t)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    uintptr_t strings = 0, name = 0;
    int named = 0;
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SONAME) name = entry->d_un.d_val, named = 1;
    }
    if (!named || strings == 0) return NULL;
    // Some loaders leave the table's address relative to the object.
    if (strings < object->dlpi_addr) strings += object->dlpi_addr;
    return (const char*)strings + name;
  }
  return NULL;
}

static int look_for_mpi(struct dl_phdr_info* object, size_t size, void* result) {
  (void)size;
  struct LoadedMpi* mpi = result;
  const char* soname = object->dlpi_name && *object->dlpi_name ? soname_of(object) : NULL;
  if (!soname) return 0;
  const struct Backend* backend = NULL;
  for (int i = 0; i < kBackendCount; ++i)
    if (strcmp(soname, kBackends[i].mpi_soname) == 0) backend = &kBackends[i];
  const int other_mpi =
      strncmp(soname, "libmpich.so", 11) == 0 || strncmp(soname, "libmpi.so", 9) == 0;
  if (!backend && (!other_mpi || mpi->path[0])) return 0;
  mpi->backend = backend;
  snprintf(mpi->path, sizeof mpi->path, "%s", object->dlpi_name);
  snprintf(mpi->soname, sizeof mpi->soname, "%s", soname);
  return backend != NULL;
}

// Opens the backend in the directory of this library, or says on stderr why it is not used.
static void* open_backend(const struct LoadedMpi* mpi) {
  const char* disabled = getenv("TUTTI_DISABLE");
  if (disabled && *disabled && strcmp(disabled, "0") != 0) return NULL;
  if (!mpi->backend) {
    if (mpi->path[0])
      fprintf(stderr, "tutti: no backend for %s (%s); MPI-IO is left to that MPI\n", mpi->soname,
              mpi->path);
    return NULL;
  }
  Dl_info self;
  if (!dladdr((void*)(uintptr_t)&open_backend, &self) || !self.dli_fname) {
    fprintf(stderr, "tutti: cannot tell where libtutti.so is; MPI-IO is left to the host MPI\n");
    return NULL;
  }
  const char* slash = strrchr(self.dli_fname, '/');
  const int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
  char path[4096];
  const int length =
      snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, mpi->backend->library);
  void* library = length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    const char* reason = dlerror();
    fprintf(stderr, "tutti: cannot open the backend: %s; MPI-IO is left to the host MPI\n",
            reason ? reason : path);
  }
  return library;
}

static int belongs_to_mpi_io(const char* name) {
  name += *name == 'P';
  return strncmp(name, "MPI_File_", 9) == 0 || strncmp(name, "MPI_Register_datarep", 20) == 0;
}

// The function that the backend itself defines, not one of the libraries it needs.
static void* backend_function(void* backend, const char* name) {
  struct link_map *wanted = NULL, *holder = NULL;
  Dl_info place;
  void* found = dlsym(backend, name);
  if (!found || dlinfo(backend, RTLD_DI_LINKMAP, &wanted) != 0) return NULL;
  if (!dladdr1(found, &place, (void**)&holder, RTLD_DL_LINKMAP)) return NULL;
  return holder == wanted ? found : NULL;
}

// The function without Tutti: the next one in search order (a tool or the host MPI), else the one
// in the MPI itself, which is out of that order when a plugin brought it.
static void* host_function(const char* name, void* mpi_library) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found && mpi_library) found = dlsym(mpi_library, name);
  return found;
}

// Where each slot leads; null for a function that neither the backend nor the host has.
static void* targets[kNameCount];
static const char* provider = "this process";  // who was asked for the functions, for messages

static void connect_all(void) {
  struct LoadedMpi mpi = {.path = "", .backend = NULL};
  dl_iterate_phdr(look_for_mpi, &mpi);
  void* mpi_library = mpi.path[0] ? dlopen(mpi.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  void* backend = open_backend(&mpi);
  if (backend) provider = mpi.backend->library;
  for (int i = 0; i < kNameCount; ++i) {
    // Both names lead to the strong one: the weak one may belong to a tool that stands before it.
    void* target = backend ? backend_function(backend, kNames[i | 1]) : NULL;
    // The host must never see a file handle of the backend, so its MPI-IO fills no gap.
    if (!target && !(backend && belongs_to_mpi_io(kNames[i])))
      target = host_function(kNames[i], mpi_library);
    targets[i] = target;
    if (target) __atomic_store_n(&tutti_preload_slots[i], target, __ATOMIC_RELEASE);
  }
}

// Connects all slots, once in the process, and returns where this one leads. The trampolines call
// it.
void* tutti_preload_resolve(void** slot) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, connect_all);
  const ptrdiff_t index = slot - tutti_preload_slots;
  if (!targets[index]) {
    fprintf(stderr, "tutti: %s was called, and %s does not have it\n", kNames[index], provider);
    abort();
  }
  return targets[index];
}
