// How an output of a kernel was judged.
#pragma once

#include "compare/verdict.h"

namespace npuscope::diagnose {

/// One output of a kernel. Errors are relative: max|t - g| / max|g|.
struct OutputJudgement {
    compare::Judgement judgement;  ///< of the introduced error
    double introduced = 0;         ///< against the reference on the kernel's own inputs
    double total = 0;              ///< against the reference on the op's inputs
};

}  // namespace npuscope::diagnose
