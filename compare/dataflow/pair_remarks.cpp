#include "compare/dataflow/pair_remarks.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include "compare/dataflow/nearness.h"
#include "core/base/error.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

/// Fewer ops or given tensors say nothing of a model.
constexpr int64_t kFewest = 4;
/// Two models: no more than this share of the ops pairs.
constexpr double kFewPairs = 0.25;
/// Two models: no more than this share of what the sides were given is the same.
constexpr double kFewGivens = 0.2;
constexpr double kFarApart = 0.5;
/// Two models of one structure can be held against each other: at least this share of the ops
/// pairs.
constexpr double kOneStructure = 0.75;

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

int64_t pairs_in(const PairedFlows& flows) {
    return std::ranges::count_if(flows.plan().ops, [](const OpPair& pair) {
        return pair.target != nullptr && pair.golden != nullptr;
    });
}

std::string few_pairs(const PairedFlows& flows) {
    const auto target = static_cast<int64_t>(flows.target().source.ops.size());
    const auto golden = static_cast<int64_t>(flows.golden().source.ops.size());
    const int64_t pairs = pairs_in(flows);
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

bool are_of_one_structure(const PairedFlows& flows) {
    const size_t ops = flows.target().source.ops.size() + flows.golden().source.ops.size();
    return 2 * static_cast<double>(pairs_in(flows)) >= kOneStructure * static_cast<double>(ops);
}

bool is_far_apart(const PairedFlows& flows, const InputPair& pair) {
    const TracedTensor& mine = flows.target().tensor(pair.target);
    const TracedTensor& theirs = flows.golden().tensor(pair.golden);
    if (mine.content->numel != theirs.content->numel) return true;
    if (mine.content->sequence == theirs.content->sequence) return false;
    try {
        const auto one = open_traced(flows.target().source, flows.target().flow, pair.target);
        const auto other = open_traced(flows.golden().source, flows.golden().flow, pair.golden);
        return sampled_distance(*one, *other, Beside::kSpread) > kFarApart;
    } catch (const Error&) {
        return false;
    }
}

/// Whether a tensor that no op of its side made tells a model from others.
bool tells_model(const Side& side, const TracedTensor& tensor) {
    return tensor.given && tensor.content && !tensor.content->constant &&
           !is_unread(side.source.ops[tensor.op].id.op, tensor.argument);
}

/// What the sides were given.
class GivenOfBoth {
  public:
    explicit GivenOfBoth(const PairedFlows& flows) {
        std::unordered_set<size_t> of_target;
        std::unordered_set<uint64_t> bags;
        for (const TracedTensor& tensor : flows.target().flow.tensors)
            if (tells_model(flows.target(), tensor)) {
                of_target.insert(*tensor.given);
                if (tensor.content->tells_bag()) bags.insert(tensor.content->bag);
            }
        std::unordered_set<std::string> tied;
        for (const TensorTie& tie : flows.plan().given) {
            tied.insert(tie.golden.path);
            for (const TensorPlace& more : tie.more_golden)
                tied.insert(more.path);
        }
        const auto& golden = flows.golden().flow.tensors;
        for (const TracedTensor& tensor : golden)
            if (tells_model(flows.golden(), tensor))
                shared_[*tensor.given] |=
                    bags.contains(tensor.content->bag) || tied.contains(tensor.path);
        for (const InputPair& pair : flows.inputs()) {
            const TracedTensor& theirs = golden[pair.golden];
            if (!tells_model(flows.golden(), theirs)) continue;
            if (!flows.target().tensor(pair.target).given) continue;
            bool& is_shared = shared_[*theirs.given];
            is_shared = is_shared || !is_far_apart(flows, pair);
        }
        fewer_ = static_cast<int64_t>(std::min(of_target.size(), shared_.size()));
    }

    /// Of the side that was given fewer tensors.
    [[nodiscard]] int64_t all() const { return fewer_; }
    [[nodiscard]] int64_t others() const {
        return std::max<int64_t>(0, fewer_ - std::ranges::count_if(shared_, [](const auto& each) {
                                        return each.second;
                                    }));
    }

  private:
    std::map<size_t, bool> shared_;  ///< by TracedTensor::given of the golden
    int64_t fewer_ = 0;
};

std::string other_givens(const PairedFlows& flows) {
    const GivenOfBoth given(flows);
    const auto all = static_cast<double>(given.all());
    if (given.all() < kFewest || static_cast<double>(given.others()) < (1 - kFewGivens) * all)
        return {};
    return fmt::format(
        "these seem to be two models: {} of {} parameters and inputs are others on the golden side",
        given.others(),
        given.all());
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

PairRemarks pair_remarks(const PairedFlows& flows, const RecordedDevices& devices) {
    PairRemarks remarks;
    const auto add = [&](std::string text) {
        if (!text.empty()) remarks.lines.push_back(std::move(text));
    };
    if (are_equal(flows))
        add(
            fmt::format("both files hold the same elements in all {} tensors: one may be a copy of "
                        "the other",
                        flows.golden().flow.tensors.size()));
    add(swapped(devices));
    std::string two_models = few_pairs(flows);
    remarks.hardly_pair = !two_models.empty();
    if (two_models.empty()) {
        two_models = other_givens(flows);
        remarks.hardly_pair = !two_models.empty() && !are_of_one_structure(flows);
    }
    add(std::move(two_models));
    return remarks;
}

}  // namespace npuscope::compare
