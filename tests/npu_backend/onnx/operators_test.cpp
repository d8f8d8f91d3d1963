#include "npu_backend/onnx/operators.h"

#include <sstream>

#include <gtest/gtest.h>

#include "npu_backend/executor.h"

namespace npuscope::onnx_model {
namespace {

TEST(OnnxOperators, are_sorted_by_file_and_found_by_type) {
    for (const Operator& op : all_operators())
        EXPECT_EQ(find_operator(op.type), &op) << op.type;
    EXPECT_EQ(find_operator("StringConcat"), nullptr);
    EXPECT_EQ(find_operator(""), nullptr);
}

TEST(OnnxOperators, are_lowered_to_ops_that_the_executor_knows) {
    for (const Operator& op : all_operators()) {
        std::istringstream words{std::string(op.ir_ops)};
        for (std::string ir_op; words >> ir_op;)
            EXPECT_TRUE(Executor::knows(ir_op)) << op.type << " needs " << ir_op;
    }
}

TEST(OnnxOperators, list_whole_words_only) {
    EXPECT_TRUE(lists_word("axis epsilon", "axis"));
    EXPECT_TRUE(lists_word("axis epsilon", "epsilon"));
    EXPECT_FALSE(lists_word("axis epsilon", "eps"));
    EXPECT_FALSE(lists_word("", "axis"));
    EXPECT_FALSE(lists_word("axis", ""));
}

}  // namespace
}  // namespace npuscope::onnx_model
