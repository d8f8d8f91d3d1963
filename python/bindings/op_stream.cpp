#include "python/bindings/op_stream.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::python {

namespace {

/// Whether the provider put another value into the place.
bool differs(const Value& before, const Value& after) {
    if (const auto* tensor = std::get_if<Tensor>(&before)) {
        const auto* other = std::get_if<Tensor>(&after);
        return other == nullptr || other->storage_id() != tensor->storage_id();
    }
    if (const auto* list = std::get_if<TensorList>(&before)) {
        const auto* other = std::get_if<TensorList>(&after);
        if (other == nullptr || other->size() != list->size()) return true;
        for (size_t i = 0; i < list->size(); ++i)
            if ((*list)[i].storage_id() != (*other)[i].storage_id()) return true;
        return false;
    }
    if (const auto* scalar = std::get_if<Scalar>(&before)) {
        const auto* other = std::get_if<Scalar>(&after);
        return other == nullptr || !(*scalar == *other);
    }
    return false;
}

ComputedHere computed_here(const StreamOp& op) {
    if (!op.given) return {};
    std::unordered_set<uint64_t> given;
    for (const NamedValue& input : op.inputs)
        if (std::ranges::find(*op.given, input.name) != op.given->end())
            for_each_tensor({input}, [&](const std::string&, const Tensor& tensor) {
                given.insert(tensor.storage_id());
            });
    return [given = std::move(given)](const Tensor& tensor) {
        return !given.contains(tensor.storage_id());
    };
}

bool holds_float64(const NamedValues& values) {
    bool found = false;
    for_each_tensor(values, [&](const std::string&, const Tensor& tensor) {
        found = found || tensor.dtype() == DType::kFloat64;
    });
    return found;
}

/// What the executor takes: arguments of its schema that are given. A number beside float64 tensors
/// keeps all its digits.
NamedValues for_executor(const StreamOp& op, const std::string& chip_op) {
    const std::vector<std::string_view> names = Executor::argument_names(chip_op);
    const bool wide = holds_float64(op.inputs);
    NamedValues values;
    for (const NamedValue& item : op.inputs) {
        if (is_none(item.value) || std::ranges::find(names, item.name) == names.end()) continue;
        const auto* number = std::get_if<double>(&item.value);
        const bool operand = number != nullptr && wide && item.name == "other";
        values.push_back(operand ? NamedValue{item.name, Tensor::scalar<double>(*number)} : item);
    }
    return values;
}

}  // namespace

OpStream::OpStream(std::shared_ptr<SeqidCounter> counter,
                   int device_code,
                   std::vector<std::pair<std::string, std::string>> facts,
                   std::unique_ptr<Executor> executor)
    : counter_(std::move(counter)),
      device_code_(device_code),
      facts_(std::move(facts)),
      executor_(std::move(executor)) {
    if (executor_) executor_->attach(*this);
}

OpStream::~OpStream() {
    if (executor_) executor_->detach(*this);
}

void OpStream::begin(StreamOp& op) {
    const std::lock_guard lock(mutex_);
    op.replaced.assign(op.inputs.size(), false);
    if (op.recorded) {
        op.seqid = ++counter_->last;
        const NamedValues before = op.inputs;
        provide_inputs(op.name, op.inputs, computed_here(op), op.source);
        for (size_t i = 0; i < before.size(); ++i)
            op.replaced[i] = differs(before[i].value, op.inputs[i].value);
    }
    if (!has_observers()) return;
    const OpBegin event{op.name, op.seqid, op.recorded, op.inputs, op.source};
    publish([&](Observer& observer) { observer.op_begin(event); });
}

bool OpStream::accepts(const StreamOp& op, const std::string& chip_op) const {
    if (!executor_ || !Executor::knows(chip_op)) return false;
    const std::vector<std::string_view> names = Executor::argument_names(chip_op);
    return std::ranges::all_of(op.inputs, [&](const NamedValue& item) {
        // An argument that the chip's op lacks must say nothing, or be the tensor to write into.
        const auto* flag = std::get_if<bool>(&item.value);
        const bool target = chip_op != op.name && std::holds_alternative<Tensor>(item.value);
        return is_none(item.value) || (flag != nullptr && !*flag) || target ||
               std::ranges::find(names, item.name) != names.end();
    });
}

void OpStream::compute(StreamOp& op, const std::string& chip_op) {
    if (!executor_) throw Error(ErrorKind::kInternal, "this stream has no executor");
    computing_ = &op;
    try {
        op.outputs = executor_->call_named(chip_op, for_executor(op, chip_op), op.source).values();
    } catch (...) {
        computing_ = nullptr;
        throw;
    }
    computing_ = nullptr;
    op.on_chip = true;
}

void OpStream::end(StreamOp& op) {
    const std::lock_guard lock(mutex_);
    if (!has_observers()) return;
    const OpEnd event{.name = op.name,
                      .seqid = op.seqid,
                      .recorded = op.recorded,
                      .inputs = op.inputs,
                      .outputs = op.outputs,
                      .source = op.source,
                      .status = op.status,
                      .compute_type = op.compute_type,
                      .kernels = op.kernels};
    publish([&](Observer& observer) { observer.op_end(event); });
}

void OpStream::kernel_begin(const KernelEvent& event) {
    if (computing_ == nullptr || !has_observers()) return;
    KernelEvent renumbered = event;
    renumbered.op_name = computing_->name;
    renumbered.seqid = computing_->seqid;
    publish([&](Observer& observer) { observer.kernel_begin(renumbered); });
}

void OpStream::kernel_end(const KernelEvent& event) {
    if (computing_ == nullptr) return;
    const backend::Kernel* kernel = backend::find_kernel(event.type);
    if (const size_t mean = kernel == nullptr ? 0 : kernel->running_statistics;
        mean != 0 && mean + 1 < event.outputs.size())
        computing_->running_statistics = {event.outputs[mean], event.outputs[mean + 1]};
    if (!has_observers()) return;
    KernelEvent renumbered = event;
    renumbered.op_name = computing_->name;
    renumbered.seqid = computing_->seqid;
    publish([&](Observer& observer) { observer.kernel_end(renumbered); });
}

void OpStream::op_end(const OpEnd& event) {
    if (computing_ == nullptr) return;
    computing_->status = event.status;
    computing_->compute_type = event.compute_type;
    computing_->kernels.assign(event.kernels.begin(), event.kernels.end());
}

}  // namespace npuscope::python
