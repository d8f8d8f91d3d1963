// The target's tensors that the golden's results are held against when its program runs again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "compare/dataflow/paired_flows.h"
#include "core/tensor/tensor.h"

namespace npuscope::diagnose {

/// The elements of a tensor of a recording, floats in float64. Errors: as ElementSource::range().
[[nodiscard]] Tensor wide_tensor(const compare::Side& side, size_t tensor);

/// Borrows the flows.
class ReplayPartners {
  public:
    struct Partner {
        size_t pair = 0;  ///< index into Plan::ops
        size_t op = 0;    ///< index into the target's
        std::string path{};
        DType dtype = DType::kFloat32;   ///< as stored
        std::function<Tensor()> read{};  ///< as it is compared
    };

    explicit ReplayPartners(const compare::PairedFlows& flows);

    /// Of one of the golden's results; nullptr without one.
    [[nodiscard]] const Partner* of(size_t result) const;
    /// Its elements in the golden's shape, floats in float64; empty where these are others in
    /// number. Errors: as ElementSource::range().
    [[nodiscard]] std::optional<Tensor> elements(size_t result) const;
    /// The target's tensor that is off from `elements` of the result by no more than `allowed` of
    /// the norm, wherever it is and however its axes lie; empty without one. Where so much is
    /// allowed that others are as near, the partner of a later result has to be nearer. Complexity:
    /// reads what has as many elements and begins alike. Errors: as ElementSource::range().
    [[nodiscard]] std::optional<Partner> elsewhere(size_t result,
                                                   const Tensor& elements,
                                                   double allowed) const;
    /// In place of the partner of a result.
    void replace(size_t result, Partner partner);

  private:
    /// What both programs end in, each in an op that the other has not (a product with a bias and
    /// one without): of results that no op takes in, where either side has one of that shape.
    void pair_lone_ends();

    /// Whether the plan pairs the target's tensor with later results alone: what is made of the
    /// result, in smaller steps than coarse arithmetic tells.
    [[nodiscard]] bool belongs_to_later(const std::string& path, size_t result) const;

    const compare::PairedFlows& flows_;
    std::unordered_map<size_t, Partner> partners_{};
    std::unordered_multimap<std::string, size_t> results_{};  ///< of the plan, by partner
};

}  // namespace npuscope::diagnose
