// Where two programs part: ops that one side has more.
#pragma once

#include <string>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::compare {

/// Ops without partner between two that have one. Borrows the sources.
struct Parting {
    std::vector<const SourceOp*> only_target;
    std::vector<const SourceOp*> only_golden;
    const SourceOp* before_target = nullptr;  ///< the last op before that has a partner, if any
    const SourceOp* before_golden = nullptr;  ///< its partner

    [[nodiscard]] bool is_empty() const { return only_target.empty() && only_golden.empty(); }
    /// The target's, if it has any.
    [[nodiscard]] const SourceOp& first() const {
        return only_target.empty() ? *only_golden.front() : *only_target.front();
    }
};

/// "the programs part here: target has addmm, relu more (net.py:23)", "…: target has gelu where
/// golden has relu (blocks.1, net.py:23)": the first op's module and line, as far as told. Many ops
/// are counted.
[[nodiscard]] std::string to_text(const Parting& parting);

[[nodiscard]] std::vector<std::string> paths_of(const std::vector<const SourceOp*>& ops);

}  // namespace npuscope::compare
