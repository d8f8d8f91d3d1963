#include "diagnose/judge/extra_ops.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/replay_distance.h"

namespace npuscope::diagnose {

namespace {

using compare::OpPair;
using compare::PairedFlows;
using compare::Rebuilt;
using compare::RebuiltInput;
using compare::Side;
using compare::TracedTensor;
using dumpfile::Direction;

/// Ops with partner behind an op, of which one may take in what it makes.
constexpr size_t kReach = 16;
/// Of the norm: what arithmetic of 16 bits leaves of a result on the inputs that it was given.
constexpr double kNearWithout = 0.02;
/// On other inputs it is farther off, and so many times.
constexpr double kFarWith = 0.05;
constexpr double kFarther = 10;

class ExtraOps {
  public:
    ExtraOps(const PairedFlows& flows, compare::InputRebuilder& rebuilder)
        : flows_(flows), target_(flows.target()), rebuilder_(rebuilder) {
        for (size_t i = 0; i < flows.plan().ops.size(); ++i)
            if (const SourceOp* op = flows.plan().ops[i].target) pairs_.emplace(op, i);
    }

    TakersOfExtra run() {
        const std::vector<SourceOp>& ops = target_.source.ops;
        for (size_t op = 0; op < ops.size(); ++op)
            if (is_alone(op)) find_taker(op);
        return std::move(takers_);
    }

  private:
    [[nodiscard]] const OpPair* pair_of(size_t op) const {
        const auto place = pairs_.find(&target_.source.ops[op]);
        return place == pairs_.end() ? nullptr : &flows_.plan().ops[place->second];
    }
    [[nodiscard]] bool is_alone(size_t op) const {
        const OpPair* pair = pair_of(op);
        return pair != nullptr && pair->golden == nullptr;
    }

    /// Its first result of floats.
    [[nodiscard]] std::optional<size_t> result_of(size_t op) const {
        for (const TracedTensor& made : target_.flow.of_op(op))
            if (made.direction == Direction::kOutput && made.content && made.content->numel > 1 &&
                is_float(dtype_from_name(made.dtype).value_or(DType::kInt64)))
                return static_cast<size_t>(&made - target_.flow.tensors.data());
        return std::nullopt;
    }

    void find_taker(size_t extra) {
        const auto made = result_of(extra);
        if (!made) return;
        size_t seen = 0;
        for (size_t op = extra + 1; op < target_.source.ops.size() && seen < kReach; ++op) {
            const OpPair* pair = pair_of(op);
            if (pair == nullptr || pair->golden == nullptr) continue;
            ++seen;
            if (takes_in(*pair, *made)) {
                takers_.emplace(&target_.source.ops[extra], pair->target);
                return;
            }
        }
    }

    /// Whether the pair's op took in the target's tensor `made` for what the golden tells.
    bool takes_in(const OpPair& pair, size_t made) try {
        const std::vector<RebuiltInput> told = rebuilder_.inputs_of(pairs_.at(pair.target));
        for (const RebuiltInput& input : told) {
            if (input.origin != Rebuilt::kMade || !input.tensor ||
                input.tensor->numel() != target_.tensor(made).content->numel)
                continue;
            const auto off = off_by(pair, told);
            if (!off || !(*off > kFarWith)) return false;
            rebuilder_.take_instead(input.producer, made);
            const auto other = off_by(pair, rebuilder_.inputs_of(pairs_.at(pair.target)));
            if (other && *other <= kNearWithout && *other * kFarther < *off) return true;
            rebuilder_.forget_instead(input.producer);
        }
        return false;
    } catch (const Error&) {
        return false;
    }

    /// How far the op's results are off from f(inputs), the worst of them; empty where nobody can
    /// tell. Errors: as the sources.
    [[nodiscard]] static std::optional<double> off_by(const OpPair& pair,
                                                      const std::vector<RebuiltInput>& inputs) {
        std::string why_not;
        const auto loaded = load_run(*pair.target, why_not, {pair.golden, [&] { return inputs; }});
        const auto results =
            loaded ? diagnose::run(*loaded->op, loaded->wide, Device::reference64(), &why_not)
                   : std::nullopt;
        if (!results) return std::nullopt;
        std::optional<double> off;
        for (const RecordedResult& each : loaded->results)
            if (const Tensor* expected = expected_of(*results, each))
                off = std::max(off.value_or(0), distance(each.elements, *expected).relative());
        return off;
    }

    const PairedFlows& flows_;
    const Side& target_;
    compare::InputRebuilder& rebuilder_;
    std::unordered_map<const SourceOp*, size_t> pairs_{};  ///< by the target's
    TakersOfExtra takers_{};
};

}  // namespace

TakersOfExtra take_in_extra_ops(const PairedFlows& flows, compare::InputRebuilder& rebuilder) {
    return ExtraOps(flows, rebuilder).run();
}

}  // namespace npuscope::diagnose
