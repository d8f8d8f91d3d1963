// Which ops of one side stand for which of the other: networks repeat themselves.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Learns from pairs that their elements tell what kinds of ops, beside what kinds of ops, make the
/// same results. Threads: const calls may run at once.
class Roles {
  public:
    Roles(const Matches& matches, const SourcePair& sources);

    /// What that says of two results: above 0 where others like them are pairs, below 0 where
    /// others like them are pairs with others; 0 where nothing is known, and of what was given.
    [[nodiscard]] double usual(size_t target, size_t golden) const;

  private:
    /// The op's kind; that and the kinds that take the result in; that and what made the inputs.
    static constexpr size_t kLevels = 3;
    using Role = std::array<uint64_t, kLevels>;

    struct Counts {
        std::unordered_map<uint64_t, int> of_target{};
        std::unordered_map<uint64_t, int> of_golden{};
        std::unordered_map<uint64_t, int> together{};
    };

    static std::vector<Role> roles_of(const Listing& side, const Source& source);

    const Listing& target_;
    const Listing& golden_;
    std::vector<Role> targets_;
    std::vector<Role> goldens_;
    std::array<Counts, kLevels> counts_{};
};

}  // namespace npuscope::compare
