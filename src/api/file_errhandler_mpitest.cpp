// ranks: 1 2
// Error handlers of files: predefined, made by the program, on MPI_FILE_NULL.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/shared_file.hpp"

namespace {

struct Seen {
  MPI_File file;
  int code;
};
std::vector<Seen> first_handler;
std::vector<Seen> second_handler;
std::vector<MPI_Comm> aborted;

void first(MPI_File* file, int* code, ...) { first_handler.push_back({*file, *code}); }
void second(MPI_File* file, int* code, ...) { second_handler.push_back({*file, *code}); }
void for_communicators(MPI_Comm*, int*, ...) {}

}  // namespace

// Ends the job in life; here it is only told.
extern "C" int PMPI_Abort(MPI_Comm comm, int) {
  aborted.push_back(comm);
  return MPI_SUCCESS;
}

namespace tutti {
namespace {

using test::class_of;
using test::SharedFile;

class FileErrhandler : public testing::Test {
 protected:
  void SetUp() override {
    first_handler.clear();
    second_handler.clear();
    aborted.clear();
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                            MPI_INFO_NULL, &handle_),
              MPI_SUCCESS);
  }
  void TearDown() override {
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }
  int fail() { return MPI_File_seek(handle_, -1, MPI_SEEK_SET); }

  SharedFile file_{"errhandler"};
  MPI_File handle_ = MPI_FILE_NULL;
};

TEST_F(FileErrhandler, FilesReturnErrorsAtFirst) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  TUTTI_OK(MPI_File_get_errhandler(handle_, &handler));
  EXPECT_EQ(handler, MPI_ERRORS_RETURN);
  EXPECT_EQ(class_of(fail()), MPI_ERR_ARG);
  EXPECT_TRUE(aborted.empty());
}

TEST_F(FileErrhandler, AProgramsHandlerIsCalledWithFileAndCode) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  TUTTI_OK(MPI_File_create_errhandler(first, &handler));
  TUTTI_OK(MPI_File_set_errhandler(handle_, handler));
  const MPI_Errhandler kept = handler;
  MPI_Errhandler_free(&handler);  // the file keeps it alive
  const int code = fail();
  ASSERT_EQ(first_handler.size(), 1U);
  EXPECT_EQ(first_handler[0].file, handle_);
  EXPECT_EQ(first_handler[0].code, code);
  EXPECT_EQ(class_of(code), MPI_ERR_ARG);
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  TUTTI_OK(MPI_File_get_errhandler(handle_, &got));
  EXPECT_EQ(got, kept);
  MPI_Errhandler_free(&got);
  TUTTI_OK(MPI_File_call_errhandler(handle_, MPI_ERR_QUOTA));
  ASSERT_EQ(first_handler.size(), 2U);
  EXPECT_EQ(first_handler[1].code, MPI_ERR_QUOTA);
}

TEST_F(FileErrhandler, HandlersBelongToTheirFile) {
  MPI_Errhandler one = MPI_ERRHANDLER_NULL;
  MPI_Errhandler two = MPI_ERRHANDLER_NULL;
  TUTTI_OK(MPI_File_create_errhandler(first, &one));
  TUTTI_OK(MPI_File_create_errhandler(second, &two));
  MPI_File other = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &other));
  TUTTI_OK(MPI_File_set_errhandler(handle_, one));
  TUTTI_OK(MPI_File_set_errhandler(other, two));
  MPI_File_seek(other, -1, MPI_SEEK_SET);
  EXPECT_EQ(first_handler.size(), 0U);
  ASSERT_EQ(second_handler.size(), 1U);
  EXPECT_EQ(second_handler[0].file, other);
  fail();
  EXPECT_EQ(first_handler.size(), 1U);
  TUTTI_OK(MPI_File_set_errhandler(handle_, MPI_ERRORS_RETURN));
  fail();
  EXPECT_EQ(first_handler.size(), 1U);
  MPI_Errhandler_free(&one);
  MPI_Errhandler_free(&two);
  TUTTI_OK(MPI_File_close(&other));
}

TEST_F(FileErrhandler, OpenAndDeleteRaiseOnFileNull) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  TUTTI_OK(MPI_File_create_errhandler(first, &handler));
  TUTTI_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  TUTTI_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
  EXPECT_EQ(got, handler);
  MPI_Errhandler_free(&got);
  const std::string missing = file_.path() + ".missing";
  MPI_File none = MPI_FILE_NULL;
  const int code =
      MPI_File_open(MPI_COMM_WORLD, missing.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &none);
  EXPECT_EQ(class_of(code), MPI_ERR_NO_SUCH_FILE);
  MPI_File_delete(missing.c_str(), MPI_INFO_NULL);
  MPI_File_sync(MPI_FILE_NULL);
  ASSERT_EQ(first_handler.size(), 3U);
  for (const Seen& seen : first_handler) EXPECT_EQ(seen.file, MPI_FILE_NULL);
  EXPECT_EQ(class_of(first_handler[2].code), MPI_ERR_FILE);
  // Files opened now start with it.
  MPI_File later = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &later));
  TUTTI_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&handler);
  MPI_File_seek(later, -1, MPI_SEEK_SET);
  ASSERT_EQ(first_handler.size(), 4U);
  EXPECT_EQ(first_handler[3].file, later);
  TUTTI_OK(MPI_File_close(&later));
}

TEST_F(FileErrhandler, FatalEndsTheJob) {
  TUTTI_OK(MPI_File_set_errhandler(handle_, MPI_ERRORS_ARE_FATAL));
  testing::internal::CaptureStderr();
  fail();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(aborted.size(), 1U);
  EXPECT_NE(said.find(file_.path()), std::string::npos) << said;
  EXPECT_NE(said.find("MPI_File_seek"), std::string::npos) << said;
#if defined(TUTTI_HOST_MPICH)
  TUTTI_OK(MPI_File_set_errhandler(handle_, MPI_ERRORS_ABORT));
  testing::internal::CaptureStderr();
  fail();
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(aborted.size(), 2U);
  EXPECT_EQ(aborted[1], MPI_COMM_SELF);
#endif
  TUTTI_OK(MPI_File_set_errhandler(handle_, MPI_ERRORS_RETURN));
}

TEST_F(FileErrhandler, WrongHandlersAreRefused) {
  EXPECT_EQ(class_of(MPI_File_set_errhandler(handle_, MPI_ERRHANDLER_NULL)), MPI_ERR_ARG);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(for_communicators, &handler);
  EXPECT_EQ(class_of(MPI_File_set_errhandler(handle_, handler)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_File_set_errhandler(MPI_FILE_NULL, handler)), MPI_ERR_ARG);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  TUTTI_OK(MPI_File_get_errhandler(handle_, &got));
  EXPECT_EQ(got, MPI_ERRORS_RETURN);
  EXPECT_EQ(class_of(MPI_File_create_errhandler(nullptr, &handler)), MPI_ERR_ARG);
}

TEST_F(FileErrhandler, WrongFilesAreFoundOutByEveryCall) {
  const MPI_File old = handle_;
  TUTTI_OK(MPI_File_close(&handle_));
  int target = 0;
  for (MPI_File wrong : {MPI_FILE_NULL, old, reinterpret_cast<MPI_File>(&target),
                         reinterpret_cast<MPI_File>(std::uintptr_t{8})}) {
    MPI_Offset offset = 0;
    int flag = 0;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Aint extent = 0;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    char text[MPI_MAX_DATAREP_STRING] = {};
    const std::vector<int> codes{
        MPI_File_set_size(wrong, 1),
        MPI_File_preallocate(wrong, 1),
        MPI_File_get_size(wrong, &offset),
        MPI_File_get_group(wrong, &group),
        MPI_File_get_amode(wrong, &flag),
        MPI_File_set_info(wrong, MPI_INFO_NULL),
        MPI_File_get_info(wrong, &info),
        MPI_File_set_view(wrong, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
        MPI_File_get_view(wrong, &offset, &type, &type, text),
        MPI_File_read_at(wrong, 0, text, 1, MPI_CHAR, MPI_STATUS_IGNORE),
        MPI_File_read_at_all(wrong, 0, text, 1, MPI_CHAR, MPI_STATUS_IGNORE),
        MPI_File_write_at(wrong, 0, text, 1, MPI_CHAR, MPI_STATUS_IGNORE),
        MPI_File_write_all(wrong, text, 1, MPI_CHAR, MPI_STATUS_IGNORE),
        MPI_File_read(wrong, text, 1, MPI_CHAR, MPI_STATUS_IGNORE),
        MPI_File_iread(wrong, text, 1, MPI_CHAR, &request),
        MPI_File_write_shared(wrong, text, 1, MPI_CHAR, MPI_STATUS_IGNORE),
        MPI_File_read_all_begin(wrong, text, 1, MPI_CHAR),
        MPI_File_read_all_end(wrong, text, MPI_STATUS_IGNORE),
        MPI_File_seek(wrong, 0, MPI_SEEK_SET),
        MPI_File_get_position(wrong, &offset),
        MPI_File_get_byte_offset(wrong, 0, &offset),
        MPI_File_get_type_extent(wrong, MPI_INT, &extent),
        MPI_File_set_atomicity(wrong, 1),
        MPI_File_get_atomicity(wrong, &flag),
        MPI_File_sync(wrong),
        wrong == MPI_FILE_NULL ? MPI_ERR_FILE : MPI_File_get_errhandler(wrong, &handler),
        wrong == MPI_FILE_NULL ? MPI_ERR_FILE : MPI_File_call_errhandler(wrong, MPI_ERR_IO),
        MPI_File_close(&wrong),
    };
    for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(class_of(codes[i]), MPI_ERR_FILE) << i;
    EXPECT_EQ(MPI_File_c2f(wrong), 0);
  }
  EXPECT_EQ(class_of(MPI_File_close(nullptr)), MPI_ERR_FILE);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
