"""More cases of core_cases.json: ops on lists of tensors, and the steps of optimizers on lists of parameters."""
import torch

from generate_op_cases import case, grid


def positive(*shape):
    return grid(*shape, low=1, high=3)


def each_tensor(name, one, *arguments, first=None):
    """An op on lists and the form that replaces self; `one` computes one tensor."""
    def oracle(*a):
        return [one(*(v[i] if isinstance(v, list) else v for v in a)) for i in range(len(a[0]))]
    base, _, overload = name.partition(".")
    for form in (base, base + "_"):
        case(form + ("." + overload if overload else ""), first or two_tensors(), *arguments, oracle=oracle)


def two_tensors(low=0.25, high=3):
    return [grid(2, 3, low=low, high=high), grid(4, low=low, high=high)]


def more_lists_of_tensors():
    numbers = [1.5, -0.5]
    for name in ("add", "sub", "mul", "pow"):
        each_tensor(f"_foreach_{name}.ScalarList", getattr(torch, name), numbers)
    for name in ("add", "div"):
        each_tensor(f"_foreach_{name}.Tensor", getattr(torch, name), positive())
    each_tensor("_foreach_addcmul.ScalarList", lambda x, a, b, v: torch.addcmul(x, a, b, value=v),
                two_tensors(), two_tensors(), numbers)
    each_tensor("_foreach_lerp.List", torch.lerp, two_tensors(), two_tensors())
    each_tensor("_foreach_lerp.ScalarList", torch.lerp, two_tensors(), numbers)
    each_tensor("_foreach_pow.List", torch.pow, two_tensors())
    for name, other, one in (("clamp_min", "maximum", torch.clamp_min), ("clamp_max", "minimum", torch.clamp_max)):
        for form in (name, other):
            each_tensor(f"_foreach_{form}.List", getattr(torch, other), two_tensors())
            each_tensor(f"_foreach_{form}.ScalarList", one, numbers)
        each_tensor(f"_foreach_{other}.Scalar", one, 1.5)
    for name in ("acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "expm1", "floor", "frac", "round",
                 "sigmoid", "sign", "sin", "sinh", "tan", "tanh", "trunc"):
        each_tensor("_foreach_" + name, getattr(torch, name), first=two_tensors(-0.9, 0.9))
    for name in ("log", "log10", "log1p", "log2", "rsqrt"):
        each_tensor("_foreach_" + name, getattr(torch, name))


def optimizers():
    """One step of PyTorch's own optimizers, which keep their state in other places than the fused forms."""
    def stepped(make, parameters, gradients, state, kept=None):
        """The parameters after a step, and what their states are then; `state` is {name: one a parameter}."""
        own = [p.clone().requires_grad_() for p in parameters]
        optimizer = make(own)
        for i, p in enumerate(own):
            p.grad = gradients[i].clone()
            optimizer.state[p] = {name: values[i].clone() for name, values in state.items()}
        optimizer.step()
        return [p.detach() for p in own], {n: [optimizer.state[p][n] for p in own] for n in kept or state}

    def adam(kind):
        def step(parameters, gradients, means, squares, largest, steps, *, lr, beta1, beta2, weight_decay, eps, amsgrad,
                 maximize):
            state = {"exp_avg": means, "exp_avg_sq": squares, "step": [s - 1 for s in steps]}
            if amsgrad:
                state["max_exp_avg_sq"] = largest
            made, after = stepped(lambda own: kind(own, float(lr), (beta1, beta2), eps, weight_decay, amsgrad,
                                                   maximize=maximize), parameters, gradients, state)
            return made, gradients, after["exp_avg"], after["exp_avg_sq"], after.get("max_exp_avg_sq", largest)
        return step
    named = {"beta1": 0.75, "beta2": 0.875, "eps": 0.0625}
    for name, kind in (("_fused_adam_", torch.optim.Adam), ("_fused_adamw_", torch.optim.AdamW)):
        for form, rate in ((name, 0.125), (name + ".tensor_lr", torch.tensor(0.125, dtype=torch.float64))):
            for amsgrad, decay in ((True, 0.25), (False, 0.0)):
                case(form, two_tensors(), two_tensors(-1, 1), two_tensors(-1, 1), two_tensors(),
                     two_tensors() if amsgrad else [positive(1)] * 2, [positive() * 0 + 3, positive() * 0 + 1],
                     lr=rate, weight_decay=decay, amsgrad=amsgrad, maximize=amsgrad, oracle=adam(kind), **named)

    def sgd(parameters, gradients, buffers, *, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step):
        state = {} if is_first_step else {"momentum_buffer": buffers}
        made, after = stepped(lambda own: torch.optim.SGD(own, float(lr), momentum, dampening, weight_decay, nesterov,
                                                          maximize=maximize), parameters, gradients, state,
                              ["momentum_buffer"])
        return made, gradients, after["momentum_buffer"]
    for form, rate in (("_fused_sgd_", 0.125), ("_fused_sgd_.tensor_lr", torch.tensor(0.125, dtype=torch.float64))):
        for nesterov, first in ((False, False), (True, False), (False, True)):
            case(form, two_tensors(), two_tensors(-1, 1), two_tensors(-1, 1), weight_decay=0.25, momentum=0.5, lr=rate,
                 dampening=0.0 if nesterov else 0.25, nesterov=nesterov, maximize=nesterov, is_first_step=first, oracle=sgd)

    def adagrad(parameters, gradients, sums, steps, *, lr, lr_decay, weight_decay, eps, maximize):
        state = {"sum": sums, "step": [s - 1 for s in steps]}
        made, after = stepped(lambda own: torch.optim.Adagrad(own, lr, lr_decay, weight_decay, 0, eps,
                                                              maximize=maximize), parameters, gradients, state)
        return made, gradients, after["sum"], steps
    for maximize in (False, True):
        case("_fused_adagrad_", two_tensors(), two_tensors(-1, 1), two_tensors(), [positive() * 0 + 3] * 2, lr=0.125,
             lr_decay=0.25, weight_decay=0.25, eps=0.0625, maximize=maximize, oracle=adagrad)
