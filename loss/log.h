// A training log, whatever wrote it: loss, learning rate and the like over the steps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npuscope::loss {

enum class Quantity : uint8_t {
#define QUANTITY(enumerator, name, keys) enumerator,
#include "loss/quantities.def"
#undef QUANTITY
    kCount
};
inline constexpr size_t kQuantities = static_cast<size_t>(Quantity::kCount);

[[nodiscard]] std::string_view name_of(Quantity quantity);

/// How well a key of a log ("lm loss", "train/loss", "LR") fits a quantity: 0 the best, -1 not at
/// all. Keys of validation, test and evaluation fit nothing; of a path only the last part counts.
[[nodiscard]] int fit_of(Quantity quantity, std::string_view key);

/// Values over steps, which rise strictly. NaN and infinities are values.
struct Curve {
    std::vector<int64_t> steps;
    std::vector<double> values;

    [[nodiscard]] bool empty() const { return steps.empty(); }
    [[nodiscard]] size_t size() const { return steps.size(); }
    /// Nothing of the step: nullptr.
    [[nodiscard]] const double* at(int64_t step) const;
};

struct Log {
    std::string path;
    std::string format;                ///< name of the row of formats.def that read it
    std::string pattern;               ///< where step and loss stand, where that was guessed, or ""
    std::string loss_name;             ///< as the log calls it
    std::vector<std::string> remarks;  ///< restarts, ranks, repeated steps, what was left out
    std::array<Curve, kQuantities> curves;
    std::array<std::string, kQuantities> names;  ///< of the others, as the log calls them

    [[nodiscard]] const Curve& of(Quantity quantity) const {
        return curves[static_cast<size_t>(quantity)];
    }
    [[nodiscard]] Curve& of(Quantity quantity) { return curves[static_cast<size_t>(quantity)]; }
};

}  // namespace npuscope::loss
