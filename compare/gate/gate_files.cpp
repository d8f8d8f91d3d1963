#include "compare/gate/gate_files.h"

#include <optional>
#include <utility>

#include "compare/compare.h"
#include "compare/gate/baseline.h"

namespace npuscope::compare {

namespace {

Baseline baseline_for(const std::filesystem::path& path, const RunPair& pair) {
    const std::optional<RecordedRun>& run = pair.target ? pair.target : pair.golden;
    return {path, run ? run->step : std::nullopt, run ? run->rank : std::string()};
}

}  // namespace

GateFiles::GateFiles(const std::filesystem::path& waivers, std::filesystem::path baseline)
    : baseline_(std::move(baseline)) {
    if (!waivers.empty()) waivers_ = std::make_unique<Waivers>(waivers, today());
    // What is no baseline is told before hours are spent.
    if (!baseline_.empty()) static_cast<void>(baseline_for(baseline_, {}));
}

void GateFiles::judge(const RunPair& pair, Result& result) const {
    std::optional<Baseline> baseline;
    if (!baseline_.empty()) baseline.emplace(baseline_for(baseline_, pair));
    if (waivers_ || baseline)
        result.gate = gate_of(result, waivers_.get(), baseline ? &*baseline : nullptr);
}

}  // namespace npuscope::compare
