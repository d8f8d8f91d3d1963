// How the caller of a long work ends it.
#pragma once

#include <string>
#include <vector>

namespace npuscope {

/// Thrown by a caller's hook between two steps of a long work that nobody wants any more. It is no
/// std::exception: no handler of errors may keep it. Whoever leaves part of the work behind adds a
/// line on its way up.
struct Interrupted {
    std::string why;                     ///< "SIGINT"; a dump that is left behind says it
    std::vector<std::string> kept = {};  ///< "'d.h5': 267 ops"
};

}  // namespace npuscope
