// Optimizers' steps on lists of parameters, as the ops that they are for one parameter. Results
// stand for the arguments that are written, by their names.
// Source  PyTorch, torch/optim: the formulas of Adam, AdamW, SGD and Adagrad.
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// An argument that is a number or a tensor of one.
double number_or_tensor(const Lowering& op, std::string_view name) {
    const Value given = op.given(name);
    if (const auto* tensor = std::get_if<Tensor>(&given); tensor != nullptr) {
        if (tensor->numel() != 1) op.reject(std::string(name) + " must have one element");
        return tensor->at(0);
    }
    return op.number(name);
}

/// The list `name`, one tensor for each of self; empty where a step keeps none.
const TensorList& state_list(const Lowering& op, std::string_view name, bool needed = true) {
    const TensorList& list = op.raw_list(name);
    if (list.size() != op.raw_list("self").size() && (needed || !list.empty()))
        op.reject(std::string(name) + " has not one tensor for each of self");
    return list;
}

/// One parameter's step: values inside the op, named as in the formulas.
class ParameterStep {
  public:
    ParameterStep(Lowering& op, size_t index)
        : op_(op), parameter_(op.held(op.raw_list("self")[index])) {
        gradient_ = op.held(state_list(op, "grads")[index]);
        if (op.has("grad_scale"))
            gradient_ = with("div_Scalar", gradient_, number_or_tensor(op, "grad_scale"));
        unscaled_ = gradient_;
        if (op.flag("maximize")) gradient_ = op_.computed("neg", {{"self", gradient_}}).at(0);
    }

    [[nodiscard]] Tensor with(std::string_view name, const Tensor& self, double other) const {
        return op_.computed(name, {{"self", self}, {"other", Scalar{other}}}).at(0);
    }
    [[nodiscard]] Tensor of(std::string_view name, NamedValues arguments) const {
        return op_.computed(name, std::move(arguments)).at(0);
    }
    [[nodiscard]] Tensor sum(const Tensor& self, const Tensor& other, double alpha) const {
        return of("add_Tensor", {{"self", self}, {"other", other}, {"alpha", Scalar{alpha}}});
    }
    void decay_gradient() {
        if (const double decay = op_.number("weight_decay"); decay != 0)
            gradient_ = sum(gradient_, parameter_, decay);
    }
    void decay_parameter(double rate) {
        if (const double decay = op_.number("weight_decay"); decay != 0)
            parameter_ = with("mul_Scalar", parameter_, 1 - rate * decay);
    }
    /// The parameter minus rate times numerator over denominator.
    void descend(const Tensor& numerator, const Tensor& denominator, double rate) {
        parameter_ = of("addcdiv",
                        {{"self", parameter_},
                         {"tensor1", numerator},
                         {"tensor2", denominator},
                         {"value", Scalar{-rate}}});
    }
    void descend(const Tensor& direction, double rate) {
        parameter_ = sum(parameter_, direction, -rate);
    }
    [[nodiscard]] Tensor plus_squares(const Tensor& self, double factor) const {
        return of("addcmul",
                  {{"self", self},
                   {"tensor1", gradient_},
                   {"tensor2", gradient_},
                   {"value", Scalar{factor}}});
    }
    [[nodiscard]] Tensor root(const Tensor& self) const { return of("sqrt", {{"self", self}}); }
    [[nodiscard]] const Tensor& parameter() const { return parameter_; }
    [[nodiscard]] const Tensor& gradient() const { return gradient_; }
    /// What the op leaves in grads.
    [[nodiscard]] const Tensor& unscaled() const { return unscaled_; }

  private:
    Lowering& op_;
    Tensor parameter_;
    Tensor gradient_;
    Tensor unscaled_;
};

/// A gradient scaler that found infinities skips the step.
bool is_skipped(const Lowering& op) {
    return op.has("found_inf") && number_or_tensor(op, "found_inf") != 0;
}

using ListNames = std::span<const std::string_view>;

/// Lists of results in the order of `names`, each tensor in its argument's dtype.
void give_lists(Lowering& op, ListNames names, std::vector<TensorList> lists) {
    size_t place = 0;
    for (const std::string_view name : names) {
        const TensorList& before = op.raw_list(op.has(name) ? name : "self");
        TensorList& after = lists[place++];
        for (size_t i = 0; i < after.size(); ++i)
            after[i] = after[i].cast(before[i].dtype());
        op.result(std::move(after));
    }
}

void give_back_lists(Lowering& op, ListNames names) {
    for (const std::string_view name : names)
        op.result(op.has(name) ? op.raw_list(name) : TensorList());
}

constexpr auto kAdamWrites = std::to_array<std::string_view>(
    {"self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"});

/// The row's argument is "decoupled" where the decay is the parameter's own.
void lower_adam(Lowering& op) {
    if (is_skipped(op)) return give_back_lists(op, kAdamWrites);
    const bool amsgrad = op.flag("amsgrad");
    const TensorList& means = state_list(op, "exp_avgs");
    const TensorList& squares = state_list(op, "exp_avg_sqs");
    const TensorList& largest = state_list(op, "max_exp_avg_sqs", amsgrad);
    const TensorList& steps = state_list(op, "state_steps");
    const double rate = number_or_tensor(op, "lr");
    const double beta1 = op.number("beta1");
    const double beta2 = op.number("beta2");
    std::vector<TensorList> lists(5);
    for (size_t i = 0; i < steps.size(); ++i) {
        ParameterStep step(op, i);
        if (op.argument() == "decoupled")
            step.decay_parameter(rate);
        else
            step.decay_gradient();
        const Tensor mean = step.of(
            "lerp_Scalar",
            {{"self", op.held(means[i])}, {"end", step.gradient()}, {"weight", Scalar{1 - beta1}}});
        const Tensor square =
            step.plus_squares(step.with("mul_Scalar", op.held(squares[i]), beta2), 1 - beta2);
        Tensor bound = square;
        if (amsgrad) {
            bound = step.of("maximum", {{"self", op.held(largest[i])}, {"other", square}});
            lists[4].push_back(bound);
        }
        const double count = steps[i].at(0);
        const double correction = std::sqrt(1 - std::pow(beta2, count));
        const Tensor root = step.with("div_Scalar", step.root(bound), correction);
        step.descend(mean,
                     step.with("add_Scalar", root, op.number("eps")),
                     rate / (1 - std::pow(beta1, count)));
        lists[0].push_back(step.parameter());
        lists[1].push_back(step.unscaled());
        lists[2].push_back(mean);
        lists[3].push_back(square);
    }
    if (!amsgrad) lists[4] = largest;
    give_lists(op, kAdamWrites, std::move(lists));
}

constexpr auto kSgdWrites =
    std::to_array<std::string_view>({"self", "grads", "momentum_buffer_list"});

void lower_sgd(Lowering& op) {
    if (is_skipped(op)) return give_back_lists(op, kSgdWrites);
    const double momentum = op.number("momentum");
    const bool is_first = op.flag("is_first_step");
    // In a first step nothing is in the buffers yet, and recorders may leave them out.
    const TensorList none;
    const TensorList& buffers = is_first && !op.has("momentum_buffer_list")
                                    ? none
                                    : state_list(op, "momentum_buffer_list", momentum != 0);
    const double rate = number_or_tensor(op, "lr");
    std::vector<TensorList> lists(3);
    for (size_t i = 0; i < op.raw_list("self").size(); ++i) {
        ParameterStep step(op, i);
        step.decay_gradient();
        Tensor direction = step.gradient();
        if (momentum != 0) {
            Tensor buffer = direction;
            if (!is_first)
                buffer = step.sum(step.with("mul_Scalar", op.held(buffers[i]), momentum),
                                  step.gradient(),
                                  1 - op.number("dampening"));
            direction = op.flag("nesterov") ? step.sum(step.gradient(), buffer, momentum) : buffer;
            lists[2].push_back(buffer);
        }
        step.descend(direction, rate);
        lists[0].push_back(step.parameter());
        lists[1].push_back(step.unscaled());
    }
    if (momentum == 0) lists[2] = buffers;
    give_lists(op, kSgdWrites, std::move(lists));
}

constexpr auto kAdagradWrites =
    std::to_array<std::string_view>({"self", "grads", "state_sums", "state_steps"});

void lower_adagrad(Lowering& op) {
    if (is_skipped(op)) return give_back_lists(op, kAdagradWrites);
    const TensorList& sums = state_list(op, "state_sums");
    const TensorList& steps = state_list(op, "state_steps");
    std::vector<TensorList> lists(4);
    lists[3] = steps;
    for (size_t i = 0; i < steps.size(); ++i) {
        ParameterStep step(op, i);
        step.decay_gradient();
        const double rate =
            number_or_tensor(op, "lr") / (1 + (steps[i].at(0) - 1) * op.number("lr_decay"));
        const Tensor squares = step.plus_squares(op.held(sums[i]), 1);
        step.descend(
            step.gradient(), step.with("add_Scalar", step.root(squares), op.number("eps")), rate);
        lists[0].push_back(step.parameter());
        lists[1].push_back(step.unscaled());
        lists[2].push_back(squares);
    }
    give_lists(op, kAdagradWrites, std::move(lists));
}

constexpr OpRow adam_row(std::string_view schema, std::string_view decay = {}) {
    return {
        .schema = schema,
        .launches =
            {"RealDiv", "Neg", "Mul", "Muls", "Axpy", "Add", "Lerp", "Addcmul", "Maximum", "Sqrt"},
        .as = "addcdiv",
        .note =
            "for each parameter: lerp_Scalar, mul_Scalar, addcmul, sqrt, div_Scalar, "
            "add_Scalar, addcdiv",
        .lower = lower_adam,
        .argument = decay,
        .is_composed = true};
}

constexpr OpRow sgd_row(std::string_view schema) {
    return {.schema = schema,
            .launches = {"RealDiv", "Neg", "Muls", "Axpy", "Add", "Mul"},
            .note = "for each parameter: mul_Scalar and add_Tensor",
            .lower = lower_sgd,
            .is_composed = true};
}

}  // namespace

// One step's schema, whose rate is a number or a tensor.
#define ADAM(name, rate)                                                                      \
    name "(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] " \
         "max_exp_avg_sqs, Tensor[] state_steps, *, " rate                                    \
         " lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool "  \
         "maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self, "     \
         "Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs)"
#define SGD(name, rate)                                                                     \
    name "(Tensor[] self, Tensor[] grads, Tensor[]? momentum_buffer_list, *, float "        \
         "weight_decay, float momentum, " rate                                              \
         " lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? " \
         "grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self, Tensor[] grads, "     \
         "Tensor[] momentum_buffer_list)"

std::span<const OpRow> fused_optimizers_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        adam_row(ADAM("_fused_adam_", "float")),
        adam_row(ADAM("_fused_adam_.tensor_lr", "Tensor")),
        adam_row(ADAM("_fused_adamw_", "float"), "decoupled"),
        adam_row(ADAM("_fused_adamw_.tensor_lr", "Tensor"), "decoupled"),
        sgd_row(SGD("_fused_sgd_", "float")),
        sgd_row(SGD("_fused_sgd_.tensor_lr", "Tensor")),
        {.schema = "_fused_adagrad_(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] "
                   "state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool "
                   "maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self, "
                   "Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps)",
         .launches = {"RealDiv", "Neg", "Muls", "Axpy", "Add", "Addcmul", "Sqrt"},
         .as = "addcdiv",
         .note = "for each parameter: addcmul, sqrt, add_Scalar, addcdiv",
         .lower = lower_adagrad,
         .is_composed = true},
    });
    return kRows;
}

#undef ADAM
#undef SGD

}  // namespace npuscope::backend
