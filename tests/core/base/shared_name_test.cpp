// Several files on their way to one name: of one process, of several, of processes that have ended.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "tests/support/folder_names.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

namespace fs = std::filesystem;
using test::names_in;
using test::TempDir;

void put(const PendingFile& file, const std::string& text) {
    ASSERT_EQ(::pwrite(file.descriptor(), text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
}

/// A process that runs `work` and then stays until it is killed.
class Process {
  public:
    explicit Process(const std::function<void()>& work) {
        int ready[2];
        EXPECT_EQ(::pipe(ready), 0);
        child_ = ::fork();
        if (child_ == 0) {
            ::close(ready[0]);
            work();
            if (::write(ready[1], "x", 1) != 1) ::_exit(1);
            for (;;)
                ::pause();
        }
        ::close(ready[1]);
        char byte = 0;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "the process ended by itself";
        ::close(ready[0]);
    }
    ~Process() { kill(); }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    void kill() {
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        child_ = 0;
    }

  private:
    pid_t child_ = 0;
};

/// What a file system may offer; all must work.
class SharedName : public ::testing::TestWithParam<bool> {
  protected:
    [[nodiscard]] PendingFile file(const char* name = "a.h5") const {
        return PendingFile::unpublished(folder_ / name, {.nameless_files = GetParam()});
    }
    TempDir folder_;
};

TEST_P(SharedName, is_another_files_while_that_lives) {
    PendingFile first = file();
    put(first, "first");
    EXPECT_EQ(first.publish(), "");
    PendingFile second = file();
    put(second, "second");
    EXPECT_NE(second.publish(), "");
    EXPECT_FALSE(second.is_published());
    EXPECT_EQ(test::read_file(first.part_path()), "first");
    first.commit();
    EXPECT_EQ(test::read_file(folder_ / "a.h5"), "first");
    EXPECT_EQ(second.publish(), "");
    EXPECT_EQ(test::read_file(folder_ / "a.h5"), "first");
    second.commit();
    EXPECT_EQ(test::read_file(folder_ / "a.h5"), "second");
    EXPECT_EQ(names_in(folder_), std::vector<std::string>{"a.h5"});
}

TEST_P(SharedName, is_another_processs_until_that_is_killed) {
    PendingFile mine = file();
    Process process([&] {
        auto* theirs = new PendingFile(file());
        put(*theirs, "theirs");
        if (!theirs->publish().empty()) ::_exit(1);
    });
    EXPECT_EQ(mine.publish(), "is being written by another process");
    EXPECT_EQ(test::read_file(folder_ / "a.h5.part.h5"), "theirs");
    process.kill();
    EXPECT_EQ(mine.publish(), "");
    EXPECT_EQ(test::read_file(folder_ / "a.h5.part.h5"), "");
}

TEST_P(SharedName, the_lock_ends_with_its_process_although_a_child_of_it_lives) {
    int child[2];
    ASSERT_EQ(::pipe(child), 0);
    Process parent([&] {
        auto* theirs = new PendingFile(file());
        if (!theirs->publish().empty()) ::_exit(1);
        if (::fork() != 0) return;
        // Where fork() has returned here, the child has let go of the file.
        const pid_t grandchild = ::getpid();
        if (::write(child[1], &grandchild, sizeof grandchild) < 0) ::_exit(1);
        for (;;)
            ::pause();
    });
    pid_t grandchild = 0;
    ASSERT_EQ(::read(child[0], &grandchild, sizeof grandchild),
              static_cast<ssize_t>(sizeof grandchild));
    PendingFile mine = file();
    EXPECT_NE(mine.publish(), "");
    parent.kill();
    EXPECT_EQ(::kill(grandchild, 0), 0);
    EXPECT_EQ(mine.publish(), "");
    ::kill(grandchild, SIGKILL);
    ::close(child[0]);
    ::close(child[1]);
}

TEST_P(SharedName, a_forked_child_neither_writes_nor_removes_nor_unlocks_the_file) {
    PendingFile mine = file();
    put(mine, "mine");
    ASSERT_EQ(mine.publish(), "");
    const pid_t child = ::fork();
    if (child == 0) {
        put(mine, "child");
        try {
            mine.commit();
        } catch (const Error&) {
            mine.discard();
            ::_exit(0);
        }
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(names_in(folder_), std::vector<std::string>{"a.h5.part.h5"});
    EXPECT_EQ(test::read_file(mine.part_path()), "mine");
    EXPECT_NE(file().publish(), "");
    mine.commit();
    EXPECT_EQ(test::read_file(folder_ / "a.h5"), "mine");
}

TEST_P(SharedName, what_a_killed_process_left_is_handed_over_before_it_goes) {
    Process process([&] {
        auto* theirs = new PendingFile(file());
        put(*theirs, "theirs");
        if (!theirs->publish().empty()) ::_exit(1);
    });
    process.kill();
    std::string found;
    PendingFile mine = PendingFile::unpublished(
        folder_ / "a.h5",
        {.clear_leftover = [&](const fs::path& part) { found = test::read_file(part); },
         .nameless_files = GetParam()});
    EXPECT_EQ(mine.publish(), "");
    EXPECT_EQ(found, "theirs");
}

TEST_P(SharedName, a_file_whose_part_name_was_taken_away_is_kept_beside_it) {
    test::write_file(folder_ / "a.h5", "older");
    test::write_file(folder_ / "a_2.h5", "another");
    PendingFile mine = file();
    put(mine, "mine");
    ASSERT_EQ(mine.publish(), "");
    fs::remove(mine.part_path());
    test::write_file(mine.part_path(), "half of theirs");
    try {
        mine.commit();
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo);
        EXPECT_NE(std::string(error.what()).find("a_3.h5'"), std::string::npos) << error.what();
    }
    EXPECT_EQ(test::read_file(folder_ / "a.h5"), "older");
    EXPECT_EQ(test::read_file(folder_ / "a_2.h5"), "another");
    EXPECT_EQ(test::read_file(folder_ / "a_3.h5"), "mine");
    EXPECT_EQ(test::read_file(folder_ / "a.h5.part.h5"), "half of theirs");
}

TEST_P(SharedName, a_file_whose_part_name_was_changed_is_kept_beside_it) {
    PendingFile mine = file();
    put(mine, "mine");
    ASSERT_EQ(mine.publish(), "");
    fs::rename(mine.part_path(), folder_ / "moved.h5");
    EXPECT_THROW(mine.commit(), Error);
    EXPECT_EQ(names_in(folder_), (std::vector<std::string>{"a_2.h5", "moved.h5"}));
    EXPECT_EQ(test::read_file(folder_ / "a_2.h5"), "mine");
}

TEST_P(SharedName, without_locks_it_is_written_and_a_part_file_is_another_processs) {
    const PendingOptions lockless{.nameless_files = GetParam(), .locks = false};
    for (const char* text : {"first", "second"}) {
        PendingFile mine = PendingFile::unpublished(folder_ / "a.h5", lockless);
        put(mine, text);
        ASSERT_EQ(mine.publish(), "");
        mine.commit();
        EXPECT_EQ(test::read_file(folder_ / "a.h5"), text);
    }
    test::write_file(folder_ / "a.h5.part.h5", "somebody's");
    PendingFile mine = PendingFile::unpublished(folder_ / "a.h5", lockless);
    EXPECT_NE(mine.publish().find("no locks"), std::string::npos);
    EXPECT_EQ(test::read_file(folder_ / "a.h5.part.h5"), "somebody's");
    // Who writes by name finds another one.
    const PendingFile by_name(folder_ / "a.h5", lockless);
    EXPECT_EQ(by_name.part_path(), folder_ / "a.h5.part_2.h5");
}

TEST_P(SharedName, an_unpublished_file_leaves_nothing) {
    { const PendingFile mine = file(); }
    {
        PendingFile mine = file();
        EXPECT_FALSE(mine.keep());
    }
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

INSTANTIATE_TEST_SUITE_P(FileSystems, SharedName, ::testing::Bool(), [](const auto& info) {
    return info.param ? "with_nameless_files" : "without";
});

TEST(SharedText, processes_that_write_one_name_leave_one_whole_text) {
    const TempDir folder;
    constexpr int kProcesses = 6;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
        children.push_back(::fork());
        if (children.back() != 0) continue;
        const std::string text(200000, static_cast<char>('a' + i));
        try {
            for (int round = 0; round < 20; ++round)
                write_text_file(folder / "t.txt", text);
        } catch (const Error& error) {
            std::fprintf(stderr, "%s\n", error.what());
            ::_exit(1);
        }
        ::_exit(0);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    const std::string text = test::read_file(folder / "t.txt");
    EXPECT_EQ(text, std::string(200000, text.at(0)));
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"t.txt"});
}

}  // namespace
}  // namespace npuscope
