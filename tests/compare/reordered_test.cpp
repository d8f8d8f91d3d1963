// One program whose independent ops ran in another order.
#include <algorithm>
#include <queue>
#include <set>

#include <gtest/gtest.h>

#include "compare/align/align.h"
#include "tests/compare/made_program.h"

namespace npuscope::compare {
namespace {

/// A call that takes in what earlier calls made, and a weight of its own perhaps.
struct Call {
    std::string name;
    Shape shape;
    std::vector<size_t> inputs{};
    bool has_weight = false;
};

/// Calls of few kinds and shapes, so that most have neighbours which are alike.
std::vector<Call> random_calls(size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    const std::vector<std::string> names = {"mm", "add_Tensor", "mul_Tensor", "zeros_like"};
    const std::vector<Shape> shapes = {{4, 6}, {6, 4}, {4, 4}, {}};
    std::vector<Call> calls;
    for (size_t i = 0; i < count; ++i) {
        Call call{names[below(names.size())], shapes[below(shapes.size())]};
        for (size_t k = 0; k < 1 + below(2) && i > 0; ++k)
            call.inputs.push_back(i - 1 - below(std::min<size_t>(i, 10)));
        call.has_weight = call.inputs.empty() || below(8) == 0;
        calls.push_back(std::move(call));
    }
    return calls;
}

/// The order in which calls ran, each later than its inputs, about `window` from its place.
std::vector<size_t> another_order(const std::vector<Call>& calls, double window, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> later(0, window);
    std::vector<double> ranks;
    for (size_t i = 0; i < calls.size(); ++i) {
        double rank = static_cast<double>(i) + later(random);
        for (const size_t input : calls[i].inputs)
            rank = std::max(rank, ranks[input] + 1e-9);
        ranks.push_back(rank);
    }
    std::vector<size_t> order(calls.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::sort(order, {}, [&](size_t call) { return ranks[call]; });
    return order;
}

/// What a recorder kept of the calls, in that order. Results of `fault` and of all that follows
/// from it are others.
Source recording_of(const std::vector<Call>& calls,
                    const std::vector<size_t>& order,
                    std::optional<size_t> fault = {}) {
    std::vector<bool> spoilt(calls.size());
    for (size_t i = 0; i < calls.size(); ++i)
        spoilt[i] = i == fault ||
                    std::ranges::any_of(calls[i].inputs, [&](size_t each) { return spoilt[each]; });
    Source source{.numbered = true, .has_inputs = true};
    for (const size_t at : order) {
        const auto load = [call = calls[at], at, spoilt, calls] {
            std::vector<SourceTensor> tensors;
            const auto add = [&](dumpfile::Direction direction, const Shape& shape, uint64_t seed) {
                SourceTensor& tensor = tensors.emplace_back();
                tensor.direction = direction;
                tensor.argument = std::to_string(tensors.size());
                tensor.dtype = "float32";
                tensor.shape = shape;
                tensor.open = [shape, seed] {
                    return std::make_unique<TensorElements>(made_tensor(shape, seed));
                };
            };
            const auto seed_of = [&](size_t made) { return made * 4 + (spoilt[made] ? 1 : 0); };
            for (const size_t input : call.inputs)
                add(dumpfile::Direction::kInput, calls[input].shape, seed_of(input));
            if (call.has_weight) add(dumpfile::Direction::kInput, {6, 6}, at * 4 + 2);
            add(dumpfile::Direction::kOutput, call.shape, seed_of(at));
            return tensors;
        };
        const OpId id{calls[at].name, static_cast<int64_t>(source.ops.size() + 1)};
        source.ops.push_back({id, id.path(), load});
    }
    return source;
}

/// Pairs of one call, and of two.
std::pair<size_t, size_t> right_and_wrong(const Plan& plan,
                                          const Source& target,
                                          const std::vector<size_t>& target_order,
                                          const Source& golden) {
    size_t right = 0;
    size_t wrong = 0;
    for (const OpPair& pair : plan.ops) {
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        const auto at = static_cast<size_t>(pair.target - target.ops.data());
        const auto call = static_cast<size_t>(pair.golden - golden.ops.data());
        ++(target_order[at] == call ? right : wrong);
    }
    return {right, wrong};
}

/// Shares of right and wrong pairs over programs in another order.
std::pair<double, double> shares_of(double window, bool with_fault) {
    constexpr size_t kCalls = 60;
    constexpr uint64_t kPrograms = 40;
    size_t right = 0;
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
        const std::vector<Call> calls = random_calls(kCalls, seed);
        const std::vector<size_t> order = another_order(calls, window, seed + 1000);
        const Source golden = recording_of(calls, another_order(calls, 0, seed));
        const std::optional<size_t> fault =
            with_fault ? std::optional<size_t>(seed % 20) : std::nullopt;
        const Source target = recording_of(calls, order, fault);
        const auto [good, bad] = right_and_wrong(align_runs(target, golden), target, order, golden);
        right += good;
        wrong += bad;
    }
    const double all = static_cast<double>(kCalls * kPrograms);
    return {static_cast<double>(right) / all, static_cast<double>(wrong) / all};
}

TEST(Reordered, pairs_neighbours_that_changed_places) {
    const auto [right, wrong] = shares_of(2.5, false);
    EXPECT_GE(right, 0.999);
    EXPECT_LE(wrong, 0.001);
}

TEST(Reordered, pairs_what_ran_farther_from_its_place) {
    const auto [right, wrong] = shares_of(8, false);
    EXPECT_GE(right, 0.995);
    EXPECT_LE(wrong, 0.003);
}

TEST(Reordered, goes_by_what_flows_where_behind_a_fault) {
    const auto [right, wrong] = shares_of(8, true);
    EXPECT_GE(right, 0.99);
    EXPECT_LE(wrong, 0.01);
}

}  // namespace
}  // namespace npuscope::compare
