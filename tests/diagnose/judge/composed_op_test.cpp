#include "diagnose/judge/composed_op.h"

#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "diagnose/judge/op_run.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {
namespace {

Tensor numbers(const Shape& shape, std::vector<float> values) {
    Tensor tensor(DType::kFloat32, shape);
    std::ranges::copy(values, tensor.mutable_as<float>().begin());
    return tensor;
}

std::vector<float> elements(const Tensor& tensor) {
    return {tensor.as<float>().begin(), tensor.as<float>().end()};
}

Results computed(const char* name, NamedValues arguments, Device device = Device::reference32()) {
    Executor executor(std::move(device));
    return executor.call_named(*find_composed_op(name), std::move(arguments));
}

TEST(ComposedOps, have_names_of_their_own) {
    for (const backend::Op& op : composed_ops()) {
        EXPECT_EQ(backend::find_op(op.name()), nullptr) << op.name();
        EXPECT_EQ(find_composed_op(op.name()), &op);
        EXPECT_EQ(kind_of(op), OpKind::kVector) << op.name();
    }
    EXPECT_EQ(find_composed_op("mul_Tensor"), nullptr);
}

// (a / b)' by b is -a / b^2: of 6 / 2 and 6 / 4 that is -1.5 and -0.375.
TEST(ComposedOps, compute_their_steps_one_after_the_other) {
    const Results made = computed("gradient_of_divisor",
                                  {{"grad", numbers({2}, {1, 8})},
                                   {"self", numbers({}, {6})},
                                   {"other", numbers({2}, {2, 4})},
                                   {"shape", IntList{2}}});
    EXPECT_EQ(elements(made), (std::vector<float>{-1.5F, -3}));
}

TEST(ComposedOps, add_what_was_repeated) {
    const NamedValues wide = {{"grad", numbers({2, 3}, {1, 2, 3, 4, 5, 6})},
                              {"other", numbers({1}, {2})}};
    const auto to = [&](const Shape& shape) {
        NamedValues arguments = wide;
        arguments.push_back({"shape", shape});
        return computed("gradient_of_factor", arguments);
    };
    EXPECT_EQ(elements(to({3})), (std::vector<float>{10, 14, 18}));
    EXPECT_EQ(elements(to({2, 1})), (std::vector<float>{12, 30}));
    EXPECT_EQ(to({2, 1}).tensor().shape(), (Shape{2, 1}));
    EXPECT_EQ(elements(to({})), std::vector<float>{42});
    EXPECT_EQ(elements(to({2, 3})), (std::vector<float>{2, 4, 6, 8, 10, 12}));
    EXPECT_THROW(to({4}), Error);
    EXPECT_THROW(to({1, 2, 3}), Error);
}

// With logits 0 the likelihood is a half: 0.5 - 1, times 3, over 2.
TEST(ComposedOps, leave_out_steps_of_arguments_that_were_not_given) {
    NamedValues arguments = {{"grad", numbers({}, {1})},
                             {"self", numbers({2}, {0, 0})},
                             {"target", numbers({2}, {1, 0})},
                             {"count", Scalar{2.0}}};
    EXPECT_EQ(elements(computed("gradient_of_cross_entropy_with_logits", arguments)),
              (std::vector<float>{-0.25F, 0.25F}));
    arguments.push_back({"weight", numbers({1}, {3})});
    EXPECT_EQ(elements(computed("gradient_of_cross_entropy_with_logits", arguments)),
              (std::vector<float>{-0.75F, 0.75F}));
}

// A chip rounds each step to the dtype: 1 + 2^-10 twice is 1 + 2^-9 in float16, and the square of
// that loses its last bit.
TEST(ComposedOps, round_each_step_as_the_device_does) {
    const auto half = [](float value) { return numbers({1}, {value}).cast(DType::kFloat16); };
    const float value = 1 + 0x1p-10F;
    const NamedValues arguments = {{"grad", half(1)},
                                   {"self", half(value)},
                                   {"exponent", Scalar{1.0}},
                                   {"power", Scalar{2.0}}};
    const Results made = computed("gradient_of_pow", arguments, Device::npu(chip("910B")));
    EXPECT_EQ(made.tensor().dtype(), DType::kFloat16);
    EXPECT_EQ(made.tensor().at(0), 1 + 0x1p-9);
    NamedValues exact = arguments;
    for (NamedValue& each : exact)
        if (auto* tensor = std::get_if<Tensor>(&each.value))
            *tensor = tensor->cast(DType::kFloat64);
    EXPECT_EQ(computed("gradient_of_pow", exact, Device::reference64()).tensor().at(0),
              1 + 0x1p-9 + 0x1p-20);
}

TEST(ComposedOps, reject_attention_whose_operands_do_not_fit) {
    const Tensor wide = Tensor::zeros(DType::kFloat32, {1, 2, 4});
    const Tensor narrow = Tensor::zeros(DType::kFloat32, {1, 2, 3});
    NamedValues arguments = {{"grad", wide},
                             {"query", wide},
                             {"key", narrow},
                             {"value", wide},
                             {"is_causal", false},
                             {"shared", int64_t{1}}};
    EXPECT_THROW(computed("gradient_of_attention", arguments), Error);
    arguments[2].value = wide;
    EXPECT_NO_THROW(computed("gradient_of_attention", arguments));
    arguments[5].value = int64_t{2};
    EXPECT_THROW(computed("gradient_of_attention", arguments), Error);
}

}  // namespace
}  // namespace npuscope::diagnose
