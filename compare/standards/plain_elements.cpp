#include "compare/standards/plain_elements.h"

namespace npuscope::compare {

std::vector<double> as_doubles(const Tensor& tensor) {
    return as_elements<double>(tensor);
}

std::vector<int64_t> as_integers(const Tensor& tensor) {
    return as_elements<int64_t>(tensor);
}

std::optional<PlainPair> plain_pair(const SourceTensor* target,
                                    const SourceTensor* golden,
                                    std::string& why_not) {
    if (target == nullptr || golden == nullptr) {
        why_not = target == nullptr ? "only the golden side has it" : "only the target has it";
        return std::nullopt;
    }
    if (!target->open || !golden->open) {
        why_not = "its elements are not recorded";
        return std::nullopt;
    }
    return PlainPair{target->kept(), golden->kept()};
}

}  // namespace npuscope::compare
