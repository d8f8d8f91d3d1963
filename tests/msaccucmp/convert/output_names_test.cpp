#include "msaccucmp/convert/output_names.h"

#include <string>

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

// uuid.uuid3(uuid.NAMESPACE_DNS, name).hex of Python 3.11.
TEST(Uuid3, is_that_of_python) {
    EXPECT_EQ(uuid3_of("python.org"), "6fa459eaee8a3ca4894edb77e160355e");
    for (const size_t length : {0u, 38u, 39u, 40u, 47u, 48u, 103u, 104u, 1000u}) {
        const std::string name(length, 'x');
        const auto python = test::run_python(
            "import sys, uuid; print(uuid.uuid3(uuid.NAMESPACE_DNS, sys.argv[1]).hex)", {name});
        EXPECT_EQ(uuid3_of(name) + "\n", python.out) << length;
    }
}

TEST(OutputNames, keeps_names_that_a_file_can_have) {
    const test::TempDir folder;
    OutputNames names(folder.path());
    const std::string longest(254, 'n');
    EXPECT_EQ(names.path_of(longest, ".npy"), folder / longest);
    EXPECT_FALSE(std::filesystem::exists(folder / "mapping.csv"));
}

TEST(OutputNames, maps_longer_ones) {
    const test::TempDir folder;
    OutputNames names(folder.path());
    const std::string name = std::string(251, 'n') + ".npy";
    EXPECT_EQ(names.path_of(name, ".npy"), folder / (uuid3_of(name) + ".npy"));
    EXPECT_EQ(test::read_file(folder / "mapping.csv"), uuid3_of(name) + ".npy," + name + "\n");
}

TEST(OutputNames, does_not_write_through_a_link_called_mapping) {
    const test::TempDir folder;
    test::write_file(folder / "precious", "1\n");
    std::filesystem::create_symlink(folder / "precious", folder / "mapping.csv");
    OutputNames names(folder.path());
    EXPECT_THROW(static_cast<void>(names.path_of(std::string(300, 'n'), ".npy")), CommandError);
    EXPECT_EQ(test::read_file(folder / "precious"), "1\n");
}

TEST(NameWithOp, replaces_the_second_of_five_fields) {
    EXPECT_EQ(name_with_op("Add.x.1.2.3", "scope/real.name"), "Add.real.name.1.2.3");
    EXPECT_EQ(name_with_op("Add.x.1.2.3", ""), "Add.x.1.2.3");
    EXPECT_EQ(name_with_op("Add.x.1.3", "scope/a"), "Add.x.1.3");
    EXPECT_EQ(name_with_op("Add.x.1.2.3.4.5.6.7", "scope/a"), "Add.x.1.2.3.4.5.6.7");
    EXPECT_EQ(name_with_op("Add.x.1.2.3", "../../etc/pass\nwd"), "Add.pass_wd.1.2.3");
}

TEST(FormatName, is_known_for_what_the_reference_tool_knows) {
    EXPECT_EQ(format_name(29), "FRACTAL_NZ");
    for (const int64_t code : {28, 35, 47, 48, 49, 50, -1}) {
        try {
            static_cast<void>(format_name(code));
            ADD_FAILURE() << code;
        } catch (const CommandError& problem) {
            EXPECT_EQ(problem.code(), kInvalidFormat);
        }
    }
}

}  // namespace
}  // namespace npuscope::msaccucmp
