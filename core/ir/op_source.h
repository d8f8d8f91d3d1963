// Where in a program an op stands.
#pragma once

#include <cstdint>
#include <string>

namespace npuscope {

/// Each text may be empty.
struct OpSource {
    std::string node = {};      ///< ONNX node name
    std::string module = {};    ///< module path
    std::string line = {};      ///< source line
    std::string autograd = {};  ///< autograd node that ran it; "" in the forward pass
    std::string fallback = {};  ///< why a chip did not compute it; "" when it did
    int64_t thread = 0;         ///< number of the thread within the program; 0: not told
    int64_t step = -1;          ///< training step, from 0; -1: not told
};

}  // namespace npuscope
