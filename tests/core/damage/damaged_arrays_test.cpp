// The small files of data/fuzz/arrays and data/fuzz/binary, whole and damaged at random.
#include <array>
#include <map>

#include <gtest/gtest.h>

#include "tests/fuzz/array_file_reading.h"
#include "tests/fuzz/binary_dump_reading.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/mutator.h"
#include "tests/support/support.h"

namespace npuscope::test {
namespace {

std::map<std::string, std::string> files_in(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_dir() / "data" / "fuzz" / folder))
        files.emplace(entry.path().filename(), read_file(entry.path()));
    return files;
}

int64_t read_arrays(const MemoryFile& file, const std::string& content) {
    file.set(content.data(), content.size());
    return read_array_file(std::as_bytes(std::span(content)), file.path());
}

int64_t read_binary(const MemoryFile& file, const std::string& content) {
    file.set(content.data(), content.size());
    return read_binary_dump(file.path());
}

/// How many damaged copies of a folder's files, `rounds` of each, were refused and taken.
template <class Takes>
std::array<int, 2> after_damage(const std::string& folder,
                                uint32_t seed,
                                int rounds,
                                Takes&& takes) {
    const MemoryFile file;
    Mutator mutate(seed);
    std::array<int, 2> outcomes{};
    for (const auto& [name, content] : files_in(folder))
        for (int round = 0; round < rounds; ++round)
            ++outcomes[takes(file, mutate.changed(content, 3, content)) ? 1 : 0];
    return outcomes;
}

TEST(DamagedArrayFile, is_read_while_it_is_sound) {
    const MemoryFile file;
    for (const auto& [name, content] : files_in("arrays"))
        EXPECT_EQ(read_arrays(file, content), name == "complex.npy" ? 0 : 1) << name;
}

TEST(DamagedArrayFile, is_read_or_refused_whatever_is_changed) {
    const auto [refused, taken] = after_damage(
        "arrays", 20250812, 3000, [](const MemoryFile& file, const std::string& bytes) {
            return read_arrays(file, bytes) > 0;
        });
    EXPECT_GT(refused, 3000);
    EXPECT_GT(taken, 1000);
}

TEST(DamagedBinaryDump, is_read_while_it_is_sound) {
    const MemoryFile file;
    const auto files = files_in("binary");
    EXPECT_EQ(read_binary(file, files.at("one_input")), 2);
    EXPECT_EQ(read_binary(file, files.at("two_inputs")), 3);
}

TEST(DamagedBinaryDump, is_read_or_refused_whatever_is_changed) {
    const auto [refused, taken] = after_damage(
        "binary", 20250813, 10000, [](const MemoryFile& file, const std::string& bytes) {
            return read_binary(file, bytes) >= 0;
        });
    EXPECT_GT(refused, 3000);
    EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace npuscope::test
