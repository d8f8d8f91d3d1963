#include "diagnose/judge/side_judge.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "diagnose/judge/class_choice.h"
#include "diagnose/judge/coarser_grid.h"
#include "diagnose/judge/log_softmax_rows.h"
#include "diagnose/judge/misfit.h"
#include "diagnose/judge/moved_elements.h"
#include "diagnose/judge/number_format.h"
#include "diagnose/judge/off_alone.h"
#include "diagnose/judge/off_among_exact.h"
#include "diagnose/judge/part_of_run.h"
#include "diagnose/judge/product_error.h"
#include "diagnose/judge/rounded_operands.h"
#include "diagnose/judge/stated_arithmetic.h"
#include "diagnose/judge/two_products.h"
#include "diagnose/judge/uneven_errors.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

namespace {

/// Of large tensors fewer runs are sampled, but this share of them.
constexpr size_t kFewestShare = 3;
constexpr int64_t kSampledElements = int64_t{1} << 22;

/// Runs of an op that show what is no habit of theirs.
constexpr size_t kFewestOthers = 2;

/// Of what an emulated chip, whose op is known to compute in fewer bits, is off by.
constexpr double kOfChips = 1.5;
/// Of results that hold more bits than the steps before: what is nearer by so much was not made by
/// narrow ones.
constexpr double kTooNear = 0x1p-8;
/// Runs of large tensors tell more each, and cost more: so many that they have kSampledElements.
size_t affordable_runs(const SourceOp& op, size_t most) {
    int64_t elements = 1;
    try {
        for (const SourceTensor& tensor : op.load())
            elements = std::max(elements, numel_of(tensor.shape));
    } catch (const Error&) {
        return most;
    }
    return std::min(
        most, std::max(most / kFewestShare, static_cast<size_t>(kSampledElements / elements)));
}

InferredArithmetic stated(const ArithmeticGroup& group, const Device& device) {
    if (is_product(group.kind))
        return {.product = &stated_product_class(device, group.computed_in, group.dtype)};
    return {.vector = &stated_vector_class(group.computed_in, group.dtype)};
}

/// Whether honest arithmetic is off evenly in all parts of a result: not in 16 bits, whose rounding
/// meets some elements and not others.
template <class Class>
bool is_even(const Class& by, const RecordedResult& result) {
    return !by.steps_are_narrow() && result.elements.dtype() == DType::kFloat32 &&
           result.elements.numel() < kLargeElements;
}

bool rounds_operands(const ProductClass& by) {
    return is_emulated(by);
}

bool rounds_operands(const VectorClass&) {
    return false;
}

/// Whether operands are of that format, or of fewer bits: results may be rounded to it as well.
bool takes_in(const ProductClass& by, DType grid) {
    return by.operands.bits <= format_of(grid).bits;
}

bool takes_in(const VectorClass&, DType) {
    return false;
}

double worst_of(const SideJudge::Errors& errors) {
    double ratio = 0;
    for (const auto& error : errors)
        ratio = std::max(ratio, error ? error->ratio : 0);
    return ratio;
}

}  // namespace

std::optional<size_t> SideJudge::form_of(const backend::Op& op) const {
    const auto found = forms_.find(name_of_forms(op));
    return found == forms_.end() ? std::nullopt : found->second.common();
}

std::optional<size_t> SideJudge::form_of_all_but_one(const backend::Op& op) const {
    const auto found = forms_.find(name_of_forms(op));
    if (found == forms_.end()) return std::nullopt;
    constexpr int64_t kFewestAlike = 3;
    const std::vector<int64_t>& runs = found->second.runs;
    const auto most = std::ranges::max_element(runs);
    if (*most < kFewestAlike || std::accumulate(runs.begin(), runs.end(), int64_t{0}) != *most + 1)
        return std::nullopt;
    return static_cast<size_t>(most - runs.begin());
}

std::optional<size_t> SideJudge::Forms::common() const {
    const auto most = std::ranges::max_element(runs);
    const int64_t all = std::accumulate(runs.begin(), runs.end(), int64_t{0});
    if (*most < all || (all < 2 && !are_clear)) return std::nullopt;
    return static_cast<size_t>(most - runs.begin());
}

ArithmeticGroup SideJudge::own_group(const OpRun& run) const {
    ArithmeticGroup group = group_of(run);
    if (device_ == nullptr) return group;
    for (const RecordedResult& result : run.results)
        if (is_float(result.elements.dtype())) {
            group.computed_in = result.computed_in;
            break;
        }
    return group;
}

SideJudge::SideJudge(const std::vector<SideOp>& ops, const Device& device)
    : device_(&device), habits_({}, {}) {
    for (const SideOp& each : ops) {
        const backend::Op* op = row_of(*each.op);
        if (op == nullptr || kind_of(*op) == OpKind::kRandom) continue;
        for (const SourceTensor& tensor : each.op->load()) {
            const auto dtype = dtype_from_name(tensor.dtype);
            if (tensor.direction != dumpfile::Direction::kOutput || !dtype || !is_float(*dtype))
                continue;
            const ArithmeticGroup group{kind_of(*op), *dtype, tensor.compute_type};
            const auto [place, fresh] = classes_.try_emplace(group);
            if (fresh) place->second = stated(group, device);
            ++place->second.sampled;
            break;
        }
    }
}

SideJudge::SideJudge(const std::vector<SideOp>& ops,
                     int threads,
                     size_t sample_size,
                     bool all_classes)
    : habits_(ops, [this](const OpRun& run) { return habits_of(run); }) {
    std::map<std::string, std::vector<const SideOp*>> by_name;
    for (const SideOp& op : ops)
        by_name[op.op->op()].push_back(&op);
    // Of every name some, so that no kind is told by one op only.
    std::vector<const SideOp*> chosen;
    for (const auto& [name, runs] : by_name)
        for (const SideOp* op : evenly(runs, affordable_runs(*runs.front()->op, sample_size)))
            chosen.push_back(op);
    // Most recordings show it by few classes; the others cost as much again, each.
    std::mutex mutex;
    OpenKinds open = {true, true};
    for (const Tried tried : {Tried::kPlain, Tried::kFirst, Tried::kAll}) {
        if (all_classes && tried != Tried::kAll) continue;
        const bool is_first = samples_.empty();
        std::erase_if(samples_,
                      [&](const auto& each) { return open[is_product(each.first.kind)]; });
        parallel_for(static_cast<int64_t>(chosen.size()), threads, [&](int64_t index) {
            const SideOp& op = *chosen[static_cast<size_t>(index)];
            const std::optional<SampledRun> run = sampled_run(op, tried, open);
            if (!run) return;
            const std::lock_guard guard(mutex);
            const auto [place, fresh] = samples_.try_emplace(run->group);
            const auto own = static_cast<size_t>(&op - ops.data());
            place->second.first = fresh ? own : std::min(place->second.first, own);
            place->second.runs.push_back(*run);
            if (!run->tells_form || !is_first) return;
            Forms& forms = forms_[run->name];
            forms.runs.resize(run->forms);
            ++forms.runs[run->best];
            forms.last = run->form;
            forms.are_clear = forms.are_clear && run->is_clear;
        });
        open = {false, false};
        for (const auto& each : samples_) {
            const ArithmeticGroup& group = each.first;
            classes_[group] = class_from(samples_, group);
            if (!is_settled(samples_, group, classes_[group], tried))
                open[is_product(group.kind)] = true;
        }
        if (!open[0] && !open[1]) break;
    }
    follow_stored_wider(classes_);
    const auto found = classes_;
    for (const auto& each : samples_) {
        const ArithmeticGroup& group = each.first;
        OpsApart apart = ops_apart(samples_, group, found);
        classes_[group] = apart.others;
        apart_[group] = std::move(apart);
    }
}

InferredArithmetic SideJudge::class_of(const ArithmeticGroup& group) const {
    const auto found = classes_.find(group);
    if (found != classes_.end()) return found->second;
    if (device_ != nullptr) return stated(group, *device_);
    // Of what no run told: float32's.
    return stated({group.kind, group.dtype, ComputeType::kFloat32}, Device::reference32());
}

InferredArithmetic SideJudge::class_of(const ArithmeticGroup& group, const OpRun& run) const {
    if (const auto apart = apart_.find(group); apart != apart_.end())
        if (const InferredArithmetic* own = apart->second.class_of(run)) return *own;
    return class_of(group);
}

ComputeType SideJudge::narrowest_of(DType dtype) const {
    int bits = kFloat32.bits;
    for (const auto& [group, inferred] : classes_)
        if (group.dtype == dtype) bits = std::min(bits, inferred.fewest_bits());
    if (bits <= kBFloat16.bits) return ComputeType::kBFloat16;
    return bits < kFloat32.bits ? ComputeType::kFloat16 : ComputeType::kNone;
}

int SideJudge::fewest_bits_of(bool products, std::optional<DType> dtype) const {
    int bits = dtype ? format_of(*dtype).bits : kFloat32.bits;
    const auto take = [&](const ArithmeticGroup& group, const InferredArithmetic& inferred) {
        bits = std::min({bits, format_of(group.dtype).bits, inferred.fewest_bits()});
    };
    bool is_told = !products || device_ != nullptr;
    for (const auto& [group, inferred] : classes_) {
        if (is_product(group.kind) != products) continue;
        is_told = true;
        if (dtype && group.dtype != *dtype) continue;
        take(group, inferred);
        if (const auto apart = apart_.find(group); apart != apart_.end()) {
            for (const auto& each : apart->second.ops)
                take(group, each.second);
            if (apart->second.any) take(group, *apart->second.any);
        }
    }
    return is_told ? bits : std::min(bits, kFloat16.bits);
}

double SideJudge::lost_of_operands() const {
    double lost = 0;
    for (const auto& [group, inferred] : classes_) {
        if (inferred.product == nullptr) continue;
        const ProductClass& by = *inferred.product;
        if (by.rounding == OperandRounding::kFlushed)
            lost = std::max(lost, power_of_two(by.operands.lowest));
        else if (by.operands.lowest > kFloat32.lowest)
            lost = std::max(lost, by.operands.lost_near_zero());
    }
    return lost;
}

std::pair<size_t, SideJudge::Errors> SideJudge::judge_best(const std::vector<OpRun>& forms) const {
    std::pair<size_t, Errors> best{0, judge(forms.front())};
    for (size_t i = 1; i < forms.size(); ++i)
        if (Errors errors = judge(forms[i]); worst_of(errors) < worst_of(best.second))
            best = {i, std::move(errors)};
    return best;
}

SideJudge::Errors SideJudge::judge(const OpRun& asked) const {
    const bool on_chip = device_ != nullptr && device_->policy == Policy::kChip;
    const std::optional<OpRun> own = on_chip ? form_on_chips(asked) : std::nullopt;
    const OpRun& run = own ? *own : asked;
    const ArithmeticGroup group = own_group(run);
    InferredArithmetic inferred = class_of(group, run);
    Errors errors;
    const auto judge_all = [&](auto&& error, const auto& class_of_result) {
        for (const RecordedResult& result : run.results) {
            const auto& by = class_of_result(error, result);
            auto found = error.judge(by, result, false);
            Tightness tight;
            if (found && found->ratio > 0 && found->ratio <= 1 && device_ == nullptr) {
                tight = tightness(run, error, by, result);
                if (tight.share < 1) found = error.judge(by, result, false, tight);
                if (found && found->ratio > 1) found = error.judge(by, result, true, tight);
            } else if (found && found->ratio > 1) {
                found = error.judge(by, result, true);
                if constexpr (requires { error.chips_ratio(by, result); })
                    found->ratio /= std::max(1.0, kOfChips * error.chips_ratio(by, result));
            }
            if (found && found->ratio > 1 && device_ == nullptr)
                if (auto in_parts = judge_in_parts(run, error, by, result);
                    in_parts && in_parts->ratio <= 1)
                    found = std::move(in_parts);
            if (found && found->ratio > 0 && found->ratio <= 1 && device_ == nullptr)
                if (auto named = named_fault(run, error, by, result, tight))
                    found = std::move(named);
            if (found) found->arithmetic = inferred.name();
            if (found) leave_out_ignored(result, *found);
            errors.push_back(std::move(found));
        }
    };
    if (is_product(group.kind)) {
        judge_all(ProductError(run), product_class_by(inferred, device_ != nullptr));
        return errors;
    }
    VectorError vector_error(run);
    judge_all(vector_error, vector_class_by(inferred));
    if (worst_of(errors) <= 1) return errors;
    Errors best = std::move(errors);
    for (const InferredArithmetic& inside : classes_inside(run, group)) {
        errors.clear();
        inferred = inside;
        judge_all(vector_error, vector_class_by(inferred));
        if (worst_of(errors) < worst_of(best)) best = std::move(errors);
        if (worst_of(best) <= 1) break;
    }
    return best;
}

template <class Error, class Class>
std::optional<compare::Introduced> SideJudge::named_fault(const OpRun& run,
                                                          Error& error,
                                                          const Class& by,
                                                          const RecordedResult& result,
                                                          const Tightness& tight) const {
    if (only_moves(*run.op) || !is_float(result.elements.dtype())) return std::nullopt;
    // Not looked at: what is within its limit only with operands that are rounded in another way.
    const bool has_likes = tight.of_likes > 0;
    const double times = has_likes ? tight.of_likes : tight.of_here;
    if (times > kUnlike && is_even(by, result))
        if (const auto within = error.in_limit(by, result); within && is_within(*within)) {
            if (auto uneven = uneven_error(*within, has_likes)) return uneven;
            if (auto alone = off_alone_error(*within)) return alone;
            if (auto among = off_among_exact_error(*within)) return among;
        }
    const auto some = error.part_in_limit(by, result);
    if (!some) return std::nullopt;
    // Products may be within another limit, of operands that are rounded otherwise.
    if (rounds_operands(by) && !is_within(*some)) return std::nullopt;
    if (auto apart = log_softmax_row_error(*some)) return apart;
    if (const auto grid = coarser_grid(*some); grid && !takes_in(by, *grid)) {
        const std::vector<Habit> others = habits_.others(run, result.name);
        if (others.size() >= kFewestOthers && std::ranges::none_of(others, &Habit::is_coarser))
            return coarser_error(*some, *grid);
    }
    // Operands that are rounded by an unknown rule, or with one scale, are off alike; a bias
    // gradient may be the sum of unrounded ones.
    if (!by.is_computed_here() || (rounds_operands(by) && result.name == "result2"))
        return std::nullopt;
    return misfit_error(*some);
}

template <class Error, class Class>
std::optional<compare::Introduced> SideJudge::judge_in_parts(const OpRun& run,
                                                             Error& error,
                                                             const Class& by,
                                                             const RecordedResult& result) const {
    if constexpr (requires { error.class_in_parts(by, result); }) {
        const auto* parts = error.class_in_parts(by, result);
        if (parts == nullptr) return std::nullopt;
        auto found = error.judge(*parts, result, false);
        if (!found || found->ratio > 1) return found;
        if (!is_of_16_bits(result.elements.dtype()) && found->ratio < kTooNear) return std::nullopt;
        const Tightness tight = tightness(run, error, *parts, result);
        return tight.share < 1 ? error.judge(*parts, result, false, tight) : found;
    } else {
        return error.judge_in_parts(by, result);
    }
}

}  // namespace npuscope::diagnose
