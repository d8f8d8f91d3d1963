// What a few elements of their tensors say about two ops being runs of one call.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::compare {

/// Weights are equal on both sides, and so is, nearly, what was computed before the first fault:
/// where layers look alike, that tells them apart. Reads some elements of an op's tensors when it
/// is first asked about, and keeps them; of at most kMostOps ops. Borrows both sources. Threads:
/// one at a time.
class ElementEvidence {
  public:
    static constexpr int64_t kMostOps = 20000;

    ElementEvidence(const Source& target, const Source& golden);

    static constexpr double kLeast = -1;
    static constexpr double kMost = 3;

    /// From kLeast, all elements differ, over 0, nothing is known, and 1, one tensor more is close
    /// than others can outweigh, to kMost. Over the tensors of equal shape, in their order, that
    /// are not constant. Complexity: constant.
    [[nodiscard]] double agreement(size_t target, size_t golden);

    /// Whether any tensor is not close to the other's. Complexity: constant.
    [[nodiscard]] bool differs(size_t target, size_t golden);

    /// What an input has in common with the result it is: 0 where nothing tells it from others.
    struct Fingerprint {
        bool is_output;
        uint64_t hash;
    };
    /// Of every tensor of an op. Complexity: constant.
    [[nodiscard]] std::vector<Fingerprint> fingerprints(bool of_target, size_t op);

  private:
    struct Sample {
        dumpfile::Direction direction;
        Shape shape;
        std::vector<double> elements;
    };
    using Samples = std::vector<Sample>;

    [[nodiscard]] const Samples& of(const Source& source,
                                    std::vector<std::optional<Samples>>& known,
                                    size_t op);
    static Samples read(const SourceOp& op);
    static double agreement_of(const Sample& one, const Sample& other);

    const Source& target_;
    const Source& golden_;
    std::vector<std::optional<Samples>> of_target_;
    std::vector<std::optional<Samples>> of_golden_;
    int64_t read_ = 0;
};

}  // namespace npuscope::compare
