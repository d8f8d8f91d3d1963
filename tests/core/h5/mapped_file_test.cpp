#include "core/h5/mapped_file.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/base/owned_descriptor.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

class MappedFileTest : public ::testing::Test {
  protected:
    std::shared_ptr<const MappedFile> map(const std::string& content) {
        test::write_file(path_, content);
        const OwnedDescriptor file(path_, O_RDONLY);
        return MappedFile::map(file.get());
    }

    const TempDir folder_;
    const std::filesystem::path path_ = folder_ / "file";
};

TEST_F(MappedFileTest, copies_bytes_though_the_descriptor_it_was_made_from_is_closed) {
    const auto file = map("0123456789");
    std::array<std::byte, 4> taken{};
    file->copy(file->bytes().data() + 3, taken.size(), taken.data());
    EXPECT_EQ(std::memcmp(taken.data(), "3456", taken.size()), 0);
    EXPECT_TRUE(file->is_intact());
}

TEST_F(MappedFileTest, what_was_cut_off_is_zeros_and_told) {
    const auto file = map(std::string(size_t{3} << 12, 'x'));
    std::filesystem::resize_file(path_, 2);
    std::array<std::byte, 4> taken{std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}};
    file->copy(file->bytes().data(), taken.size(), taken.data());
    EXPECT_EQ(taken, (std::array<std::byte, 4>{std::byte{'x'}, std::byte{'x'}}));
    EXPECT_FALSE(file->is_intact());
}

}  // namespace
}  // namespace npuscope::h5
