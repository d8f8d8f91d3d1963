// The reference tool's ten algorithms: text of the result column, and what is wrong, if anything.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "msaccucmp/numpy/pair_numbers.h"

namespace npuscope::msaccucmp {

/// Number = index, as in the -alg option.
inline constexpr std::array<std::string_view, 10> kAlgorithmNames = {"CosineSimilarity",
                                                                     "MaxAbsoluteError",
                                                                     "AccumulatedRelativeError",
                                                                     "RelativeEuclideanDistance",
                                                                     "KullbackLeiblerDivergence",
                                                                     "StandardDeviation",
                                                                     "MeanAbsoluteError",
                                                                     "RootMeanSquareError",
                                                                     "MaxRelativeError",
                                                                     "MeanRelativeError"};

/// Prepared data of one pair. Borrowed for the call.
struct PreparedPair {
    const FloatSource& x;     ///< my side, flattened
    const FloatSource& y;     ///< golden side, of the same count
    bool is_scalar = false;   ///< every dimension of my shape is 1 (in the reference's reading)
    bool are_bools = false;   ///< both stored as NumPy bool; then x and y hold 0 and 1
    int64_t empty_rows = 1;   ///< over each of which cosine takes a norm where there is no element
    std::string_view x_name;  ///< dataset paths, for messages
    std::string_view y_name;
};

struct AlgorithmTexts {
    std::vector<std::string> values;   ///< one per selected algorithm
    std::vector<std::string> reasons;  ///< only those that have something to say
};

/// `selected` are numbers 0..9 in column order. The texts do not depend on `threads`. Errors: those
/// of the sources.
[[nodiscard]] AlgorithmTexts run_algorithms(const PreparedPair& pair,
                                            const std::vector<int>& selected,
                                            int threads = 1);

/// "%.6f" as Python writes it: "nan" without a sign, "inf", "-0.000000".
[[nodiscard]] std::string six_decimals(double value);

}  // namespace npuscope::msaccucmp
