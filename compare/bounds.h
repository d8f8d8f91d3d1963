// How far a target tensor may be from its golden one: the interface, and the default by precision.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype/compute_type.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

/// The tensor pair that a bound is asked for. Borrowed for the call.
struct BoundQuery {
    const std::string& target;                      ///< "/addmm/17/output/out"
    const std::string& golden;                      ///< "/addmm/3/output/out"
    DType dtype = DType::kFloat32;                  ///< of the target tensor, as declared
    ComputeType compute_type = ComputeType::kNone;  ///< what the target was computed in
    bool is_input = false;
};

/// A pass is max|t-g| <= tolerance * max(max|g|, scale) (<= tolerance where both are 0), or, with
/// `limit`, max|t-g| <= limit. `exact` asks for equal elements.
struct Bound {
    bool exact = false;
    double tolerance = 0;
    std::optional<double> limit{};
    std::string source{};  ///< where the number comes from, shown in every report: "float16 0.004"
    double scale = 0;      ///< of a sum that cancels: the largest sum of magnitudes; else 0
    double floor = 0;      ///< max|t-g| up to it is noise: so far apart are runs that are alike
    int64_t runs = 0;      ///< repetitions that the floor was measured from
    bool given = false;    ///< somebody wrote the tolerance down for this tensor
};

/// Threads: bound() may be called by several threads at once.
class Bounds {
  public:
    virtual ~Bounds() = default;
    [[nodiscard]] virtual Bound bound(const BoundQuery& query) const = 0;
    /// Of a tensor that is a sum or a mean of an op's inputs, and exceeds its bound: the largest
    /// sum (mean) of their magnitudes over its elements, which its rounding errors grow with. 0: it
    /// is no sum, or nobody knows.
    [[nodiscard]] virtual double sum_of_magnitudes(const BoundQuery&) const { return 0; }
};

/// One row of the table of tolerances.
struct Precision {
    std::string_view name;  ///< what an op computed in: "float16"
    double tolerance;
};
[[nodiscard]] std::span<const Precision> all_precisions();

/// By the precision the op computed in: ComputeType, or the tensor's dtype when it is absent;
/// integers and bools exact. `factor` scales all_precisions().
class PrecisionBounds final : public Bounds {
  public:
    explicit PrecisionBounds(double factor = 1);
    [[nodiscard]] Bound bound(const BoundQuery& query) const override;

  private:
    std::vector<Bound> bounds_;  ///< of all_precisions(), made once: very many tensors ask
};

/// One tolerance for all float tensors; integers and bools stay exact.
class FixedBounds final : public Bounds {
  public:
    explicit FixedBounds(double tolerance) : tolerance_(tolerance) {}
    [[nodiscard]] Bound bound(const BoundQuery& query) const override;

  private:
    double tolerance_;
};

}  // namespace npuscope::compare
