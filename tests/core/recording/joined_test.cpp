#include "core/recording/joined.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace npuscope {

namespace {

Source one_op(const std::string& path) {
    Source source;
    source.numbered = true;
    SourceOp op;
    op.path = path;
    op.load = [path] {
        SourceTensor tensor;
        tensor.path = path + "/output/out";
        tensor.storage = 7;
        return std::vector<SourceTensor>{tensor};
    };
    source.ops.push_back(std::move(op));
    return source;
}

}  // namespace

TEST(JoinRanks, names_ops_and_tensors_by_their_ranks) {
    std::vector<Source> sources;
    sources.push_back(one_op("/mm/1"));
    sources.push_back(one_op("/mm/1"));
    const Source joined = join_ranks(std::move(sources), {"rank0", "rank1"});
    ASSERT_EQ(joined.ops.size(), 2U);
    EXPECT_TRUE(joined.numbered);
    EXPECT_EQ(joined.ops[1].path, "rank1:/mm/1");
    const auto first = joined.ops[0].load();
    const auto second = joined.ops[1].load();
    EXPECT_EQ(second[0].path, "rank1:/mm/1/output/out");
    EXPECT_NE(first[0].storage, second[0].storage);
    EXPECT_EQ(rank_of_path(second[0].path), "rank1");
    EXPECT_EQ(path_in_rank(second[0].path), "/mm/1/output/out");
    EXPECT_EQ(rank_of_path("/mm/1/output/out"), "");
    EXPECT_EQ(path_in_rank("/mm/1/output/out"), "/mm/1/output/out");
    EXPECT_EQ(join_ranks({}, {}).ops.size(), 0U);
}

TEST(RankFiles, are_those_called_by_ranks_in_the_order_of_their_numbers) {
    const auto folder = std::filesystem::temp_directory_path() / "npuscope_rank_files_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const char* name :
         {"rank10.h5", "rank2.h5", "rank0.h5", "rank.h5", "rankx.h5", "other.h5"})
        std::ofstream(folder / name) << "x";
    const auto runs = rank_files(folder);
    std::filesystem::remove_all(folder);
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].rank, "rank0");
    EXPECT_EQ(runs[1].rank, "rank2");
    EXPECT_EQ(runs[2].rank, "rank10");
    EXPECT_TRUE(rank_files(folder / "nothing").empty());
}

}  // namespace npuscope
