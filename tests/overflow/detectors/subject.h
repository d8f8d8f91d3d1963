// Subjects for detector tests.
#pragma once

#include <initializer_list>
#include <vector>

#include "overflow/detectors/detector.h"

namespace npuscope::test {

inline overflow::Subject half_subject(std::initializer_list<float> values) {
    std::vector<Float16> elements;
    for (const float value : values)
        elements.push_back(to_float16(value));
    const Tensor tensor = Tensor::from<Float16>({static_cast<int64_t>(elements.size())}, elements);
    return {overflow::take_census(tensor.view()), DType::kFloat16, ComputeType::kNone};
}

template <class T>
overflow::Subject subject(std::initializer_list<T> values,
                          ComputeType compute_type = ComputeType::kNone) {
    const Tensor tensor = Tensor::from<T>({static_cast<int64_t>(values.size())}, values);
    return {overflow::take_census(tensor.view()), tensor.dtype(), compute_type};
}

inline std::optional<double> measure(const char* name, const overflow::Subject& subject) {
    return overflow::find_detector(name)->measure(subject);
}

/// Whether detect() reports it.
inline bool finds(const char* name, const overflow::Subject& subject) {
    for (const overflow::Finding& finding : overflow::detect(subject))
        if (finding.detector->name == name) return true;
    return false;
}

}  // namespace npuscope::test
