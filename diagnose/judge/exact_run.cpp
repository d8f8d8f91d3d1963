#include "diagnose/judge/exact_run.h"

#include <cmath>
#include <stdexcept>

#include "core/base/error.h"

namespace npuscope::diagnose {

namespace {

Tensor wide(const Tensor& tensor) {
    return is_float(tensor.dtype()) ? tensor.cast(DType::kFloat64) : tensor;
}

void change_tensor(const std::string& name, Tensor& tensor, const ElementChange& change) {
    if (tensor.dtype() == DType::kFloat64) change(name, tensor.mutable_as<double>());
}

template <class T>
void take_magnitudes(std::span<T> elements) {
    for (T& element : elements)
        element = std::abs(element);
}

void take_magnitudes(Tensor& tensor) {
    if (tensor.dtype() == DType::kFloat64) take_magnitudes(tensor.mutable_as<double>());
    if (tensor.dtype() == DType::kFloat32) take_magnitudes(tensor.mutable_as<float>());
}

Scalar magnitude(const Scalar& scalar) {
    if (const auto* whole = std::get_if<int64_t>(&scalar.number)) return {std::abs(*whole)};
    if (const auto* real = std::get_if<double>(&scalar.number)) return {std::abs(*real)};
    return scalar;
}

}  // namespace

NamedValues widened(const NamedValues& arguments) {
    NamedValues values;
    for (const NamedValue& argument : arguments) {
        NamedValue value{argument.name, argument.value};
        if (const auto* tensor = std::get_if<Tensor>(&argument.value)) {
            value.value = wide(*tensor);
        } else if (const auto* list = std::get_if<TensorList>(&argument.value)) {
            TensorList tensors;
            for (const Tensor& each : *list)
                tensors.push_back(wide(each));
            value.value = std::move(tensors);
        } else if (const auto* dtype = std::get_if<DType>(&argument.value)) {
            if (is_float(*dtype)) value.value = DType::kFloat64;
        } else if (argument.name == "half_to_float") {
            value.value = false;
        }
        values.push_back(std::move(value));
    }
    return values;
}

NamedValues changed(NamedValues values, const ElementChange& change) {
    for (NamedValue& argument : values) {
        if (auto* tensor = std::get_if<Tensor>(&argument.value)) {
            change_tensor(argument.name, *tensor, change);
        } else if (auto* list = std::get_if<TensorList>(&argument.value)) {
            for (Tensor& each : *list)
                change_tensor(argument.name, each, change);
        }
    }
    return values;
}

NamedValues magnitudes(NamedValues values) {
    for (NamedValue& argument : values) {
        if (auto* tensor = std::get_if<Tensor>(&argument.value)) {
            take_magnitudes(*tensor);
        } else if (auto* list = std::get_if<TensorList>(&argument.value)) {
            for (Tensor& each : *list)
                take_magnitudes(each);
        } else if (auto* scalar = std::get_if<Scalar>(&argument.value)) {
            argument.value = magnitude(*scalar);
        }
    }
    return values;
}

std::optional<Results> run(const backend::Op& op,
                           const NamedValues& arguments,
                           const Device& device,
                           std::string* why_not) {
    try {
        Executor executor(device, {.threads = 1, .bounded = true});
        return executor.call_named(op, arguments);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported) throw;
        if (why_not != nullptr) *why_not = error.what();
        return std::nullopt;
    } catch (const std::logic_error& error) {
        // A place behind the end of a list: what was recorded fits no run of the op.
        if (why_not != nullptr) *why_not = std::string("its arguments do not fit: ") + error.what();
        return std::nullopt;
    }
}

}  // namespace npuscope::diagnose
