#include "core/recording/joined.h"

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

}  // namespace npuscope
