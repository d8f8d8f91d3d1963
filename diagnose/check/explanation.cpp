#include "diagnose/check/explanation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/tensor/statistics.h"
#include "diagnose/report/number_text.h"

namespace npuscope::diagnose {

namespace {

constexpr double kLargestFloat16 = 65504.0;

struct LargestInput {
    std::string argument;
    double magnitude = 0;  ///< largest finite |x|
};

/// The float input with the largest finite magnitude.
LargestInput largest_input(const OpFinding& op, const dumpfile::Reader& golden) {
    LargestInput found;
    const dumpfile::OpEntry* entry = golden.find(op.id);
    if (entry == nullptr) return found;
    for (const dumpfile::Entry& input : entry->entries) {
        const auto dtype = input.dtype();
        if (input.direction != dumpfile::Direction::kInput || !input.is_tensor() || !dtype ||
            !is_float(*dtype))
            continue;
        const Statistics values = statistics_of(golden.read(input));
        const double magnitude = std::max(std::abs(values.min), std::abs(values.max));
        if (magnitude > found.magnitude) found = {input.argument, magnitude};
    }
    return found;
}

bool computes_in_half(const OpFinding& op) {
    return op.compute_type == ComputeType::kFloat16 || op.compute_type == ComputeType::kBFloat16;
}

bool computes_below_its_dtype(const OpFinding& op) {
    return op.compute_type == ComputeType::kFloat16 && !op.tensors.empty() &&
           op.tensors.back().dtype == "float32";
}

Explanation explain_overflow(const OpFinding& op, const dumpfile::Reader& golden) {
    const LargestInput input = largest_input(op, golden);
    if (computes_below_its_dtype(op) && input.magnitude > kLargestFloat16)
        return {
            "cube-demotion-saturation",
            1.0,
            fmt::format("its input '{}' reaches {:.6g}, but the Cube takes float16 only (largest "
                        "value 65504): the demotion saturates it",
                        input.argument,
                        input.magnitude)};
    const std::string dtype = computes_in_half(op) || op.tensors.empty()
                                  ? std::string(name_of(op.compute_type))
                                  : op.tensors.back().dtype;
    return {dtype == "float16" ? "float16-overflow" : "overflow",
            1.0,
            fmt::format("its float status was set on finite inputs (largest {}): an exact result "
                        "exceeds what {} holds{}",
                        short_text(input.magnitude),
                        dtype,
                        op.overflow_note.empty() ? "" : "; " + op.overflow_note)};
}

/// "which explains its error, 0.1 % of the largest value"
std::string as_explained(const OpFinding& op, bool fits) {
    const std::string error = percent_text(op.introduced.value_or(0));
    if (fits) return "which explains its error, " + error + " of the largest value";
    return "which does not explain its error, " + error + " of the largest value";
}

Explanation explain_difference(const OpFinding& op) {
    const double error = op.introduced.value_or(0);
    const bool fits = op.ratio && *op.ratio <= 1;
    if (computes_below_its_dtype(op))
        return {"cube-demotion",
                fits ? 0.9 : 0.1,
                "it computes in float16 although its tensors are float32: the Cube demotes its "
                "inputs to 11 significand bits, " +
                    as_explained(op, fits)};
    if (op.compute_type == ComputeType::kHFloat32)
        return {"hf32-inputs",
                fits ? 0.9 : 0.1,
                "its float32 inputs are shortened to HF32, " + as_explained(op, fits)};
    if (computes_in_half(op))
        return {
            std::string(name_of(op.compute_type)) + "-rounding",
            fits ? 0.9 : 0.1,
            fmt::format("it computes in {}, {}", name_of(op.compute_type), as_explained(op, fits))};
    if (error == 0) return {"equal", 1.0, "every op gives the reference's numbers bit by bit"};
    return {"summation-order",
            fits ? 0.6 : 0.1,
            fmt::format("it computes in {} like the golden side, {}",
                        name_of(op.compute_type),
                        as_explained(op, fits))};
}

}  // namespace

Explanation explain(const OpFinding& op, const dumpfile::Reader& golden) {
    if (op.overflow == OverflowRole::kIntroduced) return explain_overflow(op, golden);
    if (op.is(compare::Verdict::kMissingTarget) || op.is(compare::Verdict::kMissingGolden))
        return {"missing", 1.0, "the op ran on one side only"};
    if (op.is(compare::Verdict::kIncomparable)) return {"incomparable", 1.0, op.rule()};
    if (op.is(compare::Verdict::kGoldenAtFault))
        return {
            "golden-at-fault", 0.9, "the device's result is nearer to float64 than the golden's"};
    return explain_difference(op);
}

}  // namespace npuscope::diagnose
