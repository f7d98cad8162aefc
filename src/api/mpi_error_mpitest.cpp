// ranks: 1 2
#include "api/mpi_error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::class_of;
using test::text_of;

TEST(MpiError, EveryKindHasAClassOfItsOwn) {
  std::set<int> classes;
  constexpr int kKinds = static_cast<int>(ErrorKind::internal) + 1;
  for (int kind = 0; kind < kKinds; ++kind)
    classes.insert(error_class(static_cast<ErrorKind>(kind)));
  EXPECT_EQ(classes.size(), static_cast<std::size_t>(kKinds));
  EXPECT_EQ(classes.count(MPI_SUCCESS), 0U);
  EXPECT_EQ(classes.count(MPI_ERR_OTHER), 0U);
}

TEST(MpiError, ACodeHasTheClassAndSaysWhatHappened) {
  const int code = error_code({ErrorKind::no_space, "/data/run7: no space left"}, "MPI_File_write");
  EXPECT_EQ(class_of(code), MPI_ERR_NO_SPACE);
  EXPECT_NE(text_of(code).find("/data/run7: no space left"), std::string::npos) << text_of(code);
  EXPECT_NE(text_of(code).find("MPI_File_write"), std::string::npos) << text_of(code);
}

TEST(MpiError, PercentSignsAndLongNamesAreHarmless) {
  const std::string name = "/data/%s%n%d/" + std::string(4000, 'x') + "/end";
  const int code = error_code({ErrorKind::io, name + ": broken"}, "MPI_File_read");
  EXPECT_EQ(class_of(code), MPI_ERR_IO);
  EXPECT_NE(text_of(code).find("/data/%s%n%d/"), std::string::npos) << text_of(code);
  EXPECT_NE(text_of(code).find("/end: broken"), std::string::npos) << text_of(code);
}

TEST(MpiError, ManyErrorsUseFewCodes) {
  std::set<int> codes;
  for (int i = 0; i < 5000; ++i) {
    const std::string message = "file" + std::to_string(i) + ": gone";
    const int code = error_code({ErrorKind::no_such_file, message}, "MPI_File_open");
    ASSERT_EQ(class_of(code), MPI_ERR_NO_SUCH_FILE);
    ASSERT_NE(text_of(code).find(message), std::string::npos);
    codes.insert(code);
  }
#if defined(TUTTI_HOST_OPENMPI)
  EXPECT_LE(codes.size(), 256U) << "Open MPI never gives codes back";
#endif
}

TEST(MpiError, CodesOfOneCallKeepTheirTexts) {
  constexpr int kFailures = 128;
  std::vector<int> codes;
  const auto message = [](int i) { return "part" + std::to_string(i) + ": no space left"; };
  for (int i = 0; i < kFailures; ++i)
    codes.push_back(error_code({ErrorKind::no_space, message(i)}, "MPI_File_iwrite_at"));
  for (int i = 0; i < kFailures; ++i)
    EXPECT_NE(text_of(codes[static_cast<std::size_t>(i)]).find(message(i)), std::string::npos);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
