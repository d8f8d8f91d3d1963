#include "compare/dataflow/pair_remarks.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compare/dataflow/nearness.h"
#include "compare/dataflow/overwritten.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// Fewer ops or given tensors say nothing of a model.
constexpr int64_t kFewest = 4;
/// Two models: no more than this share of the ops pairs.
constexpr double kFewPairs = 0.25;
/// Two models: at least this share of what was given is another shape or far apart.
constexpr double kMostGivens = 0.8;
constexpr double kFarApart = 0.5;

bool are_equal(const PairedFlows& flows) {
    const auto& golden = flows.golden().flow.tensors;
    if (golden.empty() || golden.size() != flows.target().flow.tensors.size()) return false;
    for (size_t i = 0; i < golden.size(); ++i) {
        const auto partner = flows.partner_of(i);
        if (!partner) return false;
        const TracedTensor& mine = flows.target().tensor(*partner);
        if (!mine.content || !golden[i].content || mine.dtype != golden[i].dtype ||
            mine.shape != golden[i].shape || mine.content->sequence != golden[i].content->sequence)
            return false;
    }
    return true;
}

std::string few_pairs(const PairedFlows& flows) {
    const auto target = static_cast<int64_t>(flows.target().source.ops.size());
    const auto golden = static_cast<int64_t>(flows.golden().source.ops.size());
    const int64_t pairs = std::ranges::count_if(flows.plan().ops, [](const OpPair& pair) {
        return pair.target != nullptr && pair.golden != nullptr;
    });
    const int64_t fewer = std::min(target, golden);
    if (fewer < kFewest || static_cast<double>(pairs) > kFewPairs * static_cast<double>(fewer))
        return {};
    return fmt::format(
        "these seem to be two models: {} of the target's {} ops have a partner among the golden's "
        "{}",
        pairs,
        target,
        golden);
}

bool is_far_apart(const PairedFlows& flows, const InputPair& pair) {
    const TracedTensor& mine = flows.target().tensor(pair.target);
    const TracedTensor& theirs = flows.golden().tensor(pair.golden);
    if (mine.content->numel != theirs.content->numel) return true;
    if (mine.content->sequence == theirs.content->sequence) return false;
    try {
        const auto one = open_traced(flows.target().source, flows.target().flow, pair.target);
        const auto other = open_traced(flows.golden().source, flows.golden().flow, pair.golden);
        return sampled_distance(*one, *other) > kFarApart;
    } catch (const Error&) {
        return false;
    }
}

std::string other_givens(const PairedFlows& flows) {
    std::set<size_t> seen;
    int64_t far = 0;
    for (const InputPair& pair : flows.inputs()) {
        const TracedTensor& theirs = flows.golden().tensor(pair.golden);
        if (!theirs.given || !flows.target().tensor(pair.target).given) continue;
        if (is_overwritten(flows.golden().source.ops[theirs.op].id.op, theirs.argument)) continue;
        if (theirs.content->constant || !seen.insert(*theirs.given).second) continue;
        far += is_far_apart(flows, pair) ? 1 : 0;
    }
    const auto all = static_cast<int64_t>(seen.size());
    if (all < kFewest || static_cast<double>(far) < kMostGivens * static_cast<double>(all))
        return {};
    return fmt::format(
        "these seem to be two models: {} of {} parameters and inputs are others on the golden side",
        far,
        all);
}

std::string swapped(const RecordedDevices& devices) {
    if (devices.golden != dumpfile::kDeviceNpu) return {};
    if (devices.target != dumpfile::kDeviceCpu && devices.target != dumpfile::kDeviceCuda)
        return {};
    return fmt::format(
        "the sides seem to be swapped: the golden was recorded on an NPU, the target on a {}",
        devices.target == dumpfile::kDeviceCpu ? "CPU" : "GPU");
}

}  // namespace

bool hardly_pair(const PairedFlows& flows) {
    return !few_pairs(flows).empty();
}

std::vector<std::string> pair_remarks(const PairedFlows& flows, const RecordedDevices& devices) {
    std::vector<std::string> remarks;
    const auto add = [&](std::string text) {
        if (!text.empty()) remarks.push_back(std::move(text));
    };
    if (are_equal(flows))
        add(
            fmt::format("both files hold the same elements in all {} tensors: one may be a copy of "
                        "the other",
                        flows.golden().flow.tensors.size()));
    add(swapped(devices));
    const size_t before = remarks.size();
    add(few_pairs(flows));
    if (remarks.size() == before) add(other_givens(flows));
    return remarks;
}

}  // namespace npuscope::compare
