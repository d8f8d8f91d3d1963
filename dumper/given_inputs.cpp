#include "dumper/given_inputs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/tensor/difference.h"

namespace npuscope::dumper {

namespace {

constexpr double kEpsilons = 4;
/// A number may be read from what an op in half precision made.
constexpr double kReadNumber = 0.01;

double tolerance_of(DType dtype) {
    return is_float(dtype) ? kEpsilons * std::ldexp(1.0, 1 - info(dtype).significand_bits) : 0;
}

bool agree(const Difference& found, double tolerance) {
    return found.unequal == 0 || found.max_abs <= tolerance * found.largest;
}

Tensor transposed(const Tensor& matrix) {
    Tensor result(matrix.dtype(), {matrix.dim(1), matrix.dim(0)});
    const size_t width = size_of(matrix.dtype());
    const std::byte* source = matrix.data();
    std::byte* target = result.mutable_data();
    const auto rows = static_cast<size_t>(matrix.dim(0));
    const auto columns = static_cast<size_t>(matrix.dim(1));
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column)
            std::copy_n(source + (row * columns + column) * width,
                        width,
                        target + (column * rows + row) * width);
    return result;
}

}  // namespace

std::optional<GivenDifference> given_difference(const Tensor& given, const Tensor& golden) {
    const double tolerance = std::max(tolerance_of(given.dtype()), tolerance_of(golden.dtype()));
    const Difference found = difference(given, golden);
    if (agree(found, tolerance)) return std::nullopt;
    GivenDifference result{.golden = {}, .node = {}, .relative = found.relative(), .relation = {}};
    const bool square = given.ndim() == 2 && given.dim(0) == given.dim(1);
    if (square && agree(difference(transposed(given), golden), tolerance))
        result.relation = "its transpose";
    return result;
}

std::optional<GivenDifference> number_difference(const Scalar& given, const Scalar& golden) {
    const auto value = [](const Scalar& scalar) {
        return std::visit([](auto number) { return static_cast<double>(number); }, scalar.number);
    };
    const double mine = value(given);
    const double theirs = value(golden);
    if (mine == theirs || (std::isnan(mine) && std::isnan(theirs))) return std::nullopt;
    const double distance = std::fabs(mine - theirs);
    const bool rounds = std::holds_alternative<double>(given.number);
    if (rounds && distance <= kReadNumber * std::fabs(theirs)) return std::nullopt;
    return GivenDifference{.golden = {},
                           .node = {},
                           .relative = distance / std::fabs(theirs),
                           .relation = fmt::format("{:g} in place of {:g}", mine, theirs),
                           .input = {},
                           .is_number = true};
}

std::string how_it_differs(const GivenDifference& difference) {
    return difference.relation.empty()
               ? fmt::format("off by {:.2g} of its largest value", difference.relative)
               : "it is " + difference.relation;
}

std::string describe(const GivenDifference& difference) {
    const std::string where =
        difference.node.empty() ? std::string() : " (" + printable(difference.node) + ")";
    return printable(difference.golden) + where +
           " is not the golden's: " + how_it_differs(difference);
}

}  // namespace npuscope::dumper
