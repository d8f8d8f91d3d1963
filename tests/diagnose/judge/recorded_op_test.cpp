#include "diagnose/judge/recorded_op.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::diagnose {
namespace {

NamedValues arguments_of(const std::string& op,
                         const std::vector<std::pair<std::string, Tensor>>& inputs,
                         const std::vector<std::pair<std::string, Tensor>>& outputs) {
    const Source source = compare::hand_made({{op, inputs, outputs}});
    return RecordedOp(source.ops.front(), *backend::find_op(op)).arguments();
}

const Tensor kOne = Tensor::from<float>({1}, {1});

// `max_exp_avg_sqs` of an Adam without amsgrad.
TEST(RecordedOp, takes_a_list_that_is_missing_beside_others_for_an_empty_one) {
    const NamedValues adam = arguments_of("_fused_adam_",
                                          {{"self/self_0", kOne},
                                           {"grads/grads_0", kOne},
                                           {"exp_avgs/exp_avgs_0", kOne},
                                           {"exp_avg_sqs/exp_avg_sqs_0", kOne},
                                           {"state_steps/state_steps_0", kOne}},
                                          {{"self/self_0", kOne}});
    const Value* list = find(adam, "max_exp_avg_sqs");
    ASSERT_NE(list, nullptr);
    EXPECT_TRUE(std::get<TensorList>(*list).empty());
    EXPECT_EQ(std::get<TensorList>(*find(adam, "exp_avgs")).size(), 1U);
    // A recorder that wrote no list may write none at all.
    EXPECT_EQ(find(arguments_of("cat", {}, {{"result", kOne}}), "tensors"), nullptr);
}

TEST(RecordedOp, gives_what_is_made_of_numbers_the_dtype_of_its_result) {
    const Tensor half = kOne.cast(DType::kFloat16);
    EXPECT_EQ(std::get<DType>(*find(arguments_of("linspace", {}, {{"result", half}}), "dtype")),
              DType::kFloat16);
    // A sum may be in another dtype than its result by itself.
    EXPECT_EQ(find(arguments_of("sum", {{"self", kOne}}, {{"result", half}}), "dtype"), nullptr);
}

}  // namespace
}  // namespace npuscope::diagnose
