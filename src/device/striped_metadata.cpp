#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "device/posix_file.hpp"
#include "device/striped.hpp"

namespace tutti {

namespace {

constexpr std::string_view kFirstLine = "tutti-striped 1";
constexpr std::int64_t kMaxUnit = std::int64_t{1} << 40;
constexpr std::int64_t kMaxTextBytes = 16 << 20;

tl::unexpected<Error> malformed(std::string_view file, const std::string& what) {
  return fail(ErrorKind::bad_file_name, std::string(file) + ": not a striped file: " + what);
}

// Hands out the lines "key value" of a text in turn.
class Lines {
 public:
  Lines(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  std::optional<std::string_view> next() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    ++number_;
    return line;
  }
  Result<std::string> value(std::string_view key) {
    const std::optional<std::string_view> line = next();
    if (!line || line->substr(0, key.size()) != key || line->size() <= key.size() + 1 ||
        (*line)[key.size()] != ' ') {
      return malformed(file_, "line " + std::to_string(number_ + (line ? 0 : 1)) + " is not '" +
                                  std::string(key) + " …'");
    }
    return std::string(line->substr(key.size() + 1));
  }
  Result<std::int64_t> number(std::string_view key, std::int64_t least, std::int64_t most) {
    const Result<std::string> text = value(key);
    if (!text) return tl::make_unexpected(text.error());
    std::int64_t parsed = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, wrong] = std::from_chars(text->data(), end, parsed);
    if (wrong != std::errc() || stop != end || parsed < least || parsed > most) {
      return malformed(file_, std::string(key) + " '" + *text + "' is not a number from " +
                                  std::to_string(least) + " to " + std::to_string(most));
    }
    return parsed;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  std::string_view file_;
  int number_ = 0;
};

bool sound_name(const std::string& name) {
  return name.find('/') == std::string::npos && name.find('\0') == std::string::npos &&
         name != "." && name != "..";
}

}  // namespace

std::string format_striped_metadata(const StripedMetadata& metadata) {
  std::string text(kFirstLine);
  text += "\nunit " + std::to_string(metadata.layout.unit_bytes);
  text += "\nfactor " + std::to_string(metadata.layout.io_nodes);
  text += "\nstart " + std::to_string(metadata.layout.first_node);
  text += "\nname " + metadata.name;
  for (const std::string& directory : metadata.directories) text += "\ndirectory " + directory;
  return text + "\n";
}

Result<StripedMetadata> parse_striped_metadata(std::string_view text, std::string_view file) {
  Lines lines(text, file);
  if (lines.next() != kFirstLine) {
    return malformed(file, "line 1 is not '" + std::string(kFirstLine) + "'");
  }
  const Result<std::int64_t> unit = lines.number("unit", 1, kMaxUnit);
  if (!unit) return tl::make_unexpected(unit.error());
  const Result<std::int64_t> factor = lines.number("factor", 1, kMaxStripingFactor);
  if (!factor) return tl::make_unexpected(factor.error());
  const Result<std::int64_t> start = lines.number("start", 0, *factor - 1);
  if (!start) return tl::make_unexpected(start.error());
  const Result<std::string> name = lines.value("name");
  if (!name) return tl::make_unexpected(name.error());
  if (!sound_name(*name)) return malformed(file, "'" + *name + "' cannot name a component");

  StripedMetadata metadata;
  metadata.layout = {.unit_bytes = *unit,
                     .io_nodes = static_cast<std::int32_t>(*factor),
                     .first_node = static_cast<std::int32_t>(*start)};
  metadata.name = *name;
  for (std::int64_t node = 0; node < *factor; ++node) {
    const Result<std::string> directory = lines.value("directory");
    if (!directory) return tl::make_unexpected(directory.error());
    metadata.directories.push_back(*directory);
  }
  if (!lines.at_end()) return malformed(file, "it goes on after the last directory");
  std::set<std::string> distinct;
  for (const std::string& directory : metadata.directories) {
    if (!distinct.insert(std::filesystem::path(directory).lexically_normal().string()).second) {
      return malformed(file, "directory '" + directory + "' is listed twice");
    }
  }
  return metadata;
}

Result<StripedMetadata> read_striped_metadata(const std::string& path) {
  const Result<PosixFile> file = PosixFile::open(path, {});
  if (!file) return tl::make_unexpected(file.error());
  return read_striped_metadata(*file);
}

Result<StripedMetadata> read_striped_metadata(const PosixFile& file) {
  const Result<std::int64_t> bytes = file.size();
  if (!bytes) return tl::make_unexpected(bytes.error());
  if (*bytes > kMaxTextBytes) return malformed(file.path(), "it is too long");
  std::string text(static_cast<std::size_t>(*bytes), '\0');
  Transfer whole{.kind = TransferKind::read,
                 .memory = reinterpret_cast<std::byte*>(text.data()),
                 .bytes = *bytes};
  if (Status moved = file.transfer({&whole, 1}); !moved) {
    return tl::make_unexpected(moved.error());
  }
  text.resize(static_cast<std::size_t>(whole.done));
  return parse_striped_metadata(text, file.path());
}

std::vector<std::string> striped_components(const std::string& path,
                                            const StripedMetadata& metadata) {
  const std::filesystem::path base = std::filesystem::path(path).parent_path();
  std::vector<std::string> components;
  for (const std::string& directory : metadata.directories) {
    components.push_back((base / directory / metadata.name).string());
  }
  return components;
}

}  // namespace tutti
