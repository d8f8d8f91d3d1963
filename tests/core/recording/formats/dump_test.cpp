#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/recording/formats/format.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

TEST(DumpFormat, is_told_by_its_extension) {
    EXPECT_EQ(format_of("a.h5"), &k_dump_format);
    EXPECT_EQ(format_of("folder/a.hdf5"), &k_dump_format);
}

TEST(DumpFormat, opens_as_ops_with_numbers) {
    const Source source = open_source(test::recording());
    EXPECT_TRUE(source.numbered);
    ASSERT_FALSE(source.ops.empty());
    EXPECT_GT(source.ops.front().id.seqid, 0);
}

TEST(DumpFormat, rejects_a_file_of_another_kind) {
    const test::TempDir folder;
    test::write_file(folder / "a.h5", "no HDF5");
    EXPECT_THROW(static_cast<void>(open_source(folder / "a.h5")), Error);
}

TEST(Formats, name_what_is_read_where_none_takes_a_path) {
    const test::TempDir folder;
    test::write_file(folder / "a.docx", "x");
    try {
        static_cast<void>(open_source(folder / "a.docx"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("is no recording; what is read: a .h5 dump; "),
                  std::string::npos)
            << error.what();
    }
    EXPECT_THROW(static_cast<void>(open_source(folder / "missing")), Error);
}

}  // namespace
}  // namespace npuscope
