// torch.testing.assert_close with its defaults.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compare/standards/plain_elements.h"
#include "compare/standards/standard.h"

namespace npuscope::compare {

namespace {

struct CloseTolerances {
    double relative = 0;
    double absolute = 0;
};

/// Whole numbers and bools must be equal.
CloseTolerances close_tolerances(DType dtype) {
    switch (dtype) {
        case DType::kFloat16:
            return {1e-3, 1e-5};
        case DType::kBFloat16:
            return {1.6e-2, 1e-5};
        case DType::kFloat32:
            return {1.3e-6, 1e-5};
        case DType::kFloat64:
            return {1e-7, 1e-7};
        default:
            return {};
    }
}

/// Every step is rounded to the tensors' dtype, the tolerances too.
template <class T, class W>
int64_t far_elements(const Tensor& target, const Tensor& golden, const CloseTolerances& allowed) {
    const auto rounded = [](W value) {
        T narrow{};
        W wide{};
        convert_elements(&value, kDTypeOf<W>, &narrow, kDTypeOf<T>, 1);
        convert_elements(&narrow, kDTypeOf<T>, &wide, kDTypeOf<W>, 1);
        return wide;
    };
    const std::vector<W> mine = as_elements<W>(target);
    const std::vector<W> theirs = as_elements<W>(golden);
    const W relative = rounded(static_cast<W>(allowed.relative));
    const W absolute = rounded(static_cast<W>(allowed.absolute));
    int64_t count = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
        if (mine[i] == theirs[i]) continue;
        const W limit = rounded(absolute + std::abs(rounded(relative * theirs[i])));
        const W apart = std::abs(rounded(mine[i] - theirs[i]));
        if (!(std::isfinite(apart) && apart <= limit)) ++count;
    }
    return count;
}

int64_t unequal_elements(const Tensor& target, const Tensor& golden) {
    const std::vector<int64_t> mine = as_integers(target);
    const std::vector<int64_t> theirs = as_integers(golden);
    int64_t count = 0;
    for (size_t i = 0; i < mine.size(); ++i)
        count += mine[i] == theirs[i] ? 0 : 1;
    return count;
}

int64_t far_elements_of(const PlainPair& pair, const CloseTolerances& allowed) {
    switch (pair.target.dtype()) {
        case DType::kFloat16:
            return far_elements<Float16, float>(pair.target, pair.golden, allowed);
        case DType::kBFloat16:
            return far_elements<BFloat16, float>(pair.target, pair.golden, allowed);
        case DType::kFloat32:
            return far_elements<float, float>(pair.target, pair.golden, allowed);
        case DType::kFloat64:
            return far_elements<double, double>(pair.target, pair.golden, allowed);
        default:
            return unequal_elements(pair.target, pair.golden);
    }
}

StandardVerdict not_close(std::string why) {
    return {StandardLevel::kFail, "not close", std::move(why)};
}

StandardVerdict closeness_of(const PlainPair& pair) {
    if (pair.target.shape() != pair.golden.shape())
        return not_close("shapes differ: " + to_string(pair.target.shape()) + " and " +
                         to_string(pair.golden.shape()));
    if (pair.target.dtype() != pair.golden.dtype())
        return not_close("dtypes differ: " + std::string(name_of(pair.target.dtype())) + " and " +
                         std::string(name_of(pair.golden.dtype())));
    const CloseTolerances allowed = close_tolerances(pair.target.dtype());
    const int64_t count = far_elements_of(pair, allowed);
    StandardVerdict verdict{count > 0 ? StandardLevel::kFail : StandardLevel::kPass,
                            count > 0 ? "not close" : "close"};
    verdict.why = fmt::format("{} of {} elements mismatch (rtol {:g}, atol {:g} of {})",
                              count,
                              pair.target.numel(),
                              allowed.relative,
                              allowed.absolute,
                              name_of(pair.target.dtype()));
    verdict.figures = {{"mismatches", static_cast<double>(count)}};
    return verdict;
}

std::vector<StandardVerdict> judge_torch(const StandardQuery& query) {
    std::vector<StandardVerdict> verdicts;
    for (const TensorPair& pair : query.tensors) {
        StandardVerdict verdict;
        if (pair.known().direction == dumpfile::Direction::kOutput)
            if (const auto both = plain_pair(pair.target, pair.golden, verdict.why))
                verdict = closeness_of(*both);
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

}  // namespace

std::span<const Standard> torch_standards() {
    static constexpr std::array<Standard, 1> kRows = {
        {{.name = "torch",
          .rule = "shapes and dtypes are equal, and no element of an output is off by more than "
                  "atol + rtol |golden|: 1e-5 and 1e-3 (float16), 1.6e-2 (bfloat16), 1.3e-6 "
                  "(float32); 1e-7 and 1e-7 (float64); whole numbers and bools are equal; NaN is "
                  "off",
          .verdicts = "close, not close",
          .source = "torch.testing.assert_close, PyTorch 1.13 (torch/testing/_comparison.py; the "
                    "same numbers in 2.x)",
          .judge = judge_torch}}};
    return kRows;
}

}  // namespace npuscope::compare
