#include "compare/relate/roles.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "core/naming/aliases.h"

namespace npuscope::compare {

namespace {

// What the levels say, where all like the two are pairs.
constexpr std::array<double, 3> kUsual = {0.3, 0.4, 0.5};
// Where others like them are pairs and none like both; the coarsest level says most.
constexpr std::array<double, 3> kUnusual = {-0.7, -0.3, -0.2};
/// Pairs that are farther apart may be others than they seem.
constexpr double kToldDistance = 0.05;
/// Fewer pairs tell nothing.
constexpr int kFewPairs = 2;

uint64_t hashed(uint64_t one, uint64_t other) {
    return (one ^ (other + 0x9E3779B97F4A7C15U + (one << 6U) + (one >> 2U))) * 0xBF58476D1CE4E5B9U;
}

uint64_t hashed(uint64_t start, std::vector<uint64_t> numbers) {
    std::ranges::sort(numbers);
    for (const uint64_t each : numbers)
        start = hashed(start, each);
    return start;
}

int count_of(const std::unordered_map<uint64_t, int>& counts, uint64_t key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
}

}  // namespace

std::vector<Roles::Role> Roles::roles_of(const Listing& side, const Source& source) {
    std::vector<uint64_t> kinds;
    kinds.reserve(source.ops.size());
    for (const SourceOp& op : source.ops)
        kinds.push_back(std::hash<std::string_view>()(canonical_name(op.op())));
    std::vector<Role> roles;
    roles.reserve(side.tensors.size());
    for (const ListedTensor& tensor : side.tensors) {
        std::vector<uint64_t> takers;
        for (const size_t user : tensor.users)
            takers.push_back(kinds[user]);
        std::vector<uint64_t> makers;
        for (const size_t input : side.in[tensor.op])
            makers.push_back(side.tensors[input].is_given() ? 1 : kinds[side.tensors[input].op]);
        Role role{};
        // Gradients of weights, say, are made by the ops that make those of what flows.
        role[0] = hashed(kinds[tensor.op],
                         std::vector<uint64_t>{side.out[tensor.op].size(),
                                               tensor.shape.size() + 100,
                                               static_cast<uint64_t>(tensor.form) + 300,
                                               tensor.users.empty() ? 200U : 201U});
        role[1] = hashed(role[0], std::move(takers));
        role[2] = hashed(role[1], std::move(makers));
        roles.push_back(role);
    }
    return roles;
}

Roles::Roles(const Matches& matches, const SourcePair& sources)
    : target_(matches.target),
      golden_(matches.golden),
      targets_(roles_of(matches.target, sources.target)),
      goldens_(roles_of(matches.golden, sources.golden)) {
    for (const TensorRelation& each : matches.relations()) {
        if (each.by_place || each.distance > kToldDistance || !matches.is_one_to_one(each) ||
            target_.tensors[each.target].is_given() || golden_.tensors[each.golden].is_given())
            continue;
        for (size_t level = 0; level < kLevels; ++level) {
            const uint64_t mine = targets_[each.target][level];
            const uint64_t theirs = goldens_[each.golden][level];
            ++counts_[level].of_target[mine];
            ++counts_[level].of_golden[theirs];
            ++counts_[level].together[hashed(mine, theirs)];
        }
    }
}

double Roles::usual(size_t target, size_t golden) const {
    if (target_.tensors[target].is_given() || golden_.tensors[golden].is_given()) return 0;
    double sum = 0;
    for (size_t level = 0; level < kLevels; ++level) {
        const uint64_t mine = targets_[target][level];
        const uint64_t theirs = goldens_[golden][level];
        const Counts& counts = counts_[level];
        const int one = count_of(counts.of_target, mine);
        const int other = count_of(counts.of_golden, theirs);
        const int both = count_of(counts.together, hashed(mine, theirs));
        if (both > 0) {
            sum += kUsual[level] * 2 * both / (one + other);
        } else if (std::max(one, other) >= kFewPairs) {
            sum += kUnusual[level];
        }
    }
    return sum;
}

}  // namespace npuscope::compare
