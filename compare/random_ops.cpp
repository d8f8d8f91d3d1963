#include "compare/random_ops.h"

#include <algorithm>
#include <array>

namespace npuscope::compare {

bool may_be_random(std::string_view name) {
    constexpr std::array<std::string_view, 8> kWords = {
        "rand", "dropout", "bernoulli", "multinomial", "sample", "noise", "philox", "seed"};
    return std::ranges::any_of(
        kWords, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

bool may_be_random(const std::vector<const SourceOp*>& ops) {
    return std::ranges::any_of(ops, [](const SourceOp* op) { return may_be_random(op->op()); });
}

}  // namespace npuscope::compare
