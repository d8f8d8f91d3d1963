#include "compare/relate/nowhere.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "compare/relate/arrangements.h"
#include "core/base/error.h"
#include "core/tensor/piece.h"

namespace npuscope::compare {

namespace {

/// Elements are equal up to so much of them: what eight bits of a fraction leave, twice.
constexpr double kCloseElements = 1.0 / 128;
/// Of a vector so much has to be found.
constexpr double kMostOfVector = 0.9;
/// Tensors of equal numel that are so near are the same, whatever the pairs say.
constexpr double kSurelyThere = 0.15;
constexpr double kThereInAnyOrder = 0.04;
constexpr double kSumOfGivens = 0.01;
/// What remains of a vector that is another one, scaled and shifted.
constexpr double kRemains = 0.02;
/// Fewer elements are met by chance.
constexpr int64_t kFewInVector = 4;
/// Longer vectors are no biases.
constexpr int64_t kLongVector = int64_t{1} << 20;
/// Of one numel, so many are added up two by two.
constexpr size_t kMostTerms = 200;

bool is_vector(const Shape& shape) {
    return without_ones(shape).size() <= 1;
}

bool are_close(double one, double other, double scale) {
    return std::abs(one - other) <=
           kCloseElements * std::max(std::abs(one), std::abs(other)) + 1e-6 * scale;
}

double largest_of(std::span<const double> values) {
    double largest = 0;
    for (const double value : values)
        largest = std::max(largest, std::abs(value));
    return largest;
}

/// Where `part` begins in `whole`, element for element; empty where it is not there.
std::optional<size_t> place_in(std::span<const double> part, std::span<const double> whole) {
    const double scale = largest_of(part);
    if (part.empty() || part.size() > whole.size() || scale == 0) return std::nullopt;
    const auto lead = static_cast<size_t>(
        std::ranges::max_element(part, {}, [](double value) { return std::abs(value); }) -
        part.begin());
    for (size_t at = 0; at + part.size() <= whole.size(); ++at) {
        if (!are_close(part[lead], whole[at + lead], scale)) continue;
        size_t equal = 0;
        for (size_t i = 0; i < part.size(); ++i)
            equal += are_close(part[i], whole[at + i], scale) ? 1 : 0;
        if (static_cast<double>(equal) >= kMostOfVector * static_cast<double>(part.size()))
            return at;
    }
    return std::nullopt;
}

/// Whether one is a * other + c.
bool is_scaled_and_shifted(std::span<const double> one, std::span<const double> other) {
    const auto count = static_cast<double>(one.size());
    const double mean = std::accumulate(one.begin(), one.end(), 0.0) / count;
    const double other_mean = std::accumulate(other.begin(), other.end(), 0.0) / count;
    double squares = 0;
    double products = 0;
    double own = 0;
    for (size_t i = 0; i < one.size(); ++i) {
        squares += (other[i] - other_mean) * (other[i] - other_mean);
        products += (other[i] - other_mean) * (one[i] - mean);
        own += (one[i] - mean) * (one[i] - mean);
    }
    if (squares == 0 || own == 0) return false;
    return own - products * products / squares <= kRemains * kRemains * own;
}

/// What the other side has, as vectors where they are.
class OtherSide {
  public:
    OtherSide(const Listing& listing, const Source& source) : listing_(listing), source_(source) {
        for (size_t i = 0; i < listing.tensors.size(); ++i) {
            const ListedTensor& tensor = listing.tensors[i];
            if (tensor.is_given() && tensor.is_float && is_vector(tensor.shape) &&
                tensor.sketch.numel > 1 && tensor.sketch.numel <= kLongVector)
                vectors_.push_back(i);
        }
    }

    [[nodiscard]] bool holds(const ListedTensor& given, std::span<const double> elements) const {
        if (has_alike(given.sketch) || (is_vector(given.shape) && is_sum(given.sketch)))
            return true;
        if (!is_vector(given.shape)) return false;
        return is_in_vectors(elements) || is_in_rows(elements) || is_put_together(elements);
    }

  private:
    [[nodiscard]] bool has_alike(const Sketch& sketch) const {
        return std::ranges::any_of(listing_.tensors, [&](const ListedTensor& other) {
            return other.sketch.numel == sketch.numel &&
                   (distance_of(sketch, other.sketch, kSurelyThere) < kSurelyThere ||
                    hold_alike(sketch, other.sketch, kThereInAnyOrder));
        });
    }

    [[nodiscard]] bool is_sum(const Sketch& sketch) const {
        std::vector<const Sketch*> terms;
        for (const size_t each : vectors_)
            if (listing_.tensors[each].sketch.numel == sketch.numel && terms.size() < kMostTerms)
                terms.push_back(&listing_.tensors[each].sketch);
        for (size_t i = 0; i < terms.size(); ++i)
            for (size_t j = i + 1; j < terms.size(); ++j) {
                double off = 0;
                for (size_t fold = 0; fold < Sketch::kFolds; ++fold) {
                    const double difference = double{terms[i]->folded[fold]} +
                                              double{terms[j]->folded[fold]} -
                                              double{sketch.folded[fold]};
                    off += difference * difference;
                }
                if (std::sqrt(off) < kSumOfGivens * sketch.l2) return true;
            }
        return false;
    }

    /// Scaled and shifted, or a piece of a longer one.
    [[nodiscard]] bool is_in_vectors(std::span<const double> elements) const {
        return std::ranges::any_of(vectors_, [&](size_t each) {
            const ListedTensor& other = listing_.tensors[each];
            if (other.sketch.numel < static_cast<int64_t>(elements.size())) return false;
            const std::vector<double> values = read(other, other.sketch.numel);
            if (values.size() == elements.size())
                return static_cast<int64_t>(values.size()) > kFewInVector &&
                       is_scaled_and_shifted(elements, values);
            return place_in(elements, values).has_value();
        });
    }

    /// Each row of a tensor that was given.
    [[nodiscard]] bool is_in_rows(std::span<const double> elements) const {
        return std::ranges::any_of(listing_.tensors, [&](const ListedTensor& other) {
            const auto count = static_cast<int64_t>(elements.size());
            return other.is_given() && !other.shape.empty() && other.shape.back() == count &&
                   other.sketch.numel > count && place_in(elements, read(other, count));
        });
    }

    [[nodiscard]] bool is_put_together(std::span<const double> elements) const {
        std::vector<bool> known(elements.size(), false);
        for (size_t i = 0; i < elements.size(); ++i)
            known[i] = elements[i] == 0;
        for (const size_t each : vectors_) {
            const ListedTensor& other = listing_.tensors[each];
            if (other.sketch.numel >= static_cast<int64_t>(elements.size())) continue;
            const std::vector<double> values = read(other, other.sketch.numel);
            const auto at = place_in(values, elements);
            if (at) std::fill_n(known.begin() + static_cast<int64_t>(*at), values.size(), true);
        }
        return static_cast<double>(std::ranges::count(known, true)) >=
               kMostOfVector * static_cast<double>(elements.size());
    }

    [[nodiscard]] std::vector<double> read(const ListedTensor& tensor, int64_t count) const {
        const auto elements = open_listed(source_, tensor);
        const Tensor piece = piece_of(*elements, 0, count).cast(DType::kFloat64);
        const auto values = piece.as<double>();
        return {values.begin(), values.end()};
    }

    const Listing& listing_;
    const Source& source_;
    std::vector<size_t> vectors_;
};

/// Two values at most: a mask, a constant.
bool is_plain(std::span<const double> elements) {
    std::set<double> values;
    for (const double value : elements) {
        values.insert(value);
        if (values.size() > 2) return false;
    }
    return true;
}

std::vector<size_t> given_nowhere(const Listing& own,
                                  const Source& source,
                                  const std::set<size_t>& related,
                                  const OtherSide& others) {
    std::set<size_t> known;
    for (const size_t each : related)
        known.insert(own.tensors[each].twin);
    std::vector<size_t> found;
    for (size_t i = 0; i < own.tensors.size(); ++i) {
        const ListedTensor& tensor = own.tensors[i];
        if (!tensor.is_given() || !tensor.is_float || related.contains(i) ||
            known.contains(tensor.twin) || tensor.sketch.low >= tensor.sketch.high)
            continue;
        try {
            const Tensor elements = open_listed(source, tensor)->whole().cast(DType::kFloat64);
            if (!is_plain(elements.as<double>()) && !others.holds(tensor, elements.as<double>()))
                found.push_back(i);
        } catch (const Error&) {
            // What cannot be read is told where it is compared.
        }
    }
    return found;
}

}  // namespace

OneSidedGivens given_nowhere(const Relations& relations, const SourcePair& sources) {
    std::set<size_t> targets;
    std::set<size_t> goldens;
    for (const TensorRelation& each : relations.found) {
        targets.insert(each.target);
        goldens.insert(each.golden);
        targets.insert(each.more_target.begin(), each.more_target.end());
        goldens.insert(each.more_golden.begin(), each.more_golden.end());
    }
    const OtherSide target(relations.target, sources.target);
    const OtherSide golden(relations.golden, sources.golden);
    return {.target = given_nowhere(relations.target, sources.target, targets, golden),
            .golden = given_nowhere(relations.golden, sources.golden, goldens, target)};
}

}  // namespace npuscope::compare
