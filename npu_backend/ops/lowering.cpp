#include "npu_backend/ops/lowering.h"

#include <algorithm>

#include "core/base/error.h"
#include "npu_backend/numerics/cast.h"

namespace npuscope::backend {

const Value& Lowering::value(std::string_view name) const {
    const Value* found = find(arguments_, name);
    if (found == nullptr)
        throw Error(ErrorKind::kInternal, op_.name() + " has no argument " + std::string(name));
    return *found;
}

bool Lowering::has(std::string_view name) const {
    return !is_none(value(name));
}

void Lowering::reject(const std::string& why) const {
    throw Error(ErrorKind::kUsage, op_.name() + ": " + why);
}

namespace {
template <class T>
const T& typed(const Op& op, const Value& value, std::string_view name) {
    if (const T* found = std::get_if<T>(&value)) return *found;
    throw Error(ErrorKind::kUsage, op.name() + ": argument '" + std::string(name) + "' is missing");
}
}  // namespace

const Tensor& Lowering::raw(std::string_view name) const {
    return typed<Tensor>(op_, value(name), name);
}

const TensorList& Lowering::raw_list(std::string_view name) const {
    return typed<TensorList>(op_, value(name), name);
}

Tensor Lowering::held(const Tensor& given) const {
    return given.cast(numerics_.held(given.dtype()));
}

int64_t Lowering::integer(std::string_view name) const {
    return typed<int64_t>(op_, value(name), name);
}

double Lowering::number(std::string_view name) const {
    const Value& given = value(name);
    if (const auto* scalar = std::get_if<Scalar>(&given)) return scalar->to_double();
    return typed<double>(op_, given, name);
}

bool Lowering::flag(std::string_view name) const {
    return typed<bool>(op_, value(name), name);
}

const IntList& Lowering::ints(std::string_view name) const {
    return typed<IntList>(op_, value(name), name);
}

IntList Lowering::sizes(std::string_view name, size_t count, int64_t otherwise) const {
    const IntList& given = ints(name);
    if (given.size() == count) return given;
    if (given.empty()) return IntList(count, otherwise);
    if (given.size() == 1) return IntList(count, given[0]);
    reject("argument '" + std::string(name) + "' needs " + std::to_string(count) + " numbers");
}

const Scalar& Lowering::scalar(std::string_view name) const {
    return typed<Scalar>(op_, value(name), name);
}

std::optional<DType> Lowering::dtype(std::string_view name) const {
    if (!has(name)) return std::nullopt;
    return typed<DType>(op_, value(name), name);
}

const std::string& Lowering::text(std::string_view name) const {
    return typed<std::string>(op_, value(name), name);
}

const std::vector<bool>& Lowering::mask(std::string_view name, size_t count) const {
    const std::vector<bool>& bits = typed<BoolMask>(op_, value(name), name).bits;
    if (bits.size() != count)
        reject("argument '" + std::string(name) + "' needs " + std::to_string(count) + " bools");
    return bits;
}

std::vector<Tensor> Lowering::launch_all(std::string_view kernel,
                                         std::vector<Tensor> inputs,
                                         NamedValues attributes) {
    return launcher_.launch(kernel, std::move(inputs), std::move(attributes));
}

Tensor Lowering::launch(std::string_view kernel,
                        std::vector<Tensor> inputs,
                        NamedValues attributes) {
    std::vector<Tensor> outputs = launch_all(kernel, std::move(inputs), std::move(attributes));
    if (outputs.empty())
        throw Error(ErrorKind::kUsage,
                    op_.name() + ": a hook skipped kernel " + std::string(kernel) +
                        " without giving outputs; fill kernel_outputs");
    return std::move(outputs[0]);
}

Tensor Lowering::cast(Tensor tensor, DType target) {
    const DType inside = numerics_.held(target);
    if (tensor.dtype() == inside) return tensor;
    return launch("Cast", {std::move(tensor)}, {{"dst_type", inside}});
}

Tensor Lowering::format_cast(Tensor tensor,
                             std::string_view from,
                             std::string_view to,
                             int64_t groups) {
    if (!on_chip()) return tensor;
    return launch(
        "TransData",
        {std::move(tensor)},
        {{"src_format", std::string(from)}, {"dst_format", std::string(to)}, {"groups", groups}});
}

void Lowering::result(Tensor value, DType dtype) {
    if (on_chip()) value = cast(std::move(value), dtype);
    results_.push_back({std::move(value), dtype});
}

void Lowering::result(TensorList values) {
    const DType dtype = values.empty() ? DType::kFloat32 : values[0].dtype();
    results_.push_back({std::move(values), dtype});
}

void Lowering::result(TensorList values, DType dtype) {
    for (Tensor& value : values)
        value = on_chip() ? cast(std::move(value), dtype)
                          : cast_tensor(value, dtype, numerics_, rounding_);
    result(std::move(values));
}

void Lowering::no_result() {
    results_.push_back({Value(), results_.empty() ? DType::kFloat32 : results_[0].dtype});
}

void Lowering::store_result(std::string_view name) {
    const Tensor& target = raw(name);
    Pending pending = std::move(results_.back());
    results_.pop_back();
    Tensor& computed = std::get<Tensor>(pending.value);
    if (computed.shape() != target.shape())
        reject("the result " + to_string(computed.shape()) + " does not fit into " +
               std::string(name) + " " + to_string(target.shape()));
    if (is_float(pending.dtype) && !is_float(target.dtype()))
        reject("a float result does not fit into " + std::string(name_of(target.dtype())));
    result(std::move(computed), target.dtype());
}

namespace {

const Op& op_named(std::string_view name) {
    const Op* op = find_op(name);
    if (op == nullptr) throw Error(ErrorKind::kInternal, "there is no op " + std::string(name));
    return *op;
}

}  // namespace

void Lowering::become(std::string_view name, NamedValues arguments) {
    become(op_named(name), std::move(arguments));
}

void Lowering::become(const Op& other, NamedValues arguments) {
    const NamedValues bound = other.schema.bind_named(std::move(arguments));
    Lowering inner(other, bound, numerics_, launcher_);
    other.row->lower(inner);
    for (Pending& pending : inner.results_)
        results_.push_back(std::move(pending));
    rounding_.merge(inner.rounding_);
    if (inner.compute_type_) compute_type_ = inner.compute_type_;
}

void Lowering::forward(std::string_view renames, NamedValues values) {
    while (!renames.empty()) {
        const std::string_view pair = renames.substr(0, renames.find(' '));
        renames.remove_prefix(std::min(renames.size(), pair.size() + 1));
        const size_t equals = pair.find('=');
        values.push_back({std::string(pair.substr(0, equals)), given(pair.substr(equals + 1))});
    }
    for (const Argument& argument : find_op(like())->schema.arguments)
        if (find(values, argument.name) == nullptr && declares(argument.name))
            values.push_back({argument.name, given(argument.name)});
    become(like(), std::move(values));
}

std::vector<Tensor> Lowering::computed(std::string_view name, NamedValues arguments) {
    return computed(op_named(name), std::move(arguments));
}

std::vector<Tensor> Lowering::computed(const Op& other, NamedValues arguments) {
    const size_t before = results_.size();
    become(other, std::move(arguments));
    std::vector<Tensor> tensors;
    for (size_t i = before; i < results_.size(); ++i) {
        if (const auto* tensor = std::get_if<Tensor>(&results_[i].value))
            tensors.push_back(*tensor);
        if (const auto* list = std::get_if<TensorList>(&results_[i].value))
            tensors.insert(tensors.end(), list->begin(), list->end());
    }
    results_.erase(results_.begin() + static_cast<int64_t>(before), results_.end());
    return tensors;
}

Tensor Lowering::step(std::string_view name, NamedValues arguments) {
    return computed(name, std::move(arguments)).at(0);
}

Tensor Lowering::rounded(std::string_view name, NamedValues arguments) {
    const size_t before = results_.size();
    become(name, std::move(arguments));
    const Pending pending = results_.at(before);
    results_.erase(results_.begin() + static_cast<int64_t>(before), results_.end());
    return cast_tensor(std::get<Tensor>(pending.value), pending.dtype, numerics_, rounding_);
}

NamedValues Lowering::take_results(FloatStatus& status) {
    status.merge(rounding_);
    NamedValues named;
    for (size_t i = 0; i < results_.size(); ++i) {
        Pending& pending = results_[i];
        if (const auto* tensor = std::get_if<Tensor>(&pending.value))
            pending.value = cast_tensor(*tensor, pending.dtype, numerics_, status);
        const std::string name = i < op_.schema.results.size() ? op_.schema.results[i].name
                                                               : "result" + std::to_string(i);
        named.push_back({name, std::move(pending.value)});
    }
    return named;
}

ComputeType Lowering::compute_type() const {
    if (compute_type_) return *compute_type_;
    if (results_.empty()) return ComputeType::kNone;
    return compute_type_of(numerics_, results_[0].dtype);
}

}  // namespace npuscope::backend
