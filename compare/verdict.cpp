#include "compare/verdict.h"

namespace npuscope::compare {

namespace {

constexpr VerdictRow kRows[kVerdicts] = {
    {"pass", "within the tolerance", false},
    {"mistrusted",
     "within the tolerance, but all zero or constant on both sides, or both unlike what the op "
     "gives "
     "here: proves little",
     false},
    {"undefined",
     "nothing to judge: no elements, no pair of finite elements, or neither elements nor a common "
     "statistic recorded",
     false},
    {"inherited",
     "the sides differ, but the op's own arithmetic is honest: the error came in through its "
     "inputs",
     false},
    {"order_sensitive",
     "whole numbers that honest rounding may turn: places of elements that are almost equal",
     false},
    {"not_provable",
     "the sides differ, and the op cannot be computed again: random, unknown, inputs not recorded",
     false},
    {"missing_target", "only the golden side has the op or the tensor"},
    {"missing_golden", "only the target side has it"},
    {"incomparable",
     "shapes or dtypes cannot be judged (whole numbers kept as floats can, and a size that other "
     "elements chose is inherited), or the data cannot be read"},
    {"golden_at_fault",
     "the golden's op is beyond what honest arithmetic makes of its inputs, the target's is not"},
    {"out_of_range", "a finite golden value is beyond the range of the target's dtype"},
    {"fail",
     "beyond what honest arithmetic makes of the op's own inputs; where nobody can compute it: "
     "beyond the "
     "tolerance, or NaN or infinity on one side only"},
};

}  // namespace

std::span<const VerdictRow> all_verdicts() {
    return kRows;
}

std::string_view name_of(Verdict verdict) {
    return kRows[static_cast<size_t>(verdict)].name;
}

bool is_finding(Verdict verdict) {
    return kRows[static_cast<size_t>(verdict)].is_finding;
}

bool is_finding(Verdict verdict, bool allow_golden_at_fault) {
    return is_finding(verdict) && !(allow_golden_at_fault && verdict == Verdict::kGoldenAtFault);
}

}  // namespace npuscope::compare
