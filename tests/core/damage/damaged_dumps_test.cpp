// The small dumps of data/fuzz/h5, and what is left of them when they are damaged at random:
// each is read whole or refused with one clear line. This program is linked without the HDF5
// library's part (tests/fuzz/without_library.cpp); tests/fuzz drives the same readers with
// libFuzzer.
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "tests/fuzz/dump_reading.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/mutator.h"
#include "tests/support/support.h"

namespace npuscope::test {
namespace {

/// By name, in its order.
const std::map<std::string, std::string>& corpus() {
    static const std::map<std::string, std::string> kFiles = [] {
        std::map<std::string, std::string> files;
        for (const auto& entry :
             std::filesystem::directory_iterator(source_dir() / "data" / "fuzz" / "h5"))
            files.emplace(entry.path().stem(), read_file(entry.path()));
        return files;
    }();
    return kFiles;
}

int64_t read(const MemoryFile& file, const std::string& content) {
    file.set(content.data(), content.size());
    return read_dump(file.path());
}

TEST(DamagedDump, is_read_whole_while_it_is_sound) {
    const MemoryFile file;
    const std::map<std::string, int64_t> tensors = {{"dtypes", 16},
                                                    {"earliest", 8},
                                                    {"latest", 8},
                                                    {"odd", 1},
                                                    {"ordered", 8},
                                                    {"ours", 2},
                                                    {"ours_killed", 2},
                                                    {"ours_stats", 2},
                                                    {"ours_two_ops", 11},
                                                    {"user_block", 8},
                                                    {"v108", 8}};
    ASSERT_EQ(corpus().size(), tensors.size());
    for (const auto& [name, content] : corpus())
        EXPECT_EQ(read(file, content), tensors.at(name)) << name;
}

TEST(DamagedDump, is_read_or_refused_whatever_is_changed) {
    constexpr uint32_t kSeed = 20250811;
    constexpr int kRounds = 3000;
    const MemoryFile file;
    Mutator mutate(kSeed);
    int refused = 0;
    int read_some = 0;
    for (const auto& [name, content] : corpus()) {
        const std::string& donor =
            std::next(corpus().begin(), static_cast<int>(mutate.below(corpus().size())))->second;
        for (int round = 0; round < kRounds; ++round) {
            const int64_t tensors = read(file, mutate.changed(content, 4, donor));
            refused += tensors < 0 ? 1 : 0;
            read_some += tensors > 0 ? 1 : 0;
        }
    }
    // The damage is neither too great nor too small to tell anything.
    EXPECT_GT(refused, 1000);
    EXPECT_GT(read_some, 5000);
}

TEST(DamagedDump, is_read_or_refused_wherever_it_is_cut) {
    const MemoryFile file;
    // Behind the end of the killed dump lies what its last commit does not count.
    const size_t counted = corpus().at("ours").size();
    for (const auto& [name, content] : corpus())
        for (size_t length = 0; length < (name == "ours_killed" ? counted : content.size());
             length += 37)
            EXPECT_LT(read(file, content.substr(0, length)), 0) << name << " cut to " << length;
}

}  // namespace
}  // namespace npuscope::test
