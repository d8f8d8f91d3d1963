// What a composed op makes, in float32.
#pragma once

#include <gtest/gtest.h>

#include "diagnose/judge/composed_op.h"
#include "npu_backend/executor.h"
#include "tests/support/values.h"

namespace npuscope::test {

/// The results that it computes, in the order of its schema.
inline std::vector<Tensor> made_by_fused(const char* name, NamedValues arguments) {
    Executor executor(Device::reference32());
    const backend::Op* op = diagnose::find_composed_op(name);
    EXPECT_NE(op, nullptr) << name;
    const Results results = executor.call_named(*op, std::move(arguments));
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < results.size(); ++i)
        tensors.push_back(results.tensor(i));
    return tensors;
}

inline void expect_near(const Tensor& tensor,
                        const Shape& shape,
                        const std::vector<float>& values) {
    EXPECT_EQ(tensor.shape(), shape);
    ASSERT_EQ(tensor.as<float>().size(), values.size());
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(tensor.as<float>()[i], values[i], 2e-6F) << i;
}

}  // namespace npuscope::test
