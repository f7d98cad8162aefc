#include "request/hints.hpp"

#include <map>

#include <gtest/gtest.h>

namespace tutti {
namespace {

TEST(Hints, EveryListedHintReadsBackItsOwnValue) {
  Hints changed;
  changed.cb_nodes = 3;
  changed.romio_ds_write = Toggle::disable;
  changed.strategy = "multi-phase";
  changed.access = AccessMethod::sieve;
  changed.cb_config_list = "*:2";
  changed.profile = "out.json";
  changed.romio_no_indep_rw = true;
  Hints copy;
  for (const auto& [key, value] : list_hints(changed))
    EXPECT_EQ(set_hint(copy, key, value), HintOutcome::applied) << key;
  EXPECT_EQ(copy, changed);
}

TEST(Hints, BadValuesAreRefusedAndExplained) {
  Hints hints;
  for (const auto& [key, value] : std::map<std::string, std::string>{{"cb_nodes", "-1"},
                                                                     {"cb_buffer_size", "16M"},
                                                                     {"romio_cb_write", "on"},
                                                                     {"tutti_strategy", "fast"},
                                                                     {"tutti_radix", "1"},
                                                                     {"tutti_list_segments", ""},
                                                                     {"romio_no_indep_rw", "1"}}) {
    EXPECT_EQ(set_hint(hints, key, value), HintOutcome::bad_value) << key;
    const std::string message = bad_hint_message(hints, key, value);
    EXPECT_NE(message.find(key), std::string::npos);
    EXPECT_NE(message.find("using"), std::string::npos);
  }
  EXPECT_EQ(hints, Hints{});
  EXPECT_EQ(set_hint(hints, "no_such_hint", "1"), HintOutcome::unknown_key);
}

TEST(Hints, BlanksAroundValuesAreIgnored) {
  Hints hints;
  EXPECT_EQ(set_hint(hints, "cb_nodes", " 8 "), HintOutcome::applied);
  EXPECT_EQ(hints.cb_nodes, 8);
}

TEST(Hints, EnvironmentNamesFollowTheKeys) {
  const std::map<std::string, std::string> variables{
      {"TUTTI_STRATEGY", "list"}, {"TUTTI_CB_NODES", "5"}, {"TUTTI_RADIX", "x"}};
  Hints hints;
  const auto complaints = apply_environment(hints, [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
  EXPECT_EQ(hints.strategy, "list");
  EXPECT_EQ(hints.cb_nodes, 5);
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_NE(complaints[0].find("TUTTI_RADIX"), std::string::npos);
}

}  // namespace
}  // namespace tutti
