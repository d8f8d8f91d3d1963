#include "diagnose/recompute/recomputed_standard.h"

#include <algorithm>

#include "core/base/error.h"
#include "diagnose/judge/exact_outputs.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

using dumpfile::Direction;

/// f(inputs) of any run; the last one's stays in memory.
class RecomputedStandard::Exact final : public compare::Splitter {
  public:
    Exact(const SideJudge& judge, bool plain) : judge_(judge), plain_(plain) {}

    // Nothing is split here.
    [[nodiscard]] bool was_loaded(compare::PairedFlows&) const override { return false; }
    void prepare(compare::PairedFlows&, std::span<const size_t>) override {}
    [[nodiscard]] std::vector<compare::Split> split(
        const compare::OpPair&,
        const std::vector<compare::SplitQuery>& outputs,
        const std::vector<ArgumentDifference>&) const override {
        return std::vector<compare::Split>(outputs.size());
    }
    [[nodiscard]] compare::ExactRun exact(const SourceOp& run,
                                          const compare::OpPair*,
                                          bool) const override {
        if (last_ == &run) return found_;
        last_ = nullptr;
        found_ = {};
        for (const SourceOp& call : calls_of(run, found_.why_not))
            add_exact_outputs(
                call, {}, plain_, [this](OpRun each) { return form_of(std::move(each)); }, found_);
        last_ = &run;
        return found_;
    }

  private:
    [[nodiscard]] OpRun form_of(OpRun run) const {
        std::vector<OpRun> forms = forms_of(std::move(run));
        return std::move(forms[forms.size() > 1 ? judge_.judge_best(forms).first : 0]);
    }

    const SideJudge& judge_;
    bool plain_;
    mutable const SourceOp* last_ = nullptr;
    mutable compare::ExactRun found_;
};

namespace {

/// The recorded tensors with exact results, rounded to their dtypes; results that nobody computes
/// have no elements.
std::vector<SourceTensor> with_exact(const SourceOp& op, const compare::ExactRun& exact) {
    std::vector<SourceTensor> tensors = op.load();
    for (SourceTensor& tensor : tensors) {
        if (tensor.direction == Direction::kInput) continue;
        const auto found =
            std::ranges::find(exact.outputs, tensor.argument, &compare::ExactRun::Output::argument);
        const auto dtype = dtype_from_name(tensor.dtype);
        if (found == exact.outputs.end() || !dtype ||
            found->exact.numel() != numel_of(tensor.shape)) {
            tensor.open = {};
            continue;
        }
        tensor.hold(found->exact.cast(*dtype).reshaped(tensor.shape));
    }
    return tensors;
}

}  // namespace

RecomputedStandard::RecomputedStandard(const compare::StandardOptions& options,
                                       const Source& recording,
                                       const SideJudge& judge)
    : recording_(recording), exact_(std::make_unique<Exact>(judge, options.third_is_plain)) {
    options_.standard = options;
    options_.splitter = exact_.get();
    // A third recording pairs by names and shapes alone.
    score_ = std::make_unique<compare::StandardScore>(options_, recording_);
}

RecomputedStandard::~RecomputedStandard() = default;

void RecomputedStandard::score(size_t op, RecomputedOp& made) {
    const SourceOp& recorded = recording_.ops[op];
    std::vector<SourceTensor> mine;
    std::vector<SourceTensor> theirs;
    try {
        mine = recorded.load();
        theirs = with_exact(recorded, exact_->exact(recorded, nullptr, false));
    } catch (const Error& failure) {
        made.standard = {.why = failure.what()};
        return;
    }
    std::vector<compare::TensorPair> pairs;
    compare::OpResult result;
    result.target = result.golden = recorded.path;
    result.id = recorded.id;
    for (size_t i = 0; i < mine.size(); ++i) {
        pairs.push_back({&mine[i], &theirs[i]});
        compare::TensorResult& tensor = result.tensors.emplace_back();
        tensor.argument = mine[i].argument;
        tensor.direction = mine[i].direction;
        tensor.sums.numel = numel_of(mine[i].shape);
        if (mine[i].ignored) tensor.ignored = mine[i].ignored->count();
        tensor.sums.numel -= tensor.ignored;
    }
    // A third recording was paired with the recorded ops themselves.
    score_->score({.target = &recorded, .golden = &recorded}, pairs, result);
    made.standard = result.standard;
    for (compare::TensorResult& each : made.results)
        for (compare::TensorResult& tensor : result.tensors)
            if (tensor.direction == Direction::kOutput && tensor.argument == each.argument)
                each.standard = tensor.standard;
}

compare::StandardSummary RecomputedStandard::summary(compare::Result result) const {
    score_->summarise(result);
    return *result.standard;
}

}  // namespace npuscope::diagnose
