#include "core/base/make_folder.h"

#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

std::string reason_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo);
        return error.what();
    }
    return "";
}

TEST(MakeFolder, makes_what_is_missing_and_says_what_cannot_be) {
    const test::TempDir folder;
    const std::filesystem::path deep = folder.path() / "a" / "b";
    make_folder(deep);
    EXPECT_TRUE(std::filesystem::is_directory(deep));
    EXPECT_EQ(reason_of([&] { make_folder(deep); }), "");

    std::ofstream(folder.path() / "file") << "x";
    const std::string below = (folder.path() / "file" / "c").string();
    EXPECT_EQ(reason_of([&] { make_folder(below); }),
              "cannot make the folder '" + below + "': Not a directory");
}

TEST(MakeFolder, tells_a_new_folder_from_one_that_is_there) {
    const test::TempDir folder;
    EXPECT_TRUE(make_new_folder(folder.path() / "a"));
    EXPECT_FALSE(make_new_folder(folder.path() / "a"));
    const std::string orphan = (folder.path() / "none" / "b").string();
    EXPECT_EQ(reason_of([&] { (void)make_new_folder(orphan); }),
              "cannot make the folder '" + orphan + "': No such file or directory");
}

}  // namespace
}  // namespace npuscope
