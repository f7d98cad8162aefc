#include "device/striped.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "device/errno_error.hpp"
#include "device/posix_file.hpp"
#include "device/striped_log.hpp"
#include "layout/stripe_components.hpp"

namespace tutti {

namespace {

constexpr int kAttempts = 16;

// The part of a transfer that lies in one stripe.
struct Piece {
  std::size_t transfer = 0;  // its index in the batch
  std::int64_t file_offset = 0;
  std::int32_t component = 0;
  Transfer local;  // offsets inside the component
};

void split(const StripeLayout& layout, std::span<const Transfer> batch,
           std::vector<Piece>& pieces) {
  for (std::size_t index = 0; index < batch.size(); ++index) {
    const Transfer& transfer = batch[index];
    for (std::int64_t moved = 0; moved < transfer.bytes;) {
      const std::int64_t offset = transfer.offset + moved;
      const std::int64_t bytes =
          std::min(transfer.bytes - moved, layout.unit_bytes - offset % layout.unit_bytes);
      pieces.push_back({.transfer = index,
                        .file_offset = offset,
                        .component = layout.node_of(offset),
                        .local = {.kind = transfer.kind,
                                  .offset = component_offset(layout, offset),
                                  .memory = transfer.memory + moved,
                                  .bytes = bytes}});
      moved += bytes;
    }
  }
}

class StripedBackend final : public DeviceBackend {
 public:
  StripedBackend(PosixFile metadata, StripeLayout layout, AccessRights rights,
                 std::vector<PosixFile> components)
      : metadata_(std::move(metadata)),
        layout_(std::move(layout)),
        rights_(rights),
        components_(std::move(components)),
        log_(metadata_.path()) {}

  DeviceFacts facts() const override {
    return {.has_locks = true, .best_bytes = layout_.unit_bytes};
  }
  StripeLayout layout() const override { return layout_; }
  Result<std::uint64_t> submit(std::span<Transfer> batch) override;
  Status wait(std::uint64_t) override { return {}; }
  Result<std::int64_t> size() override;
  Status resize(std::int64_t bytes) override;
  Status preallocate(std::int64_t bytes) override;
  Status sync() override;
  // Locks name bytes of the whole file and are kept on the metadata file.
  Status lock(Extent range, LockMode mode) override { return metadata_.lock(range, mode); }
  Status unlock(Extent range) override { return metadata_.unlock(range); }
  Status close() override;

 private:
  const std::string& path() const { return metadata_.path(); }
  Status move_pieces(std::span<Piece> pieces);
  Status fill_holes(std::span<Piece> pieces);
  template <class Call>
  Status for_each_component(Call&& call);

  PosixFile metadata_;
  StripeLayout layout_;
  AccessRights rights_;
  std::vector<PosixFile> components_;
  RequestLog log_;
};

// Moves the pieces component by component, each in ascending order.
Status StripedBackend::move_pieces(std::span<Piece> pieces) {
  std::vector<Piece*> order;
  order.reserve(pieces.size());
  for (Piece& piece : pieces) order.push_back(&piece);
  std::stable_sort(order.begin(), order.end(), [](const Piece* a, const Piece* b) {
    return std::pair(a->component, a->local.offset) < std::pair(b->component, b->local.offset);
  });
  std::vector<Transfer> local;
  for (auto first = order.begin(); first != order.end();) {
    const std::int32_t component = (*first)->component;
    const auto last = std::find_if(
        first, order.end(), [&](const Piece* piece) { return piece->component != component; });
    local.clear();
    for (auto each = first; each != last; ++each) local.push_back((*each)->local);
    if (log_.wanted()) log_.record(component, local);
    Status moved = components_[static_cast<std::size_t>(component)].transfer(local);
    for (auto each = first; each != last; ++each) {
      (*each)->local.done = local[static_cast<std::size_t>(each - first)].done;
    }
    if (!moved) return moved;
    first = last;
  }
  return {};
}

// A component may end before the file does: what is missing there reads as zeros.
Status StripedBackend::fill_holes(std::span<Piece> pieces) {
  std::optional<std::int64_t> file_bytes;
  for (Piece& piece : pieces) {
    Transfer& local = piece.local;
    if (local.kind != TransferKind::read || local.done == local.bytes) continue;
    if (!file_bytes) {
      const Result<std::int64_t> bytes = size();
      if (!bytes) return tl::make_unexpected(bytes.error());
      file_bytes = *bytes;
    }
    const std::int64_t there =
        std::clamp<std::int64_t>(*file_bytes - piece.file_offset, 0, local.bytes);
    if (there <= local.done) continue;
    std::memset(local.memory + local.done, 0, static_cast<std::size_t>(there - local.done));
    local.done = there;
  }
  return {};
}

Result<std::uint64_t> StripedBackend::submit(std::span<Transfer> batch) {
  if (!metadata_.is_open()) return tl::make_unexpected(closed_error(path()));
  if (Status sound = check_batch(path(), rights_, batch); !sound) {
    return tl::make_unexpected(sound.error());
  }
  std::vector<Piece> pieces;
  split(layout_, batch, pieces);
  Status outcome = move_pieces(pieces);
  if (outcome) outcome = fill_holes(pieces);
  // `done` counts the bytes before the first gap.
  for (const Piece& piece : pieces) {
    Transfer& transfer = batch[piece.transfer];
    if (transfer.offset + transfer.done == piece.file_offset) transfer.done += piece.local.done;
  }
  if (!outcome) return tl::make_unexpected(outcome.error());
  return 0;
}

Result<std::int64_t> StripedBackend::size() {
  if (!metadata_.is_open()) return tl::make_unexpected(closed_error(path()));
  std::int64_t largest = 0;
  for (std::size_t node = 0; node < components_.size(); ++node) {
    const Result<std::int64_t> bytes = components_[node].size();
    if (!bytes) return bytes;
    const auto end = file_bytes_for(layout_, static_cast<std::int32_t>(node), *bytes);
    if (!end) {
      return fail(ErrorKind::io, components_[node].path() + ": too long for a component of " +
                                     path() + " (asking for its size)");
    }
    largest = std::max(largest, *end);
  }
  return largest;
}

template <class Call>
Status StripedBackend::for_each_component(Call&& call) {
  Status outcome;
  for (std::size_t node = 0; node < components_.size(); ++node) {
    Status done = call(components_[node], static_cast<std::int32_t>(node));
    if (!done && outcome) outcome = done;
  }
  return outcome;
}

Status StripedBackend::resize(std::int64_t bytes) {
  if (!metadata_.is_open()) return tl::make_unexpected(closed_error(path()));
  if (Status sound = check_resize(path(), rights_, bytes); !sound) return sound;
  return for_each_component([&](PosixFile& component, std::int32_t node) {
    return component.resize(component_bytes(layout_, node, bytes));
  });
}

Status StripedBackend::preallocate(std::int64_t bytes) {
  if (!metadata_.is_open()) return tl::make_unexpected(closed_error(path()));
  if (Status sound = check_resize(path(), rights_, bytes); !sound) return sound;
  return for_each_component([&](PosixFile& component, std::int32_t node) {
    return component.preallocate(component_bytes(layout_, node, bytes));
  });
}

Status StripedBackend::sync() {
  if (!metadata_.is_open()) return tl::make_unexpected(closed_error(path()));
  return for_each_component([](PosixFile& component, std::int32_t) { return component.sync(); });
}

Status StripedBackend::close() {
  Status outcome =
      for_each_component([](PosixFile& component, std::int32_t) { return component.close(); });
  Status closed = metadata_.close();
  return outcome ? closed : outcome;
}

Result<Device> open_existing(const std::string& path, const OpenOptions& options) {
  // Always readable; writable where exclusive locks may be asked for.
  Result<PosixFile> metadata = PosixFile::open(path, {.read = true, .write = options.write});
  if (!metadata) return tl::make_unexpected(metadata.error());
  const Result<StripedMetadata> facts = read_striped_metadata(*metadata);
  if (!facts) return tl::make_unexpected(facts.error());
  std::vector<PosixFile> components;
  for (const std::string& name : striped_components(path, *facts)) {
    Result<PosixFile> component =
        PosixFile::open(name, {.read = options.read, .write = options.write});
    if (!component) {
      const bool missing = component.error().kind == ErrorKind::no_such_file;
      return fail(missing ? ErrorKind::io : component.error().kind,
                  path + ": component " + std::to_string(components.size()) + " of " +
                      std::to_string(facts->layout.io_nodes) + ": " + component.error().message);
    }
    components.push_back(std::move(*component));
  }
  const AccessRights rights{options.read, options.write};
  return Device(std::make_unique<StripedBackend>(std::move(*metadata), facts->layout, rights,
                                                 std::move(components)));
}

StripedMetadata wished_metadata(const std::string& path, const OpenOptions& options) {
  StripedMetadata metadata;
  StripeLayout& layout = metadata.layout;
  layout.unit_bytes = options.striping_unit > 0 ? options.striping_unit : kDefaultStripingUnit;
  layout.io_nodes = options.striping_factor > 0 ? options.striping_factor : kDefaultStripingFactor;
  layout.io_nodes = std::min(layout.io_nodes, kMaxStripingFactor);
  layout.first_node = options.start_iodevice > 0 ? options.start_iodevice % layout.io_nodes : 0;
  const std::string beside = std::filesystem::path(path).filename().string() + ".stripes/";
  for (std::int32_t node = 0; node < layout.io_nodes; ++node) {
    metadata.directories.push_back(beside + std::to_string(node));
  }
  return metadata;
}

}  // namespace

Result<Device> open_striped(const std::string& path, const OpenOptions& options) {
  Result<Device> device;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!(options.create && options.exclusive)) {
      device = open_existing(path, options);
      const bool missing = !device && device.error().kind == ErrorKind::no_such_file;
      if (!missing || !options.create) return device;
    }
    const Status created =
        create_striped(path, wished_metadata(path, options), options.permissions);
    if (created) return open_existing(path, options);
    const bool lost_race = created.error().kind == ErrorKind::file_exists && !options.exclusive;
    if (!lost_race) return tl::make_unexpected(created.error());
  }
  return device;
}

Status remove_striped(const std::string& path) {
  const Result<StripedMetadata> metadata = read_striped_metadata(path);
  if (!metadata) return tl::make_unexpected(metadata.error());
  if (Status gone = PosixFile::remove(path); !gone) return gone;
  Status outcome;
  for (const std::string& component : striped_components(path, *metadata)) {
    Status gone = PosixFile::remove(component);
    if (!gone && gone.error().kind != ErrorKind::no_such_file && outcome) outcome = gone;
  }
  const std::string stripes = path + ".stripes";
  (void)PosixFile::remove(request_log_path(path));
  // Directories of another file's making stay: rmdir takes empty ones only.
  for (std::size_t node = 0; node < metadata->directories.size(); ++node) {
    (void)rmdir((stripes + "/" + std::to_string(node)).c_str());
  }
  (void)rmdir(stripes.c_str());
  return outcome;
}

}  // namespace tutti
