// Polygraphy's CompareFunc.simple with its defaults: an element fails beyond both tolerances.
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compare/standards/plain_elements.h"
#include "compare/standards/standard.h"

namespace npuscope::compare {

namespace {

constexpr double kSimpleTolerance = 1e-5;  ///< rtol and atol
/// In place of a zero that is divided by.
constexpr double kInPlaceOfZero = 2.220446049250313e-16;

struct SimpleMismatches {
    int64_t count = 0;
    double largest = 0;   ///< absolute
    double relative = 0;  ///< the largest
};

/// T is what the wider side's elements are subtracted in.
template <class T>
SimpleMismatches simple_mismatches(const Tensor& target, const Tensor& golden) {
    const std::vector<T> mine = as_elements<T>(target);
    const std::vector<T> theirs = as_elements<T>(golden);
    const T limit = static_cast<T>(kSimpleTolerance);
    SimpleMismatches found;
    for (size_t i = 0; i < mine.size(); ++i) {
        const T apart = std::abs(mine[i] - theirs[i]);
        const T size = theirs[i] == 0 ? static_cast<T>(kInPlaceOfZero) : std::abs(theirs[i]);
        const T share = apart / size;
        // NaN is beyond either.
        if (!(apart <= limit) && !(share <= limit)) ++found.count;
        found.largest = std::fmax(found.largest, static_cast<double>(apart));
        found.relative = std::fmax(found.relative, static_cast<double>(share));
    }
    return found;
}

/// Whole numbers: no epsilon, and the quotient is in float64.
SimpleMismatches whole_mismatches(const Tensor& target, const Tensor& golden) {
    const std::vector<int64_t> mine = as_integers(target);
    const std::vector<int64_t> theirs = as_integers(golden);
    SimpleMismatches found;
    for (size_t i = 0; i < mine.size(); ++i) {
        if (mine[i] == theirs[i]) continue;
        const double apart =
            std::abs(static_cast<double>(mine[i]) - static_cast<double>(theirs[i]));
        const double share = apart / std::abs(static_cast<double>(theirs[i]));
        if (!(share <= kSimpleTolerance)) ++found.count;
        found.largest = std::fmax(found.largest, apart);
        found.relative = std::fmax(found.relative, share);
    }
    return found;
}

StandardVerdict simple_verdict(const PlainPair& pair) {
    if (pair.target.shape() != pair.golden.shape())
        return {StandardLevel::kFail,
                "FAILED",
                "shapes differ: " + to_string(pair.target.shape()) + " and " +
                    to_string(pair.golden.shape())};
    const auto is_wide = [](DType dtype) { return is_float(dtype) && size_of(dtype) > 4; };
    const DType mine = pair.target.dtype();
    const DType theirs = pair.golden.dtype();
    const bool whole = !is_float(mine) && !is_float(theirs);
    // NumPy subtracts float32 and whole numbers of 32 bits and more in float64.
    const bool mixed = is_float(mine) != is_float(theirs);
    const SimpleMismatches found = whole ? whole_mismatches(pair.target, pair.golden)
                                   : mixed || is_wide(mine) || is_wide(theirs)
                                       ? simple_mismatches<double>(pair.target, pair.golden)
                                       : simple_mismatches<float>(pair.target, pair.golden);
    const bool failed = found.count > 0;
    return {failed ? StandardLevel::kFail : StandardLevel::kPass,
            failed ? "FAILED" : "PASSED",
            fmt::format("{} of {} elements beyond both rtol 1e-05 and atol 1e-05; max absolute "
                        "{:.3g}, max relative {:.3g}",
                        found.count,
                        pair.target.numel(),
                        found.largest,
                        found.relative),
            {{"mismatches", static_cast<double>(found.count)},
             {"max_absdiff", found.largest},
             {"max_reldiff", found.relative}}};
}

std::vector<StandardVerdict> judge_polygraphy(const StandardQuery& query) {
    std::vector<StandardVerdict> verdicts;
    for (const TensorPair& pair : query.tensors) {
        StandardVerdict verdict;
        // It compares what models give out; an output that one side lacks is passed over.
        if (pair.known().direction == dumpfile::Direction::kOutput)
            if (const auto both = plain_pair(pair.target, pair.golden, verdict.why))
                verdict = simple_verdict(*both);
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

}  // namespace

std::span<const Standard> polygraphy_standards() {
    static constexpr std::array<Standard, 1> kRows = {
        {{.name = "polygraphy",
          .rule = "no element of an output is off by more than 1e-5 both absolutely and beside the "
                  "golden's; NaN, and infinity against infinity, are off",
          .verdicts = "PASSED, FAILED",
          .source = "NVIDIA/TensorRT, tools/Polygraphy/polygraphy/comparator/compare.py, "
                    "CompareFunc.simple (elemwise), commit 1637a26e",
          .judge = judge_polygraphy}}};
    return kRows;
}

}  // namespace npuscope::compare
