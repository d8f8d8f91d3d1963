// Results of which a part is ignored.
#include <algorithm>
#include <cstring>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

bool has_ignored(const OpRun& run) {
    return std::ranges::any_of(
        run.results, [](const RecordedResult& result) { return result.ignored != nullptr; });
}

void settle_ignored(OpRun& run) {
    if (!has_ignored(run)) return;
    if (run.wide.empty()) run.wide = widened(run.arguments);
    const Results* exact = exact_results(run);
    if (exact == nullptr) return;
    for (RecordedResult& result : run.results) {
        const Tensor* expected = expected_of(*exact, result);
        if (result.ignored == nullptr || expected == nullptr) continue;
        const Tensor rounded = expected->cast(result.elements.dtype());
        const size_t size = size_of(rounded.dtype());
        std::byte* elements = result.elements.mutable_data();
        for (const PlaceRange& range : result.ignored->ranges()) {
            const size_t first = static_cast<size_t>(range.first) * size;
            std::memcpy(
                elements + first, rounded.data() + first, static_cast<size_t>(range.count) * size);
        }
    }
}

JudgedElements::JudgedElements(const RecordedResult& result, std::span<const double> expected)
    : recorded_(result.elements), expected_(expected) {
    if (result.ignored == nullptr) return;
    changed_.assign(expected.begin(), expected.end());
    const size_t size = size_of(recorded_.dtype());
    std::byte* elements = recorded_.mutable_data();
    for (const PlaceRange& range : result.ignored->ranges()) {
        const auto first = static_cast<size_t>(range.first);
        const auto count = static_cast<size_t>(range.count);
        std::memset(elements + first * size, 0, count * size);
        std::fill_n(changed_.begin() + range.first, count, 0.0);
    }
    expected_ = changed_;
}

compare::Introduced measure_error(const RecordedResult& result,
                                  std::span<const double> expected,
                                  const NumberFormat& results,
                                  std::span<const double> allowed) {
    const JudgedElements judged(result, expected);
    return measure_error(judged.recorded(), judged.expected(), results, allowed);
}

void describe(const RecordedResult& result,
              std::span<const double> expected,
              std::span<const double> allowed,
              compare::Introduced& error) {
    const JudgedElements judged(result, expected);
    describe(judged.recorded(), judged.expected(), allowed, error);
}

void leave_out_ignored(const RecordedResult& result, compare::Introduced& error) {
    if (result.ignored == nullptr) return;
    error.numel -= result.ignored->count();
}

}  // namespace npuscope::diagnose
