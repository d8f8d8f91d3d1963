// One row of compare/standards/standards.def: another project's rule for when two tensors agree.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/match.h"
#include "compare/split.h"
#include "compare/standards/standard_verdict.h"
#include "core/recording/source.h"

namespace npuscope::compare {

struct OpResult;

/// What is asked of an op. Borrowed for the call.
struct StandardQuery {
    const OpPair& pair;
    const OpResult& op;  ///< measured; its tensors are those below
    const std::vector<TensorPair>& tensors;
    /// The run of a third chip: another recording's, with its tensors; nullptr without one.
    const SourceOp* third = nullptr;
    const std::vector<SourceTensor>& third_tensors;
    bool third_is_plain = false;  ///< float32 arithmetic on the target's inputs is the third chip
    /// Infinities are results like others (910B and later), not left out (910A).
    bool infinities_count = false;
    bool may_compute = false;  ///< exact() may be asked
    /// f(inputs) of a run; of the target's with its pair, so that inputs are known that its
    /// recording lacks. Errors: as the sources when elements cannot be read.
    std::function<ExactRun(const SourceOp& run, const OpPair* pair)> exact{};
};

struct Standard {
    std::string_view name;      ///< "cann-L1"
    std::string_view rule;      ///< when it passes, printed by `npuscope help standards`
    std::string_view verdicts;  ///< its words: "pass, fail"
    std::string_view source;    ///< project, file, version
    bool takes_third = false;   ///< holds errors against a third chip's
    /// One a tensor, in the order of the query's; one more speaks of the op's arguments. Errors: as
    /// the sources. Threads: any.
    std::vector<StandardVerdict> (*judge)(const StandardQuery& query) = nullptr;
};

// A file has the standards of one project that differ in their limits alone.
#define STANDARDS(file) [[nodiscard]] std::span<const Standard> file##_standards();
#include "compare/standards/standards.def"
#undef STANDARDS

[[nodiscard]] const std::vector<Standard>& all_standards();
/// Errors: Error(kUsage) that lists the names.
[[nodiscard]] const Standard& standard_named(std::string_view name);

}  // namespace npuscope::compare
