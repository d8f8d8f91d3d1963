#include "compare/random_ops.h"

#include <algorithm>
#include <array>
#include <string>

namespace npuscope::compare {

bool may_be_random(std::string_view name) {
    constexpr std::array<std::string_view, 12> kWords = {"rand",
                                                         "dropout",
                                                         "bernoulli",
                                                         "multinomial",
                                                         "sample",
                                                         "noise",
                                                         "philox",
                                                         "seed",
                                                         "uniform",
                                                         "normal",
                                                         "exponential_",
                                                         "poisson"};
    // What changes the size of an image, or reads it at places that it is given; what normalizes.
    constexpr std::array<std::string_view, 4> kOthers = {
        "upsample", "downsample", "grid_sample", "normali"};
    const auto is_in_name = [&](std::string_view word) {
        return name.find(word) != std::string_view::npos;
    };
    return std::ranges::any_of(kWords, is_in_name) && std::ranges::none_of(kOthers, is_in_name);
}

bool may_be_random(const SourceOp& op) {
    if (may_be_random(op.op())) return true;
    // To read the arguments of all would cost more.
    if (op.op().find("attention") == std::string::npos || !op.facts) return false;
    const SideFacts facts = op.facts();
    return std::ranges::any_of(facts.arguments, [](const PlainArgument& argument) {
        return argument.recorded.find("dropout") != std::string::npos &&
               argument.numbers.size() == 1 && argument.numbers.front() > 0;
    });
}

bool may_be_random(const std::vector<const SourceOp*>& ops) {
    return std::ranges::any_of(ops, [](const SourceOp* op) { return may_be_random(*op); });
}

}  // namespace npuscope::compare
