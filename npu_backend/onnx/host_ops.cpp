#include "npu_backend/onnx/host_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace npuscope::onnx_model {

namespace {

constexpr int64_t kMaxElements = int64_t{1} << 26;

template <class T>
const T& argument(const NamedValues& arguments, std::string_view name) {
    const Value* value = find(arguments, name);
    const T* typed = value == nullptr ? nullptr : std::get_if<T>(value);
    if (typed == nullptr)
        throw Error(ErrorKind::kInternal,
                    "a host op lacks its argument '" + std::string(name) + "'");
    return *typed;
}

/// The elements at offset + sum(index * stride), in C order of `shape`.
Tensor gather_strided(const Tensor& source,
                      Shape shape,
                      const std::vector<int64_t>& strides,
                      int64_t offset) {
    require_host_size(shape);
    Tensor target(source.dtype(), std::move(shape));
    const size_t size = size_of(source.dtype());
    const std::byte* from = source.data();
    std::byte* to = target.mutable_data();
    std::vector<int64_t> index(target.shape().size(), 0);
    for (int64_t i = 0; i < target.numel(); ++i, to += size) {
        std::memcpy(to, from + static_cast<size_t>(offset) * size, size);
        for (size_t axis = index.size(); axis-- > 0;) {
            offset += strides[axis];
            if (++index[axis] < target.shape()[axis]) break;
            offset -= strides[axis] * index[axis];
            index[axis] = 0;
        }
    }
    return target;
}

/// Strides that repeat `source` over `shape`.
Tensor expanded(const Tensor& source, const Shape& shape) {
    if (source.shape() == shape) return source;
    const std::vector<int64_t> own = contiguous_strides(source.shape());
    const size_t lead = shape.size() - own.size();
    std::vector<int64_t> strides(shape.size(), 0);
    for (size_t axis = 0; axis < own.size(); ++axis)
        if (source.shape()[axis] != 1) strides[lead + axis] = own[axis];
    return gather_strided(source, shape, strides, 0);
}

Tensor permuted(const Tensor& source, const IntList& dims) {
    const std::vector<int64_t> own = contiguous_strides(source.shape());
    Shape shape;
    std::vector<int64_t> strides;
    for (const int64_t dim : dims) {
        shape.push_back(source.dim(dim));
        strides.push_back(own[static_cast<size_t>(dim)]);
    }
    return gather_strided(source, std::move(shape), strides, 0);
}

Tensor sliced(const Tensor& source, int64_t dim, int64_t start, int64_t end, int64_t step) {
    const auto axis = static_cast<size_t>(dim);
    std::vector<int64_t> strides = contiguous_strides(source.shape());
    const int64_t offset = start * strides[axis];
    strides[axis] *= step;
    Shape shape = source.shape();
    shape[axis] = std::max<int64_t>(0, (end - start + step - 1) / step);
    return gather_strided(source, std::move(shape), strides, offset);
}

Tensor without_axes(const Tensor& source, const IntList& axes) {
    Shape shape;
    for (int64_t axis = 0; axis < source.ndim(); ++axis)
        if (std::ranges::count(axes, axis) == 0) shape.push_back(source.dim(axis));
    return source.reshaped(std::move(shape));
}

Tensor with_axis(const Tensor& source, int64_t axis) {
    Shape shape = source.shape();
    shape.insert(shape.begin() + axis, 1);
    return source.reshaped(std::move(shape));
}

/// Joins along `dim`; all other dimensions must agree.
Tensor joined(const TensorList& tensors, int64_t dim) {
    const auto axis = static_cast<size_t>(dim);
    Shape shape = tensors.at(0).shape();
    shape[axis] = 0;
    for (const Tensor& tensor : tensors)
        shape[axis] += tensor.dim(dim);
    require_host_size(shape);
    Tensor target(tensors[0].dtype(), shape);
    const size_t size = size_of(target.dtype());
    const int64_t outer = numel_of(std::span(shape).first(axis));
    const int64_t inner = numel_of(std::span(shape).subspan(axis + 1));
    std::byte* to = target.mutable_data();
    for (int64_t i = 0; i < outer; ++i)
        for (const Tensor& tensor : tensors) {
            const size_t nbytes = static_cast<size_t>(tensor.dim(dim) * inner) * size;
            if (nbytes != 0)
                std::memcpy(to, tensor.data() + static_cast<size_t>(i) * nbytes, nbytes);
            to += nbytes;
        }
    return target;
}

Tensor selected(const Tensor& source, int64_t dim, const Tensor& index) {
    TensorList parts;
    for (int64_t i = 0; i < index.numel(); ++i) {
        const auto at = static_cast<int64_t>(index.at(i));
        parts.push_back(sliced(source, dim, at, at + 1, 1));
    }
    return parts.empty() ? sliced(source, dim, 0, 0, 1) : joined(parts, dim);
}

int64_t int_power(int64_t base, int64_t exponent) {
    if (exponent < 0) throw Error(ErrorKind::kFormat, "an integer is raised to a negative power");
    uint64_t result = 1;
    for (auto square = static_cast<uint64_t>(base); exponent > 0; exponent >>= 1) {
        if ((exponent & 1) != 0) result *= square;
        square *= square;
    }
    return static_cast<int64_t>(result);
}

int64_t int_arithmetic(std::string_view op, int64_t a, int64_t b) {
    const auto x = static_cast<uint64_t>(a);
    const auto y = static_cast<uint64_t>(b);
    if (op == "add_Tensor") return static_cast<int64_t>(x + y);
    if (op == "sub_Tensor") return static_cast<int64_t>(x - y);
    if (op == "mul_Tensor") return static_cast<int64_t>(x * y);
    if (op != "div_Tensor_mode") return int_power(a, b);
    if (b == 0) throw Error(ErrorKind::kFormat, "an integer is divided by zero");
    return b == -1 ? static_cast<int64_t>(-x) : a / b;
}

double float_arithmetic(std::string_view op, double a, double b) {
    if (op == "add_Tensor") return a + b;
    if (op == "sub_Tensor") return a - b;
    if (op == "mul_Tensor") return a * b;
    if (op == "div_Tensor") return a / b;
    return std::pow(a, b);
}

/// Both widened, broadcast and combined; the result has the first one's dtype.
template <class Wide, class Function>
Tensor combined(const Tensor& a, const Tensor& b, Function function) {
    const Shape shape = broadcast(a.shape(), b.shape());
    require_host_size(shape);
    const Tensor left = expanded(a.cast(kDTypeOf<Wide>), shape);
    const Tensor right = expanded(b.cast(kDTypeOf<Wide>), shape);
    Tensor result(kDTypeOf<Wide>, shape);
    const auto target = result.mutable_as<Wide>();
    for (size_t i = 0; i < target.size(); ++i)
        target[i] = function(left.as<Wide>()[i], right.as<Wide>()[i]);
    return result.cast(a.dtype());
}

Tensor scalar_tensor(const Scalar& scalar) {
    if (const auto* number = std::get_if<int64_t>(&scalar.number)) return Tensor::scalar(*number);
    return Tensor::scalar(scalar.to_double());
}

std::optional<Tensor> arithmetic(std::string_view op, const NamedValues& arguments) {
    const auto& self = argument<Tensor>(arguments, "self");
    Tensor other;
    if (op == "pow_Tensor_Scalar") {
        other = scalar_tensor(argument<Scalar>(arguments, "exponent"));
    } else {
        other = argument<Tensor>(arguments, op == "pow_Tensor_Tensor" ? "exponent" : "other");
    }
    if (is_float(self.dtype()) || is_float(other.dtype()))
        return combined<double>(
            self, other, [&](double a, double b) { return float_arithmetic(op, a, b); });
    return combined<int64_t>(
        self, other, [&](int64_t a, int64_t b) { return int_arithmetic(op, a, b); });
}

std::optional<Tensor> unary(std::string_view op, const Tensor& self) {
    const Tensor nothing = Tensor::zeros(self.dtype(), {});
    if (op == "neg" && !is_float(self.dtype()))
        return combined<int64_t>(self, nothing, [](int64_t a, int64_t) {
            return static_cast<int64_t>(-static_cast<uint64_t>(a));
        });
    if (!is_float(self.dtype())) return std::nullopt;
    return combined<double>(self, nothing, [&](double a, double) {
        if (op == "neg") return -a;
        return op == "sqrt" ? std::sqrt(a) : std::exp(a);
    });
}

std::optional<Tensor> re_described(std::string_view op, const NamedValues& arguments) {
    const auto& self = argument<Tensor>(arguments, "self");
    const auto integer = [&](std::string_view name) { return argument<int64_t>(arguments, name); };
    if (op == "view") return self.reshaped(argument<IntList>(arguments, "size"));
    if (op == "expand") return expanded(self, argument<IntList>(arguments, "size"));
    if (op == "permute") return permuted(self, argument<IntList>(arguments, "dims"));
    if (op == "squeeze_dims") return without_axes(self, argument<IntList>(arguments, "dim"));
    if (op == "unsqueeze") return with_axis(self, integer("dim"));
    if (op == "_to_copy") return self.cast(argument<DType>(arguments, "dtype"));
    if (op == "select_int")
        return without_axes(sliced(self, integer("dim"), integer("index"), integer("index") + 1, 1),
                            {integer("dim")});
    if (op == "slice_Tensor")
        return sliced(self, integer("dim"), integer("start"), integer("end"), integer("step"));
    return selected(self, integer("dim"), argument<Tensor>(arguments, "index"));
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::count(names, name) != 0;
}

constexpr std::array<std::string_view, 7> kArithmetic = {"add_Tensor",
                                                         "sub_Tensor",
                                                         "mul_Tensor",
                                                         "div_Tensor",
                                                         "div_Tensor_mode",
                                                         "pow_Tensor_Scalar",
                                                         "pow_Tensor_Tensor"};
constexpr std::array<std::string_view, 3> kUnary = {"neg", "sqrt", "exp"};
constexpr std::array<std::string_view, 9> kReDescribing = {"view",
                                                           "expand",
                                                           "permute",
                                                           "squeeze_dims",
                                                           "unsqueeze",
                                                           "_to_copy",
                                                           "select_int",
                                                           "slice_Tensor",
                                                           "index_select"};

}  // namespace

void require_host_size(const Shape& shape) {
    if (numel_of(shape) > kMaxElements)
        throw Error(ErrorKind::kFormat,
                    "a constant of shape " + to_string(shape) + " is too large to be meant");
}

Shape broadcast(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (const Shape* shape : {&a, &b})
        for (size_t i = 0; i < shape->size(); ++i) {
            int64_t& target = result[result.size() - 1 - i];
            const int64_t dim = (*shape)[shape->size() - 1 - i];
            if (dim != 1 && target != 1 && dim != target)
                throw Error(ErrorKind::kFormat,
                            "shapes " + to_string(a) + " and " + to_string(b) +
                                " do not broadcast to each other");
            if (dim != 1) target = dim;
        }
    return result;
}

std::optional<std::vector<Tensor>> evaluate_on_host(std::string_view ir_name,
                                                    const NamedValues& arguments) {
    std::optional<Tensor> result;
    if (is_one_of(ir_name, kArithmetic)) {
        result = arithmetic(ir_name, arguments);
    } else if (is_one_of(ir_name, kUnary)) {
        result = unary(ir_name, argument<Tensor>(arguments, "self"));
    } else if (is_one_of(ir_name, kReDescribing)) {
        result = re_described(ir_name, arguments);
    } else if (ir_name == "cat") {
        result =
            joined(argument<TensorList>(arguments, "tensors"), argument<int64_t>(arguments, "dim"));
    } else if (ir_name == "split_with_sizes") {
        std::vector<Tensor> parts;
        int64_t start = 0;
        for (const int64_t size : argument<IntList>(arguments, "split_sizes")) {
            parts.push_back(sliced(argument<Tensor>(arguments, "self"),
                                   argument<int64_t>(arguments, "dim"),
                                   start,
                                   start + size,
                                   1));
            start += size;
        }
        return parts;
    }
    if (!result) return std::nullopt;
    return std::vector<Tensor>{std::move(*result)};
}

}  // namespace npuscope::onnx_model
