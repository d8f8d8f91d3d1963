// Recordings whose products do not all round alike: a library chooses a kernel by op and shape.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/judge/class_inference.h"
#include "diagnose/judge/product_error.h"

namespace npuscope::diagnose {

/// The row's place in product_classes().
[[nodiscard]] size_t column_of(const ProductClass& row);
/// A class whose products are computed here, operands and all: a fault does not come near it by
/// chance.
[[nodiscard]] bool is_exact_class(size_t column);
/// The runs with the best of the classes of one library in place of each of them.
[[nodiscard]] std::vector<SampledRun> by_libraries(std::vector<SampledRun> sample);
/// Of a library that multiplies in fp32 here and with narrower operands there: nearly all runs of
/// the sample keep to one of both, and several to each; one does where several of the `like` show
/// that class. Both by_libraries(). Empty where that does not explain them.
[[nodiscard]] std::optional<InferredArithmetic> two_product_classes(
    const std::vector<SampledRun>& sample, const std::vector<SampledRun>& like);
/// Of the classes that the library may have taken, the one that the result is nearest to.
[[nodiscard]] const ProductClass& nearest_class(ProductError& error,
                                                const RecordedResult& result,
                                                const InferredArithmetic& inferred);
/// One class of those that are computed here explains several runs, without exception.
[[nodiscard]] bool is_plainly_shown(const InferredArithmetic& found);

}  // namespace npuscope::diagnose
