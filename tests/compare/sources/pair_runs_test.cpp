#include "compare/pair_runs.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::compare {
namespace {

using Runs = std::vector<RecordedRun>;

RecordedRun run(std::optional<int64_t> step, const std::string& rank) {
    return {.step = step, .rank = rank, .path = rank + "/dump.json"};
}

std::string paired(const Runs& target, const Runs& golden) {
    std::string text;
    for (const RunPair& pair : pair_runs(target, golden))
        text += (pair.target ? pair.target->text() : "none") + " - " +
                (pair.golden ? pair.golden->text() : "none") + "; ";
    return text;
}

TEST(PairRuns, pair_steps_and_ranks_of_equal_number_and_keep_what_one_side_has) {
    EXPECT_EQ(paired({run(0, "rank0"), run(0, "rank1"), run(1, "rank0")},
                     {run(0, "rank1"), run(0, "rank0"), run(2, "rank0")}),
              "step 0, rank0 - step 0, rank0; step 0, rank1 - step 0, rank1; "
              "step 1, rank0 - none; none - step 2, rank0; ");
}

TEST(PairRuns, pair_what_is_alone_and_processes_in_their_order) {
    EXPECT_EQ(paired({run(1, "proc7")}, {run(0, "rank0")}), "step 1, proc7 - step 0, rank0; ");
    EXPECT_EQ(paired({run(0, "proc7"), run(0, "proc9")}, {run(0, "proc1"), run(0, "proc2")}),
              "step 0, proc7 - step 0, proc1; step 0, proc9 - step 0, proc2; ");
    EXPECT_EQ(paired({run(5, "rank0"), run(6, "rank0")}, {run(0, "rank0"), run(1, "rank0")}),
              "step 5, rank0 - step 0, rank0; step 6, rank0 - step 1, rank0; ");
    // Nobody knows which process is which rank.
    EXPECT_EQ(paired({run(0, "proc7"), run(0, "proc9")}, {run(0, "rank0"), run(0, "rank1")}),
              "step 0, proc7 - none; step 0, proc9 - none; none - step 0, rank0; "
              "none - step 0, rank1; ");
}

TEST(PairRuns, are_told_by_both_names_where_these_differ) {
    EXPECT_EQ(pair_runs({run(1, "proc7")}, {run(0, "proc2")})[0].text(),
              "step 1, proc7 against step 0, proc2");
    EXPECT_EQ(pair_runs({run(1, "rank0")}, {run(1, "rank0")})[0].text(), "step 1, rank0");
}

TEST(PairRuns, rejects_a_single_file_against_a_tree) {
    const Runs file = {{.path = "a.h5"}};
    EXPECT_EQ(pair_runs(file, file).size(), 1u);
    for (const bool swapped : {false, true}) {
        const Runs tree = {run(0, "rank0"), run(0, "rank1")};
        EXPECT_THROW(static_cast<void>(swapped ? pair_runs(tree, file) : pair_runs(file, tree)),
                     Error);
    }
}

}  // namespace
}  // namespace npuscope::compare
