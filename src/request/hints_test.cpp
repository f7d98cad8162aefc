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

TEST(Hints, TheStandardsHintsAreChecked) {
  Hints hints;
  const std::pair<const char*, const char*> good[] = {{"access_style", "read_once,sequential"},
                                                      {"access_style", "random, write_mostly"},
                                                      {"chunked", "100,200"},
                                                      {"chunked_item", "8"},
                                                      {"chunked_size", "10,20"},
                                                      {"cb_block_size", "4096"},
                                                      {"io_node_list", "a,b"},
                                                      {"nb_proc", "16"},
                                                      {"num_io_nodes", "4"},
                                                      {"file_perm", "0640"},
                                                      {"collective_buffering", "false"}};
  for (const auto& [key, value] : good)
    EXPECT_EQ(set_hint(hints, key, value), HintOutcome::applied) << key;
  EXPECT_EQ(permissions_of(hints), 0640);
  EXPECT_EQ(hints.romio_cb_read, Toggle::disable);
  EXPECT_EQ(hints.romio_cb_write, Toggle::disable);
  Hints copy;
  for (const auto& [key, value] : list_hints(hints))
    EXPECT_EQ(set_hint(copy, key, value), HintOutcome::applied) << key;
  EXPECT_EQ(copy, hints);
  const std::pair<const char*, const char*> bad[] = {{"access_style", "read_twice"},
                                                     {"access_style", "random,,sequential"},
                                                     {"chunked", "1,x"},
                                                     {"file_perm", "rw-r--r--"},
                                                     {"file_perm", "7777"},
                                                     {"collective_buffering", "maybe"},
                                                     {"nb_proc", "0"},
                                                     {"num_io_nodes", "many"}};
  for (const auto& [key, value] : bad)
    EXPECT_EQ(set_hint(hints, key, value), HintOutcome::bad_value) << key << "=" << value;
  EXPECT_EQ(copy, hints) << "a bad value changes nothing";
  EXPECT_EQ(permissions_of(Hints{}), 0666);
}

TEST(Hints, TheStandardsCollectiveBufferingGivesWayToTheFinerHints) {
  Hints hints;
  set_hint(hints, "collective_buffering", "true");
  set_hint(hints, "romio_cb_read", "disable");
  Hints copy;
  for (const auto& [key, value] : list_hints(hints)) set_hint(copy, key, value);
  EXPECT_EQ(copy.romio_cb_read, Toggle::disable);
  EXPECT_EQ(copy.romio_cb_write, Toggle::enable);
}

TEST(Hints, AHintFileHasAKeyAndAValuePerLine) {
  Hints hints;
  const auto complaints = apply_hint_file(hints,
                                          "# a comment\n"
                                          "\n"
                                          "cb_nodes 4\n"
                                          "  romio_cb_write\t enable \r\n"
                                          "cb_config_list *:2\n"
                                          "cb_buffer_size much\n"
                                          "no_such_hint 1\n"
                                          "tutti_radix\n"
                                          "striping_unit 65536",
                                          "the file");
  EXPECT_EQ(hints.cb_nodes, 4);
  EXPECT_EQ(hints.romio_cb_write, Toggle::enable);
  EXPECT_EQ(hints.cb_config_list, "*:2");
  EXPECT_EQ(hints.striping_unit, 65536);
  EXPECT_EQ(hints.cb_buffer_size, Hints{}.cb_buffer_size);
  ASSERT_EQ(complaints.size(), 3U);
  EXPECT_EQ(complaints[0].rfind("the file line 6: hint cb_buffer_size: 'much'", 0), 0U)
      << complaints[0];
  EXPECT_EQ(complaints[1].rfind("the file line 7: hint no_such_hint is not known", 0), 0U)
      << complaints[1];
  EXPECT_EQ(complaints[2].rfind("the file line 8: hint tutti_radix", 0), 0U) << complaints[2];
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
