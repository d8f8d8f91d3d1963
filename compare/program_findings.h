// What two programs differ in before any arithmetic: ops that one of them has more, tensors that
// nobody computed, inputs that are not what the op before them made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/trace.h"
#include "compare/match.h"

namespace npuscope::compare {

/// Both sides' dataflow.
class Traced {
  public:
    /// Without `reading` nothing is known of any tensor.
    Traced(const Plan& plan,
           const Source& target_source,
           const Source& golden_source,
           int threads,
           bool reading)
        : target(reading ? trace(target_source, threads) : untraced(target_source)),
          golden(reading ? trace(golden_source, threads) : untraced(golden_source)),
          target_source_(target_source),
          golden_source_(golden_source) {
        pair(plan);
    }

    /// Nothing is traced.
    Traced(const Plan& plan, const Source& target_source, const Source& golden_source)
        : Traced(plan, target_source, golden_source, 1, false) {}

    /// From now on ops are paired by this plan; nothing is read again.
    void pair(const Plan& plan) {
        flows.emplace(plan, Side{target_source_, target}, Side{golden_source_, golden});
    }
    /// Of either side, with elements.
    [[nodiscard]] bool has_inputs() const;

    Dataflow target;
    Dataflow golden;
    std::optional<PairedFlows> flows;

  private:
    [[nodiscard]] static Dataflow untraced(const Source& source) {
        return {.tensors = {}, .first = std::vector<size_t>(source.ops.size() + 1)};
    }

    const Source& target_source_;
    const Source& golden_source_;
};

[[nodiscard]] std::vector<std::string> paths_of(const std::vector<const SourceOp*>& ops);

/// Arithmetic that is not the expected, of the plan whose ops are the result's.
void take_contradictions(const Plan& plan,
                         std::vector<ArithmeticContradiction> contradictions,
                         Result& result);

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
