// A training step as msprobe records it, made here: APIs and modules, forward and backward.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace npuscope::test {

struct MadeTensor {
    std::string dtype = "torch.float32";
    std::string shape{};
    std::vector<double> statistics{};  ///< max, min, mean, norm
    std::string hash{};                ///< "" without one
};

struct MadeRecord {
    std::string name{};
    std::vector<MadeTensor> inputs{};
    std::vector<int> arguments{};
    std::vector<MadeTensor> outputs{};
    bool is_gradient = false;  ///< of parameters
};

/// `layers` of a convolution, its normalisation and a relu, each API in its module, and their
/// gradients; calls are numbered from `first_call`. Seeded, the same for any number of the first.
class MadeStep {
  public:
    explicit MadeStep(int layers, bool hashes = false, int first_call = 0) : hashes_(hashes) {
        MadeTensor flow = tensor("[8, 3, 32, 32]");
        std::vector<MadeTensor> saved;
        for (int layer = 0; layer < layers; ++layer)
            for (const char* api : {"conv2d", "batch_norm", "relu"}) {
                saved.push_back(flow);
                const int call = first_call + layer;
                MadeRecord record{.name = fmt::format("Functional.{}.{}.forward", api, call),
                                  .inputs = {flow, parameter(api, layer)},
                                  .arguments = {1, layer + 2},
                                  .outputs = {tensor("[8, 16, 32, 32]")}};
                flow = record.outputs[0];
                records.push_back(record);
                record.name = fmt::format("Module.{}{}.Layer.forward.0", api, layer);
                record.arguments.clear();
                records.push_back(record);
            }
        MadeTensor gradient = tensor("[8, 16, 32, 32]");
        for (int layer = layers; layer-- > 0;)
            for (const char* api : {"relu", "batch_norm", "conv2d"}) {
                MadeRecord record{
                    .name = fmt::format("Functional.{}.{}.backward", api, first_call + layer),
                    .inputs = {gradient},
                    .outputs = {tensor("[8, 16, 32, 32]"), tensor("[16, 3, 3, 3]")}};
                gradient = record.outputs[0];
                records.push_back(record);
                records.push_back({.name = fmt::format("Module.{}{}.Layer.parameters_grad.{}",
                                                       api,
                                                       layer,
                                                       first_call == 0 ? 0 : 1),
                                   .outputs = {record.outputs[1]},
                                   .is_gradient = true});
            }
    }

    [[nodiscard]] std::string json() const {
        std::string text = R"({"task": "statistics", "level": "mix", "data": {)";
        for (size_t i = 0; i < records.size(); ++i)
            text += (i == 0 ? "\n" : ",\n") + json_of(records[i]);
        return text + "}}\n";
    }

    std::vector<MadeRecord> records;

  private:
    MadeTensor tensor(const std::string& shape) {
        std::uniform_real_distribution<double> unit(0.5, 1);
        const double size = unit(random_);
        MadeTensor made{.shape = shape,
                        .statistics = {size, -unit(random_), 1e-4 * unit(random_), 40 * size}};
        if (hashes_) made.hash = fmt::format("{:08x}", random_() & 0xffffffffU);
        return made;
    }

    const MadeTensor& parameter(const std::string& api, int layer) {
        const std::string name = api + std::to_string(layer);
        if (!parameters_.contains(name)) parameters_[name] = tensor("[16, 3, 3, 3]");
        return parameters_[name];
    }

    static std::string json_of(const MadeTensor& tensor) {
        std::string text = fmt::format(
            R"({{"type": "torch.Tensor", "dtype": "{}", "shape": {}, "Max": {}, "Min": {}, )"
            R"("Mean": {}, "Norm": {}, "requires_grad": false)",
            tensor.dtype,
            tensor.shape,
            tensor.statistics[0],
            tensor.statistics[1],
            tensor.statistics[2],
            tensor.statistics[3]);
        if (!tensor.hash.empty()) text += R"(, "md5": ")" + tensor.hash + '"';
        return text + "}";
    }

    static std::string json_of(const MadeRecord& record) {
        std::string inputs;
        for (const MadeTensor& each : record.inputs)
            inputs += (inputs.empty() ? "" : ", ") + json_of(each);
        for (const int each : record.arguments)
            inputs += fmt::format(R"(, {{"type": "int", "value": {}}})", each);
        std::string outputs;
        for (const MadeTensor& each : record.outputs)
            outputs += (outputs.empty() ? "" : ", ") + json_of(each);
        if (record.is_gradient)
            return fmt::format(R"("{}": {{"weight": [{}]}})", record.name, outputs);
        return fmt::format(R"("{}": {{"input_args": [{}], "input_kwargs": {{}}, "output": [{}]}})",
                           record.name,
                           inputs,
                           outputs);
    }

    bool hashes_;
    std::mt19937 random_{7};
    std::map<std::string, MadeTensor> parameters_;
};

}  // namespace npuscope::test
