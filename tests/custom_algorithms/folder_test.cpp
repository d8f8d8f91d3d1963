#include "custom_algorithms/folder.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope::custom_algorithms {
namespace {

using test::TempDir;
using test::write_file;

constexpr const char* kScript = "def compare(my, golden, params):\n    return '1', ''\n";

class CustomFolder : public testing::Test {
  protected:
    CustomFolder() { std::filesystem::create_directories(folder_ / "algorithm"); }

    void add(const std::string& file, const std::string& text = kScript) const {
        const auto path = folder_ / ("algorithm/" + file);
        std::filesystem::create_directories(path.parent_path());
        write_file(path, text);
    }
    /// "" or the message of Error(kUsage).
    [[nodiscard]] std::string problem() const {
        try {
            static_cast<void>(algorithm_names(folder_.path()));
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), ErrorKind::kUsage);
            return failure.what();
        }
        return {};
    }
    void expect_refused(const std::string& words) const {
        EXPECT_NE(problem().find(words), std::string::npos) << problem();
    }

    TempDir folder_;
};

TEST_F(CustomFolder, names_its_scripts_in_alphabetical_order) {
    add("alg_Zeta.py");
    add("alg_alpha_2.py");
    add("alg_Mid.pyc");
    add("alg_Mid.py");
    add("shared_code.py");
    add("__init__.py", "");
    EXPECT_EQ(algorithm_names(folder_.path()),
              (std::vector<std::string>{"Mid", "Zeta", "alpha_2"}));
}

TEST_F(CustomFolder, rejects_a_folder_that_is_not_there_or_holds_no_script) {
    expect_refused("holds no script");
    add("notes.txt");
    expect_refused("holds no script");
    std::filesystem::remove_all(folder_ / "algorithm");
    expect_refused("has no folder 'algorithm'");
    EXPECT_THROW(static_cast<void>(algorithm_names(folder_ / "nothing")), Error);
}

TEST_F(CustomFolder, rejects_names_that_are_none) {
    add("alg_.py");
    expect_refused("no name of letters");
    std::filesystem::remove(folder_ / "algorithm/alg_.py");
    add("alg_my-measure.py");
    expect_refused("no name of letters");
    std::filesystem::remove(folder_ / "algorithm/alg_my-measure.py");
    add("alg_my measure.py");
    expect_refused("characters other than");
}

TEST_F(CustomFolder, rejects_large_files_but_not_one_of_exactly_a_mebibyte) {
    add("alg_One.py");
    add("data.txt", std::string(kLargestFile, 'x'));
    EXPECT_EQ(problem(), "");
    add("data.txt", std::string(kLargestFile + 1, 'x'));
    expect_refused("larger than 1048576");
}

TEST_F(CustomFolder, rejects_too_many_files) {
    add("alg_One.py");
    for (size_t i = 1; i < kMostFiles; ++i)
        add("more/" + std::to_string(i), "");
    EXPECT_EQ(problem(), "");
    add("more/last", "");
    expect_refused("more than 1000 files");
}

TEST_F(CustomFolder, rejects_deep_nesting_and_odd_objects) {
    add("alg_One.py");
    std::string deep = "d";
    for (size_t i = 0; i < kDeepestFolder; ++i)
        deep += "/d";
    add(deep + "/file", "");
    expect_refused("nested deeper than 50");
    std::filesystem::remove_all(folder_ / "algorithm/d");
    std::filesystem::create_symlink("/nowhere", folder_ / "algorithm/link");
    expect_refused("cannot be read");
}

TEST_F(CustomFolder, does_not_walk_into_links_that_lead_back) {
    add("alg_One.py");
    std::filesystem::create_directory_symlink("..", folder_ / "algorithm/up");
    EXPECT_EQ(problem(), "");
}

}  // namespace
}  // namespace npuscope::custom_algorithms
