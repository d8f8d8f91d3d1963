#include "overflow/record.h"

#include <array>

namespace npuscope::overflow {

namespace {

constexpr std::array<std::string_view, 5> kKindNames = {"introduced",
                                                        "received",
                                                        "inherited_from_input",
                                                        "non_finite_without_overflow",
                                                        "undetermined"};
constexpr std::array<std::string_view, 4> kEvidenceNames = {
    "none", "data_flow", "saturated", "non_finite"};

struct BitName {
    uint64_t bit;
    std::string_view text;
};
constexpr std::array kBits = {
    BitName{FloatStatus::kOverflow, "vector result (bit 5)"},
    BitName{FloatStatus::kUnderflow, "underflow to zero (bit 6)"},
    BitName{FloatStatus::kNegativeToUnsigned, "negative to unsigned (bit 7)"},
    BitName{FloatStatus::kCopyOverflow, "copy from the Cube buffer to float16 (bit 8)"},
    BitName{FloatStatus::kCopyUnderflow, "underflow in the copy from the Cube buffer (bit 9)"},
    BitName{FloatStatus::kCubeOverflow, "Cube accumulator (bit 10)"},
    BitName{FloatStatus::kVectorInputNonFinite, "inf or nan into a vector instruction (bit 14)"},
    BitName{FloatStatus::kCubeInputNonFinite, "inf or nan into the Cube (bit 15)"},
};

}  // namespace

std::string_view name_of(OverflowKind kind) {
    return kKindNames[static_cast<size_t>(kind)];
}

std::string_view name_of(Evidence evidence) {
    return kEvidenceNames[static_cast<size_t>(evidence)];
}

std::string path_of(const OpId& id) {
    return id.seqid > 0 ? id.path() : "/" + id.op;
}

const OverflowRecord* OverflowReport::first() const {
    for (const OverflowRecord& record : records)
        if (record.kind == OverflowKind::kIntroduced) return &record;
    return records.empty() ? nullptr : &records.front();
}

std::string describe(FloatStatus status) {
    std::string text;
    for (const BitName& row : kBits) {
        if ((status.bits & row.bit) == 0) continue;
        if (!text.empty()) text += ", ";
        text += row.text;
    }
    return text;
}

}  // namespace npuscope::overflow
