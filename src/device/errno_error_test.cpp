#include "device/errno_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace tutti {
namespace {

TEST(ErrnoError, MessagesNameFileCauseAndAction) {
  const Transfer writing{.kind = TransferKind::write, .offset = 0, .bytes = 4096};
  EXPECT_EQ(transfer_error(ENOSPC, "/dev/shm/x", writing).message,
            "/dev/shm/x: no space left on device (writing 4096 bytes at offset 0)");
  const Transfer reading{.offset = 5'000'000'000, .bytes = 1};
  EXPECT_EQ(transfer_error(EIO, "/x", reading).message,
            "/x: input/output error (reading 1 bytes at offset 5000000000)");
  EXPECT_EQ(errno_error(ENOENT, "/x", "").message, "/x: no such file or directory");
  EXPECT_EQ(errno_error(99999, "/x", "trying").message, "/x: error 99999 (trying)");
}

TEST(ErrnoError, KindsAreTheOnesMpiTellsApart) {
  EXPECT_EQ(errno_kind(ENOENT), ErrorKind::no_such_file);
  EXPECT_EQ(errno_kind(EEXIST), ErrorKind::file_exists);
  EXPECT_EQ(errno_kind(EACCES), ErrorKind::access_denied);
  EXPECT_EQ(errno_kind(EPERM), ErrorKind::access_denied);
  EXPECT_EQ(errno_kind(EROFS), ErrorKind::read_only);
  EXPECT_EQ(errno_kind(EISDIR), ErrorKind::bad_file_name);
  EXPECT_EQ(errno_kind(ENOTDIR), ErrorKind::bad_file_name);
  EXPECT_EQ(errno_kind(ENAMETOOLONG), ErrorKind::bad_file_name);
  EXPECT_EQ(errno_kind(ELOOP), ErrorKind::bad_file_name);
  EXPECT_EQ(errno_kind(ENOSPC), ErrorKind::no_space);
  EXPECT_EQ(errno_kind(EDQUOT), ErrorKind::quota_exceeded);
  EXPECT_EQ(errno_kind(ETXTBSY), ErrorKind::file_in_use);
  EXPECT_EQ(errno_kind(EBUSY), ErrorKind::file_in_use);
  EXPECT_EQ(errno_kind(ENOMEM), ErrorKind::no_memory);
  EXPECT_EQ(errno_kind(EBADF), ErrorKind::invalid_handle);
  EXPECT_EQ(errno_kind(EINVAL), ErrorKind::invalid_argument);
  EXPECT_EQ(errno_kind(EOPNOTSUPP), ErrorKind::unsupported_operation);
  EXPECT_EQ(errno_kind(EIO), ErrorKind::io);
  EXPECT_EQ(errno_kind(EFBIG), ErrorKind::quota_exceeded);
}

TEST(ErrnoError, NamesAndNumbersOfErrno) {
  EXPECT_EQ(errno_from_name("ENOSPC"), ENOSPC);
  EXPECT_EQ(errno_from_name("EIO"), EIO);
  EXPECT_EQ(errno_from_name("EDQUOT"), EDQUOT);
  EXPECT_EQ(errno_from_name("ENOTSUP"), EOPNOTSUPP);
  EXPECT_EQ(errno_from_name("EOPNOTSUPP"), EOPNOTSUPP);
  EXPECT_EQ(errno_from_name("28"), 28);
  for (const char* wrong : {"", "0", "-5", "28x", "ENO", "enospc", "99999"}) {
    EXPECT_FALSE(errno_from_name(wrong)) << wrong;
  }
  for (int code = 1; code < 134; ++code) {
    const char* name = strerrorname_np(code);
    if (name == nullptr) continue;
    EXPECT_EQ(errno_from_name(name), code) << name;
  }
}

}  // namespace
}  // namespace tutti
