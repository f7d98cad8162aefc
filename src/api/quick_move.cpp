#include "api/quick_move.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "api/pointer_claim.hpp"
#include "view/named_types.hpp"

namespace tutti {

namespace {

// Compared without a call.
bool is_native(const std::string& datarep) {
  constexpr std::string_view kNative = "native";
  return datarep.size() == kNative.size() &&
         std::memcmp(datarep.data(), kNative.data(), kNative.size()) == 0;
}

bool is_plain(const File& file, Direction direction) {
  const OpenFile& engine = *file.engine;
  const bool allowed = direction == Direction::read ? engine.mode.read : engine.mode.write;
  return allowed && (file.amode & MPI_MODE_SEQUENTIAL) == 0 && !engine.atomic &&
         file.view.stream.is_contiguous() && !writers_lock(engine.hints) && is_native(file.datarep);
}

// Bytes of the access; 0 for one that is empty, wrong or not of a usual type.
std::int64_t usual_bytes(const FileView& view, const DataArguments& given) {
  constexpr std::uintptr_t kFirstPage = 4096;
  const TypePattern* const type = find_common_type(given.type);
  std::int64_t bytes = 0;
  if (type == nullptr || given.count <= 0 ||
      reinterpret_cast<std::uintptr_t>(given.buffer) < kFirstPage ||
      __builtin_mul_overflow(std::int64_t{given.count}, type->size, &bytes))
    return 0;
  return view.etype_bytes == 1 || bytes % view.etype_bytes == 0 ? bytes : 0;
}

bool fits(const FileView& view, std::int64_t first, std::int64_t bytes) {
  const std::int64_t size = view.stream.size();
  return first >= 0 && bytes <= size && first <= size - bytes;
}

Result<std::int64_t> transfer_run(File& file, Direction direction, void* buffer, Extent stream) {
  file.independent_accesses.fetch_add(1, std::memory_order_relaxed);
  Transfer whole{direction == Direction::read ? TransferKind::read : TransferKind::write,
                 file.view.stream.first() + stream.offset, static_cast<std::byte*>(buffer),
                 stream.bytes, 0};
  if (auto moved = file.engine->device.transfer({&whole, 1}); !moved)
    return tl::make_unexpected(moved.error());
  return whole.done;
}

}  // namespace

bool quick_move(File& file, Direction direction, const DataArguments& given,
                Result<std::int64_t>& moved) {
  const std::int64_t bytes = usual_bytes(file.view, given);
  if (bytes == 0 || given.offset == kShared || !is_plain(file, direction)) return false;
  if (given.offset == kIndividual) {
    PointerClaim claim(file, bytes);
    const bool usable = fits(file.view, claim.first(), bytes);
    if (usable) moved = transfer_run(file, direction, given.buffer, {claim.first(), bytes});
    claim.settle(usable && moved ? *moved : 0);
    return usable;
  }
  std::int64_t first = 0;
  if (__builtin_mul_overflow(std::int64_t{given.offset}, file.view.etype_bytes, &first) ||
      !fits(file.view, first, bytes))
    return false;
  moved = transfer_run(file, direction, given.buffer, {first, bytes});
  return true;
}

}  // namespace tutti
