// What a result within its bound is held to: what honest arithmetic makes of it here, and what its
// like in the recording are off by.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "diagnose/judge/class_choice.h"
#include "diagnose/judge/coarser_grid.h"
#include "diagnose/judge/moved_elements.h"
#include "diagnose/judge/norm_terms.h"
#include "diagnose/judge/part_of_run.h"
#include "diagnose/judge/side_judge.h"

namespace npuscope::diagnose {

namespace {

/// An op may be off by so many times what honest arithmetic makes of it here. Products: chips
/// differ in the order of their sums.
constexpr double kOfHere = 4;
/// The same for steps in 16 bits, which differ more.
constexpr double kOfNarrow = 6;
/// Times as much of sums of more elements than these.
constexpr double kShortSum = 64;
constexpr double kMostOfLongSums = 2;
/// The same of other ops, whose functions and short sums differ less.
constexpr double kOfVectors = 3;
constexpr double kOfNarrowVectors = 4;
/// The same where so many like runs show no other habit.
constexpr double kOfSome = 3;
constexpr size_t kSome = 4;
/// In 16 bits the gradients of norms, whose terms cancel, differ more in single elements.
constexpr double kOfNarrowNormGradients = 1.3;
/// Errors of fewer elements may be small here by luck: so much more is allowed.
constexpr double kOfFew = 2;
constexpr int64_t kFewElements = 4;
/// Of one number, the mean of a loss, whose sum runs here may make exactly where another order does
/// not.
constexpr double kOfOne = 2.25;
/// Of what the recording's like runs are off by.
constexpr double kOfOthers = 2;
/// Of so many like runs one may be at fault as well.
constexpr size_t kMany = 8;
/// Where nothing here computes as the class does, like runs must show its habit: so many at least.
constexpr size_t kEnough = 5;

/// Of the bound's share that two like runs or more need at most, and the reference here. Of 184 000
/// clean results, those of GPUs among them, none needs more than 2.3.
constexpr double kOfLikes = 2.75;
constexpr size_t kFewestLikes = 2;
/// Of results that have more elements than all like runs together.
constexpr double kOfMore = 1.3;
/// Of few elements, which may be near by luck.
constexpr double kOfSmall = 1.5;
constexpr int64_t kSmall = 16;
/// What this many like runs show, of a class that is not computed here: their sums' lengths differ.
constexpr double kOfManyLikes = 6;

/// What like runs show leaves an ulp to luck, beside half of one that is rounded.
constexpr double kHalfUnitsOfLikes = 3;

/// Of what all runs here make exactly.
constexpr double kHalfUnitsOfExact = 2;

/// What chips make of it depends on its numbers more than on the op: sums in other orders,
/// variances in one pass.
bool goes_by_numbers(const OpRun& run, const RecordedResult& result) {
    return is_norm(*run.op) || run.op->row->sum == result.name ||
           (kind_of(*run.op) == OpKind::kConvolution && result.name == "result2");
}

/// Whether it computes functions that libraries and instructions approximate, each to another last
/// place: CUDA's __expf and others keep 2^-21; vector units divide by a reciprocal.
bool approximates(const OpRun& run) {
    static constexpr auto kParts = std::to_array<std::string_view>(
        {"exp",     "log",  "tanh", "sigmoid",    "silu", "mish",   "softplus",
         "softmax", "elu",  "gelu", "erf",        "sin",  "cos",    "tan",
         "pow",     "sqrt", "div",  "reciprocal", "glu",  "entropy"});
    return !is_rounded_once(*run.op) && std::ranges::any_of(kParts, [&](std::string_view part) {
        return run.op->name().find(part) != std::string::npos;
    });
}

/// Whether it weighs neighbours by places between them, which libraries compute in float32 and are
/// exact here: by how much these are off depends on the places and on how the neighbours differ.
bool interpolates(const OpRun& run) {
    const std::string_view name = run.op->name();
    return name.find("grid_sampler") != std::string_view::npos ||
           (name.find("upsample") != std::string_view::npos &&
            name.find("nearest") == std::string_view::npos);
}

/// One sum after the other walks further from where blocks of sums end, the longer they are.
double of_long_sums(int64_t length) {
    return std::clamp(std::sqrt(static_cast<double>(length) / kShortSum), 1.0, kMostOfLongSums);
}

/// The largest share of the bound that like runs within it are off by, and how many they are.
struct Likes {
    double most = 0;
    size_t runs = 0;
    int64_t elements = 0;
};

Likes likes_of(const std::vector<Habit>& others) {
    Likes found;
    for (const Habit& other : others)
        if (other.share <= 1) {
            found.most = std::max(found.most, other.share);
            found.elements += other.numel;
            ++found.runs;
        }
    return found;
}

/// How many times further off `recorded` is than like runs, and than `here`; 0 where they do not
/// tell.
double times_of_likes(const std::vector<Habit>& others,
                      const RecordedResult& result,
                      size_t fewest,
                      double recorded,
                      double here) {
    const Likes likes = likes_of(others);
    if (likes.runs < fewest || recorded > 1) return 0;
    const double more = likes.elements < result.elements.numel() ? kOfMore : 1;
    const double few = result.elements.numel() < kSmall ? kOfSmall : 1;
    return recorded / std::max(here, likes.most) / more / few;
}

/// The same of a class that is not computed here, so that only many like runs tell; in proportion
/// to what is allowed of the others.
double times_of_likes_alone(const std::vector<Habit>& others, double recorded) {
    const Likes likes = likes_of(others);
    if (likes.runs < kMany || likes.most == 0 || recorded > 1) return 0;
    return recorded / likes.most * kOfLikes / kOfManyLikes;
}

}  // namespace

template <class Error, class Class>
Tightness SideJudge::tightness(const OpRun& run,
                               Error& error,
                               const Class& by,
                               const RecordedResult& result) const {
    // Their elements are what they were, or not. In float64 nothing here is more exact.
    if (only_moves(*run.op) || by.is_float64() || interpolates(run)) return {};
    if constexpr (requires { error.times_at_first_sight(by, result); })
        // Large runs are first held against one run here, before bounds are computed.
        if ((is_large(run) || result.elements.numel() >= kLargeElements) &&
            error.times_at_first_sight(by, result) <= kOfSome)
            return {};
    std::optional<Closeness> found = error.closeness(by, result, HonestRuns::kReference, kUnlike);
    if (!found || found->times() <= kUnlike) return {};
    std::vector<Habit> others = habits_.others(run, result.name);
    const bool multiplies = is_product(kind_of(*run.op));
    const bool is_function = !by.steps_are_narrow() && approximates(run);
    const double of_likes = by.is_computed_here() && !is_gradient_of_norm(*run.op)
                                ? times_of_likes(others,
                                                 result,
                                                 multiplies || is_function ? kSome : kFewestLikes,
                                                 found->recorded,
                                                 found->floored())
                                : times_of_likes_alone(others, found->recorded);
    bool is_beyond = of_likes > kOfLikes;
    const bool asks_chips = is_beyond && goes_by_numbers(run, result);
    if (found->times() > kOfSome || asks_chips)
        if (const auto of_chips = error.closeness(by, result, HonestRuns::kChips, 0))
            found = of_chips;
    if (asks_chips) is_beyond = found->recorded > kOfLikes * found->floored();
    const double of_here = found->times();
    const Tightness by_likes{.share = is_beyond ? found->recorded * kOfLikes / of_likes : 1,
                             .half_units = kHalfUnitsOfLikes,
                             .by_likes = is_beyond,
                             .of_likes = of_likes,
                             .of_here = of_here};
    if (found->times() <= kOfSome || (!by.is_computed_here() && others.size() < kEnough))
        return by_likes;
    // Few others show not how near a function is computed.
    if (others.size() < kSome && is_function) return by_likes;
    const bool differ = by.steps_are_narrow() && !is_rounded_once(*run.op);
    // Like products may be of other lengths, which tell little of this one's.
    const bool is_coarser_all_over = multiplies && found->singled_out > 0 && found->singled_out < 1;
    double least =
        differ ? (multiplies ? kOfNarrow : kOfNarrowVectors) : (multiplies ? kOfHere : kOfVectors);
    // Several products, one after the other, and what cancels between them.
    if (!differ && multiplies_inside(*run.op)) least = kOfNarrow;
    if (others.size() >= kSome) least = is_coarser_all_over ? kOfHere : kOfSome;
    if (differ && is_gradient_of_norm(*run.op)) least *= kOfNarrowNormGradients;
    if (multiplies) least *= of_long_sums(contraction_length(run, result.name));
    if (result.elements.numel() < kFewElements)
        least *= result.elements.numel() == 1 ? kOfOne : kOfFew;
    else if (result.elements.numel() < kSmall)
        least *= kOfSmall;
    if (others.size() >= kMany) others.erase(others.begin());
    const double habit = others.empty() ? 0 : kOfOthers * others.front().times;
    const double share = std::max(least, habit) * found->floored();
    if (by_likes.share < share) return by_likes;
    // What all runs here make exactly nobody rounds more than once.
    return {.share = share,
            .half_units = found->here == 0 ? kHalfUnitsOfExact : 0,
            .by_likes = is_beyond,
            .of_likes = of_likes,
            .of_here = of_here};
}

template Tightness SideJudge::tightness(const OpRun&,
                                        ProductError&,
                                        const ProductClass&,
                                        const RecordedResult&) const;
template Tightness SideJudge::tightness(const OpRun&,
                                        VectorError&,
                                        const VectorClass&,
                                        const RecordedResult&) const;

std::map<std::string, Habit> SideJudge::habits_of(const OpRun& run) const {
    const std::vector<OpRun> forms = forms_of(run);
    const OpRun& whole = forms[forms.size() > 1 ? form_of(*run.op).value_or(0) : 0];
    const std::optional<PartOfRun> part = part_of(whole, kTellingElements);
    const OpRun& form = part ? part->run : whole;
    const InferredArithmetic inferred = class_of(own_group(run), run);
    std::map<std::string, Habit> habits;
    const auto take = [&](auto&& error, const auto& class_of_result) {
        for (const RecordedResult& result : form.results) {
            const auto& by = class_of_result(error, result);
            for (const HonestRuns which : {HonestRuns::kReference, HonestRuns::kChips})
                if (const auto found = error.closeness(by, result, which, 0)) {
                    habits[result.name] = {.times = found->times(),
                                           .share = found->recorded,
                                           .numel = result.elements.numel()};
                    if (found->times() <= kOfSome) break;
                }
            if (const auto known = habits.find(result.name); known != habits.end())
                if (const auto within = error.in_limit(by, result))
                    known->second.is_coarser = coarser_grid(*within).has_value();
        }
    };
    if (is_product(kind_of(*run.op))) {
        take(ProductError(form), product_class_by(inferred, device_ != nullptr));
    } else {
        take(VectorError(form), vector_class_by(inferred));
    }
    return habits;
}

}  // namespace npuscope::diagnose
