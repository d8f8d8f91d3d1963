#include "msaccucmp/base/exit_codes.h"

#include "core/cann_dump/dump_error.h"

namespace npuscope::msaccucmp {

int exit_code_of(const Error& problem) {
    using cann_dump::DumpProblem;
    const auto* damage = dynamic_cast<const cann_dump::DumpError*>(&problem);
    switch (damage == nullptr ? DumpProblem::kDamaged : damage->problem()) {
        case DumpProblem::kDamaged:
            return kInvalidDumpData;
        case DumpProblem::kSizesDiffer:
            return kNanoSizesDiffer;
        case DumpProblem::kDataType:
            return kInvalidDataType;
        case DumpProblem::kShape:
            return kDataShapeMismatch;
        case DumpProblem::kTaskType:
            return kInvalidTaskType;
        case DumpProblem::kFolder:
            return kDumpFileError;
    }
    return kUnknownError;
}

}  // namespace npuscope::msaccucmp
