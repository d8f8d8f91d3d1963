#include "compare/programs/sampled_recording.h"

#include <optional>

#include <fmt/format.h>

#include "compare/programs/mark_span.h"

namespace npuscope::compare {

void forget_unsampled(int64_t target_sample, int64_t golden_sample, Plan& plan, Result& result) {
    if (target_sample == golden_sample || plan.load_mode) return;
    const bool of_target = target_sample > golden_sample;
    const auto places = places_of(plan);
    const size_t forgotten = std::erase_if(plan.partings, [&](const Parting& parting) {
        if (!(of_target ? parting.only_target : parting.only_golden).empty()) return false;
        mark_span(parting, 0, std::nullopt, places, result);
        return true;
    });
    if (forgotten == 0) return;
    result.notes.push_back(
        fmt::format("of each op the {} holds the first run and one in {} after it (its recorder "
                    "was asked for a sample): what the {} has of others was not recorded there, "
                    "and is not compared",
                    of_target ? "target" : "golden",
                    of_target ? target_sample : golden_sample,
                    of_target ? "golden" : "target"));
}

}  // namespace npuscope::compare
