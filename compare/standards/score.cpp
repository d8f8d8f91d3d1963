#include "compare/standards/score.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// Of an op: the worst; between two of a level the first.
void take_worse(const StandardVerdict& verdict, StandardVerdict& worst) {
    if (verdict.word.empty() && worst.word.empty() && worst.why.empty()) worst.why = verdict.why;
    if (!verdict.word.empty() && (worst.word.empty() || verdict.level > worst.level))
        worst = verdict;
}

/// What this program's judge says, in a few words.
std::string own_mind(const OpResult& op) {
    for (const TensorResult& tensor : op.tensors) {
        if (tensor.judgement.verdict != op.judgement.verdict || !tensor.split ||
            tensor.direction != dumpfile::Direction::kOutput)
            continue;
        const bool of_golden = op.judgement.verdict == Verdict::kGoldenAtFault;
        const auto& error = of_golden ? tensor.split->golden : tensor.split->target;
        if (!error) continue;
        if (error->over > 0)
            return fmt::format("{} of {} elements are wrong, up to {:.3g} times what {} makes",
                               error->over,
                               error->numel,
                               error->ratio,
                               error->arithmetic);
        if (op.judgement.verdict == Verdict::kInherited)
            return "the op's own arithmetic is honest, the difference came in";
        if (error->ratio <= 1)
            return fmt::format("no more than {} honestly makes, {:.3g} of its bound",
                               error->arithmetic,
                               error->ratio);
    }
    return op.judgement.rule;
}

/// "" where they agree.
std::string disagreement_text(const OpResult& op,
                              std::string_view standard,
                              bool allow_golden_at_fault) {
    if (op.standard.level == StandardLevel::kNotJudged) return {};
    const bool fails = op.standard.level == StandardLevel::kFail;
    const bool accused = is_finding(op.judgement.verdict, allow_golden_at_fault);
    if (fails == accused) return {};
    return fmt::format("{} {}, here {}: {} ({})",
                       standard,
                       op.standard.word,
                       name_of(op.judgement.verdict),
                       own_mind(op),
                       op.standard.why);
}

std::string third_text(const StandardOptions& options) {
    if (options.third_source != nullptr) return "the third chip is the third recording";
    return options.third_is_plain ? "float32 arithmetic of this program stands in for a third chip"
                                  : "the golden stands in for a third chip";
}

}  // namespace

StandardScore::StandardScore(const Options& options, const Source& golden) : options_(options) {
    if (!is_wanted() || options.standard.third_source == nullptr) return;
    third_pairs_ = make_plan(*options.standard.third_source, golden, false).ops;
    for (const OpPair& pair : third_pairs_)
        if (pair.target != nullptr && pair.golden != nullptr) thirds_[pair.golden] = pair.target;
}

void StandardScore::score(const OpPair& pair,
                          const std::vector<TensorPair>& tensors,
                          OpResult& op) const {
    if (!is_wanted() || pair.target == nullptr) return;
    const auto third = thirds_.find(pair.golden);
    const Splitter* splitter = options_.splitter;
    const bool plain = options_.standard.third_is_plain;
    try {
        std::vector<SourceTensor> third_tensors;
        if (third != thirds_.end()) third_tensors = third->second->load();
        const StandardQuery query{
            .pair = pair,
            .op = op,
            .tensors = tensors,
            .third = third != thirds_.end() ? third->second : nullptr,
            .third_tensors = third_tensors,
            .third_is_plain = plain,
            .infinities_count = splitter != nullptr && splitter->infinities_count(),
            .may_compute = splitter != nullptr && options_.judging != Judging::kOff,
            .exact = [&](const SourceOp& run, const OpPair* of) {
                return splitter->exact(run, of, plain);
            }};
        if (options_.standard.third_source != nullptr && query.third == nullptr &&
            options_.standard.standard->takes_third) {
            op.standard.why = "the third recording has no such op";
            return;
        }
        std::vector<StandardVerdict> verdicts = options_.standard.standard->judge(query);
        for (size_t i = 0; i < verdicts.size(); ++i) {
            if (i < op.tensors.size() && op.tensors[i].ignored > 0 && op.tensors[i].sums.numel == 0)
                verdicts[i] = {.why = "all of it is ignored"};
            take_worse(verdicts[i], op.standard);
            if (i < op.tensors.size()) op.tensors[i].standard = std::move(verdicts[i]);
        }
    } catch (const Error& failure) {
        op.standard = {.why = failure.what()};
    }
}

void StandardScore::summarise(Result& result) const {
    if (!is_wanted()) return;
    const Standard& standard = *options_.standard.standard;
    StandardSummary summary{.name = std::string(standard.name)};
    if (standard.takes_third) summary.notes.push_back(third_text(options_.standard));
    for (size_t i = 0; i < result.ops.size(); ++i) {
        const OpResult& op = result.ops[i];
        for (const TensorResult& tensor : op.tensors)
            if (!tensor.standard.word.empty() || !tensor.standard.why.empty())
                ++summary.tensors[static_cast<size_t>(tensor.standard.level)];
        if (op.standard.level > summary.level || summary.word.empty()) {
            summary.level = std::max(summary.level, op.standard.level);
            if (!op.standard.word.empty()) summary.word = op.standard.word;
        }
        if (op.standard.level == StandardLevel::kFail && summary.first.empty())
            summary.first = op.target;
        if (std::string text = disagreement_text(op, standard.name, options_.allow_golden_at_fault);
            !text.empty())
            summary.disagreements.push_back({i, std::move(text)});
    }
    result.standard = std::move(summary);
}

}  // namespace npuscope::compare
