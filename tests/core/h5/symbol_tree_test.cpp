#include "core/h5/symbol_tree.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/h5/append_writer.h"
#include "core/h5/index.h"
#include "core/h5/library_reader.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

/// A file whose group /g grew by `names` in that order, with a commit now and then.
void write_group(const std::filesystem::path& path,
                 const std::vector<std::string>& names,
                 size_t commit_every) {
    AppendWriter writer(path);
    const Tensor tensor = Tensor::from<int32_t>({2}, {1, 2});
    AppendWriter::Address first = 0;
    for (size_t i = 0; i < names.size(); ++i) {
        if (i == 0)
            first = writer.write_dataset("/g/" + names[i], tensor.view(), {});
        else
            writer.link(first, "/g/" + names[i]);
        if ((i + 1) % commit_every == 0) writer.commit();
    }
    writer.close();
}

std::vector<std::string> seqids(int count) {
    std::vector<std::string> names;
    for (int i = 1; i <= count; ++i)
        names.push_back(std::to_string(i));
    return names;
}

std::vector<std::string> children_of(const Index& index, const std::string& group) {
    std::vector<std::string> names;
    for (int32_t at = index[index.find(group)].first_child; at >= 0; at = index[at].next_sibling)
        names.emplace_back(index[at].name);
    return names;
}

TEST(SymbolTree, holds_twenty_thousand_runs_that_h5py_finds_by_name) {
    const test::TempDir folder;
    std::vector<std::string> names = seqids(20000);
    write_group(folder / "a.h5", names, 3000);
    std::sort(names.begin(), names.end());
    const Reader file(folder / "a.h5");
    EXPECT_EQ(children_of(file.index(), "/g"), names);
    EXPECT_EQ(LibraryReader(folder / "a.h5").children("/g"), names);
    const auto shown = test::run_python(
        "import sys, h5py, random\n"
        "g = h5py.File(sys.argv[1])['g']\n"
        "print(len(g), all(str(i) in g for i in range(1, 20001)),"
        " any(str(i) in g for i in (0, 20001, 30000, 199999)), 'x' in g)\n",
        {(folder / "a.h5").string()});
    EXPECT_EQ(shown.out, "20000 True False False\n") << shown.err;
}

TEST(SymbolTree, holds_names_in_any_order) {
    std::mt19937 random(5);
    for (const size_t commit_every : {size_t{1}, size_t{50}, size_t{5000}}) {
        const test::TempDir folder;
        std::set<std::string> unique;
        while (unique.size() < 1500) {
            std::string name;
            for (size_t length = 1 + random() % 12; name.size() < length;)
                name += static_cast<char>('0' + random() % 75);
            std::erase(name, '/');
            if (!name.empty() && name != ".") unique.insert(name);
        }
        const std::vector<std::string> sorted(unique.begin(), unique.end());
        std::vector<std::string> names = sorted;
        std::shuffle(names.begin(), names.end(), random);
        write_group(folder / "a.h5", names, commit_every);
        const Reader file(folder / "a.h5");
        EXPECT_EQ(children_of(file.index(), "/g"), sorted);
        EXPECT_EQ(LibraryReader(folder / "a.h5").children("/g"), sorted);
        const LibraryReader library(folder / "a.h5");
        EXPECT_TRUE(std::all_of(sorted.begin(), sorted.end(), [&](const std::string& name) {
            return library.exists("/g/" + name);
        }));
    }
}

/// Full nodes take 43 bytes a symbol; the heap 8 to 16 for its name, and as much in reserve.
TEST(SymbolTree, names_that_come_in_order_fill_its_leaves) {
    const test::TempDir folder;
    write_group(folder / "a.h5", seqids(30000), 100000);
    EXPECT_LT(std::filesystem::file_size(folder / "a.h5"), 30000U * 85U);
}

TEST(SymbolTree, a_commit_writes_a_branch_not_the_table) {
    const test::TempDir folder;
    AppendWriter writer(folder / "a.h5");
    const Tensor tensor = Tensor::from<int32_t>({2}, {1, 2});
    const auto first = writer.write_dataset("/g/0", tensor.view(), {});
    for (const std::string& name : seqids(20000))
        writer.link(first, "/g/" + name);
    writer.commit();
    const auto before = std::filesystem::file_size(folder / "a.h5");
    for (int i = 20001; i <= 20100; ++i) {
        writer.link(first, "/g/" + std::to_string(i));
        writer.commit();
    }
    // A leaf, a node on each of three levels, the heads of the heap and the groups.
    EXPECT_LT(std::filesystem::file_size(folder / "a.h5") - before, 100U * 2300U);
}

TEST(SymbolTree, the_last_state_names_the_siblings_of_every_node) {
    const test::TempDir folder;
    write_group(folder / "a.h5", seqids(20000), 100);
    const std::string bytes = test::read_file(folder / "a.h5");
    const auto number = [&](uint64_t at) {
        uint64_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    // The last group header leads to the root node, that to the level below.
    const uint64_t end = number(28);
    uint64_t group = end;
    constexpr char kSymbolTableMessage[] = "\x11\0\x10\0";
    while (bytes.compare(--group, 4, std::string(kSymbolTableMessage, 4)) != 0) {
    }
    uint64_t leftmost = number(group + 8);
    int levels = 0;
    for (int level = static_cast<unsigned char>(bytes[leftmost + 5]); level >= 0; --level) {
        uint64_t children = 0;
        uint64_t left = ~uint64_t{0};
        for (uint64_t at = leftmost; at != ~uint64_t{0}; at = number(at + 16)) {
            ASSERT_EQ(bytes.compare(at, 4, "TREE"), 0);
            ASSERT_EQ(static_cast<int>(bytes[at + 5]), level);
            ASSERT_EQ(number(at + 8), left);
            left = at;
            children += number(at + 4) >> 16 & 0xffff;
        }
        EXPECT_TRUE(level > 0 || children >= 20000U / 8);
        leftmost = number(leftmost + 32);
        ++levels;
    }
    EXPECT_EQ(levels, 3);
}

}  // namespace
}  // namespace npuscope::h5
