#include "compare/origins/effects.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compare/dataflow/find_part.h"
#include "compare/origins/inflow.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// A smaller share of an error is not followed.
constexpr double kLeastShare = 1e-6;
/// More than any error that is shared out: infinities have shares, too.
constexpr double kMost = 1e30;

/// Of an error, by culprit (index into Result::culprits).
using Shares = std::map<size_t, double>;

void add(Shares& to, const Shares& shares, double weight) {
    for (const auto& [culprit, share] : shares)
        if (share * weight >= kLeastShare) to[culprit] += share * weight;
}

double finite(double error) {
    return std::isnan(error) ? kMost : std::min(error, kMost);
}

class Effects {
  public:
    Effects(PairedFlows& flows, int threads, Result& result)
        : flows_(flows), result_(result), shares_(result.ops.size()) {
        look_for_parts(threads);
        inflows_.emplace(flows, result);
    }

    void run() {
        place_culprits();
        for (Culprit& culprit : result_.culprits)
            culprit.effect = 0;
        for (size_t pair = 0; pair < result_.ops.size(); ++pair) {
            follow(pair);
            take_effect(pair);
        }
    }

  private:
    void look_for_parts(int threads);
    void place_culprits();
    void follow(size_t pair);
    void take_effect(size_t pair);
    [[nodiscard]] std::pair<Shares, double> came_in(size_t pair) const;
    [[nodiscard]] std::optional<size_t> told(size_t tensor) const;
    [[nodiscard]] double introduced(size_t pair, const Culprit& culprit) const;
    [[nodiscard]] double error_of_outputs(size_t pair) const;

    PairedFlows& flows_;
    Result& result_;
    std::optional<Inflows> inflows_;
    std::vector<Shares> shares_;                ///< of each pair's outputs
    std::map<size_t, std::vector<size_t>> at_;  ///< culprits that are an op, by pair
    std::map<size_t, size_t> behind_;           ///< culprits that are missing behind a pair
    std::map<std::string, size_t> tensors_;     ///< culprits that are a tensor, by path
    std::map<size_t, size_t> givens_;           ///< the same, by TracedTensor::given
};

/// Slices of what an op made.
void Effects::look_for_parts(int threads) {
    const Inflows before(flows_, result_);
    std::vector<size_t> inputs;
    for (size_t pair = 0; pair < result_.ops.size(); ++pair)
        for (const Inflow& inflow : before.of(pair))
            if (!inflow.maker && inflow.error > 0 && before.side().tensor(inflow.tensor).content)
                inputs.push_back(inflow.tensor);
    if (!inputs.empty()) find_parts(before.side().source, before.side().flow, inputs, threads);
}

void Effects::place_culprits() {
    for (size_t i = 0; i < result_.culprits.size(); ++i) {
        const Culprit& culprit = result_.culprits[i];
        if (culprit.kind == CulpritKind::kTensor) {
            tensors_.emplace(culprit.tensor, i);
        } else if (culprit.behind) {
            behind_.emplace(culprit.op, i);
        } else {
            at_[culprit.op].push_back(i);
        }
        // All ops of a parting are one culprit.
        for (const PartingResult& parting : result_.partings) {
            if (culprit.kind != CulpritKind::kProgram || culprit.why != parting.text) continue;
            for (size_t op = culprit.op + 1; op < result_.ops.size(); ++op)
                if (std::ranges::find(parting.only_target, result_.ops[op].target) !=
                    parting.only_target.end())
                    at_[op].push_back(i);
        }
    }
    for (const TracedTensor& tensor : inflows_->side().flow.tensors)
        if (const auto known = tensors_.find(tensor.path); tensor.given && known != tensors_.end())
            givens_.emplace(*tensor.given, known->second);
}

std::optional<size_t> Effects::told(size_t tensor) const {
    const TracedTensor& traced = inflows_->side().tensor(tensor);
    if (const auto known = tensors_.find(traced.path); known != tensors_.end())
        return known->second;
    if (!traced.given) return std::nullopt;
    const auto known = givens_.find(*traced.given);
    return known == givens_.end() ? std::nullopt : std::optional(known->second);
}

/// Of what came in, and how far it is off.
std::pair<Shares, double> Effects::came_in(size_t pair) const {
    Shares shares;
    double sum = 0;
    double largest = 0;
    for (const Inflow& inflow : inflows_->of(pair)) {
        const double error = finite(inflow.error);
        if (const auto culprit = told(inflow.tensor)) {
            add(shares, {{*culprit, 1}}, std::max(error, kLeastShare));
            sum += std::max(error, kLeastShare);
        } else if (inflow.maker) {
            // More than its maker's error is due to what is missing in between.
            const double made = finite(error_of_outputs(*inflow.maker));
            const double share = error > made && error > 0 ? made / error : 1;
            const auto missing = behind_.find(*inflow.maker);
            add(shares, shares_[*inflow.maker], error * (missing == behind_.end() ? 1 : share));
            if (missing != behind_.end()) add(shares, {{missing->second, 1}}, error * (1 - share));
            sum += error;
        } else {
            sum += error;
        }
        largest = std::max(largest, error);
    }
    if (sum > 0)
        for (auto& [culprit, share] : shares)
            share /= sum;
    return {std::move(shares), largest};
}

double Effects::error_of_outputs(size_t pair) const {
    return worst_error(result_.ops[pair], Direction::kOutput).value_or(0);
}

/// max|t - g| / max|g| of what is the culprit's own.
double Effects::introduced(size_t pair, const Culprit& culprit) const {
    double largest = 0;
    bool known = false;
    for (const TensorResult& tensor : result_.ops[pair].tensors) {
        if (!tensor.split) continue;
        const auto& error =
            culprit.kind == CulpritKind::kGolden ? tensor.split->golden : tensor.split->target;
        if (!error) continue;
        known = culprit.kind == CulpritKind::kOp || culprit.kind == CulpritKind::kGolden;
        largest = std::max(largest, error->relative);
    }
    return finite(known ? largest : error_of_outputs(pair));
}

void Effects::follow(size_t pair) {
    const auto [received, largest] = came_in(pair);
    const auto here = at_.find(pair);
    double own = 0;
    Shares mine;
    if (here != at_.end())
        for (const size_t culprit : here->second) {
            const double share = introduced(pair, result_.culprits[culprit]);
            mine[culprit] += share;
            own += share;
        }
    // An op that one side lacks is its culprit's, whatever it took in.
    const OpResult& op = result_.ops[pair];
    const bool one_sided = op.target.empty() || op.golden.empty();
    if (one_sided && here != at_.end()) {
        shares_[pair][here->second.front()] = 1;
        return;
    }
    const double all = own + largest;
    if (!(all > 0)) {
        // Of a culprit that is compared elsewhere nothing is known here.
        add(shares_[pair], received, 1);
        return;
    }
    add(shares_[pair], mine, 1 / all);
    add(shares_[pair], received, largest / all);
}

void Effects::take_effect(size_t pair) {
    const OpResult& op = result_.ops[pair];
    for (const TensorResult& tensor : op.tensors) {
        const auto dtype = dtype_from_name(tensor.dtype);
        if (!dtype || !is_float(*dtype) || !inflows_->is_last(op, tensor)) continue;
        const double error = error_of(tensor);
        if (!(error > 0)) continue;
        for (const auto& [index, share] : shares_[pair]) {
            Culprit& culprit = result_.culprits[index];
            const double effect = share * error;
            if (!(effect > *culprit.effect)) continue;
            culprit.effect = effect;
            culprit.effect_on = tensor.target;
        }
    }
}

}  // namespace

void rank_culprits(PairedFlows& flows, int threads, Result& result) {
    if (result.load_mode || result.culprits.empty()) return;
    Effects(flows, threads, result).run();
    std::stable_sort(
        result.culprits.begin() + 1,
        result.culprits.end(),
        [](const Culprit& one, const Culprit& other) { return *one.effect > *other.effect; });
}

}  // namespace npuscope::compare
