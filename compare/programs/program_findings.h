// What two programs differ in before any arithmetic: ops that one of them has more, tensors that
// nobody computed, inputs that are not what the op before them made.
#pragma once

#include <optional>

#include "compare/compare.h"
#include "compare/dataflow/traced.h"
#include "compare/match.h"

namespace npuscope::compare {

/// What no op computed, what ops were given in place of what they should have been, what statistics
/// alone tell, and what came out of nothing.
void take_flow_findings(Traced& traced, int threads, Result& result);

/// Where the programs part; of a plan by relations, before that, where errors grow that nobody can
/// compute, and, after it, parameters that are compared through what they are of each other, what
/// came out of nothing behind spans, and errors that begin where nothing tells. Without `dataflow`
/// the partings alone.
void take_programs(
    std::optional<Traced>& traced, bool dataflow, int threads, Plan& plan, Result& result);

}  // namespace npuscope::compare
