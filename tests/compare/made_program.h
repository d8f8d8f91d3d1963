// Programs as a recorder would see them, whose ops know who they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::compare {

/// A run of an op. Equal identities on two sides are runs of one call.
struct MadeOp {
    int64_t identity = 0;
    std::string name;
    std::vector<Shape> inputs;
    Shape output;
    std::string module{};
    std::string line{};
    int64_t weight = 0;  ///< which parameter its last input is; 0: it is computed
};

/// What the recorder kept, and whether a fault has spoilt what was computed.
struct Recording {
    bool places = true;
    bool elements = true;
    bool spoilt = false;
};

using MadeProgram = std::vector<MadeOp>;

inline Tensor made_tensor(const Shape& shape, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<float> values(static_cast<size_t>(numel_of(shape)));
    for (float& each : values)
        each = static_cast<float>(random() % 2001) / 1000 - 1;
    return Tensor::from<float>(shape, std::span<const float>(values));
}

/// What the recorder kept of one op.
inline std::vector<SourceTensor> tensors_of_made(const MadeOp& op, const Recording& recording) {
    std::vector<SourceTensor> tensors;
    tensors.reserve(op.inputs.size() + 1);
    const auto add = [&](dumpfile::Direction direction, const Shape& shape, uint64_t seed) {
        SourceTensor& tensor = tensors.emplace_back();
        tensor.direction = direction;
        tensor.argument = std::to_string(tensors.size());
        tensor.path = op.name + "/" + tensor.argument;
        tensor.dtype = "float32";
        tensor.shape = shape;
        if (recording.elements)
            tensor.open = [shape, seed] {
                return std::make_unique<TensorElements>(made_tensor(shape, seed));
            };
    };
    const auto seed = static_cast<uint64_t>(op.identity * 16 + (recording.spoilt ? 8 : 0)) << 20;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
        const bool is_weight = op.weight != 0 && i + 1 == op.inputs.size();
        add(dumpfile::Direction::kInput,
            op.inputs[i],
            is_weight ? static_cast<uint64_t>(op.weight) : seed + i);
    }
    add(dumpfile::Direction::kOutput, op.output, seed + 7);
    return tensors;
}

/// A dump of that program.
inline Source source_of(MadeProgram program, const Recording& recording = {}) {
    Source source{.numbered = true, .has_inputs = true};
    const auto owner = std::make_shared<const MadeProgram>(std::move(program));
    source.owner = owner;
    source.ops.reserve(owner->size());
    for (const MadeOp& op : *owner) {
        const OpId id{op.name, static_cast<int64_t>(source.ops.size() + 1)};
        SourceOp made{id, id.path(), [&op, recording] { return tensors_of_made(op, recording); }};
        if (recording.places)
            made.place = [&op] { return OpSource{.module = op.module, .line = op.line}; };
        source.ops.push_back(std::move(made));
    }
    return source;
}

/// Adds ops one after the other, numbering who they are.
class ProgramMaker {
  public:
    void add(const std::string& name,
             const std::string& module,
             std::vector<Shape> inputs,
             Shape output,
             int64_t weight = 0) {
        program_.push_back(
            {next_++, name, std::move(inputs), std::move(output), module, "net.py:9", weight});
    }
    void linear(const std::string& module, int64_t rows, int64_t in, int64_t out) {
        const int64_t weight = weight_of(module);
        add("addmm", module, {{out}, {rows, in}, {in, out}}, {rows, out}, weight);
    }
    void linear_backward(const std::string& module, int64_t rows, int64_t in, int64_t out) {
        add("mm", module, {{rows, out}, {out, in}}, {rows, in}, weight_of(module));
        add("mm", module, {{out, rows}, {rows, in}}, {out, in});
        add("sum_dim_IntList", module, {{rows, out}}, {1, out});
    }
    [[nodiscard]] MadeProgram program() && { return std::move(program_); }

  private:
    static int64_t weight_of(const std::string& module) {
        return static_cast<int64_t>(std::hash<std::string>{}(module) >> 8) | 1;
    }

    MadeProgram program_;
    int64_t next_ = 1;
};

/// A training step of linear layers and relu: "fc0", "act0", "fc1" and so on.
inline MadeProgram made_mlp(int layers, int64_t rows = 12, int64_t width = 16) {
    ProgramMaker make;
    const auto in = [&](int i) { return i == 0 ? 8 : width; };
    const auto out = [&](int i) { return i + 1 == layers ? 5 : width; };
    for (int i = 0; i < layers; ++i) {
        make.linear("fc" + std::to_string(i), rows, in(i), out(i));
        if (i + 1 < layers)
            make.add("relu", "act" + std::to_string(i), {{rows, out(i)}}, {rows, out(i)});
    }
    make.add("_log_softmax", "", {{rows, 5}}, {rows, 5});
    make.add("nll_loss_forward", "", {{rows, 5}, {rows}}, {});
    make.add("nll_loss_backward", "", {{}, {rows, 5}, {rows}}, {rows, 5});
    make.add("_log_softmax_backward_data", "", {{rows, 5}, {rows, 5}}, {rows, 5});
    for (int i = layers - 1; i >= 0; --i) {
        make.linear_backward("fc" + std::to_string(i), rows, in(i), out(i));
        if (i > 0)
            make.add("threshold_backward",
                     "act" + std::to_string(i - 1),
                     {{rows, width}, {rows, width}},
                     {rows, width});
    }
    return std::move(make).program();
}

/// Training steps of a transformer of equal blocks.
inline MadeProgram made_transformer(int blocks, int steps = 1) {
    constexpr int64_t kRows = 12;
    constexpr int64_t kWidth = 16;
    constexpr int64_t kWide = 64;
    const Shape x = {2, 6, kWidth};
    const Shape wide = {2, 6, kWide};
    const Shape scores = {4, 6, 6};
    const Shape heads = {4, 6, 8};
    ProgramMaker make;
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < blocks; ++i) {
            const std::string block = "blocks." + std::to_string(i);
            make.add("native_layer_norm", block + ".ln1", {{kWidth}, x, {kWidth}}, x);
            for (const char* each : {".q", ".k", ".v"})
                make.linear(block + each, kRows, kWidth, kWidth);
            make.add("bmm", block, {heads, {4, 8, 6}}, scores);
            make.add("div_Tensor", block, {scores}, scores);
            make.add("_softmax", block, {scores}, scores);
            make.add("clone", block, {heads}, heads);
            make.add("bmm", block, {scores, heads}, heads);
            make.linear(block + ".o", kRows, kWidth, kWidth);
            make.add("add_Tensor", block, {x, x}, x);
            make.add("native_layer_norm", block + ".ln2", {{kWidth}, x, {kWidth}}, x);
            make.linear(block + ".f1", kRows, kWidth, kWide);
            make.add("gelu", block, {wide}, wide);
            make.linear(block + ".f2", kRows, kWide, kWidth);
            make.add("add_Tensor", block, {x, x}, x);
        }
        make.add("mse_loss", "", {x, x}, {});
        make.add("mse_loss_backward", "", {{}, x, x}, x);
        for (int i = blocks - 1; i >= 0; --i) {
            const std::string block = "blocks." + std::to_string(i);
            make.linear_backward(block + ".f2", kRows, kWide, kWidth);
            make.add("gelu_backward", block, {wide, wide}, wide);
            make.linear_backward(block + ".f1", kRows, kWidth, kWide);
            make.add("native_layer_norm_backward", block + ".ln2", {x, x, {kWidth}}, x);
            make.add("add_Tensor", "", {x, x}, x);
            make.linear_backward(block + ".o", kRows, kWidth, kWidth);
            make.add("bmm", block, {scores, heads}, heads);
            make.add("bmm", block, {heads, {4, 8, 6}}, scores);
            make.add("_softmax_backward_data", block, {scores, scores}, scores);
            make.add("div_Tensor", block, {scores}, scores);
            make.add("bmm", block, {{4, 8, 6}, scores}, {4, 8, 6});
            make.add("bmm", block, {scores, heads}, heads);
            for (const char* each : {".v", ".k", ".q"}) {
                make.linear_backward(block + each, kRows, kWidth, kWidth);
                if (std::string(each) != ".v") make.add("add_Tensor", "", {x, x}, x);
            }
            make.add("native_layer_norm_backward", block + ".ln1", {x, x, {kWidth}}, x);
            make.add("add_Tensor", "", {x, x}, x);
        }
    }
    return std::move(make).program();
}

}  // namespace npuscope::compare
