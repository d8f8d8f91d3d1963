#include "diagnose/judge/replay_states.h"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_set>

namespace npuscope::diagnose {

namespace {

using compare::Side;
using compare::TracedTensor;
using dumpfile::Direction;

/// So many results are looked at.
constexpr size_t kMostBefore = 64;

/// Where a given state stood, or zeros, through all that wrote over these: the input that was
/// written over first, or that the zeros are.
const TracedTensor* state_of(const Side& golden, const TracedTensor& result) {
    const TracedTensor* input = compare::written_over(golden, result);
    while (input != nullptr && input->producer) {
        const TracedTensor& made = golden.tensor(*input->producer);
        if (made.content && made.content->constant && made.content->numel > 1) return input;
        input = compare::written_over(golden, made);
    }
    return input;
}

/// What ops take in and leave as it is, of what nobody made: parameters, which the model reads
/// before they are updated, and no state of an optimizer.
std::unordered_set<size_t> givens_read(const Side& golden) {
    std::unordered_set<size_t> read;
    for (const TracedTensor& each : golden.flow.tensors)
        if (each.given && !compare::is_written_over(golden, each)) read.insert(*each.given);
    return read;
}

/// Whether all that its op took in agrees: it is apart by itself.
bool is_apart_alone(const Side& golden, const ReplayedResults& results, const TracedTensor& made) {
    return std::ranges::all_of(golden.flow.of_op(made.op), [&](const TracedTensor& each) {
        return each.direction == Direction::kOutput || !each.producer || each.ambiguous ||
               results.agrees(*each.producer);
    });
}

/// Farther than any noise.
bool is_far_off(const compare::ReplayedResult& judged) {
    constexpr double kFarOff = 4;
    return judged.off > kFarOff * judged.allowed;
}

}  // namespace

std::vector<size_t> apart_before(const Side& golden,
                                 const ReplayedResults& results,
                                 size_t result) {
    std::vector<size_t> apart;
    std::vector<size_t> open = {result};
    std::set<size_t> seen = {result};
    while (!open.empty() && seen.size() < kMostBefore) {
        const size_t op = golden.tensor(open.back()).op;
        open.pop_back();
        for (const TracedTensor& each : golden.flow.of_op(op)) {
            if (each.direction != Direction::kInput || !each.producer || each.ambiguous ||
                results.agrees(*each.producer) || !seen.insert(*each.producer).second)
                continue;
            const auto judged = results.judged.find(*each.producer);
            if (judged == results.judged.end())
                open.push_back(*each.producer);
            else if (!judged->second.is_scaled)
                apart.push_back(*each.producer);
        }
    }
    return apart;
}

std::vector<size_t> used_states_apart(const Side& golden, const ReplayedResults& results) {
    std::unordered_set<size_t> updated;
    for (const TracedTensor& each : golden.flow.tensors)
        if (each.producer && compare::is_written_over(golden, each)) updated.insert(*each.producer);
    const std::unordered_set<size_t> read = givens_read(golden);
    std::vector<size_t> apart;
    for (const auto& [index, judged] : results.judged) {
        const TracedTensor& tensor = golden.tensor(index);
        if (judged.proves() || judged.is_scaled || updated.contains(index) || !tensor.content ||
            tensor.content->constant || tensor.content->numel < 2)
            continue;
        const TracedTensor* state = state_of(golden, tensor);
        if (state == nullptr) continue;
        if (judged.agrees()) {
            // A parameter behind a small step in 16 bits is near whatever the step was.
            for (const size_t before : apart_before(golden, results, index))
                if (is_far_off(results.judged.at(before))) apart.push_back(before);
            continue;
        }
        if (!results.used.contains(index)) continue;
        const bool is_parameter = state->given && read.contains(*state->given);
        if (is_parameter || is_apart_alone(golden, results, tensor)) apart.push_back(index);
    }
    return apart;
}

}  // namespace npuscope::diagnose
