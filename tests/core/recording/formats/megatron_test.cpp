#include <gtest/gtest.h>

#include "core/recording/formats/format.h"
#include "tests/core/recording/formats/open_problem.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

namespace fs = std::filesystem;

// As Megatron lays a checkpoint of two tensor-parallel ranks out.
constexpr const char* kTwoRanks = R"(
import argparse, os, sys, torch
root = sys.argv[1]
open(root + '/latest_checkpointed_iteration.txt', 'w').write('20')
for rank in range(2):
    folder = f'{root}/iter_0000020/mp_rank_{rank:02d}'
    os.makedirs(folder)
    torch.save({'args': argparse.Namespace(tensor_model_parallel_size=2), 'iteration': 20,
                'model': {'language_model': {'encoder': {'layers.0.weight': torch.full((2,), 1. + rank)}}}},
               folder + '/model_optim_rng.pt')
os.makedirs(root + '/iter_0000020/mp_rank_02')
)";

TEST(MegatronFormat, is_the_last_iteration_of_all_ranks) {
    const test::TempDir folder;
    const auto written = test::run_python(kTwoRanks, {folder.path().string()});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    for (const fs::path& path : {folder.path(), folder / "iter_0000020"}) {
        EXPECT_EQ(format_of(path), &k_megatron_format);
        const Source source = open_source(path);
        ASSERT_EQ(source.ops.size(), 2u);
        EXPECT_EQ(source.ops[1].path, "mp_rank_01.model.language_model.encoder.layers.0.weight");
        EXPECT_EQ(source.ops[1].load().at(0).open()->whole().at(1), 2);
        ASSERT_EQ(source.remarks.size(), 1u);
        EXPECT_NE(source.remarks[0].find("2 objects that are no tensors"), std::string::npos);
    }
    // A lone rank needs no name before its tensors'.
    fs::remove_all(folder / "iter_0000020" / "mp_rank_01");
    EXPECT_EQ(open_source(folder.path()).ops.at(0).path,
              "model.language_model.encoder.layers.0.weight");
}

TEST(MegatronFormat, rejects_a_tracker_that_names_no_iteration) {
    const test::TempDir folder;
    test::write_file(folder / "latest_checkpointed_iteration.txt", "../../etc");
    EXPECT_NE(test::open_problem(folder.path()).find("names no iteration: '../../etc'"),
              std::string::npos);
    test::write_file(folder / "latest_checkpointed_iteration.txt", "7\n");
    EXPECT_NE(test::open_problem(folder.path()).find("iter_0000007' holds no mp_rank_<N>/"),
              std::string::npos)
        << test::open_problem(folder.path());
}

TEST(MegatronFormat, rejects_a_truncated_rank) {
    const test::TempDir folder;
    fs::create_directories(folder / "mp_rank_00");
    test::write_file(folder / "mp_rank_00" / "model_optim_rng.pt", "PK\x03\x04");
    EXPECT_NE(test::open_problem(folder.path()).find("model_optim_rng.pt"), std::string::npos);
}

}  // namespace
}  // namespace npuscope
