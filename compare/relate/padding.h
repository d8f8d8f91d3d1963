// What one side pads, such as tokens: left out, so that the rest is found as if neither did.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compare/relate/matches.h"
#include "compare/relate/source_pair.h"

namespace npuscope::compare {

/// Borrows all; the listings are those of the matches.
class Padding {
  public:
    Padding(const Matches& found, Listing& target, Listing& golden, const SourcePair& sources)
        : found_(found), target_(target), golden_(golden), sources_(sources) {}

    /// Learns from results that are most of another along one axis how far axes are padded, and
    /// leaves that out of them and of what has no relation yet. Whether anything was. Complexity: a
    /// pass over what is padded.
    bool leave_out();
    /// Adds the relations that nothing was left out of.
    void take_over(Matches& matches) const;
    /// The listings are as recorded again, and the relations speak of that.
    void put_back(std::vector<TensorRelation>& relations);

  private:
    struct Cut {
        int64_t part = 0;
        int64_t first = 0;
        // NOLINTNEXTLINE(modernize-use-nullptr): the 0 is that of the compiler
        friend auto operator<=>(const Cut&, const Cut&) = default;
    };
    /// How often a cut was seen, and of which axis of how many.
    struct Seen {
        int votes = 0;
        std::set<std::pair<size_t, size_t>> axes{};
    };
    /// Of one side, by the extent of the axis that is cut.
    using Cuts = std::map<int64_t, std::map<Cut, Seen>>;

    [[nodiscard]] bool is_padding(const TensorRelation& relation, bool of_target) const;
    [[nodiscard]] Cuts cuts_of(bool of_target) const;
    [[nodiscard]] std::optional<View> kept_of(const Shape& shape, const Cuts& cuts) const;
    void leave_out(bool of_target, const Cuts& cuts);
    [[nodiscard]] bool tell(TensorRelation& relation) const;

    const Matches& found_;
    Listing& target_;
    Listing& golden_;
    const SourcePair& sources_;
    std::map<size_t, ListedTensor> recorded_targets_;  ///< as they were
    std::map<size_t, ListedTensor> recorded_goldens_;
};

}  // namespace npuscope::compare
