#include "loss/verdict.h"

#include <array>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::loss {

namespace {

constexpr std::array kClasses = {
#define CLASS(enumerator, name, finding, meaning) \
    ClassRow{Class::enumerator, name, finding, meaning},
#include "loss/classes.def"
#undef CLASS
};

struct PrecisionRow {
    Precision value;
    std::string_view name;
    double rounding;
};

// Of pairs of accepted runs on different GPUs and of runs with other orders of addition
// (docs/loss.md): the largest relative difference of a first loss, with room to spare.
constexpr std::array kPrecisions = {
    PrecisionRow{Precision::kFloat32, "float32", 3e-6},
    PrecisionRow{Precision::kFloat16, "float16", 3e-4},
    PrecisionRow{Precision::kBfloat16, "bfloat16", 1e-3},
};

}  // namespace

std::span<const ClassRow> all_classes() {
    return kClasses;
}

const ClassRow& row_of(Class value) {
    return kClasses[static_cast<size_t>(value)];
}

Precision precision_named(std::string_view name) {
    for (const PrecisionRow& row : kPrecisions)
        if (row.name == name) return row.value;
    throw Error(
        ErrorKind::kUsage,
        "no precision is called " + in_quotes(name) + "; there are float32, float16 and bfloat16");
}

std::string_view name_of(Precision precision) {
    return kPrecisions[static_cast<size_t>(precision)].name;
}

double rounding_of(Precision precision) {
    return kPrecisions[static_cast<size_t>(precision)].rounding;
}

}  // namespace npuscope::loss
