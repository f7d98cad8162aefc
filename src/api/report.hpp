// One line per file for users who ask whether Tutti served their program.
#pragma once

#include "api/file.hpp"

namespace tutti {

// Local. With TUTTI_REPORT set (and not 0) in the environment, rank 0 of the file says on stderr
// what it did on it. To be called before the file is closed.
void report_file(const File& file);

}  // namespace tutti
