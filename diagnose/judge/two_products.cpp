#include "diagnose/judge/two_products.h"

#include <algorithm>

namespace npuscope::diagnose {

namespace {

/// Runs that show a class which their like do not have: one may be faulty.
constexpr int64_t kFewestOfClass = 2;

/// A class that comes so near needs no better one.
constexpr double kClearly = 0.25;

/// Runs that one of the two classes does not explain by itself, and the other one does or both do.
int64_t beyond(const std::vector<SampledRun>& sample, size_t one, size_t narrow) {
    return std::ranges::count_if(sample, [&](const SampledRun& run) {
        return run.ratios[one] > 1 && run.either[narrow] <= 1;
    });
}

double ratio_of(ProductError& error, const ProductClass& by, const RecordedResult& result) {
    const auto found = error.judge(by, result, false);
    return found ? found->ratio : 0;
}

}  // namespace

size_t column_of(const ProductClass& row) {
    return static_cast<size_t>(&row - product_classes().data());
}

bool is_exact_class(size_t column) {
    return product_classes()[column].stage == product_classes()[kPlainColumn].stage;
}

std::vector<SampledRun> by_libraries(std::vector<SampledRun> sample) {
    const auto classes = product_classes();
    for (SampledRun& run : sample) {
        const SampledRun own = run;
        for (size_t one = 0; one < classes.size(); ++one)
            for (size_t other = 0; other < classes.size(); ++other)
                if (are_of_one_library(classes[one], classes[other])) {
                    run.ratios[one] = std::min(run.ratios[one], own.ratios[other]);
                    run.either[one] = std::min(run.either[one], own.either[other]);
                }
    }
    return sample;
}

std::optional<InferredArithmetic> two_product_classes(const std::vector<SampledRun>& sample,
                                                      const std::vector<SampledRun>& like) {
    constexpr auto kPlain = kPlainColumn;
    for (size_t column = 0; column < product_classes().size(); ++column) {
        if (column == kPlain || !is_exact_class(column)) continue;
        std::vector<SampledRun> nearest = sample;
        for (SampledRun& run : nearest)
            run.ratios[kPlain] = std::min(run.ratios[kPlain], run.either[column]);
        const auto all = static_cast<int64_t>(sample.size());
        const int64_t fewest = beyond(like, kPlain, column) >= kFewestOfClass ? 1 : kFewestOfClass;
        if (!explains(nearest, kPlain) || beyond(sample, kPlain, column) < fewest ||
            beyond(sample, column, column) < fewest)
            continue;
        return InferredArithmetic{.product = &product_classes()[kPlain],
                                  .other_product = &product_classes()[column],
                                  .sampled = all,
                                  .within = count_within(nearest, kPlain)};
    }
    return std::nullopt;
}

const ProductClass& nearest_class(ProductError& error,
                                  const RecordedResult& result,
                                  const InferredArithmetic& inferred) {
    const ProductClass* best = &inferred.of_products();
    double least = ratio_of(error, *best, result);
    if (least <= kClearly) return *best;
    const auto take = [&](const ProductClass& by) {
        const double ratio = ratio_of(error, by, result);
        if (ratio < least) best = &by;
        least = std::min(least, ratio);
    };
    const ProductClass* other = inferred.other_product;
    if (other != nullptr) take(*other);
    for (const ProductClass& by : product_classes())
        if (least > kClearly && &by != other && &by != inferred.product &&
            (are_of_one_library(by, *inferred.product) ||
             (other != nullptr && are_of_one_library(by, *other))))
            take(by);
    if (inferred.tied_product != nullptr) take(*inferred.tied_product);
    // Kernels for narrow operands ask for shapes of their own; what is more precise is no fault.
    const ProductClass& plain = product_classes()[kPlainColumn];
    const bool may_be_plain = least > 1 && is_exact_class(column_of(*inferred.product));
    return may_be_plain && ratio_of(error, plain, result) <= 1 ? plain : *best;
}

bool is_plainly_shown(const InferredArithmetic& found) {
    return found.product != nullptr && found.within == found.sampled &&
           found.sampled >= kFewestOfClass && is_exact_class(column_of(*found.product));
}

}  // namespace npuscope::diagnose
