#include "npu_backend/executor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/event/computed_tensors.h"
#include "core/naming/aliases.h"
#include "core/naming/pattern.h"
#include "core/tensor/op_budget.h"
#include "npu_backend/kernels/formats.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/op.h"
#include "npu_backend/precision.h"

namespace npuscope {

using backend::find_kernel;
using backend::find_op;
using backend::KernelCall;
using backend::Lowering;
using backend::Numerics;
using backend::Op;

namespace {

const Op& known_op(std::string_view name) {
    if (const Op* op = find_op(name)) return *op;
    throw Error(ErrorKind::kUnsupported,
                "there is no op '" + std::string(name) + "'; the nearest name is '" +
                    backend::nearest_op_name(name) + "', `npuscope help ops` lists all");
}

int64_t elements_of(const NamedValues& values) {
    int64_t sum = 0;
    for (const NamedValue& value : values) {
        if (const auto* tensor = std::get_if<Tensor>(&value.value)) sum += tensor->numel();
        if (const auto* list = std::get_if<TensorList>(&value.value))
            for (const Tensor& each : *list)
                sum += each.numel();
    }
    return sum;
}

}  // namespace

const Tensor& Results::tensor(size_t index) const {
    const auto* tensor =
        index < values_.size() ? std::get_if<Tensor>(&values_[index].value) : nullptr;
    if (tensor == nullptr)
        throw Error(ErrorKind::kUsage, "result " + std::to_string(index) + " is no tensor");
    return *tensor;
}

struct Executor::State {
    struct HookRow {
        int id;
        HookPoint point;
        std::string pattern;
        Hook hook;
    };

    Numerics numerics;
    ExecutorOptions options;
    std::vector<HookRow> hooks;
    int last_hook_id = 0;
    int64_t last_seqid = 0;
    int64_t last_task_id = 0;
    int64_t last_random = 0;                   ///< random kernels so far
    std::unique_ptr<PrecisionPlan> precision;  ///< on a chip
    std::vector<CubeRange> cube_ranges;
    ComputedTensors computed;  ///< while inputs are provided

    void run_hooks(HookPoint point, HookCall& call) {
        // By index: a hook may add another one.
        for (size_t i = 0; i < hooks.size(); ++i)
            if (hooks[i].point == point && fits_pattern(call.name, hooks[i].pattern)) {
                const Hook hook = hooks[i].hook;
                hook(call);
            }
    }

    /// The launches of one op.
    class OpLauncher : public backend::Launcher {
      public:
        OpLauncher(Executor& executor, std::string_view op_name, int64_t seqid)
            : executor_(executor), op_name_(op_name), seqid_(seqid) {}

        std::vector<Tensor> launch(std::string_view kernel,
                                   std::vector<Tensor> inputs,
                                   NamedValues attributes) override {
            State& state = *executor_.state_;
            const backend::Kernel* row = find_kernel(kernel);
            if (row == nullptr)
                throw Error(
                    ErrorKind::kInternal,
                    std::string(op_name_) + " launches unknown kernel " + std::string(kernel));
            KernelCall call{row->type, std::move(inputs), std::move(attributes), state.numerics};
            HookCall hook{.name = row->type,
                          .op_name = op_name_,
                          .seqid = seqid_,
                          .kernel_inputs = &call.inputs,
                          .kernel_outputs = &call.outputs,
                          .status = &call.status};
            state.run_hooks(HookPoint::kBeforeKernel, hook);
            KernelEvent event{.type = row->type,
                              .conversion = row->conversion,
                              .op_name = op_name_,
                              .seqid = seqid_,
                              .task_id = ++state.last_task_id,
                              .stream_id = 0,
                              .inputs = call.inputs,
                              .outputs = {},
                              .status = {},
                              .attributes = &call.attributes};
            backend::KernelFormats formats;
            if (executor_.has_observers()) {
                formats = backend::formats_of(*row, call);
                event.input_formats = formats.inputs;
                executor_.publish([&](Observer& observer) { observer.kernel_begin(event); });
            }
            if (!hook.skip) row->run(call);
            call.status.inputs_count =
                !state.numerics.reference() && state.numerics.device.options.status_inputs_nan;
            if (state.options.cube_range && !hook.skip && row->unit == backend::Unit::kCube)
                state.cube_ranges.push_back(cube_range(*row, call, std::string(op_name_), seqid_));
            state.run_hooks(HookPoint::kAfterKernel, hook);
            event.inputs = call.inputs;
            event.outputs = call.outputs;
            event.status = call.status;
            if (executor_.has_observers()) {
                formats = backend::formats_of(*row, call);
                event.input_formats = formats.inputs;
                event.output_formats = formats.outputs;
                executor_.publish([&](Observer& observer) { observer.kernel_end(event); });
            }
            status.merge(call.status);
            kernels.emplace_back(row->type);
            return std::move(call.outputs);
        }

        NamedValues next_seeds() override {
            State& state = *executor_.state_;
            return {{"seed", state.options.seed}, {"seed2", ++state.last_random}};
        }

        FloatStatus status;
        std::vector<std::string> kernels;

      private:
        Executor& executor_;
        std::string_view op_name_;
        int64_t seqid_;
    };

    static Results run(Executor& executor,
                       const Op& op,
                       NamedValues inputs,
                       const OpSource& source);
};

Executor::Executor(Device device, ExecutorOptions options) : state_(std::make_unique<State>()) {
    if (device.policy == Policy::kChip && device.chip == nullptr)
        throw Error(ErrorKind::kInternal, "a device with the chip policy needs a chip");
    state_->numerics = {std::move(device), options.threads};
    state_->options = options;
    const Device& used = state_->numerics.device;
    if (used.policy == Policy::kChip)
        state_->precision = std::make_unique<PrecisionPlan>(used.options);
}

Executor::~Executor() = default;

Results Executor::State::run(Executor& executor,
                             const Op& op,
                             NamedValues inputs,
                             const OpSource& source) {
    State& state = *executor.state_;
    const bool recorded = state.options.record_views || is_recorded(op.name());
    const int64_t seqid = recorded ? ++state.last_seqid : 0;
    if (recorded)
        executor.provide_inputs(
            op.name(),
            inputs,
            [&state](const Tensor& tensor) { return state.computed.holds(tensor); },
            source);
    OpLauncher launcher(executor, op.name(), seqid);
    HookCall hook{.name = op.name(), .op_name = op.name(), .seqid = seqid, .inputs = &inputs};
    state.run_hooks(HookPoint::kBeforeOp, hook);
    if (executor.has_observers()) {
        const OpBegin event{op.name(), seqid, recorded, inputs, source};
        executor.publish([&](Observer& observer) { observer.op_begin(event); });
    }
    const PrecisionPlan::Cast cast = [&](Tensor tensor, DType target) {
        return launcher.launch("Cast", {std::move(tensor)}, {{"dst_type", target}}).at(0);
    };
    NamedValues arguments = inputs;
    const bool narrowed =
        state.precision != nullptr && state.precision->narrow(op, arguments, cast);
    std::optional<OpBudget> budget;
    if (state.options.bounded) budget.emplace(OpLimits::for_given(elements_of(inputs)));
    Lowering lowering(op, arguments, state.numerics, launcher);
    op.row->lower(lowering);
    FloatStatus status;
    const ComputeType compute_type = lowering.compute_type();
    NamedValues outputs = lowering.take_results(status);
    if (narrowed)
        state.precision->widen(outputs, cast);
    else if (!recorded && state.precision != nullptr)
        state.precision->follow(inputs, outputs);
    budget.reset();
    status.merge(launcher.status);
    hook.outputs = &outputs;
    hook.status = &status;
    state.run_hooks(HookPoint::kAfterOp, hook);
    if (executor.has_provider()) state.computed.take(inputs, outputs, recorded);
    if (executor.has_observers()) {
        const OpEnd event{.name = op.name(),
                          .seqid = seqid,
                          .recorded = recorded,
                          .inputs = inputs,
                          .outputs = outputs,
                          .source = source,
                          .status = status,
                          .compute_type = compute_type,
                          .kernels = launcher.kernels};
        executor.publish([&](Observer& observer) { observer.op_end(event); });
    }
    return Results(std::move(outputs));
}

Results Executor::call(std::string_view ir_name, std::vector<Value> arguments) {
    const Op& op = known_op(ir_name);
    return State::run(*this, op, op.schema.bind(std::move(arguments)), {});
}

Results Executor::call_named(std::string_view ir_name,
                             NamedValues arguments,
                             const OpSource& source) {
    return call_named(known_op(ir_name), std::move(arguments), source);
}

Results Executor::call_named(const Op& op, NamedValues arguments, const OpSource& source) {
    return State::run(*this, op, op.schema.bind_named(std::move(arguments)), source);
}

void Executor::assume_computed(const NamedValues& values) {
    if (has_provider()) state_->computed.add(values);
}

bool Executor::knows(std::string_view ir_name) {
    return find_op(ir_name) != nullptr;
}

std::vector<std::string_view> Executor::known_ops() {
    std::vector<std::string_view> names;
    for (const Op& op : backend::all_ops())
        names.push_back(op.name());
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string_view> Executor::argument_names(std::string_view ir_name) {
    std::vector<std::string_view> names;
    for (const backend::Argument& argument : known_op(ir_name).schema.arguments)
        names.push_back(argument.name);
    return names;
}

int Executor::add_hook(HookPoint point, std::string pattern, Hook hook) {
    state_->hooks.push_back({++state_->last_hook_id, point, std::move(pattern), std::move(hook)});
    return state_->last_hook_id;
}

void Executor::remove_hook(int id) {
    std::erase_if(state_->hooks, [id](const State::HookRow& row) { return row.id == id; });
}

const Device& Executor::device() const {
    return state_->numerics.device;
}

const std::vector<CubeRange>& Executor::cube_ranges() const {
    return state_->cube_ranges;
}

int64_t Executor::last_seqid() const {
    return state_->last_seqid;
}

int Executor::device_code() const {
    return state_->numerics.reference() ? 0 : 10;
}

std::vector<std::pair<std::string, std::string>> Executor::run_facts() const {
    const Device& device = state_->numerics.device;
    std::vector<std::pair<std::string, std::string>> facts = {{"device", device.description()}};
    if (device.policy == Policy::kChip)
        facts.emplace_back("chip", device.chip->name);
    else
        facts.emplace_back("reference", device.policy == Policy::kReference64 ? "fp64" : "fp32");
    std::string options;
    if (device.policy == Policy::kChip) options = to_string(device.options) + " ";
    facts.emplace_back("options",
                       options + "record_views=" + (state_->options.record_views ? "on" : "off"));
    return facts;
}

}  // namespace npuscope
