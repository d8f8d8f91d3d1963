// What a user wrote down of tensors: tolerances, and regions to ignore.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compare/bounds.h"
#include "core/base/pattern.h"
#include "core/recording/ignored_regions.h"

namespace npuscope::compare {

struct Tolerance {
    std::optional<Pattern> tensor{};  ///< in the path of the target's or the golden's tensor
    std::string dtype{};              ///< "": any
    double tolerance = 0;
};

/// A file of them.
struct Tolerances {
    std::vector<Tolerance> rows{};
    IgnoredRegions ignored{};
};

/// Errors: Error(kIo) it cannot be read; Error(kFormat) it is no such file: names the row.
[[nodiscard]] Tolerances read_tolerances(const std::filesystem::path& path);
/// The same of a text; `name` is what errors call it.
[[nodiscard]] Tolerances tolerances_of(const std::string& text, const std::string& name);

/// The first row that fits a float tensor decides, others are as `plain` says; whole numbers and
/// bools stay exact. Borrows `plain`. Threads: any.
class WrittenBounds final : public Bounds {
  public:
    WrittenBounds(const Bounds& plain, std::vector<Tolerance> rows)
        : plain_(plain), rows_(std::move(rows)) {}

    [[nodiscard]] Bound bound(const BoundQuery& query) const override;
    [[nodiscard]] double sum_of_magnitudes(const BoundQuery& query) const override {
        return plain_.sum_of_magnitudes(query);
    }

  private:
    const Bounds& plain_;
    std::vector<Tolerance> rows_;
};

}  // namespace npuscope::compare
