#include "core/h5/library_access.h"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

using std::chrono::seconds;

class LibraryAccessTest : public testing::Test {
  protected:
    LibraryAccessTest() {
        const test::RunResult python = test::run_python(
            "import h5py, sys; h5py.File(sys.argv[1], 'w')['x'] = [1, 2]", {path_});
        EXPECT_EQ(python.exit_code, 0) << python.err;
        file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    }
    ~LibraryAccessTest() override { ::close(file_); }

    /// The one process that this thread has started; 0 where there is none.
    static pid_t child() {
        std::ifstream children("/proc/self/task/" + std::to_string(::gettid()) + "/children");
        pid_t found = 0;
        children >> found;
        return found;
    }

    test::TempDir folder_;
    std::string path_ = folder_ / "f.h5";
    int file_ = -1;
};

TEST_F(LibraryAccessTest, replaces_a_process_that_fell_silent_once) {
    LibraryAccess access(path_, file_, ChildLimits{.computing = seconds(4), .waiting = seconds(1)});
    const uint64_t bytes = access.file_bytes();
    EXPECT_EQ(bytes, std::filesystem::file_size(path_));
    const pid_t silent = child();
    ASSERT_GT(silent, 0);
    ASSERT_EQ(::kill(silent, SIGSTOP), 0);
    EXPECT_EQ(access.file_bytes(), bytes);
    EXPECT_NE(child(), silent);
}

TEST_F(LibraryAccessTest, takes_one_that_was_killed_for_the_end_of_the_question) {
    LibraryAccess access(path_, file_);
    const uint64_t bytes = access.file_bytes();
    ASSERT_EQ(::kill(child(), SIGSEGV), 0);
    try {
        static_cast<void>(access.file_bytes());
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("crashed (signal 11) while reading"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(access.file_bytes(), bytes);
}

}  // namespace
}  // namespace npuscope::h5
