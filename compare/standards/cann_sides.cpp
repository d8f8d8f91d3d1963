#include "compare/standards/cann_sides.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "compare/standards/plain_elements.h"

namespace npuscope::compare {

namespace {

const ExactRun::Output* output_named(const ExactRun& run, const std::string& argument) {
    const auto found = std::ranges::find(run.outputs, argument, &ExactRun::Output::argument);
    return found == run.outputs.end() ? nullptr : &*found;
}

/// Of a tensor with the elements of `like`: those that are not ignored there.
std::vector<double> kept_doubles(const Tensor& tensor, const SourceTensor& like) {
    return as_doubles(like.ignored ? like.ignored->rest_of(tensor) : tensor);
}

bool takes_floats(const StandardQuery& query) {
    return std::ranges::any_of(query.tensors, [](const TensorPair& pair) {
        const auto dtype = dtype_from_name(pair.known().dtype);
        return pair.known().direction == dumpfile::Direction::kInput && dtype && is_float(*dtype);
    });
}

}  // namespace

CannOp::CannOp(const StandardQuery& query, bool with_third)
    : query_(query), with_third_(with_third), takes_floats_(takes_floats(query)) {
    if (!query.may_compute || query.pair.target == nullptr) return;
    own_ = query.exact(*query.pair.target, &query.pair);
    if (!with_third || query.third_is_plain) return;
    const SourceOp* third = query.third != nullptr ? query.third : query.pair.golden;
    if (third != nullptr) third_ = query.exact(*third, nullptr);
}

std::vector<StandardVerdict> CannOp::verdicts(
    const std::function<std::optional<int64_t>(WholeRule)>& allowed,
    const std::function<StandardVerdict(const CannSides&)>& floats) const {
    std::vector<StandardVerdict> verdicts;
    for (const TensorPair& pair : query_.tensors) {
        StandardVerdict& verdict = verdicts.emplace_back();
        if (pair.known().direction != dumpfile::Direction::kOutput) continue;
        if (const auto limit = allowed(rule_of(pair))) {
            verdict = whole_verdict(pair, *limit);
        } else if (const auto sides = sides_of(pair, verdict.why)) {
            verdict = floats(*sides);
        }
    }
    return verdicts;
}

WholeRule CannOp::rule_of(const TensorPair& pair) const {
    const auto dtype = dtype_from_name(pair.known().dtype);
    if (!dtype || is_float(*dtype)) return WholeRule::kNone;
    return takes_floats_ && *dtype != DType::kBool ? WholeRule::kQuantized : WholeRule::kEqual;
}

const SourceTensor* CannOp::third_of(const TensorPair& pair) const {
    if (query_.third == nullptr) return pair.golden;
    for (const SourceTensor* side : {pair.golden, pair.target}) {
        if (side == nullptr) continue;
        for (const SourceTensor& tensor : query_.third_tensors)
            if (tensor.direction == side->direction && tensor.argument == side->argument)
                return &tensor;
    }
    // An array that is an op of its own has one result, whatever its name.
    const bool lone = query_.tensors.size() == 1 && query_.third_tensors.size() == 1;
    return lone ? query_.third_tensors.data() : nullptr;
}

void CannOp::take_third(const TensorPair& pair, CannSides& sides) const {
    const SourceTensor* third = third_of(pair);
    if (third == nullptr || !third->open || numel_of(third->shape) != numel_of(pair.target->shape))
        return;
    const auto kept = [&](const Tensor& tensor) { return kept_doubles(tensor, *pair.target); };
    sides.third = kept(third->open()->whole());
    const ExactRun::Output* exact = output_named(third_, third->argument);
    sides.third_reference = exact != nullptr && exact->exact.numel() == numel_of(pair.target->shape)
                                ? kept(exact->exact)
                                : sides.reference;
}

std::optional<CannSides> CannOp::sides_of(const TensorPair& pair, std::string& why_not) const {
    if (pair.target == nullptr || pair.golden == nullptr) {
        why_not = "only one side has it";
        return std::nullopt;
    }
    if (!pair.target->open || !pair.golden->open) {
        why_not = "its elements are not recorded";
        return std::nullopt;
    }
    CannSides sides{.dtype = dtype_from_name(pair.target->dtype).value_or(DType::kFloat32),
                    .computed = pair.target->compute_type};
    const auto kept = [&](const Tensor& tensor) { return kept_doubles(tensor, *pair.target); };
    sides.actual = kept(pair.target->open()->whole());
    const ExactRun::Output* exact = output_named(own_, pair.target->argument);
    const bool computed = exact != nullptr && exact->exact.numel() == numel_of(pair.target->shape);
    if (computed) {
        sides.reference = kept(exact->exact);
        sides.told = "against fp64 of its own inputs";
    } else if (with_third_ && query_.third == nullptr) {
        why_not = "no fp64 reference: " +
                  (own_.why_not.empty() ? std::string("nothing is computed here") : own_.why_not) +
                  "; the golden is the third chip";
        return std::nullopt;
    } else {
        sides.reference = as_doubles(pair.golden->kept());
        sides.told = "against the golden";
        if (sides.reference.size() != sides.actual.size()) {
            why_not = "shapes differ";
            return std::nullopt;
        }
    }
    if (!with_third_) return sides;
    if (!query_.third_is_plain) {
        take_third(pair, sides);
    } else if (computed && exact->plain.numel() == exact->exact.numel()) {
        sides.third = kept(exact->plain);
        sides.third_reference = sides.reference;
    }
    if (sides.third.empty() && !sides.actual.empty()) {
        why_not = "the third chip has no such result";
        return std::nullopt;
    }
    return sides;
}

StandardVerdict CannOp::whole_verdict(const TensorPair& pair, int64_t allowed) const {
    StandardVerdict verdict;
    const auto both = plain_pair(pair.target, pair.golden, verdict.why);
    if (!both) return verdict;
    if (both->target.numel() != both->golden.numel())
        return {StandardLevel::kFail, "fail", "shapes differ"};
    const std::vector<int64_t> mine = as_integers(both->target);
    const std::vector<int64_t> theirs = as_integers(both->golden);
    int64_t largest = 0;
    int64_t over = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
        const int64_t apart = std::abs(mine[i] - theirs[i]);
        largest = std::max(largest, apart);
        over += apart > allowed ? 1 : 0;
    }
    return {over > 0 ? StandardLevel::kFail : StandardLevel::kPass,
            over > 0 ? "fail" : "pass",
            fmt::format("{} of {} whole numbers off by more than {}, at most {}",
                        over,
                        mine.size(),
                        allowed,
                        largest),
            {{"max_abs_error", static_cast<double>(largest)}}};
}

}  // namespace npuscope::compare
