#include "request/hints.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace tutti {

namespace {

constexpr std::int64_t kMaxBufferBytes = std::int64_t{1} << 40;

// One hint: its key, what values it takes, and how it is read and written.
struct HintRow {
  std::string_view key;
  std::string_view accepts;
  bool (*set)(Hints& hints, std::string_view value);
  std::string (*get)(const Hints& hints);
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool parse_number(std::string_view text, std::int64_t least, std::int64_t most, std::int64_t& out) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return false;
  if (value < least || value > most) return false;
  out = value;
  return true;
}

template <auto Member, std::int64_t Least, std::int64_t Most>
constexpr HintRow number(std::string_view key, std::string_view accepts) {
  return {key, accepts,
          [](Hints& hints, std::string_view value) {
            return parse_number(value, Least, Most, hints.*Member);
          },
          [](const Hints& hints) { return std::to_string(hints.*Member); }};
}

template <class Enum>
struct Names;
template <>
struct Names<Toggle> {
  static constexpr std::array<std::string_view, 3> kNames{"automatic", "enable", "disable"};
};
template <>
struct Names<AccessMethod> {
  static constexpr std::array<std::string_view, 5> kNames{"auto", "naive", "list", "sieve",
                                                          "mapped"};
};
template <>
struct Names<TransportChoice> {
  static constexpr std::array<std::string_view, 4> kNames{"auto", "messages", "shared", "arena"};
};
template <>
struct Names<NonblockingChoice> {
  static constexpr std::array<std::string_view, 3> kNames{"auto", "thread", "polled"};
};

template <auto Member, class Enum>
constexpr HintRow choice(std::string_view key, std::string_view accepts) {
  return {key, accepts,
          [](Hints& hints, std::string_view value) {
            const auto& names = Names<Enum>::kNames;
            const auto found = std::find(names.begin(), names.end(), value);
            if (found == names.end()) return false;
            hints.*Member = static_cast<Enum>(found - names.begin());
            return true;
          },
          [](const Hints& hints) {
            return std::string(Names<Enum>::kNames[static_cast<std::size_t>(hints.*Member)]);
          }};
}

template <auto Member>
constexpr HintRow text(std::string_view key, std::string_view accepts) {
  return {key, accepts,
          [](Hints& hints, std::string_view value) {
            hints.*Member = std::string(value);
            return true;
          },
          [](const Hints& hints) { return hints.*Member; }};
}

bool set_strategy(Hints& hints, std::string_view value) {
  constexpr std::array<std::string_view, 8> kKnown{
      "auto", "two-phase", "multi-phase", "resonant", "independent", "list", "sieve", "naive"};
  if (std::find(kKnown.begin(), kKnown.end(), value) == kKnown.end()) return false;
  hints.strategy = std::string(value);
  return true;
}

bool is_list(std::string_view value, bool (*is_item)(std::string_view item)) {
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    if (!is_item(trimmed(value.substr(0, comma)))) return false;
    if (comma == std::string_view::npos) return true;
    value.remove_prefix(comma + 1);
  }
  return true;
}

bool is_style(std::string_view item) {
  constexpr std::array<std::string_view, 7> kStyles{
      "read_once",  "write_once",         "read_mostly", "write_mostly",
      "sequential", "reverse_sequential", "random"};
  return std::find(kStyles.begin(), kStyles.end(), item) != kStyles.end();
}

bool is_count(std::string_view item) {
  std::int64_t ignored = 0;
  return parse_number(item, 0, std::numeric_limits<std::int64_t>::max(), ignored);
}

template <auto Member, bool (*IsItem)(std::string_view)>
constexpr HintRow list(std::string_view key, std::string_view accepts) {
  return {key, accepts,
          [](Hints& hints, std::string_view value) {
            if (!is_list(value, IsItem)) return false;
            hints.*Member = std::string(value);
            return true;
          },
          [](const Hints& hints) { return hints.*Member; }};
}

// A number that is reported only where somebody said it.
template <auto Member>
constexpr HintRow said_number(std::string_view key) {
  return {key, "a whole number above zero",
          [](Hints& hints, std::string_view value) {
            return value.empty() || parse_number(value, 1, kMaxBufferBytes, hints.*Member);
          },
          [](const Hints& hints) {
            return hints.*Member == 0 ? std::string() : std::to_string(hints.*Member);
          }};
}

bool parse_permissions(std::string_view text, int& out) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out, 8);
  return failed == std::errc() && end == text.data() + text.size() && out >= 0 && out <= 0777;
}

bool set_file_perm(Hints& hints, std::string_view value) {
  int ignored = 0;
  if (!value.empty() && !parse_permissions(value, ignored)) return false;
  hints.file_perm = std::string(value);
  return true;
}

// The standard's word for both of ROMIO's.
bool set_collective_buffering(Hints& hints, std::string_view value) {
  if (value.empty()) return true;
  if (value != "true" && value != "false") return false;
  hints.romio_cb_read = hints.romio_cb_write = value == "true" ? Toggle::enable : Toggle::disable;
  return true;
}

std::string get_collective_buffering(const Hints& hints) {
  if (hints.romio_cb_read != hints.romio_cb_write) return {};
  if (hints.romio_cb_read == Toggle::automatic) return {};
  return hints.romio_cb_read == Toggle::enable ? "true" : "false";
}

bool set_no_indep(Hints& hints, std::string_view value) {
  if (value != "true" && value != "false") return false;
  hints.romio_no_indep_rw = value == "true";
  return true;
}

constexpr std::string_view kToggle = "enable, disable or automatic";
constexpr std::string_view kAsInRomio = "as in ROMIO";
constexpr std::string_view kBytes = "a number of bytes above zero";
constexpr std::string_view kCount = "a whole number, zero for the default";

std::span<const HintRow> hint_rows() {
  static constexpr std::array kRows{
      number<&Hints::cb_nodes, 0, 1 << 30>("cb_nodes", kCount),
      number<&Hints::cb_buffer_size, 1, kMaxBufferBytes>("cb_buffer_size", kBytes),
      text<&Hints::cb_config_list>("cb_config_list", "ROMIO's host list, such as *:1"),
      said_number<&Hints::cb_block_size>("cb_block_size"),
      HintRow{"collective_buffering", "true or false", set_collective_buffering,
              get_collective_buffering},
      choice<&Hints::romio_cb_read, Toggle>("romio_cb_read", kToggle),
      choice<&Hints::romio_cb_write, Toggle>("romio_cb_write", kToggle),
      choice<&Hints::romio_ds_read, Toggle>("romio_ds_read", kToggle),
      choice<&Hints::romio_ds_write, Toggle>("romio_ds_write", kToggle),
      number<&Hints::ind_rd_buffer_size, 1, kMaxBufferBytes>("ind_rd_buffer_size", kBytes),
      number<&Hints::ind_wr_buffer_size, 1, kMaxBufferBytes>("ind_wr_buffer_size", kBytes),
      number<&Hints::striping_unit, 0, kMaxBufferBytes>("striping_unit", kCount),
      number<&Hints::striping_factor, 0, 1 << 20>("striping_factor", kCount),
      number<&Hints::start_iodevice, 0, 1 << 20>("start_iodevice", kCount),
      HintRow{"file_perm", "octal digits up to 777", set_file_perm,
              [](const Hints& h) { return h.file_perm; }},
      list<&Hints::access_style, is_style>("access_style", "a list of the standard's styles"),
      list<&Hints::chunked, is_count>("chunked", "a list of whole numbers"),
      list<&Hints::chunked_item, is_count>("chunked_item", "a list of whole numbers"),
      list<&Hints::chunked_size, is_count>("chunked_size", "a list of whole numbers"),
      text<&Hints::io_node_list>("io_node_list", "a list of names"),
      said_number<&Hints::nb_proc>("nb_proc"),
      said_number<&Hints::num_io_nodes>("num_io_nodes"),
      HintRow{"romio_no_indep_rw", "true or false", set_no_indep,
              [](const Hints& h) { return std::string(h.romio_no_indep_rw ? "true" : "false"); }},
      text<&Hints::romio_cb_alltoall>("romio_cb_alltoall", kAsInRomio),
      text<&Hints::romio_cb_ds_threshold>("romio_cb_ds_threshold", kAsInRomio),
      text<&Hints::romio_cb_fr_alignment>("romio_cb_fr_alignment", kAsInRomio),
      text<&Hints::romio_cb_fr_types>("romio_cb_fr_types", kAsInRomio),
      text<&Hints::romio_cb_pfr>("romio_cb_pfr", kAsInRomio),
      HintRow{"tutti_strategy",
              "auto, two-phase, multi-phase, resonant, independent, list, sieve or naive",
              set_strategy, [](const Hints& h) { return h.strategy; }},
      number<&Hints::radix, 2, 1 << 20>("tutti_radix", "a whole number of at least 2"),
      choice<&Hints::access, AccessMethod>("tutti_access", "auto, naive, list, sieve or mapped"),
      choice<&Hints::transport, TransportChoice>("tutti_transport",
                                                 "auto, messages, shared or arena"),
      choice<&Hints::nonblocking, NonblockingChoice>("tutti_nonblocking", "auto, thread or polled"),
      number<&Hints::list_segments, 0, 1 << 20>("tutti_list_segments", kCount),
      number<&Hints::delay_us, 0, 10'000'000>("tutti_delay_us", "microseconds, at most 10 s"),
      choice<&Hints::read_ahead, Toggle>("tutti_read_ahead", kToggle),
      choice<&Hints::turns, Toggle>("tutti_turns", kToggle),
      text<&Hints::profile>("tutti_profile", "a file name"),
  };
  return kRows;
}

const HintRow* find_row(std::string_view key) {
  const auto rows = hint_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const HintRow& row) { return row.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

// cb_nodes -> TUTTI_CB_NODES, tutti_radix -> TUTTI_RADIX.
std::string variable_name(std::string_view key) {
  std::string name = key.starts_with("tutti_") ? std::string() : std::string("TUTTI_");
  for (const char c : key) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

}  // namespace

HintOutcome set_hint(Hints& hints, std::string_view key, std::string_view value) {
  const HintRow* row = find_row(trimmed(key));
  if (row == nullptr) return HintOutcome::unknown_key;
  return row->set(hints, trimmed(value)) ? HintOutcome::applied : HintOutcome::bad_value;
}

std::string bad_hint_message(const Hints& hints, std::string_view key, std::string_view value) {
  const HintRow* row = find_row(trimmed(key));
  if (row == nullptr) return "hint " + std::string(key) + " is not known and is ignored";
  return "hint " + std::string(row->key) + ": '" + std::string(value) + "' is not " +
         std::string(row->accepts) + "; using '" + row->get(hints) + "'";
}

std::vector<std::pair<std::string, std::string>> list_hints(const Hints& hints) {
  std::vector<std::pair<std::string, std::string>> listed;
  for (const HintRow& row : hint_rows()) listed.emplace_back(row.key, row.get(hints));
  return listed;
}

int permissions_of(const Hints& hints) {
  constexpr int kWhateverTheMaskAllows = 0666;
  int said = 0;
  return !hints.file_perm.empty() && parse_permissions(hints.file_perm, said)
             ? said
             : kWhateverTheMaskAllows;
}

std::vector<std::string> apply_hint_file(Hints& hints, std::string_view text,
                                         std::string_view name) {
  std::vector<std::string> complaints;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = line.find_first_of(" \t");
    const std::string_view key = line.substr(0, blank);
    const std::string_view value =
        blank == std::string_view::npos ? std::string_view() : line.substr(blank);
    const bool known = find_row(key) != nullptr;
    if (known && !trimmed(value).empty() && set_hint(hints, key, value) == HintOutcome::applied)
      continue;
    complaints.push_back(std::string(name) + " line " + std::to_string(number) + ": " +
                         bad_hint_message(hints, key, trimmed(value)));
  }
  return complaints;
}

std::vector<std::string> apply_environment(Hints& hints, const Lookup& lookup) {
  std::vector<std::string> complaints;
  for (const HintRow& row : hint_rows()) {
    const std::string name = variable_name(row.key);
    const auto value = lookup(name);
    if (value && !row.set(hints, trimmed(*value)))
      complaints.push_back(name +
                           " in the environment: " + bad_hint_message(hints, row.key, *value));
  }
  return complaints;
}

}  // namespace tutti
