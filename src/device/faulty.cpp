#include "device/faulty.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "device/errno_error.hpp"
#include "device/transfers.hpp"

namespace tutti {

namespace {

tl::unexpected<Error> not_understood(std::string_view rule) {
  return fail(ErrorKind::invalid_argument,
              "faulty: the rule '" + std::string(rule) + "' is not understood");
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// True if the rule is known and its value has the right form.
bool apply_rule(FaultRules& rules, std::string_view key, std::optional<std::string_view> text) {
  if (!text) {
    if (key == "fail-open") return rules.fail_open = true;
    if (key == "fail-sync") return rules.fail_sync = true;
    if (key == "fail-resize") return rules.fail_resize = true;
    if (key == "fail-lock") return rules.fail_lock = true;
    if (key == "fail-close") return rules.fail_close = true;
    return false;
  }
  if (key == "errno") {
    const std::optional<int> code = errno_from_name(*text);
    rules.error = code.value_or(0);
    return code.has_value();
  }
  const std::optional<std::int64_t> value = number(*text);
  if (!value) return false;
  const auto set = [&](std::optional<std::int64_t>& rule) { return (rule = value).has_value(); };
  if (key == "fail-write-after") return set(rules.fail_write_after);
  if (key == "fail-read-after") return set(rules.fail_read_after);
  if (key == "fail-write-at") return set(rules.fail_write_at);
  if (key == "fail-read-at") return set(rules.fail_read_at);
  if (key == "torn-write-at") return set(rules.torn_write_at);
  if (key == "short") return set(rules.short_bytes) && *value > 0;
  if (key == "delay-us") return (rules.delay_us = *value, true);
  if (key == "mbytes-per-s") return (rules.mbytes_per_s = *value) > 0;
  if (key == "fail-percent") return (rules.fail_percent = *value) <= 100;
  if (key == "seed") return (rules.seed = static_cast<std::uint64_t>(*value)).has_value();
  return false;
}

class FaultyBackend final : public DeviceBackend {
 public:
  FaultyBackend(std::string name, FaultRules rules, AccessRights rights, Device inner)
      : name_(std::move(name)),
        rules_(rules),
        rights_(rights),
        inner_(std::move(inner)),
        draws_(rules.seed.value_or(1)) {}

  DeviceFacts facts() const override {
    DeviceFacts facts = inner_->facts();
    facts.asynchronous = false;
    facts.maps = false;  // what goes through a mapping could not be made to fail
    facts.maps_reads = false;
    return facts;
  }
  StripeLayout layout() const override { return inner_->layout(); }
  StripeLayout layout_for(Extent range) const override { return inner_->layout_for(range); }
  LayoutReport layout_report() const override { return inner_->layout_report(); }
  Result<std::uint64_t> submit(std::span<Transfer> batch) override;
  Status wait(std::uint64_t) override { return {}; }
  Result<std::int64_t> size() override { return inner_->size(); }
  Status resize(std::int64_t bytes) override {
    if (rules_.fail_resize) return failure("resizing it");
    return inner_->resize(bytes);
  }
  Status preallocate(std::int64_t bytes) override {
    if (rules_.fail_resize) return failure("preallocating");
    return inner_->preallocate(bytes);
  }
  Status sync() override {
    if (rules_.fail_sync) return failure("flushing it");
    return inner_->sync();
  }
  Status publish() override { return inner_->publish(); }
  void distrust() override { inner_->distrust(); }
  Status set_coherent(bool coherent) override { return inner_->set_coherent(coherent); }
  Status lock(Extent range, LockMode mode) override {
    if (rules_.fail_lock) return failure("locking");
    return inner_->lock(range, mode);
  }
  Status unlock(Extent range) override { return inner_->unlock(range); }
  Status close() override {
    if (std::exchange(closed_, true)) return {};
    Status closed = inner_.close();
    if (rules_.fail_close) return failure("closing it");
    return closed;
  }

 private:
  tl::unexpected<Error> failure(std::string_view doing) const {
    return tl::make_unexpected(errno_error(rules_.error, name_, doing));
  }
  // How many bytes of `rest` the inner device shall move: nothing (fail at once) or a prefix.
  std::int64_t allowed_bytes(const Transfer& rest);
  Result<std::int64_t> move_some(const Transfer& rest);
  void keep_to_rate(std::int64_t moved);
  std::uint64_t draw(std::uint64_t below) { return draws_() % below; }

  std::string name_;
  FaultRules rules_;
  AccessRights rights_;
  Device inner_;
  bool closed_ = false;
  std::mutex mutex_;
  std::mt19937_64 draws_;
  std::int64_t written_ = 0;
  std::int64_t read_ = 0;
  std::chrono::steady_clock::time_point busy_until_;
};

std::int64_t FaultyBackend::allowed_bytes(const Transfer& rest) {
  const auto covers = [&](const std::optional<std::int64_t>& offset) {
    return offset && *offset >= rest.offset && *offset < rest.offset + rest.bytes;
  };
  std::int64_t allowed = rest.bytes;
  const bool read = rest.kind == TransferKind::read;
  if (covers(read ? rules_.fail_read_at : rules_.fail_write_at)) return 0;
  if (!read && covers(rules_.torn_write_at)) allowed = *rules_.torn_write_at - rest.offset;
  if (const auto& quota = read ? rules_.fail_read_after : rules_.fail_write_after) {
    allowed = std::min(allowed, *quota - (read ? read_ : written_));
  }
  if (rules_.fail_percent > 0 && draw(100) < static_cast<std::uint64_t>(rules_.fail_percent)) {
    return 0;
  }
  return allowed;
}

void FaultyBackend::keep_to_rate(std::int64_t moved) {
  const auto now = std::chrono::steady_clock::now();
  busy_until_ =
      std::max(busy_until_, now) + std::chrono::nanoseconds(moved * 1000 / rules_.mbytes_per_s);
  std::this_thread::sleep_until(busy_until_);
}

Result<std::int64_t> FaultyBackend::move_some(const Transfer& rest) {
  if (rules_.delay_us > 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(rules_.delay_us));
  }
  Transfer piece = rest;
  piece.bytes = allowed_bytes(rest);
  if (piece.bytes <= 0) return tl::make_unexpected(transfer_error(rules_.error, name_, rest));
  if (rules_.short_bytes) {
    const std::int64_t most = *rules_.short_bytes;
    const std::int64_t now =
        rules_.seed ? 1 + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(most))) : most;
    piece.bytes = std::min(piece.bytes, now);
  }
  Status moved = inner_.transfer({&piece, 1});
  (piece.kind == TransferKind::read ? read_ : written_) += piece.done;
  if (rules_.mbytes_per_s > 0) keep_to_rate(piece.done);
  if (!moved) return tl::make_unexpected(moved.error());
  return piece.done;
}

Result<std::uint64_t> FaultyBackend::submit(std::span<Transfer> batch) {
  if (closed_) return tl::make_unexpected(closed_error(name_));
  if (Status sound = check_batch(name_, rights_, batch); !sound) {
    return tl::make_unexpected(sound.error());
  }
  const std::lock_guard guard(mutex_);
  for (Transfer& transfer : batch) {
    // A torn or forbidden byte counts against the whole transfer, so it is looked for in the whole
    // rest and not in the piece that one inner call moves.
    Status moved = move_all(transfer, std::numeric_limits<std::int64_t>::max(), name_,
                            [this](const Transfer& rest) { return move_some(rest); });
    if (!moved) return tl::make_unexpected(moved.error());
  }
  return 0;
}

struct FaultyName {
  FaultRules rules;
  std::string inner;
};

Result<FaultyName> split(const std::string& spec_and_name) {
  const std::size_t colon = spec_and_name.find(':');
  if (colon == std::string::npos) {
    return fail(ErrorKind::bad_file_name,
                "faulty:" + spec_and_name + ": expected faulty:<spec>:<inner name>");
  }
  Result<FaultRules> rules = parse_fault_rules(std::string_view(spec_and_name).substr(0, colon));
  if (!rules) return tl::make_unexpected(rules.error());
  return FaultyName{*rules, spec_and_name.substr(colon + 1)};
}

}  // namespace

Result<FaultRules> parse_fault_rules(std::string_view spec) {
  FaultRules rules;
  rules.error = EIO;
  while (!spec.empty()) {
    const std::size_t comma = spec.find(',');
    const std::string_view rule = spec.substr(0, comma);
    const std::size_t equals = rule.find('=');
    const std::string_view key = rule.substr(0, equals);
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = rule.substr(equals + 1);
    if (!apply_rule(rules, key, value)) return not_understood(rule);
    if (comma == std::string_view::npos) break;
    spec.remove_prefix(comma + 1);
    if (spec.empty()) return not_understood("");
  }
  return rules;
}

Result<Device> open_faulty(const std::string& spec_and_name, const OpenOptions& options) {
  Result<FaultyName> name = split(spec_and_name);
  if (!name) return tl::make_unexpected(name.error());
  if (name->rules.fail_open) {
    return tl::make_unexpected(errno_error(name->rules.error, name->inner, "opening it"));
  }
  Result<Device> inner = open_device(name->inner, options);
  if (!inner) return inner;
  const AccessRights rights{options.read, options.write};
  return Device(std::make_unique<FaultyBackend>(std::move(name->inner), name->rules, rights,
                                                std::move(*inner)));
}

Status remove_faulty(const std::string& spec_and_name) {
  const Result<FaultyName> name = split(spec_and_name);
  if (!name) return tl::make_unexpected(name.error());
  return remove_file(name->inner);
}

}  // namespace tutti
