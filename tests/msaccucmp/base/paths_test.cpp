#include "msaccucmp/base/paths.h"

#include <filesystem>
#include <sstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/log.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

using test::TempDir;
using test::write_file;

struct Checked {
    int code = 0;
    std::string log;
};

Checked check(const std::filesystem::path& path,
              PathType type = PathType::kAny,
              bool exist = true,
              bool writable = false) {
    std::ostringstream text;
    Log log(text);
    const int code = check_path(path.string(), exist, writable, type, log);
    EXPECT_EQ(code == kOk, text.str().empty()) << text.str();
    return {code, text.str()};
}

TEST(CheckPath, accepts_what_is_there_and_of_the_kind_asked_for) {
    const TempDir temp;
    write_file(temp / "file", "");
    EXPECT_EQ(check(temp / "file").code, kOk);
    EXPECT_EQ(check(temp / "file", PathType::kFile).code, kOk);
    EXPECT_EQ(check(temp.path(), PathType::kDirectory, true, true).code, kOk);
    EXPECT_EQ(check(temp / "new", PathType::kFile, false, true).code, kOk);
    std::filesystem::create_symlink(temp / "file", temp / "link");
    EXPECT_EQ(check(temp / "link", PathType::kFile).code, kOk);
}

TEST(CheckPath, rejects_in_the_references_order) {
    const TempDir temp;
    // Nothing at all, characters (before anything is looked up), length, existence, kind.
    EXPECT_EQ(check("").code, kInvalidParameter);
    EXPECT_EQ(check(temp / ("no,comma" + std::string(300, 'x'))).code, kInvalidParameter);
    EXPECT_EQ(check(temp / ("caf\u00e9")).code, kInvalidParameter);
    EXPECT_EQ(check(temp / "a b").code, kInvalidParameter);
    const Checked long_name = check(temp / std::string(255, 'n'));
    EXPECT_EQ(long_name.code, kInvalidPath);
    EXPECT_EQ(long_name.log.find("does not exist"), std::string::npos);
    EXPECT_NE(check(temp / std::string(254, 'n')).log.find("does not exist"), std::string::npos);
    std::string long_path = temp.path().string();
    while (long_path.size() < 4096)
        long_path += "/" + std::string(200, 'd');
    EXPECT_EQ(check(long_path).log.find("does not exist"), std::string::npos);
    EXPECT_EQ(check(long_path).code, kInvalidPath);
    EXPECT_EQ(check(temp / "nothing").code, kInvalidPath);
    EXPECT_EQ(check(temp / "nothing/below", PathType::kFile, false).code, kInvalidPath);
    write_file(temp / "file", "");
    EXPECT_EQ(check(temp / "file", PathType::kDirectory).code, kInvalidPath);
    EXPECT_EQ(check(temp.path(), PathType::kFile).code, kInvalidPath);
}

TEST(CheckPath, rejects_links_that_lead_nowhere_or_to_themselves) {
    const TempDir temp;
    std::filesystem::create_symlink(temp / "nothing", temp / "dangling");
    std::filesystem::create_symlink(temp / "round", temp / "round");
    EXPECT_EQ(check(temp / "dangling").code, kInvalidPath);
    EXPECT_EQ(check(temp / "round").code, kInvalidPath);
}

TEST(CheckOutputFolder, makes_missing_folders_private) {
    const TempDir temp;
    std::ostringstream text;
    Log log(text);
    EXPECT_EQ(check_output_folder((temp / "a/b/c").string(), log), kOk) << text.str();
    for (const std::string name : {"a", "a/b", "a/b/c"}) {
        struct stat status {};
        ASSERT_EQ(::stat((temp / name).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777u, 0700u) << name;
    }
}

TEST(CheckOutputFolder, rejects_a_file_or_a_place_below_one) {
    const TempDir temp;
    std::ostringstream text;
    Log log(text);
    write_file(temp / "file", "");
    EXPECT_EQ(check_output_folder((temp / "file").string(), log), kInvalidPath);
    EXPECT_EQ(check_output_folder((temp / "file/below").string(), log), kInvalidPath);
    EXPECT_EQ(check_output_folder("", log), kInvalidParameter);
}

}  // namespace
}  // namespace npuscope::msaccucmp
