// Patterns kept on the datatypes they belong to.
#include <atomic>
#include <mutex>
#include <new>

#include "mpi/call.hpp"
#include "view/contents.hpp"
#include "view/decode.hpp"
#include "view/named_types.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

namespace {

using Shared = std::shared_ptr<const TypePattern>;

// The attribute's value is a Shared on the heap.
int share_with_duplicate(MPI_Datatype, int, void*, void* value, void* copied, int* keep) {
  auto* const holder = new (std::nothrow) Shared(*static_cast<Shared*>(value));
  *static_cast<void**>(copied) = holder;
  *keep = holder != nullptr ? 1 : 0;
  return MPI_SUCCESS;
}

int drop(MPI_Datatype, int, void* value, void*) {
  delete static_cast<Shared*>(value);
  return MPI_SUCCESS;
}

// The only process-wide state of this folder: MPI finds attributes by a key that is made once.
struct AttributeKey {
  std::mutex lock;  // held while an attribute is set, which happens once per datatype
  std::atomic<int> keyval = MPI_KEYVAL_INVALID;
};

AttributeKey& attribute_key() {
  static AttributeKey& key = *new AttributeKey;  // outlives exit handlers that free datatypes
  return key;
}

Shared* find(MPI_Datatype type, int keyval) {
  void* value = nullptr;
  int found = 0;
  if (keyval == MPI_KEYVAL_INVALID ||
      PMPI_Type_get_attr(type, keyval, &value, &found) != MPI_SUCCESS || found == 0)
    return nullptr;
  return static_cast<Shared*>(value);
}

// Keeps `made` on `type` and returns it, or what another thread kept there meanwhile. A host that
// refuses the attribute costs a decode per call, nothing else.
Shared keep(MPI_Datatype type, Shared made) {
  AttributeKey& key = attribute_key();
  const std::lock_guard guard(key.lock);
  int keyval = key.keyval.load();
  if (keyval == MPI_KEYVAL_INVALID) {
    if (PMPI_Type_create_keyval(share_with_duplicate, drop, &keyval, nullptr) != MPI_SUCCESS)
      return made;
    key.keyval.store(keyval);
  }
  if (const Shared* present = find(type, keyval)) return *present;
  auto* const holder = new (std::nothrow) Shared(made);
  if (holder != nullptr && PMPI_Type_set_attr(type, keyval, holder) != MPI_SUCCESS) delete holder;
  return made;
}

// Shares nothing: named patterns are never destroyed, so no reference is counted.
Shared unowned(const TypePattern* named) { return Shared(std::shared_ptr<void>(), named); }

}  // namespace

Result<std::shared_ptr<const TypePattern>> pattern_of(MPI_Datatype type) {
  if (const TypePattern* common = find_common_type(type)) return unowned(common);
  if (type == MPI_DATATYPE_NULL)
    return fail(ErrorKind::invalid_type, "datatype is MPI_DATATYPE_NULL");
  if (const Shared* kept = find(type, attribute_key().keyval.load(std::memory_order_acquire)))
    return *kept;
  if (combiner_of(type) == Combiner::named) return named_pattern(type).map(unowned);
  return decode(type).map([&](TypePattern&& decoded) {
    return keep(type, std::make_shared<const TypePattern>(std::move(decoded)));
  });
}

}  // namespace tutti
