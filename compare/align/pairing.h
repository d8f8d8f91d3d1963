// Which ops of two sides have found each other so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npuscope::compare {

/// Of one op: the index of its partner, or one of these.
inline constexpr int32_t kNoPartner = -1;
inline constexpr int32_t kPartOfSpan = -2;  ///< another op of a span, whose last op has the partner

/// Independent ops may change places within so many ops.
inline constexpr int64_t kNearby = 32;

struct Pairing {
    std::vector<int32_t> target;     ///< by op of the target
    std::vector<int32_t> golden;     ///< by op of the golden
    std::vector<bool> out_of_order;  ///< by op of the target: paired across others

    Pairing(size_t targets, size_t goldens)
        : target(targets, kNoPartner), golden(goldens, kNoPartner), out_of_order(targets, false) {}

    void join(size_t mine, size_t theirs) {
        target[mine] = static_cast<int32_t>(theirs);
        golden[theirs] = static_cast<int32_t>(mine);
    }
    void join_across(size_t mine, size_t theirs) {
        join(mine, theirs);
        out_of_order[mine] = true;
    }
};

/// Where each op of the target would stand in the golden, by the pairs before it that are in order.
[[nodiscard]] std::vector<int64_t> expected_places(const Pairing& pairing);

/// What lies between two neighbouring pairs that are in order: half-open ranges of ops.
struct Gap {
    size_t first_target = 0;
    size_t last_target = 0;
    size_t first_golden = 0;
    size_t last_golden = 0;
};

/// All that are not empty, in order, the one behind the last pair too.
[[nodiscard]] std::vector<Gap> gaps_of(const Pairing& pairing);

}  // namespace npuscope::compare
