// Fills a result's counts and its first failing op from its ops.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

void count(Result& result);

}  // namespace npuscope::compare
