#include "compare/relate/neighbours.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace npuscope::compare {

namespace {

/// Ops that are gone through around one tensor.
constexpr size_t kMostWalked = 16;
/// Ops that take in one tensor and are gone through.
constexpr size_t kMostTakers = 6;

class Walk {
  public:
    Walk(const Matches& matches, bool of_target)
        : side_(of_target ? matches.target : matches.golden) {
        for (const TensorRelation& each : matches.relations()) {
            const size_t mine = of_target ? each.target : each.golden;
            numbers_[side_.tensors[mine].twin].push_back(matches.golden.tensors[each.golden].twin);
        }
    }

    std::vector<size_t> before(size_t tensor) {
        start();
        if (!side_.tensors[tensor].is_given()) go_back(side_.tensors[tensor].op);
        return found();
    }

    std::vector<size_t> taken(size_t tensor) {
        start();
        if (!side_.tensors[tensor].is_given())
            for (const size_t input : side_.in[side_.tensors[tensor].op])
                take(input);
        return found();
    }

    std::vector<size_t> after(size_t tensor) {
        start();
        go_on(tensor);
        return found();
    }

  private:
    void start() {
        seen_.clear();
        numbers_found_.clear();
    }
    std::vector<size_t> found() { return {numbers_found_.begin(), numbers_found_.end()}; }

    /// Whether the tensor has numbers, which are taken.
    bool take(size_t tensor) {
        const auto known = numbers_.find(side_.tensors[tensor].twin);
        if (known == numbers_.end()) return false;
        numbers_found_.insert(known->second.begin(), known->second.end());
        return true;
    }

    void go_back(size_t op) {
        if (seen_.size() >= kMostWalked || !seen_.insert(op).second) return;
        for (const size_t input : side_.in[op])
            if (!take(input) && !side_.tensors[input].is_given()) go_back(side_.tensors[input].op);
    }

    void go_on(size_t tensor) {
        const std::vector<size_t>& users = side_.tensors[tensor].users;
        for (size_t i = 0; i < std::min(kMostTakers, users.size()); ++i) {
            if (seen_.size() >= kMostWalked || !seen_.insert(users[i]).second) continue;
            for (const size_t input : side_.in[users[i]])
                if (side_.tensors[input].twin != side_.tensors[tensor].twin) take(input);
            for (const size_t output : side_.out[users[i]])
                if (!take(output)) go_on(output);
        }
    }

    const Listing& side_;
    std::unordered_map<size_t, std::vector<size_t>> numbers_;
    std::set<size_t> seen_;
    std::set<size_t> numbers_found_;
};

}  // namespace

Neighbours neighbours_of(const Matches& matches, bool of_target) {
    const size_t count = (of_target ? matches.target : matches.golden).tensors.size();
    Neighbours neighbours{.before = std::vector<std::vector<size_t>>(count),
                          .after = std::vector<std::vector<size_t>>(count),
                          .taken = std::vector<std::vector<size_t>>(count)};
    Walk walk(matches, of_target);
    for (const size_t tensor : of_target ? matches.free_targets() : matches.free_goldens()) {
        neighbours.before[tensor] = walk.before(tensor);
        neighbours.after[tensor] = walk.after(tensor);
        neighbours.taken[tensor] = walk.taken(tensor);
    }
    return neighbours;
}

}  // namespace npuscope::compare
