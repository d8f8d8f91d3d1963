#include "diagnose/judge/load_mode.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "compare/dataflow/rebuild.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

namespace {

/// Ops that are computed to tell load mode from a free run.
constexpr size_t kLoadSample = 48;
/// Any arithmetic keeps nearer to the exact result of what an op was given.
constexpr double kNearExact = 0.1;
/// Distances of noise differ by less.
constexpr double kClearlyFarther = 1.2;

/// rms(recorded - f(inputs)) / rms(f(inputs)) of the first result; empty where it cannot be
/// computed, or has no elements that are finite.
std::optional<double> distance_from_exact(const SourceOp& op, const KnownInputs& inputs) {
    std::string why_not;
    auto loaded = load_run(op, why_not, inputs);
    if (!loaded || loaded->results.empty()) return std::nullopt;
    settle_ignored(*loaded);
    const RecordedResult& result = loaded->results.front();
    const auto results = run(*loaded->op, loaded->wide, Device::reference64());
    const Tensor* exact = results ? expected_of(*results, result) : nullptr;
    if (results && exact == nullptr) return std::numeric_limits<double>::infinity();
    if (exact == nullptr || exact->dtype() != DType::kFloat64) return std::nullopt;
    const Tensor wide = result.elements.cast(DType::kFloat64);
    double errors = 0;
    double squares = 0;
    for (size_t i = 0; i < static_cast<size_t>(wide.numel()); ++i) {
        const double error = wide.as<double>()[i] - exact->as<double>()[i];
        if (!std::isfinite(error)) continue;
        errors += error * error;
        squares += exact->as<double>()[i] * exact->as<double>()[i];
    }
    require_intact(*loaded);
    if (squares == 0) return std::nullopt;
    return std::sqrt(errors / squares);
}

/// By most ops, of distances (loaded, free) from what was computed. What is nearer than half of the
/// ops says little: coarse arithmetic rounds the golden's numbers and the target's to the same.
bool are_nearer_when_loaded(const std::vector<std::pair<double, double>>& distances) {
    std::vector<double> nearest;
    nearest.reserve(distances.size());
    for (const auto& [loaded, free] : distances)
        nearest.push_back(std::min(loaded, free));
    if (nearest.empty()) return true;
    const auto middle = nearest.begin() + static_cast<ptrdiff_t>(nearest.size() / 2);
    std::nth_element(nearest.begin(), middle, nearest.end());
    int64_t clearly = 0;  // ops that are nearer when loaded, less those that are when free
    int64_t at_all = 0;
    for (const auto& [loaded, free] : distances) {
        const double by_load = std::max(loaded, *middle);
        const double by_run = std::max(free, *middle);
        clearly += by_run > kClearlyFarther * by_load ? 1 : 0;
        clearly -= by_load > kClearlyFarther * by_run ? 1 : 0;
        at_all += loaded < free ? 1 : free < loaded ? -1 : 0;
    }
    return clearly != 0 ? clearly > 0 : at_all >= 0;
}

/// A move that rounds makes of the golden's elements what the target's are.
bool is_narrower(const compare::Content& target, const compare::Content& golden) {
    return (target.fits_half && !golden.fits_half) || (target.fits_bfloat && !golden.fits_bfloat);
}

bool takes_in_one(const compare::Side& side, size_t op) {
    return std::ranges::count(side.flow.of_op(op),
                              dumpfile::Direction::kInput,
                              &compare::TracedTensor::direction) == 1;
}

/// Of ops that give out what they were given, in whatever order, where what was recorded of the op
/// before them differs: how many give out the golden's elements, less how many give out those of
/// the target.
int64_t moves_of_loaded(const compare::PairedFlows& flows) {
    const compare::Side& golden = flows.golden();
    const compare::Side& target = flows.target();
    const auto bag_of = [](const compare::Side& side, size_t tensor) -> std::optional<uint64_t> {
        const auto& content = side.tensor(tensor).content;
        return content && content->tells_bag() ? std::optional(content->bag) : std::nullopt;
    };
    int64_t votes = 0;
    for (size_t i = 0; i < golden.flow.tensors.size(); ++i) {
        const compare::TracedTensor& input = golden.tensor(i);
        if (input.direction != dumpfile::Direction::kInput || !input.producer || input.ambiguous)
            continue;
        const auto before = bag_of(golden, *input.producer);
        const auto made_before = flows.partner_of(*input.producer);
        const auto theirs_before = made_before ? bag_of(target, *made_before) : std::nullopt;
        if (!before || !theirs_before || *before == *theirs_before ||
            !takes_in_one(golden, input.op) ||
            is_narrower(*target.tensor(*made_before).content,
                        *golden.tensor(*input.producer).content))
            continue;
        for (const compare::TracedTensor& result : golden.flow.of_op(input.op)) {
            const auto index = static_cast<size_t>(&result - golden.flow.tensors.data());
            const auto made = flows.partner_of(index);
            if (result.direction != dumpfile::Direction::kOutput || !made ||
                bag_of(golden, index) != before)
                continue;
            const auto theirs = bag_of(target, *made);
            votes += theirs == before ? 1 : theirs == theirs_before ? -1 : 0;
        }
    }
    return votes;
}

}  // namespace

bool were_inputs_loaded(compare::PairedFlows& flows, int threads) {
    if (const int64_t votes = moves_of_loaded(flows); votes != 0) return votes > 0;
    compare::InputRebuilder rebuilder(flows, threads);
    const auto& pairs = flows.plan().ops;
    const size_t step = std::max<size_t>(1, pairs.size() / kLoadSample);
    int64_t near_when_loaded = 0;
    int64_t far_when_loaded = 0;
    std::vector<std::pair<double, double>> distances;  // loaded, free
    for (size_t i = step / 2; i < pairs.size(); i += step) {
        if (pairs[i].target == nullptr || pairs[i].golden == nullptr) continue;
        const auto loaded = distance_from_exact(*pairs[i].target, {.golden = pairs[i].golden});
        const auto free = distance_from_exact(
            *pairs[i].target,
            {.golden = pairs[i].golden, .tensors = [&] { return rebuilder.inputs_of(i); }});
        if (loaded) ++(*loaded < kNearExact ? near_when_loaded : far_when_loaded);
        if (loaded && free) distances.emplace_back(*loaded, *free);
    }
    return are_nearer_when_loaded(distances) && near_when_loaded > far_when_loaded;
}

}  // namespace npuscope::diagnose
