#include "compare/dataflow/relation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "compare/dataflow/rearrangement.h"
#include "core/base/two_numbers.h"

namespace npuscope::compare {

namespace {

/// A relation by arithmetic may be off by so many units in the last place.
constexpr double kUnits = 4;
/// Of float16, which has more bits than bfloat16.
constexpr double kUnitOfFloat16 = 0x1p-11;
/// Standard deviations by which as many coins may fall to one side.
constexpr double kNoChance = 8;
/// At most this share of the elements is "a few".
constexpr int64_t kEditedShare = 8;

Tensor doubles(const Tensor& tensor) {
    return tensor.cast(DType::kFloat64);
}

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool all_same(std::span<const double> a, std::span<const double> b) {
    return std::ranges::equal(a, b, same);
}

/// Relative rounding error of the narrower float dtype; 0 where one is none.
double unit_of(DType a, DType b) {
    if (!is_float(a) || !is_float(b)) return 0;
    return std::ldexp(1.0, -std::min(info(a).significand_bits, info(b).significand_bits));
}

double smallest_of(DType a, DType b) {
    return std::max(info(a).min_subnormal, info(b).min_subnormal);
}

std::string index_text(const Shape& shape, size_t flat) {
    Shape index(shape.size());
    auto rest = static_cast<int64_t>(flat);
    for (size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = rest % shape[axis];
        rest /= shape[axis];
    }
    return to_string(index);
}

/// Whether `values` is `original` rounded to a narrower dtype. Ends at the first piece that is not.
bool is_rounded(std::span<const double> values, std::span<const double> original, DType narrow) {
    constexpr size_t kPieceOfRounded = 4096;
    std::vector<uint16_t> halves(kPieceOfRounded);
    std::vector<double> rounded(kPieceOfRounded);
    for (size_t first = 0; first < values.size(); first += kPieceOfRounded) {
        const size_t count = std::min(kPieceOfRounded, values.size() - first);
        convert_elements(&original[first], DType::kFloat64, halves.data(), narrow, count);
        convert_elements(halves.data(), narrow, rounded.data(), DType::kFloat64, count);
        if (!all_same(values.subspan(first, count), std::span(rounded).first(count))) return false;
    }
    return true;
}

/// Two tensors of one numel, the golden's rounded to the target's dtype.
class Related {
  public:
    Related(const Tensor& target, const Tensor& golden)
        : shape_(target.shape()),
          golden_shape_(golden.shape()),
          unit_(unit_of(target.dtype(), golden.dtype())),
          smallest_(smallest_of(target.dtype(), golden.dtype())),
          wide_target_(doubles(target)),
          wide_golden_(doubles(golden)),
          t_(wide_target_.as<double>()),
          exact_(wide_golden_.as<double>()) {
        if (golden.dtype() != target.dtype()) {
            rounded_golden_ = doubles(golden.cast(target.dtype()));
            g_ = rounded_golden_.as<double>();
            narrow_equal_ = all_same(doubles(target.cast(golden.dtype())).as<double>(), exact_);
        } else {
            g_ = exact_;
        }
    }

    [[nodiscard]] bool equal() const { return all_same(t_, g_) || narrow_equal_; }

    [[nodiscard]] double distance() const {
        double off = 0;
        double size = 0;
        for (size_t i = 0; i < t_.size(); ++i) {
            if (!std::isfinite(t_[i]) || !std::isfinite(g_[i])) continue;
            off += (t_[i] - g_[i]) * (t_[i] - g_[i]);
            size += g_[i] * g_[i];
        }
        return size > 0 ? std::sqrt(off / size) : std::sqrt(off);
    }

    [[nodiscard]] bool within_rounding() const { return is_affine(1, 0); }

    /// Of 16 bits, within rounding: "it is scaled by about 1.003" where so many elements are larger
    /// than the golden's, which needed no rounding, that it is no chance. Smaller ones may come of
    /// rounding toward zero.
    [[nodiscard]] std::optional<std::string> leaning() const {
        if (unit_ < kUnitOfFloat16 || !all_same(g_, exact_)) return std::nullopt;
        double larger = 0;
        double smaller = 0;
        double products = 0;
        double squares = 0;
        for (size_t i = 0; i < t_.size(); ++i) {
            if (!std::isfinite(t_[i]) || !std::isfinite(g_[i])) continue;
            products += t_[i] * g_[i];
            squares += g_[i] * g_[i];
            larger += std::abs(t_[i]) > std::abs(g_[i]) ? 1 : 0;
            smaller += std::abs(t_[i]) < std::abs(g_[i]) ? 1 : 0;
        }
        if (larger - smaller < kNoChance * std::sqrt(larger + smaller) || larger == 0)
            return std::nullopt;
        return fmt::format("it is scaled by about {:.4g}", products / squares);
    }

    /// What has a name is written into `relation`. Where a few elements differ, no arithmetic on
    /// all of them is it.
    [[nodiscard]] bool name(bool few, Relation& relation) const {
        const auto is = [&](Likeness likeness, std::optional<std::string> text) {
            if (!text) return false;
            relation.likeness = likeness;
            relation.text = std::move(*text);
            return true;
        };
        if (std::ranges::all_of(t_, [](double value) { return value == 0; }))
            return is(Likeness::kDerived, "it is all zero");
        if (!few && is(Likeness::kNarrowed, rounded())) return true;
        if (is(Likeness::kMoved, rearrangement({t_, shape_}, {g_, golden_shape_}))) return true;
        if (few) return false;
        if (is(Likeness::kDerived, affine())) return true;
        return shape_ == golden_shape_ && !is_mostly_one(g_) &&
               is(Likeness::kMoved, shift_of({t_, shape_}, {g_, shape_}));
    }

    struct Unequal {
        int64_t count = 0;
        size_t worst = 0;
        double largest = 0;
    };
    [[nodiscard]] Unequal unequal() const {
        Unequal found;
        for (size_t i = 0; i < t_.size(); ++i) {
            if (same(t_[i], g_[i])) continue;
            ++found.count;
            double off = std::abs(t_[i] - g_[i]);
            if (std::isnan(off)) off = HUGE_VAL;
            if (off <= found.largest) continue;
            found.largest = off;
            found.worst = i;
        }
        return found;
    }

    /// "7 of 1024 elements differ, all at 5 along axis 0, most at [5,3]: 0.5 against 0.25"
    [[nodiscard]] std::string count_text(const Unequal& found) const {
        const auto [mine, theirs] = TwoNumbers(t_[found.worst], g_[found.worst]);
        const std::string place =
            fmt::format("{}: {} against {}", index_text(shape_, found.worst), mine, theirs);
        if (found.count == 1) return fmt::format("one element of {} differs, {}", t_.size(), place);
        return fmt::format(
            "{} of {} elements differ{}, most at {}", found.count, t_.size(), common_axis(), place);
    }

  private:
    /// t = a g + b within rounding, elementwise.
    [[nodiscard]] bool is_affine(double a, double b) const {
        for (size_t i = 0; i < t_.size(); ++i) {
            const double expected = a * exact_[i] + b;
            if (same(t_[i], expected)) continue;
            const double size = std::abs(a * exact_[i]) + std::abs(b);
            if (!(std::abs(t_[i] - expected) <= kUnits * unit_ * size + smallest_)) return false;
        }
        return true;
    }

    [[nodiscard]] std::optional<std::string> affine() const {
        if (t_.size() < 2 || unit_ == 0) return std::nullopt;
        const auto finite = [&](size_t i) {
            return std::isfinite(exact_[i]) && std::isfinite(t_[i]);
        };
        size_t low = 0;
        size_t high = 0;
        size_t largest = 0;
        for (size_t i = 0; i < t_.size(); ++i) {
            if (!finite(i)) return std::nullopt;
            if (exact_[i] < exact_[low]) low = i;
            if (exact_[i] > exact_[high]) high = i;
            if (std::abs(exact_[i]) > std::abs(exact_[largest])) largest = i;
        }
        if (exact_[low] == exact_[high]) return std::nullopt;
        const double ratio = t_[largest] / exact_[largest];
        if (ratio != 0 && is_affine(ratio, 0))
            return std::abs(ratio + 1) < 8 * unit_ ? "its sign is changed"
                                                   : fmt::format("it is scaled by {:.6g}", ratio);
        // Through two points there is always a line.
        if (std::ranges::all_of(exact_, [&](double value) {
                return value == exact_[low] || value == exact_[high];
            }))
            return std::nullopt;
        const double slope = (t_[high] - t_[low]) / (exact_[high] - exact_[low]);
        const double offset = t_[high] - slope * exact_[high];
        if (slope == 0 || !is_affine(slope, offset)) return std::nullopt;
        if (std::abs(slope - 1) < 16 * unit_) return fmt::format("{:.6g} is added to it", offset);
        return fmt::format("it is scaled by {:.6g}, and {:.6g} is added", slope, offset);
    }

    [[nodiscard]] std::optional<std::string> rounded() const {
        if (unit_ == 0) return std::nullopt;
        for (const DType narrow : {DType::kFloat16, DType::kBFloat16}) {
            if (is_rounded(t_, exact_, narrow))
                return "it is rounded to " + std::string(name_of(narrow));
            if (is_rounded(exact_, t_, narrow))
                return "it is not rounded to " + std::string(name_of(narrow)) +
                       " as the golden's is";
        }
        return std::nullopt;
    }

    [[nodiscard]] static bool is_mostly_one(std::span<const double> values) {
        const auto alike = std::ranges::count(values, values[values.size() / 2]);
        return 2 * static_cast<size_t>(alike) > values.size();
    }

    /// ", all at 5 along axis 0" where all unequal elements share an index.
    [[nodiscard]] std::string common_axis() const {
        if (shape_.size() < 2) return {};
        const auto strides = contiguous_strides(shape_);
        for (size_t axis = 0; axis < shape_.size(); ++axis) {
            if (shape_[axis] < 2) continue;
            std::set<int64_t> places;
            for (size_t i = 0; i < t_.size() && places.size() < 2; ++i)
                if (!same(t_[i], g_[i]))
                    places.insert(static_cast<int64_t>(i) / strides[axis] % shape_[axis]);
            if (places.size() == 1)
                return fmt::format(", all at {} along axis {}", *places.begin(), axis);
        }
        return {};
    }

    Shape shape_;
    Shape golden_shape_;
    double unit_;
    double smallest_;
    Tensor wide_target_;
    Tensor wide_golden_;
    Tensor rounded_golden_{};
    std::span<const double> t_;
    std::span<const double> exact_;  ///< the golden's as it is
    std::span<const double> g_;      ///< in the target's dtype
    bool narrow_equal_ = false;  ///< the target's, rounded to the golden's dtype, is the golden's
};

}  // namespace

Relation relation_of(const Tensor& target, const Tensor& golden) {
    if (target.numel() != golden.numel())
        return {.likeness = Likeness::kOther,
                .text = "its shape is " + to_string(target.shape()) + ", the golden's " +
                        to_string(golden.shape()),
                .distance = 1};
    const Related related(target, golden);
    if (related.equal()) return {};
    Relation relation{.distance = related.distance()};
    if (related.within_rounding()) {
        const auto text = related.leaning();
        relation.likeness = text ? Likeness::kLeaning : Likeness::kRounding;
        relation.text = text.value_or("");
        return relation;
    }
    const auto unequal = related.unequal();
    const bool few = unequal.count <= std::max<int64_t>(1, target.numel() / kEditedShare);
    if (!related.name(few, relation)) {
        relation.likeness = few ? Likeness::kEdited : Likeness::kOther;
        relation.text = related.count_text(unequal);
        relation.equal =
            1 - static_cast<double>(unequal.count) / static_cast<double>(target.numel());
    }
    return relation;
}

}  // namespace npuscope::compare
