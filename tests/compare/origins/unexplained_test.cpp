#include "compare/origins/unexplained.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// Two sides of one program whose k-th results are off by shares of their norm.
struct Program {
    explicit Program(const std::vector<double>& norms) {
        ops.resize(norms.size());
        for (size_t i = 0; i < norms.size(); ++i) {
            ops[i].id = {"mm", static_cast<int64_t>(i)};
            const std::string path = "/mm/" + std::to_string(i);
            plan.ops.push_back({&ops[i], &ops[i]});
            OpResult& op = result.ops.emplace_back();
            op.target = op.golden = path;
            TensorResult& tensor = op.tensors.emplace_back();
            tensor.target = tensor.golden = path + "/output/result";
            tensor.dtype = "float32";
            tensor.judgement = {Verdict::kInherited, ""};
            tensor.metrics = {0};
            tensor.sums.numel = 1;
            tensor.sums.gg = 1;
            tensor.sums.dd = norms[i] * norms[i];
        }
        plan.is_related = true;
    }

    /// The path of the first culprit, "" without one.
    std::string accused(const std::optional<Grown>& grown = Grown()) {
        accuse_unexplained(plan, nullptr, grown, result);
        return result.culprits.empty() ? "" : result.ops[result.culprits.front().op].target;
    }

    std::vector<SourceOp> ops;
    Plan plan{};
    Result result{};
};

std::vector<double> with_tail(std::vector<double> norms, double last, size_t count) {
    norms.insert(norms.end(), count, last);
    return norms;
}

TEST(Unexplained, is_the_first_of_most_results_that_are_far_off) {
    Program program(with_tail({0.001, 0.02, 0.5}, 0.3, 9));
    EXPECT_EQ(program.accused(), "/mm/2");
    EXPECT_EQ(program.result.ops[2].judgement.verdict, Verdict::kFail);
    EXPECT_NE(program.result.culprits.front().why.find("off by 0.5 of the norm"),
              std::string::npos);
}

TEST(Unexplained, is_no_sum_that_cancels) {
    // Far off, and what comes behind is near again; or it is the last one.
    EXPECT_EQ(Program(with_tail({0.001, 900, 0.01}, 0.01, 9)).accused(), "");
    EXPECT_EQ(Program(with_tail(with_tail({}, 0.001, 9), 1, 2)).accused(), "");
}

TEST(Unexplained, is_nothing_beside_a_finding_and_in_other_plans) {
    Program told(with_tail({0.001, 0.5}, 0.5, 9));
    told.result.culprits.push_back({.kind = CulpritKind::kTensor, .op = 1, .why = "its weight"});
    told.accused();
    EXPECT_EQ(told.result.culprits.size(), 1U);
    Program plain(with_tail({0.001, 0.5}, 0.5, 9));
    plain.plan.is_related = false;
    EXPECT_EQ(plain.accused(), "");
}

TEST(Unexplained, is_a_pair_of_two_kinds_that_alone_grows_far) {
    // A quotient by another number, behind a sum that cancels.
    std::vector<double> norms = {0.001, 900, 0.35};
    for (const double growth : {1000.0, 10.0}) {
        Program program(norms);
        SourceOp list;
        list.id = {"_foreach_div__ScalarList", 3};
        program.plan.ops[2].golden = &list;
        program.ops[2].id.op = "div_Tensor";
        program.result.ops[1].tensors[0].sums.max_abs_g = 1;
        program.result.ops[1].tensors[0].sums.max_d = 900;
        program.result.ops[2].tensors[0].sums.max_abs_g = 1;
        program.result.ops[2].tensors[0].sums.max_d = 0.35;
        program.plan.ops[2].ties.resize(1);
        program.plan.ops[2].also_golden = {&list};
        Grown grown;
        grown.pairs = {{2, growth}};
        EXPECT_EQ(program.accused(grown), growth > 30 ? "/mm/2" : "");
    }
}

}  // namespace
}  // namespace npuscope::compare
