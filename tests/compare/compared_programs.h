// Hand-made programs compared as if every op's arithmetic could be judged.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/match.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {

/// Says what a test wrote down of an op: what it introduced, or why nobody knows. Other ops are
/// honest.
class WrittenSplitter final : public Splitter {
  public:
    std::map<std::string, double> ratios{};       ///< of those introduced; 9 of others
    std::map<std::string, double> introduced;     ///< by the target's path; beyond what is allowed
    std::map<std::string, std::string> unjudged;  ///< why, by the target's path

    [[nodiscard]] bool was_loaded(PairedFlows& /*flows*/) const override { return false; }
    void prepare(PairedFlows& /*flows*/, std::span<const size_t> /*chosen*/) override {}
    [[nodiscard]] std::vector<Split> split(
        const OpPair& pair,
        const std::vector<SplitQuery>& outputs,
        const std::vector<ArgumentDifference>& /*arguments*/) const override {
        std::vector<Split> splits(outputs.size());
        for (Split& split : splits) {
            const auto reason = unjudged.find(pair.target->path);
            const auto error = introduced.find(pair.target->path);
            if (reason != unjudged.end()) {
                split.why_not = reason->second;
            } else if (error != introduced.end()) {
                split.target =
                    Introduced{.ratio = ratio_of(pair.target->path), .relative = error->second};
            } else {
                split.target = Introduced{.ratio = 0.1, .relative = 1e-8};
            }
        }
        return splits;
    }

    [[nodiscard]] double ratio_of(const std::string& path) const {
        const auto found = ratios.find(path);
        return found == ratios.end() ? 9 : found->second;
    }
};

inline Result compared(const std::vector<HandMadeOp>& target,
                       const std::vector<HandMadeOp>& golden,
                       WrittenSplitter splitter = {}) {
    Options options;
    options.splitter = &splitter;
    return compare_sources(hand_made(target), hand_made(golden), PrecisionBounds(), options);
}

/// An op that takes one tensor and gives one.
inline HandMadeOp step(const std::string& name, const Tensor& in, const Tensor& out) {
    return {name, {{"self", in}}, {{"result", out}}, "", ""};
}

/// The tensor with errors that are `share` of its rms, at random.
inline Tensor off_by(const Tensor& tensor, float share, unsigned seed) {
    const Tensor noise = random_tensor(tensor.shape(), seed);
    Tensor result = tensor;
    for (size_t i = 0; i < static_cast<size_t>(tensor.numel()); ++i)
        result.mutable_as<float>()[i] += share * noise.as<float>()[i];
    return result;
}

}  // namespace npuscope::compare
