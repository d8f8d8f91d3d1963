#include "diagnose/judge/golden_replay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compare/align/span_tensors.h"
#include "compare/dataflow/rebuild.h"
#include "compare/random_ops.h"
#include "compare/relate/arrangements.h"
#include "core/base/error.h"
#include "core/naming/casts.h"
#include "core/naming/unread.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

namespace {

using compare::Dataflow;
using compare::PairedFlows;
using compare::ReplayedResult;
using compare::TracedTensor;
using dumpfile::Direction;

/// How many times farther off than what disturbed inputs make honest results may be, and in units
/// what always is allowed. Float32 sums of other orders are farther off than one rounding.
struct Allowance {
    double times = 4;
    double least = 4;
};
constexpr Allowance kOfNarrow{};
constexpr Allowance kOfFloat32{.times = 16, .least = 16};
/// A mask in place of minus infinity, after what is masked was added.
constexpr double kMasked = -9e3;
/// Of inputs: farther off, nobody can say what an op makes of them that cannot be computed.
constexpr double kNear = 0.01;
/// By how much such an op may make errors larger.
constexpr double kGain = 8;

/// Of what nobody made: farther off, it is another tensor.
constexpr double kAlike = 0.1;
/// Where rounding leaves more of the norm, numbers tell nothing, and any would agree.
constexpr double kNoise = 0.05;
/// So many are told.
constexpr size_t kMostOps = 64;
/// Ways to arrange axes that are tried.
constexpr size_t kArrangements = 64;

/// A tensor of the golden's program, on the target's numbers; and on disturbed ones.
struct Replayed {
    Tensor plain;
    Tensor disturbed;
};

/// Floats in float64.
Tensor wide(const Tensor& tensor) {
    return is_float(tensor.dtype()) ? tensor.cast(DType::kFloat64) : tensor;
}

/// |a - b| and |b| without what both mask; of non-finite elements, that they are not the same:
/// infinity.
struct Distance {
    double difference = 0;
    double size = 0;

    [[nodiscard]] double relative() const {
        if (difference == 0) return 0;
        return size > 0 ? difference / size : std::numeric_limits<double>::infinity();
    }
};

Distance distance(const Tensor& one, const Tensor& other) {
    const Tensor a = one.cast(DType::kFloat64);
    const Tensor b = other.cast(DType::kFloat64);
    double squares = 0;
    double size = 0;
    for (size_t i = 0; i < a.as<double>().size(); ++i) {
        const double x = a.as<double>()[i];
        const double y = b.as<double>()[i];
        if (x <= kMasked && y <= kMasked) continue;
        if (x == y || (std::isnan(x) && std::isnan(y))) {
            if (std::isfinite(y)) size += y * y;
            continue;
        }
        squares += (x - y) * (x - y);
        if (std::isfinite(y)) size += y * y;
    }
    if (std::isnan(squares)) squares = std::numeric_limits<double>::infinity();
    return {std::sqrt(squares), std::sqrt(size)};
}

Tensor whole(const compare::Side& side, size_t tensor) {
    return wide(compare::open_traced(side.source, side.flow, tensor)->whole());
}

/// The target's tensor that a result of the golden is compared with.
struct Partner {
    size_t pair = 0;
    std::string path{};
    std::function<Tensor()> read{};  ///< as it is compared
};

/// What an op takes in.
struct Inputs {
    std::vector<compare::RebuiltInput> plain{};
    std::vector<compare::RebuiltInput> disturbed{};
    double off = 0;  ///< the most that one of them is off from what the golden was given
};

class GoldenReplay {
  public:
    GoldenReplay(PairedFlows& flows, double unit, int threads)
        : flows_(flows), golden_(flows.golden()), unit_(unit), views_(flows, threads) {
        take_partners();
        for (const compare::InputPair& inputs : flows.inputs())
            targets_of_inputs_.emplace(inputs.golden, inputs.target);
        for (const TracedTensor& tensor : golden_.flow.tensors)
            if (tensor.direction == Direction::kInput && tensor.producer)
                last_use_[*tensor.producer] = tensor.op;
    }

    std::optional<compare::Replay> run() {
        for (size_t op = 0; op < golden_.source.ops.size(); ++op) {
            try {
                replay(op);
            } catch (const Error&) {
                // What cannot be read is not known.
            }
            forget_unused(op);
        }
        return results();
    }

  private:
    void take_partners();
    [[nodiscard]] std::optional<Replayed> input(size_t index);
    /// The golden's of what made the input.
    [[nodiscard]] std::optional<compare::View> view_of(size_t input);
    /// Of a result that agrees, or that nobody can compute, the target's; else what was computed.
    [[nodiscard]] std::optional<Replayed> made(size_t index);
    [[nodiscard]] std::optional<Tensor> targets(size_t index) const;
    void replay(size_t op);
    /// What the op takes in; empty where some of it is not known.
    [[nodiscard]] std::optional<Inputs> inputs_of(size_t op);
    [[nodiscard]] std::optional<std::pair<Results, Results>> computed(const SourceOp& source,
                                                                      const Inputs& inputs) const;
    /// Of an op that nobody can compute: as recorded, off by more the more its inputs are off.
    [[nodiscard]] Replayed recorded(size_t index, double inputs_off);
    void judge(size_t index, Replayed found);
    /// The target's tensor of those elements, wherever it is and however its axes lie; empty
    /// without one.
    [[nodiscard]] std::optional<Partner> elsewhere(const Tensor& plain, double allowed) const;
    void forget_unused(size_t op);
    [[nodiscard]] bool is_end(size_t index) const;
    /// Whether it was written over what no op had made: a parameter, an optimizer's state.
    [[nodiscard]] bool is_state(size_t index) const;
    /// The ends that are apart.
    [[nodiscard]] std::vector<size_t> count_ends(compare::Replay& replay) const;
    [[nodiscard]] bool agrees(size_t index) const;
    /// Results, themselves included, as far back as nothing agrees.
    [[nodiscard]] std::set<size_t> made_of(std::vector<size_t> open) const;
    /// The target's ops between what agrees and a result.
    [[nodiscard]] std::vector<const SourceOp*> targets_between(const std::string& result) const;
    [[nodiscard]] compare::Replay results() const;
    [[nodiscard]] Tensor disturb(const Tensor& tensor, double unit);

    PairedFlows& flows_;
    const compare::Side& golden_;
    double unit_;
    Allowance allowance_ = unit_ > kFloat32.unit() ? kOfNarrow : kOfFloat32;
    compare::InputRebuilder views_;
    std::mt19937_64 random_{0};
    std::unordered_map<size_t, Partner> partners_{};          ///< by the golden's result
    std::unordered_map<size_t, size_t> targets_of_inputs_{};  ///< by the golden's
    std::unordered_map<size_t, size_t> last_use_{};           ///< the op, by result
    std::unordered_map<size_t, Replayed> open_{};             ///< results that do not agree
    std::unordered_map<size_t, ReplayedResult> judged_{};     ///< by result
    std::unordered_set<size_t> found_{};    ///< ends without partner that the target has
    std::unordered_set<size_t> unknown_{};  ///< results nobody can compute
};

void GoldenReplay::take_partners() {
    std::unordered_map<std::string, size_t> places;
    for (size_t i = 0; i < golden_.flow.tensors.size(); ++i)
        places.emplace(golden_.flow.tensors[i].path, i);
    const auto& ops = flows_.plan().ops;
    const bool dumps = flows_.target().source.numbered && golden_.source.numbered;
    for (size_t pair = 0; pair < ops.size(); ++pair) {
        if (ops[pair].target == nullptr || ops[pair].golden == nullptr) continue;
        compare::BothTensors both;
        try {
            both = compare::tensors_of(ops[pair]);
        } catch (const Error&) {
            continue;
        }
        for (const auto& tensors :
             compare::pair_tensors(ops[pair], both.target, both.golden, dumps)) {
            if (tensors.target == nullptr || tensors.golden == nullptr ||
                tensors.golden->direction != Direction::kOutput || !tensors.target->open)
                continue;
            if (tensors.tie != nullptr &&
                (tensors.tie->golden_view || !tensors.tie->more_golden.empty() ||
                 !tensors.tie->more_target.empty() || tensors.tie->scale != 1))
                continue;
            if (const auto found = places.find(tensors.golden->path); found != places.end())
                partners_.emplace(
                    found->second,
                    Partner{pair, tensors.target->path, [open = tensors.target->open] {
                                return open()->whole();
                            }});
        }
    }
}

Tensor GoldenReplay::disturb(const Tensor& tensor, double unit) {
    if (tensor.dtype() != DType::kFloat64) return tensor;
    Tensor result(DType::kFloat64, tensor.shape());
    const auto from = tensor.as<double>();
    auto to = result.mutable_as<double>();
    uint64_t bits = 0;
    for (size_t i = 0; i < from.size(); ++i) {
        if (i % 64 == 0) bits = random_();
        to[i] = from[i] * (1 + ((bits >> (i % 64)) & 1U ? unit : -unit));
    }
    return result;
}

std::optional<Tensor> GoldenReplay::targets(size_t index) const {
    const auto partner = partners_.find(index);
    if (partner == partners_.end()) return std::nullopt;
    Tensor found = wide(partner->second.read());
    const Shape& shape = golden_.tensor(index).shape;
    if (found.numel() != numel_of(shape)) return std::nullopt;
    return found.reshaped(shape);
}

std::optional<Replayed> GoldenReplay::made(size_t index) {
    if (const auto open = open_.find(index); open != open_.end()) return open->second;
    const auto judged = judged_.find(index);
    if (judged == judged_.end() && !unknown_.contains(index)) return std::nullopt;
    if (judged != judged_.end() && !judged->second.agrees()) return std::nullopt;
    auto found = targets(index);
    if (!found) return std::nullopt;
    return Replayed{*found, *found};
}

std::optional<compare::View> GoldenReplay::view_of(size_t input) {
    if (auto view = views_.view_of(input)) return view;
    // Where elements come several times, they do not tell it; any that fits will do.
    const TracedTensor& tensor = golden_.tensor(input);
    const Tensor shown = whole(golden_, input);
    const Tensor made = whole(golden_, *tensor.producer);
    for (const compare::View& view :
         compare::arrangements(golden_.tensor(*tensor.producer).shape, tensor.shape, kArrangements))
        if (distance(compare::apply(view, made), shown).difference == 0) return view;
    return std::nullopt;
}

std::optional<Replayed> GoldenReplay::input(size_t index) {
    const TracedTensor& tensor = golden_.tensor(index);
    if (!tensor.content) return std::nullopt;
    const bool is_made = tensor.producer && !tensor.ambiguous &&
                         !is_unread(golden_.source.ops[tensor.op].id.op, tensor.argument);
    if (is_made) {
        auto from = made(*tensor.producer);
        if (!from) return std::nullopt;
        auto view = view_of(index);
        if (!view || view->source_numel != from->plain.numel()) return std::nullopt;
        view->cast.reset();
        return Replayed{compare::apply(*view, from->plain).reshaped(tensor.shape),
                        compare::apply(*view, from->disturbed).reshaped(tensor.shape)};
    }
    // Nobody made it, or an op that was not recorded: then the target's is what goes on.
    Tensor own = whole(golden_, index);
    if (const auto target = targets_of_inputs_.find(index);
        !tensor.producer && target != targets_of_inputs_.end()) {
        const Tensor theirs = whole(flows_.target(), target->second);
        if (theirs.shape() == own.shape() && distance(theirs, own).relative() <= kAlike)
            own = theirs;
    }
    return Replayed{own, own};
}

std::optional<Inputs> GoldenReplay::inputs_of(size_t op) {
    Inputs inputs;
    const Dataflow& flow = golden_.flow;
    for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i) {
        const TracedTensor& tensor = flow.tensors[i];
        if (tensor.direction != Direction::kInput || !tensor.content) continue;
        auto found = input(i);
        if (!found) return std::nullopt;
        const Tensor own = whole(golden_, i);
        inputs.off = std::max(inputs.off, distance(found->plain, own).relative());
        inputs.plain.push_back({.argument = tensor.argument, .golden = tensor.path});
        inputs.disturbed.push_back(inputs.plain.back());
        inputs.plain.back().tensor = std::move(found->plain);
        inputs.disturbed.back().tensor = disturb(found->disturbed, unit_);
    }
    return inputs;
}

std::optional<std::pair<Results, Results>> GoldenReplay::computed(const SourceOp& source,
                                                                  const Inputs& inputs) const {
    std::string why_not;
    const auto results_of =
        [&](const std::vector<compare::RebuiltInput>& taken_in) -> std::optional<Results> {
        const auto loaded = load_run(source, why_not, {&source, [&] { return taken_in; }});
        if (!loaded) return std::nullopt;
        return diagnose::run(*loaded->op, loaded->wide, Device::reference64(), &why_not);
    };
    auto plain = results_of(inputs.plain);
    auto disturbed = plain ? results_of(inputs.disturbed) : std::nullopt;
    if (!disturbed) return std::nullopt;
    return std::pair(std::move(*plain), std::move(*disturbed));
}

Replayed GoldenReplay::recorded(size_t index, double inputs_off) {
    const Tensor own = whole(golden_, index);
    return {own, disturb(own, std::max(unit_, kGain * inputs_off))};
}

void GoldenReplay::replay(size_t op) {
    const Dataflow& flow = golden_.flow;
    const SourceOp& source = golden_.source.ops[op];
    const auto inputs = inputs_of(op);
    const auto found = inputs ? computed(source, *inputs) : std::nullopt;
    std::string why_not;
    const auto own = found ? load_run(source, why_not, {}, false, false) : std::nullopt;
    for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i) {
        const TracedTensor& tensor = flow.tensors[i];
        if (tensor.direction != Direction::kOutput || !tensor.content) continue;
        const RecordedResult* result = nullptr;
        if (own)
            for (const RecordedResult& each : own->results)
                if (each.path == tensor.path) result = &each;
        const Tensor* plain = result != nullptr ? expected_of(found->first, *result) : nullptr;
        const Tensor* disturbed = result != nullptr ? expected_of(found->second, *result) : nullptr;
        if (plain != nullptr && disturbed != nullptr)
            judge(i,
                  {wide(*plain).reshaped(tensor.shape), wide(*disturbed).reshaped(tensor.shape)});
        else if (inputs && inputs->off <= kNear && !compare::may_be_random(source))
            judge(i, recorded(i, inputs->off));
        else {
            unknown_.insert(i);
        }
    }
}

std::optional<Partner> GoldenReplay::elsewhere(const Tensor& plain, double allowed) const {
    if (plain.dtype() != DType::kFloat64 || plain.numel() == 0) return std::nullopt;
    // Axes in another order leave the first element the first.
    const double first = plain.as<double>()[0];
    double largest = 0;
    for (const double each : plain.as<double>())
        largest = std::max(largest, std::abs(each));
    const compare::Side& target = flows_.target();
    for (size_t i = 0; i < target.flow.tensors.size(); ++i) {
        const TracedTensor& tensor = target.tensor(i);
        if (tensor.direction != Direction::kOutput || !tensor.content ||
            tensor.content->numel != plain.numel() ||
            !(std::abs(tensor.content->first - first) <= allowed * largest))
            continue;
        const Tensor theirs = whole(target, i);
        for (const compare::View& view :
             compare::arrangements(theirs.shape(), plain.shape(), kArrangements))
            if (distance(compare::apply(view, theirs), plain).relative() <= allowed)
                return Partner{0, tensor.path, [&target, i, view] {
                                   return compare::apply(view, whole(target, i));
                               }};
    }
    return std::nullopt;
}

void GoldenReplay::judge(size_t index, Replayed found) {
    const auto theirs = targets(index);
    const double honest = allowance_.times * distance(found.disturbed, found.plain).relative() +
                          allowance_.least * unit_;
    if (!theirs) {
        if (is_end(index) && (honest > kNoise || elsewhere(found.plain, honest)))
            found_.insert(index);
        open_.emplace(index, std::move(found));
        return;
    }
    const TracedTensor& tensor = golden_.tensor(index);
    Partner& partner = partners_.at(index);
    const bool is_number = is_float(dtype_from_name(tensor.dtype).value_or(DType::kFloat32));
    ReplayedResult result{.pair = partner.pair,
                          .target = partner.path,
                          .golden = tensor.path,
                          .off = distance(*theirs, found.plain).relative(),
                          .allowed = is_number ? honest : 0,
                          .is_end = is_end(index)};
    if (!result.agrees()) {
        if (auto other = elsewhere(found.plain, result.allowed)) {
            other->pair = partner.pair;
            partner = std::move(*other);
            result.target = partner.path;
            result.off = 0;
        } else {
            open_.emplace(index, found);
        }
    }
    if (result.agrees() && result.allowed > kNoise && is_number)
        open_.emplace(index, std::move(found));
    judged_.emplace(index, std::move(result));
}

void GoldenReplay::forget_unused(size_t op) {
    std::erase_if(open_, [&](const auto& each) {
        const auto last = last_use_.find(each.first);
        return last == last_use_.end() || last->second <= op;
    });
}

bool GoldenReplay::is_end(size_t index) const {
    const TracedTensor& tensor = golden_.tensor(index);
    const auto dtype = dtype_from_name(tensor.dtype);
    return !last_use_.contains(index) && !tensor.content->constant && dtype && is_float(*dtype) &&
           !unknown_.contains(index) && !is_cast(golden_.source.ops[tensor.op].id.op) &&
           !compare::may_be_random(golden_.source.ops[tensor.op]);
}

bool GoldenReplay::is_state(size_t index) const {
    const TracedTensor* tensor = &golden_.tensor(index);
    while (const TracedTensor* before = compare::written_over(golden_, *tensor)) {
        if (!before->producer) return true;
        tensor = &golden_.tensor(*before->producer);
    }
    return false;
}

std::vector<size_t> GoldenReplay::count_ends(compare::Replay& replay) const {
    std::vector<size_t> apart;
    const auto count = [&](size_t index, size_t compare::ReplayedEnds::*of) {
        ++(replay.ends.*of);
        if (!is_state(index)) return;
        ++(replay.states.*of);
        if (of == &compare::ReplayedEnds::missing)
            replay.missing_states.push_back(golden_.tensor(index).path);
    };
    for (size_t i = 0; i < golden_.flow.tensors.size(); ++i) {
        const TracedTensor& tensor = golden_.tensor(i);
        if (tensor.direction != Direction::kOutput || !tensor.content || !is_end(i)) continue;
        const auto judged = judged_.find(i);
        if (judged == judged_.end()) {
            count(i,
                  found_.contains(i) ? &compare::ReplayedEnds::alike
                                     : &compare::ReplayedEnds::missing);
        } else if (judged->second.agrees()) {
            count(i, &compare::ReplayedEnds::alike);
        } else {
            count(i, &compare::ReplayedEnds::apart);
            apart.push_back(i);
        }
    }
    return apart;
}

bool GoldenReplay::agrees(size_t index) const {
    const auto judged = judged_.find(index);
    return judged != judged_.end() && judged->second.agrees();
}

std::set<size_t> GoldenReplay::made_of(std::vector<size_t> open) const {
    std::set<size_t> seen(open.begin(), open.end());
    while (!open.empty()) {
        const size_t op = golden_.tensor(open.back()).op;
        open.pop_back();
        for (const TracedTensor& each : golden_.flow.of_op(op))
            if (each.direction == Direction::kInput && each.producer && !each.ambiguous &&
                !agrees(*each.producer) && seen.insert(*each.producer).second)
                open.push_back(*each.producer);
    }
    return seen;
}

std::vector<const SourceOp*> GoldenReplay::targets_between(const std::string& result) const {
    std::unordered_set<std::string> agreeing;
    for (const auto& [index, judged] : judged_)
        if (judged.agrees()) agreeing.insert(judged.target);
    const compare::Side& target = flows_.target();
    std::set<size_t> ops;
    std::vector<size_t> open;
    for (const TracedTensor& tensor : target.flow.tensors)
        if (tensor.path == result) open.push_back(tensor.op);
    while (!open.empty() && ops.size() < kMostOps) {
        const size_t op = open.back();
        open.pop_back();
        if (!ops.insert(op).second) continue;
        for (const TracedTensor& each : target.flow.of_op(op)) {
            if (each.direction != Direction::kInput || !each.producer || each.ambiguous) continue;
            const TracedTensor& made = target.tensor(*each.producer);
            if (!agreeing.contains(made.path)) open.push_back(made.op);
        }
    }
    std::vector<const SourceOp*> found;
    for (const size_t op : ops)
        found.push_back(&target.source.ops[op]);
    return found;
}

compare::Replay GoldenReplay::results() const {
    compare::Replay replay;
    const std::vector<size_t> apart = count_ends(replay);
    for (const size_t index : made_of(apart)) {
        const auto judged = judged_.find(index);
        if (judged == judged_.end()) continue;
        replay.first_apart = judged->second;
        std::set<size_t> ops;
        for (const size_t each : made_of({index}))
            ops.insert(golden_.tensor(each).op);
        for (const size_t op : ops)
            replay.golden_ops.push_back(&golden_.source.ops[op]);
        replay.target_ops = targets_between(judged->second.target);
        break;
    }
    return replay;
}

}  // namespace

std::optional<compare::Replay> replay_golden(PairedFlows& flows, double unit, int threads) {
    if (!flows.golden().source.has_inputs.value_or(true)) return std::nullopt;
    return GoldenReplay(flows, unit, threads).run();
}

}  // namespace npuscope::diagnose
