#include "compare/standards/msprobe_rows.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "compare/standards/plain_elements.h"

namespace npuscope::compare {

namespace {

/// A vector shorter than this is all zero.
constexpr double kNoLength = 2.220446049250313e-16;
constexpr double kThousandth = 0.001;

bool is_short_float_name(std::string_view dtype) {
    return dtype == "float16" || dtype == "bfloat16" || dtype == "float32";
}

/// Whether msprobe compares tensors of these dtypes at all.
bool are_matched(const std::string& one, const std::string& other) {
    return one == other || (is_short_float_name(one) && is_short_float_name(other));
}

double length_of(const std::vector<double>& elements) {
    double squares = 0;
    for (const double element : elements)
        squares += element * element;
    return std::sqrt(squares);
}

std::optional<double> cosine_of(const std::vector<double>& mine,
                                const std::vector<double>& theirs) {
    if (mine.size() == 1) return std::nullopt;
    const double my_length = length_of(mine);
    const double their_length = length_of(theirs);
    if (my_length <= kNoLength && their_length <= kNoLength) return 1;
    if (my_length <= kNoLength || their_length <= kNoLength) return std::nullopt;
    double products = 0;
    for (size_t i = 0; i < mine.size(); ++i)
        products += mine[i] * theirs[i];
    const double cosine = products / (my_length * their_length);
    return std::isnan(cosine) ? std::nullopt : std::optional(cosine);
}

/// Of floats of at most 32 bits in float32, of all others in float64; a golden zero gets the
/// machine epsilon, and the target as much.
template <class T>
double share_within_thousandth(const Tensor& target, const Tensor& golden) {
    std::vector<T> mine = as_elements<T>(target);
    std::vector<T> theirs = as_elements<T>(golden);
    constexpr T kEpsilon = std::numeric_limits<T>::epsilon();
    constexpr T kLimit = static_cast<T>(kThousandth);
    size_t within = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
        T t = std::isfinite(mine[i]) ? mine[i] : T{};
        T g = std::isfinite(theirs[i]) ? theirs[i] : T{};
        if (g == 0) {
            t += kEpsilon;
            g += kEpsilon;
        }
        within += std::abs((t - g) / g) < kLimit ? 1 : 0;
    }
    return static_cast<double>(within) / static_cast<double>(mine.size());
}

/// Infinities and NaN stand at the same places, and become 0 there; false elsewhere.
bool clear_nonfinite(std::vector<double>& mine, std::vector<double>& theirs) {
    for (size_t i = 0; i < mine.size(); ++i) {
        if (std::isinf(mine[i]) != std::isinf(theirs[i]) ||
            std::isnan(mine[i]) != std::isnan(theirs[i]))
            return false;
        if (std::isfinite(mine[i])) continue;
        mine[i] = 0;
        theirs[i] = 0;
    }
    return true;
}

void take_elements(const TensorPair& pair, MsprobeRow& row) {
    std::string why_not;
    const auto both = plain_pair(pair.target, pair.golden, why_not);
    // What has no axis has neither a cosine nor a share.
    if (!both || both->target.numel() == 0 || both->target.shape() != both->golden.shape() ||
        both->target.shape().empty())
        return;
    std::vector<double> mine = as_doubles(both->target);
    std::vector<double> theirs = as_doubles(both->golden);
    if (!clear_nonfinite(mine, theirs)) return;
    row.cosine = cosine_of(mine, theirs);
    const auto is_short = [](DType dtype) { return is_float(dtype) && size_of(dtype) <= 4; };
    row.within_thousandth = is_short(both->target.dtype()) && is_short(both->golden.dtype())
                                ? share_within_thousandth<float>(both->target, both->golden)
                                : share_within_thousandth<double>(both->target, both->golden);
}

RecordedStatistics statistics_of_side(const SourceTensor& tensor) {
    if (tensor.statistics && !tensor.ignored) return *tensor.statistics;
    return tensor.open ? recorded_of(tensor.kept()) : RecordedStatistics{};
}

bool has_nonfinite_extreme(const RecordedStatistics& of) {
    return (of.max && !std::isfinite(*of.max)) || (of.min && !std::isfinite(*of.min));
}

void take_norms(const RecordedStatistics& mine, const RecordedStatistics& theirs, MsprobeRow& row) {
    if (!mine.norm || !theirs.norm) return;
    const double t = *mine.norm;
    const double g = *theirs.norm;
    if (t == g || (std::isnan(t) && std::isnan(g))) {
        row.norm_error = 0;
    } else if (std::isnan(t) || std::isnan(g)) {
        return;
    } else if (std::isinf(t) || std::isinf(g) || g == 0) {
        row.norm_from_zero = true;
    } else {
        row.norm_error = std::abs((t - g) / g);
    }
}

void take_hash(const TensorPair& pair, MsprobeRow& row) {
    if (pair.target->ignored) return;
    const std::string theirs = row.matched ? pair.golden->hash : std::string();
    if (pair.target->hash == theirs) return;
    (pair.target->hash.empty() || theirs.empty() ? row.hash_missing : row.hashes_differ) = true;
}

}  // namespace

MsprobeRow msprobe_row(const TensorPair& pair, MsprobeMode mode) {
    MsprobeRow row;
    row.matched = pair.golden != nullptr && are_matched(pair.target->dtype, pair.golden->dtype);
    if (mode == MsprobeMode::kHashes) {
        take_hash(pair, row);
        return row;
    }
    const RecordedStatistics mine = statistics_of_side(*pair.target);
    if (!row.matched) {
        row.nonfinite = has_nonfinite_extreme(mine);
        return row;
    }
    const RecordedStatistics theirs = statistics_of_side(*pair.golden);
    row.nonfinite = has_nonfinite_extreme(mine) && !has_nonfinite_extreme(theirs);
    row.dtypes_differ = pair.target->dtype != pair.golden->dtype;
    row.shapes_differ = pair.target->shape != pair.golden->shape;
    row.grads_differ = pair.target->requires_grad && pair.golden->requires_grad &&
                       *pair.target->requires_grad != *pair.golden->requires_grad;
    if (mode == MsprobeMode::kElements) {
        take_elements(pair, row);
    } else {
        take_norms(mine, theirs, row);
    }
    return row;
}

}  // namespace npuscope::compare
