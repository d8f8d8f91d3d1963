#include "core/base/pending_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

std::string error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
}

TEST(PendingFile, gives_the_final_name_at_commit_only) {
    const TempDir folder;
    PendingFile file(folder / "a.h5");
    EXPECT_EQ(file.part_path(), folder / "a.h5.part.h5");
    test::write_file(file.part_path(), "new");
    EXPECT_FALSE(fs::exists(folder / "a.h5"));
    file.commit();
    EXPECT_EQ(test::read_file(folder / "a.h5"), "new");
    EXPECT_FALSE(fs::exists(file.part_path()));
}

TEST(PendingFile, keeps_an_older_file_until_commit_and_after_a_discard) {
    const TempDir folder;
    test::write_file(folder / "a.txt", "old");
    {
        const PendingFile file(folder / "a.txt");
        test::write_file(file.part_path(), "new");
    }
    EXPECT_EQ(test::read_file(folder / "a.txt"), "old");
    PendingFile file(folder / "a.txt");
    test::write_file(file.part_path(), "new");
    file.commit();
    EXPECT_EQ(test::read_file(folder / "a.txt"), "new");
}

TEST(PendingFile, a_moved_from_file_removes_nothing) {
    const TempDir folder;
    PendingFile first(folder / "a.txt");
    test::write_file(first.part_path(), "x");
    {
        PendingFile second(std::move(first));
        first = PendingFile(folder / "b.txt");
        EXPECT_TRUE(fs::exists(second.part_path()));
        EXPECT_TRUE(fs::exists(first.part_path()));
    }
    EXPECT_FALSE(fs::exists(folder / "a.txt.part.txt"));
    EXPECT_TRUE(fs::exists(first.part_path()));
    first.discard();
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PendingFile, does_not_follow_a_link_planted_under_its_name) {
    const TempDir folder;
    test::write_file(folder / "victim", "precious");
    fs::create_symlink(folder / "victim", folder / "a.txt.part.txt");
    write_text_file(folder / "a.txt", "mine");
    EXPECT_EQ(test::read_file(folder / "victim"), "precious");
    EXPECT_EQ(test::read_file(folder / "a.txt"), "mine");
}

TEST(PendingFile, rejects_a_missing_folder_and_a_directory_by_name) {
    const TempDir folder;
    EXPECT_NE(error_of([&] { PendingFile file(folder / "no/a.h5"); }).find("does not exist"),
              std::string::npos);
    EXPECT_NE(error_of([&] { PendingFile file(folder.path()); }).find("is a directory"),
              std::string::npos);
}

TEST(TextFile, survives_the_round_trip_with_every_byte) {
    const TempDir folder;
    std::string text;
    for (int i = 0; i < 256; ++i)
        text += static_cast<char>(i);
    write_text_file(folder / "t", text);
    EXPECT_EQ(read_text_file(folder / "t"), text);
    write_text_file(folder / "t", "");
    EXPECT_EQ(read_text_file(folder / "t"), "");
}

TEST(TextFile, rejects_a_directory_a_pipe_and_a_missing_file) {
    const TempDir folder;
    EXPECT_NE(error_of([&] { static_cast<void>(read_text_file(folder.path())); }).find("directory"),
              std::string::npos);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_NE(error_of([&] { require_regular_file(folder / "pipe", "model"); }).find("model"),
              std::string::npos);
    EXPECT_NE(
        error_of([&] { require_regular_file(folder / "none", "model"); }).find("check the path"),
        std::string::npos);
    EXPECT_NO_THROW(require_regular_file("/proc/self/exe", "program"));
}

}  // namespace
}  // namespace npuscope
