// Tolerances that a user wrote down by op, tensor and dtype.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compare/bounds.h"
#include "core/base/pattern.h"

namespace npuscope::compare {

/// The first row that fits a float tensor decides, others are as `plain` says; whole numbers and
/// bools stay exact. Borrows `plain`. Threads: any.
class WrittenBounds final : public Bounds {
  public:
    /// Errors: Error(kIo) it cannot be read; Error(kFormat) it is no such file: names the row.
    WrittenBounds(const Bounds& plain, const std::filesystem::path& path);
    WrittenBounds(const Bounds& plain, const std::string& text, const std::string& name);

    [[nodiscard]] Bound bound(const BoundQuery& query) const override;
    [[nodiscard]] double sum_of_magnitudes(const BoundQuery& query) const override {
        return plain_.sum_of_magnitudes(query);
    }

  private:
    struct Row {
        std::optional<Pattern> tensor{};  ///< in the path of the target's or the golden's tensor
        std::string dtype{};              ///< "": any
        double tolerance = 0;
    };
    void take(const std::string& text, const std::string& name);

    const Bounds& plain_;
    std::vector<Row> rows_;
};

}  // namespace npuscope::compare
