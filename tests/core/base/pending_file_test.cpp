#include "core/base/pending_file.h"

#include <array>
#include <fcntl.h>
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

TEST(TextFile, goes_into_a_device_or_a_pipe_and_does_not_replace_it) {
    const TempDir folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    const int reader = ::open((folder / "pipe").c_str(), O_RDWR | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    write_text_file(folder / "pipe", "mine");
    std::array<char, 8> read{};
    EXPECT_EQ(::read(reader, read.data(), read.size()), 4);
    EXPECT_STREQ(read.data(), "mine");
    EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
    EXPECT_NE(error_of([&] { PendingFile file(folder / "pipe"); }).find("a device or a pipe"),
              std::string::npos);
    ::close(reader);
    // The device stands behind a link, so that nothing could take its place.
    fs::create_symlink("/dev/full", folder / "full");
    EXPECT_NE(error_of([&] { write_text_file(folder / "full", "mine"); }).find("cannot write"),
              std::string::npos);
    EXPECT_TRUE(fs::is_character_file(folder / "full"));
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
