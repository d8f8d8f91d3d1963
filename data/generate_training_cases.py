#!/usr/bin/python3
"""Writes data/training_cases.json: ops of training steps (gradients, losses, in-place forms, fills), in the form
and by the rules of generate_op_cases.py. In-place ops run on a copy of self. Needs Debian's python3-torch.
"""
import torch

from generate_op_cases import Mask, case, grid, ints, write

aten = torch.ops.aten


def convolution_gradients():
    for x, w, arguments, mask in (
            ((2, 3, 6, 5), (4, 3, 3, 3), ([1, 1], [1, 1], [1, 1], False, [0, 0], 1), (True, True, True)),
            ((1, 4, 7, 7), (6, 2, 3, 2), ([2, 1], [0, 1], [2, 1], False, [0, 0], 2), (True, True, False)),
            ((2, 4, 5, 5), (4, 1, 3, 3), ([2, 2], [1, 1], [1, 1], False, [0, 0], 4), (False, True, True)),
            ((2, 4, 3, 4), (4, 3, 3, 3), ([2, 2], [1, 1], [1, 1], True, [1, 0], 2), (True, True, True)),
            ((2, 3, 9), (4, 3, 3), ([2], [1], [1], False, [0], 1), (True, True, True)),
            ((1, 2, 4, 4), (3, 2, 2, 2), ([1, 1], [0, 0], [1, 1], False, [0, 0], 1), (True, False, False))):
        x, w = grid(*x, low=-1, high=1), grid(*w, low=-1, high=1)
        y = torch.convolution(x, w, None, *arguments)
        case("convolution_backward", grid(*y.shape, low=-1, high=1), x, w, [y.shape[1]], *arguments, Mask(mask))


def normalization_gradients():
    for shape, train, weighted, mask in (((3, 4, 5, 2), True, True, (True, True, True)),
                                         ((3, 4, 5, 2), False, True, (True, True, True)),
                                         ((6, 3), True, False, (True, False, False)),
                                         ((4, 2, 3), True, True, (False, True, True))):
        # PyTorch takes the saved statistics as given; these are exact in every dtype, x's own would not be.
        channels = shape[1]
        running = (grid(channels), grid(channels, low=0.5, high=2))
        case("native_batch_norm_backward", grid(*shape), grid(*shape), grid(channels) if weighted else None, *running,
             grid(channels, low=-1, high=1), grid(channels, low=0.5, high=2), train, 1 / 1024, Mask(mask))


def activation_gradients():
    for name in ("tanh_backward", "sigmoid_backward", "silu_backward"):
        case(name, grid(3, 5), grid(3, 5, low=-1, high=1))
    case("threshold_backward", grid(3, 5), grid(3, 5, step=1), 0)
    case("threshold_backward", grid(3, 5), grid(3, 5, step=1), 1)
    case("threshold_backward", grid(3, 5), grid(3, 5), 0.5)
    case("_log_softmax_backward_data", grid(3, 5), grid(3, 5, low=-4, high=0), 1,
         oracle=lambda g, y, dim: aten._log_softmax_backward_data(g, y, dim, torch.float64))
    case("_softmax_backward_data", grid(2, 3, 4), grid(2, 3, 4, low=0, high=1), 1,
         oracle=lambda g, y, dim: aten._softmax_backward_data(g, y, dim, torch.float64))


def losses():
    target = torch.tensor([1, 3, 0, 2])
    for weight in (None, grid(4, low=0.25, high=2)):
        for reduction in (0, 1, 2):
            x, ignored = grid(4, 4), -100 if weight is None else 3
            output, total = aten.nll_loss_forward(x, target, weight, reduction, ignored)
            case("nll_loss_forward", x, target, weight, reduction, ignored)
            gradient = grid(4) if reduction == 0 else grid(low=0.5)
            case("nll_loss_backward", gradient, x, target, weight, reduction, ignored, total)
    case("nll_loss_forward", grid(5), torch.tensor(2), None, 1, -100)


def in_place():
    def on_copy(name):
        base, _, overload = name.partition(".")
        run = getattr(getattr(aten, base), overload or "default")
        return lambda x, *arguments, **named: run(x.clone(), *arguments, **named)

    def in_place_case(name, *arguments, **named):
        case(name, *arguments, oracle=on_copy(name), **named)

    positive = grid(3, 4, low=0.5, high=3)
    for name in ("add_", "sub_", "mul_"):
        in_place_case(name + ".Tensor", grid(3, 4), grid(4))
        in_place_case(name + ".Tensor", ints(3, 4), ints(3, 4))
        in_place_case(name + ".Scalar", grid(3, 4), 1.5)
    in_place_case("add_.Tensor", ints(), 1)
    in_place_case("add_.Tensor", grid(3, 4), grid(3, 4), alpha=-0.125)
    in_place_case("div_.Tensor", grid(3, 4), positive)
    in_place_case("div_.Scalar", grid(3, 4), 4)
    for name in ("sqrt_", "neg_", "reciprocal_", "relu_"):
        in_place_case(name, positive if name != "relu_" else grid(3, 4))
    in_place_case("zero_", grid(3, 2))
    in_place_case("fill_.Scalar", grid(3, 2), 0.625)
    in_place_case("fill_.Scalar", ints(3), 7)
    in_place_case("copy_", grid(3, 4), grid(3, 4))
    in_place_case("copy_", grid(3, 4), grid(3, 1))
    in_place_case("copy_", grid(2), ints(2))
    in_place_case("as_strided_", grid(2, 3, 1), [3, 2], [1, 3])
    in_place_case("as_strided_", grid(8), [2, 3], [2, 1], 1)


def fills():
    case("zeros_like", grid(2, 3))
    case("ones_like", ints(2, 3))
    case("ones_like", grid())
    case("new_zeros", grid(2, 3), [4, 2])


if __name__ == "__main__":
    write("training_cases.json",
          (convolution_gradients, normalization_gradients, activation_gradients, losses, in_place, fills))
