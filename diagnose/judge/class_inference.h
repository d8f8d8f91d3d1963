// The class of arithmetic of a group of ops, from the runs that were held to the classes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "diagnose/judge/sampled_run.h"

namespace npuscope::diagnose {

/// Runs of a group that tell its class.
struct ArithmeticSample {
    std::vector<SampledRun> runs;
    size_t first = 0;  ///< of them in the recording: index into the judge's ops
};

/// Runs that the class in that column explains.
[[nodiscard]] int64_t count_within(const std::vector<SampledRun>& sample, size_t column);
/// All but few; in a small sample all but one that is far off, not just over its limit.
[[nodiscard]] bool explains(const std::vector<SampledRun>& sample, size_t column);
/// Some run keeps to the class whose steps would show a more lenient one.
[[nodiscard]] bool is_shown(const std::vector<SampledRun>& sample, size_t column);
/// None is just over what the class allows, as a fault seldom is.
[[nodiscard]] bool are_far_or_within(const std::vector<SampledRun>& sample, size_t column);

/// The class of a group, found from a sample of its ops or told by the device.
struct InferredArithmetic {
    const ProductClass* product = nullptr;
    const VectorClass* vector = nullptr;
    /// Of a chip whose library chooses by op or shape: the class of the runs that `product` does
    /// not explain. nullptr where one class explains all.
    const ProductClass* other_product = nullptr;
    /// Explains the sampled runs as well: float16 and TF32 keep as many bits, and are told apart by
    /// small numbers alone. nullptr where they are.
    const ProductClass* tied_product = nullptr;
    /// The class of a group. Errors: Error(kInternal) a group of the other kind.
    [[nodiscard]] const ProductClass& of_products() const;
    [[nodiscard]] const VectorClass& of_vectors() const;
    /// That any of its classes computes with, or gives out.
    [[nodiscard]] int fewest_bits() const;
    int64_t sampled = 0;  ///< of a device that tells: all ops of the group
    int64_t within = 0;   ///< of the sample: what the class explains
    /// "fp32", "fp32, or TF32 inputs, fp32 sums"
    [[nodiscard]] std::string name() const;
};

using ArithmeticSamples = std::map<ArithmeticGroup, ArithmeticSample>;

/// Of a group of the samples; groups of few runs are told by their like as well.
[[nodiscard]] InferredArithmetic class_from(const ArithmeticSamples& samples,
                                            const ArithmeticGroup& group);

/// No class that was not tried would be taken in place of the one that was found.
[[nodiscard]] bool is_settled(const ArithmeticSamples& samples,
                              const ArithmeticGroup& group,
                              const InferredArithmetic& found,
                              Tried tried);

/// Where steps are in bfloat16 though float32 is stored, they are so where bfloat16 is stored.
void follow_stored_wider(std::map<ArithmeticGroup, InferredArithmetic>& classes);

}  // namespace npuscope::diagnose
