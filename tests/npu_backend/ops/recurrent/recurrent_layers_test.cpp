#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "npu_backend/executor.h"
#include "tests/npu_backend/op_rows.h"

NPUSCOPE_TEST_OPS(recurrent_layers, RecurrentLayersOps);

namespace npuscope::test {
namespace {

Tensor zeros(Shape shape) {
    return Tensor(DType::kFloat32, std::move(shape));
}

/// A layer of GRU cells of 2 states over three times of 3 features, a batch of 2.
NamedValues gru() {
    return {{"input", zeros({3, 2, 3})},
            {"hx", zeros({1, 2, 2})},
            {"params", TensorList{zeros({6, 3}), zeros({6, 2}), zeros({6}), zeros({6})}},
            {"has_biases", true},
            {"num_layers", int64_t{1}},
            {"dropout", 0.0},
            {"train", true},
            {"bidirectional", false},
            {"batch_first", false}};
}

/// What is said of it with another argument.
std::string refused(const std::string& name, Value value) {
    NamedValues arguments = gru();
    for (NamedValue& argument : arguments)
        if (argument.name == name) argument.value = value;
    try {
        static_cast<void>(
            Executor(Device::reference64()).call_named("gru_input", std::move(arguments)));
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
        return error.what();
    }
}

TEST(RecurrentLayers, are_refused_where_shapes_do_not_fit) {
    EXPECT_EQ(refused("batch_first", false), "");
    for (const Shape& input : {Shape{3, 2}, {3, 2, 4}, {0, 2, 3}, {3, 1, 3}, {3, 5, 3}})
        EXPECT_NE(refused("input", zeros(input)), "") << to_string(input);
    for (const Shape& state : {Shape{2, 2}, {2, 2, 2}, {1, 3, 2}, {1, 2, 3}, {1, 0, 2}})
        EXPECT_NE(refused("hx", zeros(state)), "") << to_string(state);
    EXPECT_NE(refused("params", TensorList{zeros({6, 3}), zeros({6, 2})}), "");
    EXPECT_NE(refused("params", TensorList{zeros({6}), zeros({6, 2}), zeros({6}), zeros({6})}), "");
    EXPECT_NE(refused("params", TensorList{zeros({6, 3}), zeros({6, 2}), zeros({5}), zeros({6})}),
              "");
    for (const int64_t layers : {int64_t{-1}, int64_t{0}, int64_t{2}, int64_t{1} << 62})
        EXPECT_NE(refused("num_layers", layers), "") << layers;
    EXPECT_NE(refused("bidirectional", true), "");
    EXPECT_NE(refused("has_biases", false), "");
}

}  // namespace
}  // namespace npuscope::test
