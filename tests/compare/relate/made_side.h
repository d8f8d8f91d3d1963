// A recording made in memory: ops with tensors of random elements, or given ones.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::test {

inline Tensor random_tensor(const Shape& shape, uint32_t seed) {
    Tensor tensor(DType::kFloat32, shape);
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (float& value : tensor.mutable_as<float>())
        value = normal(random);
    return tensor;
}

/// The elements times `factor`, each rounded to float16 where `rounded`.
inline Tensor changed(const Tensor& tensor, float factor, bool rounded = false) {
    Tensor result = Tensor::copy_of(tensor.view());
    for (float& value : result.mutable_as<float>())
        value *= factor;
    return rounded ? result.cast(DType::kFloat16).cast(DType::kFloat32) : result;
}

/// [rows, columns] of a matrix, transposed.
inline Tensor transposed(const Tensor& matrix) {
    Tensor result(DType::kFloat32, {matrix.dim(1), matrix.dim(0)});
    const auto from = matrix.as<float>();
    const auto to = result.mutable_as<float>();
    for (int64_t row = 0; row < matrix.dim(0); ++row)
        for (int64_t column = 0; column < matrix.dim(1); ++column)
            to[static_cast<size_t>(column * matrix.dim(0) + row)] =
                from[static_cast<size_t>(row * matrix.dim(1) + column)];
    return result;
}

/// Columns first to last-1 of a matrix.
inline Tensor columns(const Tensor& matrix, int64_t first, int64_t last) {
    Tensor result(DType::kFloat32, {matrix.dim(0), last - first});
    const auto from = matrix.as<float>();
    const auto to = result.mutable_as<float>();
    for (int64_t row = 0; row < matrix.dim(0); ++row)
        for (int64_t column = first; column < last; ++column)
            to[static_cast<size_t>(row * (last - first) + column - first)] =
                from[static_cast<size_t>(row * matrix.dim(1) + column)];
    return result;
}

/// Adds an op "/name/3" that took in some tensors and made one.
inline void add_op(Source& source,
                   const std::string& name,
                   const std::vector<Tensor>& inputs,
                   const Tensor& output) {
    SourceOp op;
    op.id = {name, static_cast<int64_t>(source.ops.size()) + 1};
    op.path = "/" + name + "/" + std::to_string(op.id.seqid);
    std::vector<SourceTensor> tensors;
    const auto add = [&](dumpfile::Direction direction,
                         const std::string& argument,
                         const Tensor& t) {
        SourceTensor tensor;
        tensor.direction = direction;
        tensor.argument = argument;
        tensor.path = op.path + "/" + std::string(dumpfile::name_of(direction)) + "/" + argument;
        tensor.hold(t);
        tensors.push_back(std::move(tensor));
    };
    for (size_t i = 0; i < inputs.size(); ++i)
        add(dumpfile::Direction::kInput, "arg" + std::to_string(i), inputs[i]);
    add(dumpfile::Direction::kOutput, "result", output);
    op.load = [tensors] { return tensors; };
    source.ops.push_back(std::move(op));
}

}  // namespace npuscope::test
