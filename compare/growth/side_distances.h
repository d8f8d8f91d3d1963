// How far from its partner each tensor of one side is, and what came into ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Shares of the golden: of its norm, of its largest element, and of its scale.
struct Distance {
    double norm = 0;   ///< |t-g| / |g|, in the Euclidean norm
    double peak = 0;   ///< max|t-g| / max|g|
    double scale = 0;  ///< how far from 1 the factor is that fits g to t best, sum tg / sum gg

    /// The larger of each.
    void take(const Distance& other);
};

/// Of a measured tensor's finite elements; infinitely far where others stand against finite ones,
/// unless these are a mask's (`is_mask`).
[[nodiscard]] Distance distance_of(const TensorResult& tensor, bool is_mask = false);

/// Whether what it holds are scores beside a mask's negative number, which says nothing of them:
/// the norm is the mask's.
[[nodiscard]] bool is_masked(const TensorResult& tensor);

/// What came into some ops.
struct Entry {
    Distance worst{};
    bool is_known = true;  ///< of every tensor
    double sum = 0;        ///< the largest of the sums of magnitudes of the golden's tensors
    double size = 0;       ///< the largest of their norms
    /// The tensor farthest off of those that no op made, an index into the flow's.
    std::optional<size_t> given{};
    double given_distance = 0;             ///< of the norm
    std::unordered_set<size_t> crossed{};  ///< ops on the way of which nothing was compared
};

/// Borrows all.
class SideDistances {
  public:
    SideDistances(const Side& side, bool of_target, const Plan& plan, const Result& result);

    /// What came into ops of this side from outside of them; where nothing of it was compared, what
    /// came into the op that made it, and so on; of what is masked nothing was compared.
    [[nodiscard]] Entry into(const std::vector<const SourceOp*>& ops) const;
    /// Whether the path is that of an op's input.
    [[nodiscard]] bool is_input(std::string_view path) const;
    /// Of the tensor of that path; where it lies otherwise than what it was held against, of the
    /// same elsewhere. Empty where nothing is known.
    [[nodiscard]] std::optional<Distance> distance_at(std::string_view path) const;
    /// Elements of the tensor of that path; 0 where there is none.
    [[nodiscard]] int64_t numel_of(std::string_view path) const;
    /// Whether the op takes in the tensor of that path, which no op made.
    [[nodiscard]] bool is_given(const SourceOp* op, std::string_view path) const;
    /// The op that made the input of that path; nullptr of other paths.
    [[nodiscard]] const SourceOp* maker_of(std::string_view path) const;
    /// The ops that take in the tensor of that path.
    [[nodiscard]] std::vector<const SourceOp*> users_of(std::string_view path) const;
    /// The ops that take in anything that an op of this side makes.
    [[nodiscard]] std::vector<const SourceOp*> users_of(const SourceOp* op) const;
    [[nodiscard]] const TracedTensor& tensor(size_t index) const { return side_.tensor(index); }
    [[nodiscard]] const SourceOp* op_at(size_t index) const { return &side_.source.ops[index]; }
    /// Whether it is an op of this side.
    [[nodiscard]] bool has(const SourceOp* op) const {
        const std::vector<SourceOp>& ops = side_.source.ops;
        return !ops.empty() && std::less_equal()(&ops.front(), op) &&
               std::less_equal()(op, &ops.back());
    }
    [[nodiscard]] size_t index_of(const SourceOp* op) const {
        return static_cast<size_t>(op - side_.source.ops.data());
    }

  private:
    /// A tensor that was measured.
    struct Known {
        Distance distance{};
        double sum = 0;   ///< of magnitudes, at most
        double size = 0;  ///< the norm
    };

    /// Whether its op reads the elements of an input.
    [[nodiscard]] bool is_read(size_t input) const;
    [[nodiscard]] bool has_inputs(size_t op) const;
    void follow(size_t op, const std::unordered_set<size_t>& own, Entry& entry) const;
    [[nodiscard]] std::optional<Known> known_of(size_t tensor) const;

    const Side& side_;
    std::vector<std::optional<Known>> known_;
    std::unordered_map<std::string_view, size_t> places_;
    std::unordered_multimap<size_t, size_t> users_{};  ///< inputs by the output that they are
};

}  // namespace npuscope::compare
