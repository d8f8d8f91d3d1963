// How much is computed again, by the names that a command line gives it.
#include <string>
#include <string_view>

#include "compare/compare.h"
#include "core/base/error.h"

namespace npuscope::compare {

Judging judging_named(std::string_view name) {
    if (name == "exact") return Judging::kExact;
    if (name == "quick") return Judging::kQuick;
    if (name == "off") return Judging::kOff;
    throw Error(ErrorKind::kUsage,
                "there is no judgement '" + std::string(name) + "'; it is exact, quick or off");
}

}  // namespace npuscope::compare
