// What the golden's program makes of the target's numbers, op by op.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/dataflow/paired_flows.h"
#include "compare/dataflow/rebuild.h"
#include "core/tensor/tensor.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// A tensor of the golden's program, on the target's numbers; and on disturbed ones.
struct Replayed {
    Tensor plain;
    Tensor disturbed;
    bool is_proven = true;  ///< nothing that it is made of is the target's on trust
};

/// What an op takes in.
struct ReplayInputs {
    std::vector<compare::RebuiltInput> plain{};
    std::vector<compare::RebuiltInput> disturbed{};
    double off = 0;  ///< the most that one of them is off from what the golden was given
    bool are_proven = true;
};

/// What an op's arithmetic leaves.
struct ReplayRounding {
    double unit = 0;
    double least = 0;         ///< of the norm, whatever disturbed inputs show
    double lost = 0;          ///< of each element, however small, of terms that cancel inside
    bool is_computed = true;  ///< else as recorded: nobody can compute it
    double inputs_off = 0;    ///< as ReplayInputs::off
};

/// As Results, on ReplayInputs::plain and on ReplayInputs::disturbed.
struct ReplayedBoth {
    std::vector<RecordedResult> recorded;
    Results plain;
    Results disturbed;
    std::map<std::string, double> hidden{};  ///< norms of terms that cancel inside, by path
};

/// Of a copy: the input.
[[nodiscard]] std::optional<Replayed> passed_on(const compare::Side& golden,
                                                size_t result,
                                                const ReplayInputs& inputs);

}  // namespace npuscope::diagnose
