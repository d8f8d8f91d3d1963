"""Families of generate_core_cases.py that are about shapes and places: pooling, resizing, padding, indexing, views,
sequences, convolutions of volumes.
"""
import torch

from generate_op_cases import Mask, case, grid, ints
from list_shapes import more_lists_of_tensors, optimizers

aten = torch.ops.aten


def small(*shape):
    return grid(*shape, low=-1, high=1)


def pooling_gradients():
    x = grid(2, 3, 7, 6)
    for arguments in (([3, 3], [2, 2], [1, 1], [1, 1], False), ([2, 2], [2, 2], [0, 0], [1, 1], True)):
        y, places = aten.max_pool2d_with_indices(x, *arguments)
        case("max_pool2d_with_indices_backward", small(*y.shape), x, *arguments, places)
    for arguments in (([2, 2], [2, 2], [0, 0], False, True, None), ([3, 3], [2, 2], [1, 1], False, False, None),
                      ([3, 3], [2, 2], [1, 1], True, True, None), ([3, 2], [1, 1], [1, 0], False, True, 5)):
        y = aten.avg_pool2d(x, *arguments)
        case("avg_pool2d_backward", small(*y.shape), x, *arguments)
    v = grid(1, 2, 4, 5, 4)
    for arguments in (([2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], False),
                      ([3, 2, 3], [1, 2, 2], [1, 0, 1], [1, 2, 1], True)):
        y, places = aten.max_pool3d_with_indices(v, *arguments)
        case("max_pool3d_with_indices", v, *arguments)
        case("max_pool3d_with_indices_backward", small(*y.shape), v, *arguments, places)
    for arguments in (([2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None),
                      ([3, 2, 3], [1, 2, 2], [1, 0, 1], True, False, None)):
        y = aten.avg_pool3d(v, *arguments)
        case("avg_pool3d", v, *arguments)
        case("avg_pool3d_backward", small(*y.shape), v, *arguments)
    case("avg_pool1d", grid(2, 3, 8), [3], [2], [1])
    case("adaptive_avg_pool1d", grid(2, 3, 8), [3])
    for image, size in ((x, [1, 1]), (x, [3, 4]), (grid(3, 5, 5), [2, 3])):
        case("_adaptive_avg_pool2d", image, size)
        y = aten._adaptive_avg_pool2d(image, size)
        case("_adaptive_avg_pool2d_backward", small(*y.shape), image)
        case("adaptive_max_pool2d", image, size)
        y, places = aten.adaptive_max_pool2d(image, size)
        case("adaptive_max_pool2d_backward", small(*y.shape), image, places)
    case("_adaptive_avg_pool3d", v, [2, 3, 2])
    case("_adaptive_avg_pool3d_backward", small(1, 2, 2, 3, 2), v)


def resizes():
    line, image, volume = small(2, 2, 5), small(1, 2, 4, 3), small(1, 2, 2, 3, 2)
    case("upsample_nearest1d", line, [8])
    case("upsample_nearest1d", line, [10], 2.0)
    case("upsample_nearest1d_backward", small(2, 2, 8), [8], [2, 2, 5])
    for align in (False, True):
        case("upsample_linear1d", line, [8], align)
        case("upsample_linear1d_backward", small(2, 2, 8), [8], [2, 2, 5], align)
        for name in ("bilinear", "bicubic"):
            case(f"upsample_{name}2d", image, [7, 6], align)
            case(f"upsample_{name}2d_backward", small(1, 2, 7, 6), [7, 6], [1, 2, 4, 3], align)
        case("upsample_bilinear2d", image, [2, 2], align)
        case("upsample_trilinear3d", volume, [3, 5, 4], align)
        case("upsample_trilinear3d_backward", small(1, 2, 3, 5, 4), [3, 5, 4], [1, 2, 2, 3, 2], align)
    case("upsample_bilinear2d", image, [6, 4], False, 1.5, 1.5)
    case("upsample_nearest2d", image, [7, 6])
    case("upsample_nearest2d", image, [8, 6], 2.0, 2.0)
    case("upsample_nearest2d_backward", small(1, 2, 7, 6), [7, 6], [1, 2, 4, 3])
    case("upsample_nearest3d", volume, [3, 5, 4])
    case("upsample_nearest3d_backward", small(1, 2, 3, 5, 4), [3, 5, 4], [1, 2, 2, 3, 2])
    case("upsample_nearest2d.vec", image, None, [2.0, 1.5])
    case("upsample_nearest2d.vec", image, [3, 4], None)
    case("upsample_bilinear2d.vec", image, None, False, [2.0, 1.5])
    case("upsample_nearest2d_backward.vec", small(1, 2, 8, 4), None, [1, 2, 4, 3], [2.0, 1.5])
    case("upsample_bilinear2d_backward.vec", small(1, 2, 8, 4), None, [1, 2, 4, 3], False, [2.0, 1.5])
    case("upsample_bilinear2d_backward.vec", small(1, 2, 7, 6), [7, 6], [1, 2, 4, 3], True, None)


def weight_norms():
    for dim, shape in ((0, (3, 1, 1)), (2, (1, 1, 2))):
        v, g = grid(3, 4, 2), positive_norms(*shape)
        case("_weight_norm_interface", v, g, dim, oracle=lambda v, g, d: (
            v * (g / v.norm(2, [i for i in range(3) if i != d], True)), v.norm(2, [i for i in range(3) if i != d], True)))

        def gradient(dw, v, g, norms, d):
            sums = (dw * v).sum([i for i in range(3) if i != d], True)
            return g / norms * (dw - v * sums / norms**2), sums / norms
        case("_weight_norm_interface_backward", grid(3, 4, 2), v, g, positive_norms(*shape), dim, oracle=gradient)
    # The formulas above are what autograd gives.
    v, g = grid(3, 4, 2).requires_grad_(), positive_norms(3, 1, 1).requires_grad_()
    norms = v.norm(2, [1, 2], True)
    dw = grid(3, 4, 2)
    own = gradient(dw, v.detach(), g.detach(), norms.detach(), 0)
    assert all(torch.allclose(a, b) for a, b in zip(torch.autograd.grad(v * (g / norms), (v, g), dw), own))


def positive_norms(*shape):
    return grid(*shape, low=1, high=3)


def later_rows():
    """New cases go to the end: grid() and ints() draw in turn, so that a case changes those behind it."""
    case("elu", grid(3, 5), 1.5, 2, 0.5)
    for reduction in (0, 1, 2):
        case("cross_entropy_loss", grid(3, 5), torch.tensor([4, 0, -100]), None, reduction)
        case("cross_entropy_loss", grid(2, 5, 3, 2), torch.arange(12).reshape(2, 3, 2) % 5, grid(5, low=0.1, high=2.0), reduction)
    case("cross_entropy_loss", grid(2, 4, 3), torch.tensor([[0, 3, 1], [2, 2, 0]]), None, 1, 1)
    case("cross_entropy_loss", grid(4), torch.tensor(2))
    for reduction in (0, 1, 2):
        case("cross_entropy_loss", grid(3, 5), torch.tensor([4, 0, -100]), None, reduction, -100, 0.1)
        case("cross_entropy_loss", grid(3, 5), torch.tensor([4, 0, 2]), grid(5, low=0.1, high=2.0), reduction, 2, 0.25)
        case("cross_entropy_loss", grid(3, 5), grid(3, 5, low=0.1, high=1.0), None, reduction, -100, 0.0)
        case("cross_entropy_loss", grid(2, 5, 3), grid(2, 5, 3, low=0.1, high=1.0), grid(5, low=0.1, high=2.0), reduction, -100, 0.1)
    case("cross_entropy_loss", grid(2, 4, 3), torch.tensor([[0, 3, 1], [2, 2, 0]]), None, 1, 1, 0.1)

    def attention(q, k, v, mask=None, p=0.0, causal=False, scale=None):
        scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
        if causal:
            scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        return torch.softmax(scores, -1) @ v
    name = "scaled_dot_product_attention"
    case(name, grid(2, 3, 4, 8), grid(2, 3, 5, 8), grid(2, 3, 5, 6), oracle=attention)
    case(name, grid(3, 4, 8), grid(3, 4, 8), grid(3, 4, 8), None, 0.0, True, oracle=attention)
    case(name, grid(2, 4, 8), grid(2, 5, 8), grid(2, 5, 8), grid(2, 4, 5), oracle=attention)
    case(name, grid(2, 4, 8), grid(2, 3, 8), grid(2, 3, 8), torch.tensor([[True, False, True]] * 4), oracle=attention)


    def attention_and_sums(q, k, v, p=0.0, causal=False, *, attn_mask=None, scale=None):
        scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
        if causal:
            scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
        scores = scores if attn_mask is None else scores + attn_mask
        return torch.softmax(scores, -1) @ v, scores.logsumexp(-1)

    def attention_gradients(dy, q, k, v, y, sums, p, causal, **named):
        given = [x.detach().clone().requires_grad_() for x in (q, k, v)]
        return torch.autograd.grad(attention_and_sums(*given, p, causal, **named)[0], given, dy)
    name = "_scaled_dot_product_flash_attention_for_cpu"
    for causal, named in ((False, {}), (True, {"scale": 0.5}), (False, {"attn_mask": grid(2, 1, 4, 4)})):
        q, k, v = (small(2, 2, 4, 8) for _ in range(3))
        case(name, q, k, v, 0.0, causal, oracle=attention_and_sums, **named)
        y, sums = attention_and_sums(q, k, v, 0.0, causal, **named)
        case(name + "_backward", small(2, 2, 4, 8), q, k, v, y, sums, 0.0, causal, oracle=attention_gradients, **named)
    optimizers()
    more_lists_of_tensors()
    case("_foreach_max", [grid(2, 3), grid(4)], oracle=lambda a: [x.max() for x in a])
    case("_foreach_copy_", [grid(2, 3), grid(4)], [grid(2, 3), grid(4)], oracle=lambda a, b: b)
    dy, x = grid(2, 1, 4), grid(3, 4)  # as of many gradients of one tensor
    for name in ("sigmoid", "tanh", "silu", "hardswish", "mish"):
        case(name + "_backward", dy, x)
    for name, *rest in (("threshold", 0.5), ("hardtanh", -1, 1), ("leaky_relu", 0.125, False), ("softplus", 2, 20),
                        ("softshrink", 0.75)):
        case(name + "_backward", dy, x, *rest)
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            case("grid_sampler_2d_backward", small(2, 3, 3, 2), small(2, 3, 5, 4), grid(2, 3, 2, 2, low=-1.25, high=1.25), mode, padding,
                 padding == 1, Mask((True, True)))


def mirror_pads():
    for name, limit in (("reflection", 2), ("replication", 3)):
        for dimensions, shape in ((1, (2, 2, 4)), (2, (1, 2, 4, 3)), (3, (1, 1, 3, 4, 3))):
            padding = [1, min(limit, 2)] * dimensions
            case(f"{name}_pad{dimensions}d", small(*shape), padding)
            case(f"{name}_pad{dimensions}d", small(*shape[1:]), padding)
            y = getattr(aten, f"{name}_pad{dimensions}d")(small(*shape), padding)
            case(f"{name}_pad{dimensions}d_backward", small(*y.shape), small(*shape), padding)


def indexing():
    x = grid(3, 4, 2)
    rows, columns = torch.tensor([2, 0, -1]), torch.tensor([[3], [1]])
    mask = grid(3, 4) > 0
    choices = ([rows], [None, columns], [rows, torch.tensor([0, 3, 3])], [columns % 3, None, torch.tensor([1, 0, 1])],
               [None, columns, torch.tensor([0, 1])], [mask], [None, None, torch.tensor([True, False])])
    for name in ("index.Tensor", "_unsafe_index.Tensor"):
        for indices in choices[:2] if name[0] == "_" else choices:
            case(name, x, indices, oracle=aten.index.Tensor)
    for name in ("index_put", "_unsafe_index_put"):
        for indices in choices:
            values = small(*aten.index.Tensor(x, indices).shape)
            case(name, x, indices, values, oracle=aten.index_put)
            case(name, x, indices, values, True, oracle=aten.index_put)
        case(name, x, [rows], grid(2), True, oracle=aten.index_put)
        case(name, ints(4), [torch.tensor([1, 1, 3])], ints(3), True, oracle=aten.index_put)
    case("index_add", x, 1, torch.tensor([3, 0, 3]), grid(3, 3, 2))
    case("index_add", x, 0, torch.tensor([1]), grid(1, 4, 2), alpha=0.5)
    case("index_copy", x, 2, torch.tensor([1, 0]), grid(3, 4, 2))
    case("index_fill.int_Scalar", x, 1, torch.tensor([3, 0]), 1.5)
    case("index_fill.int_Tensor", x, 0, torch.tensor([2]), grid())
    case("take", x, torch.tensor([[0, 23], [5, -1]]))
    case("masked_scatter", x, mask.unsqueeze(-1), grid(24))
    case("masked_select", x, mask.unsqueeze(-1))
    words = torch.tensor([[0, 4, 2], [2, 2, 1]])
    for padding, scale in ((-1, False), (2, False), (-1, True)):
        case("embedding_dense_backward", small(2, 3, 3), words, 6, padding, scale)
    index = torch.tensor([[0, 2, 1], [3, 0, 2]])
    case("scatter.value", grid(4, 3), 0, index, 1.5)
    case("scatter.value", ints(4, 3), 0, index, 7)
    case("scatter.reduce", grid(4, 3), 0, index, grid(2, 3), reduce="add")
    case("scatter.reduce", grid(4, 3), 0, index, grid(2, 3), reduce="multiply")
    case("scatter.value_reduce", grid(4, 3), 0, index, 1.5, reduce="multiply")


def subsets():
    x = grid(3, 4, 5)
    case("diagonal", x)
    case("diagonal", x, 1, 2, 0)
    case("diagonal", x, -2, 1, 2)
    case("unfold", x, 1, 2, 1)
    case("unfold", x, -1, 3, 2)
    case("unbind.int", grid(3, 2))
    case("unbind.int", grid(3, 2), 1)
    case("narrow", x, 1, 1, 2)
    case("narrow", x, 2, -2, 2)
    case("chunk", x, 2, 2)
    case("chunk", x, 4, 0)
    case("slice_backward", grid(3, 2, 5), [3, 4, 5], 1, 1, 4, 2)
    case("select_backward", grid(3, 5), [3, 4, 5], 1, -1)
    case("diagonal_backward", grid(5, 3), [3, 4, 5], 1, 0, 1)
    case("unfold_backward", grid(3, 3, 5, 2), [3, 4, 5], 1, 2, 1)
    case("slice_scatter", x, grid(3, 2, 5), 1, 1, None, 2)
    case("select_scatter", x, grid(3, 5), 1, 2)
    case("diagonal_scatter", x, grid(5, 3), 1)
    case("diag_embed", grid(2, 3))
    case("diag_embed", grid(2, 3), 1, 0, 2)


def moves():
    x = grid(2, 3, 4)
    case("flip", x, [0, 2])
    case("roll", x, [1, -2], [0, 2])
    case("roll", x, [5])
    case("repeat", x, [2, 1, 1, 2])
    case("repeat_interleave.self_int", x, 2, 1)
    case("repeat_interleave.self_int", grid(2, 2), 3)
    case("stack", [grid(2, 3), grid(2, 3)])
    case("stack", [ints(2), grid(2)], -1)
    case("im2col", grid(1, 2, 5, 4), [2, 3], [1, 1], [1, 0], [2, 1])
    case("col2im", small(1, 12, 6), [5, 4], [2, 3], [1, 1], [1, 0], [2, 1])
    case("pixel_shuffle", grid(1, 8, 2, 3), 2)
    case("pixel_unshuffle", grid(8, 4, 6), 2)


def creations():
    real = lambda f: (lambda *a, **n: f(*a, dtype=torch.float64, **n))
    case("arange", 5)
    case("arange.start", 2, 7)
    case("arange.start_step", 7, 2, -2)
    case("arange.start_step", 0.5, 3.0, 0.25, oracle=real(aten.arange.start_step))
    case("linspace", -1, 2, 7, oracle=real(aten.linspace))
    case("eye", 3, oracle=real(aten.eye))
    case("eye.m", 2, 4, oracle=real(aten.eye.m))
    case("zeros", [2, 3], oracle=real(aten.zeros))
    case("ones", [2, 3], oracle=real(aten.ones))
    case("full", [2, 3], 1.25, oracle=real(aten.full))
    case("full", [2], 7)
    case("full_like", grid(2, 3), 1.25)
    case("new_full", grid(2), [3], 0.5)
    case("new_ones", ints(2), [3])
    case("scalar_tensor", 2.5, oracle=real(aten.scalar_tensor))
    case("fill.Scalar", grid(2, 3), 0.75)
    case("fill.Tensor", grid(2, 3), grid())
    case("zero", grid(2, 3))
    for name, arguments in (("empty.memory_format", ([2, 3],)), ("empty_strided", ([2, 3], [3, 1])),
                            ("empty_like", (grid(2, 3),)), ("new_empty", (grid(2), [3, 1])),
                            ("new_empty_strided", (grid(2), [3, 1], [1, 1]))):
        case(name, *arguments, oracle=lambda *a: torch.zeros(
            a[0].shape if name == "empty_like" else a[1] if name.startswith("new") else a[0], dtype=torch.float64))
    case("resize_", grid(2, 3), [4], oracle=lambda t, s: t.clone().resize_(s))
    case("lift_fresh", grid(2))


def fills_and_views():
    case("copy", grid(3, 4), grid(3, 1), oracle=lambda t, s: t.clone().copy_(s))
    case("as_strided", grid(8), [2, 3], [2, 1], 1)
    case("_reshape_alias", grid(2, 6), [3, 4], [4, 1])
    case("expand_as", grid(3, 1), grid(2, 3, 4))
    case("view_as", grid(2, 6), grid(3, 4))
    for name, arguments in (("unsqueeze_", (grid(2, 3), 1)), ("squeeze_", (grid(1, 3, 1),)), ("squeeze_.dim", (grid(1, 3, 1), 0)),
                            ("transpose_", (grid(2, 3, 4), 0, -1)), ("t_", (grid(2, 3),))):
        base, _, overload = name.partition(".")
        case(name, *arguments, oracle=lambda x, *a: getattr(getattr(aten, base), overload or "default")(x.clone(), *a))
    case("unsafe_split.Tensor", grid(2, 5), 2, 1)
    case("unsafe_split_with_sizes", grid(2, 6), [1, 2, 3], 1)


def volume_convolutions():
    for x, w, arguments in (((1, 2, 4, 5, 4), (4, 2, 3, 2, 3), ([1, 2, 1], [1, 0, 1], [1, 1, 1], False, [0, 0, 0], 1)),
                            ((1, 4, 3, 3, 4), (4, 2, 2, 3, 2), ([1, 1, 1], [0, 1, 0], [1, 1, 2], False, [0, 0, 0], 2)),
                            ((1, 2, 2, 3, 2), (2, 3, 2, 3, 2), ([2, 1, 2], [0, 1, 0], [1, 1, 1], True, [1, 0, 0], 1))):
        x, w = small(*x), small(*w)
        outputs = w.shape[1] if arguments[3] else w.shape[0]
        case("convolution", x, w, grid(outputs), *arguments, oracle=torch.convolution)
        y = torch.convolution(x, w, None, *arguments)
        case("convolution_backward", small(*y.shape), x, w, [outputs], *arguments, Mask((True, True, True)))


def bags():
    for p in (0.0, 1.0, 2.0, 3.0):
        case("_cdist_forward", grid(2, 3, 4), grid(5, 4), p, None,
             oracle=lambda a, b, p, m: torch.cdist(a, b.expand(2, 5, 4), p, "donot_use_mm_for_euclid_dist"))
        a, b, d = grid(2, 3, 4), grid(2, 5, 4), grid(2, 3, 5, low=1, high=3)
        case("_cdist_backward", grid(2, 3, 5), a, b, p, d)
    case("_pdist_forward", grid(4, 3))
    case("_pdist_forward", grid(4, 3), 1.0)
    case("trace", grid(3, 4))
    case("trace", ints(3, 3))
    weight, words, offsets = grid(6, 3), torch.tensor([0, 4, 2, 2, 1]), torch.tensor([0, 2, 2])
    for mode in (0, 1, 2):
        case("_embedding_bag", weight, words, offsets, False, mode)
        case("_embedding_bag", weight, words, torch.tensor([0, 3, 5]), False, mode, False, None, True)
    case("_embedding_bag", weight, words, offsets, False, 0, False, grid(5), False)


def loss_scaling():
    def unscale(gradients, found, factor):
        odd = not all(bool(torch.isfinite(g).all()) for g in gradients)
        return [g * factor for g in gradients], torch.ones_like(found) if odd else found
    for found in (0.0, 1.0):
        case("_amp_foreach_non_finite_check_and_unscale_", [grid(2, 3), grid(4)], torch.tensor([found]).double(),
             torch.tensor([0.25]).double(), oracle=unscale)
    for found, steps, scale, after in ((1.0, 3, 32.0, 0), (0.0, 3, 64.0, 4), (0.0, 4, 128.0, 0)):
        case("_amp_update_scale_", torch.tensor([64.0]).double(), torch.tensor([steps]), torch.tensor([found]).double(),
             2.0, 0.5, 5, oracle=lambda *a: (torch.tensor([scale]).double(), torch.tensor([after])))
