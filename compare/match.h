// Which ops and tensors of two sources belong together.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compare/align/one_sided.h"
#include "compare/align/parting.h"
#include "compare/align/renames.h"
#include "compare/relate/tie.h"
#include "core/recording/source.h"

namespace npuscope::compare {

/// A run of an op on both sides; nullptr on the side that lacks it. Where one side runs several ops
/// for it (a product, then the addition of its bias), the last, whose outputs are compared.
struct OpPair {
    const SourceOp* target = nullptr;
    const SourceOp* golden = nullptr;
    std::string match{};  ///< "name", "seqid", either with ", alias conv2d=convolution"; "single
                          ///< op"; "name, mm + add_Tensor as addmm"
    std::vector<const SourceOp*> also_target{};  ///< the other ops of the target, in their order
    std::vector<const SourceOp*> also_golden{};
    bool shapes_differ = false;  ///< of the first outputs: the programs differ
    std::string fault{};         ///< what is wrong with an op that one side alone has; "": nothing
    /// Only of the inputs: they may hold the same rows, [2,6,16] and [12,16].
    bool inputs_differ = false;
    /// The target's first operand is the golden's second one: `x + y` and `y + x`.
    bool exchanged = false;
    /// Several ops on a side, which do not make the one of the other side out of what that takes
    /// in: what they end in is the same.
    bool by_end = false;
    /// What the tensors of either side are of each other, where names do not tell; else empty.
    std::vector<TensorTie> ties{};
};

/// What ops of two operands that may be exchanged call them.
inline constexpr std::string_view kFirstOperand = "self";
inline constexpr std::string_view kSecondOperand = "other";

/// Whether the two were found to make the same, and are of other kinds.
[[nodiscard]] bool are_of_two_kinds(const OpPair& pair);

struct Plan {
    std::vector<OpPair> ops;  ///< in the target's order, golden-only ones at the end
    bool load_mode = false;
    bool inputs = true;               ///< both sides may have some
    std::vector<Parting> partings{};  ///< of free runs of two dumps, in order
    std::vector<OpPair>
        casts{};  ///< of two dumps, copies and casts that one side has more; not in `ops`
    bool is_related = false;  ///< by what tensors hold, too; the rest is of such plans
    std::vector<OneSidedGiven> one_sided{};
    std::vector<TensorTie> given{};  ///< of what no op computed
    std::vector<TensorTie> shown{};  ///< of what the target shows of that by views
    /// What to tell of how ops were paired: by parts of their names, or, where nobody asked for it,
    /// why by what tensors hold.
    std::string remark{};
};

/// Of the ops of either side the index of their pair.
[[nodiscard]] std::unordered_map<const SourceOp*, size_t> places_of(const Plan& plan);

/// All ops of either side that have a partner.
[[nodiscard]] std::unordered_set<const SourceOp*> paired_ops(const Plan& plan);

/// Two dumps of free runs are aligned (align/align.h). Other sources match by what they call their
/// ops, anything but letters and digits being one separator, the k-th run of a name with the k-th
/// of that name, calls of msprobe by what their numbers are of each other (CallNumbers), then names
/// without the part that one side's have more (NamePrefix), and a lone op on both sides whatever
/// the names. A dump without inputs is taken for
/// one of load mode and matched by seqid, unless that fits less than half of its ops; never with
/// `load_mode` false. Borrows both.
/// `renames` are other names of the target's calls.
[[nodiscard]] Plan make_plan(const Source& target,
                             const Source& golden,
                             bool load_mode = true,
                             const Renames& renames = {});

/// A tensor of an op on both sides; nullptr on the side that lacks it.
struct TensorPair {
    const SourceTensor* target = nullptr;
    const SourceTensor* golden = nullptr;
    const TensorTie* tie = nullptr;  ///< of a pair of ops that has ties

    /// The target's, the golden's without one.
    [[nodiscard]] const SourceTensor& known() const {
        return target != nullptr ? *target : *golden;
    }
};

/// Those of tied ops by their ties. Others, inputs, then outputs: by equal argument, then by
/// canonical argument of the op; unless both sides are dumps, then by argument as their ops by
/// name, and the rest in their order, where both sides recorded some of that direction. Borrows
/// all.
[[nodiscard]] std::vector<TensorPair> pair_tensors(const OpPair& ops,
                                                   const std::vector<SourceTensor>& target,
                                                   const std::vector<SourceTensor>& golden,
                                                   bool both_dumps);

}  // namespace npuscope::compare
