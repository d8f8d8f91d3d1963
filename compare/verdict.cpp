#include "compare/verdict.h"

namespace npuscope::compare {

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::kPass:
            return "pass";
        case Verdict::kMistrusted:
            return "mistrusted";
        case Verdict::kInherited:
            return "inherited";
        case Verdict::kUndefined:
            return "undefined";
        case Verdict::kMissingTarget:
            return "missing_target";
        case Verdict::kMissingGolden:
            return "missing_golden";
        case Verdict::kIncomparable:
            return "incomparable";
        case Verdict::kOutOfRange:
            return "out_of_range";
        case Verdict::kFail:
            break;
    }
    return "fail";
}

}  // namespace npuscope::compare
