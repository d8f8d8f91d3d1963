// Bounds for sums that cancel: rounding errors of a sum grow with the magnitudes that it adds, not
// with what is left of them.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "compare/bounds.h"
#include "core/dumpfile/reader.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

/// The largest element of the op's result `result` on the magnitudes of `arguments`, in float64; 0
/// unless that result is a sum or a mean of inputs (OpRow::sum) and its row takes these arguments.
/// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2, (4.4).
[[nodiscard]] double sum_of_magnitudes(const backend::Op& op,
                                       const std::string& result,
                                       NamedValues arguments);

/// What `plain` says, and for sums the magnitudes of the inputs that the dumps hold: the target's
/// own, or the golden's where the target was fed with them. The files are opened when the first sum
/// exceeds its bound; other kinds of files have no inputs. Borrows `plain`.
/// Threads: any; one op is computed at a time.
class SumBounds final : public compare::Bounds {
  public:
    SumBounds(const compare::Bounds& plain,
              std::filesystem::path target,
              std::filesystem::path golden)
        : plain_(plain), target_{std::move(target), {}}, golden_{std::move(golden), {}} {}

    [[nodiscard]] compare::Bound bound(const compare::BoundQuery& query) const override {
        return plain_.bound(query);
    }
    [[nodiscard]] double sum_of_magnitudes(const compare::BoundQuery& query) const override;

  private:
    struct Dump {
        std::filesystem::path path;
        std::unique_ptr<dumpfile::Reader> reader;  ///< null until it is needed
    };
    /// 0 when the dump does not hold the op's inputs.
    [[nodiscard]] static double magnitudes_in(Dump& dump, const std::string& result);

    const compare::Bounds& plain_;
    mutable std::mutex mutex_;
    mutable Dump target_;
    mutable Dump golden_;
};

}  // namespace npuscope::diagnose
