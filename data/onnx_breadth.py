"""Cases for the operators beyond the first families; generate_onnx_cases.py writes them."""
import numpy as np
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper


def breadth(case, rand, f64):
    """One case or two for each later family; torch or numpy is the oracle."""
    x = rand("breadth", 2, 4, 6, 5)
    v = rand("vector", 3, 4)
    i64 = lambda *n: np.array(n, np.int64)
    case("mish", [("Mish", "x", "y")], {"x": x}, {"y": f64(F.mish, x)}, opset=18)
    case("selu", [("Selu", "x", "y")], {"x": x}, {"y": f64(F.selu, x)})
    case("celu", [("Celu", "x", "y", {"alpha": 1.5})], {"x": x}, {"y": f64(lambda t: F.celu(t, 1.5), x)})
    case("prelu", [("PRelu", "x w", "y")], {"x": x},
         {"y": f64(lambda t: F.prelu(t, torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)), x)},
         {"w": np.array([0.1, 0.2, 0.3, 0.4], np.float32).reshape(4, 1, 1)})
    case("mod", [("Mod", "a b", "y")], {"a": i64(-7, 7, -7, 7), "b": i64(3, 3, -3, -3)}, {"y": i64(2, 1, -1, -2)})
    case("where", [("Greater", "a b", "c"), ("Where", "c a b", "y")], {"a": v, "b": -v}, {"y": np.abs(v)})
    case("pad_reflect", [("Pad", "x p", "y", {"mode": "reflect"})], {"x": v}, {"y": np.pad(v, ((0, 0), (2, 1)), "reflect")},
         {"p": i64(0, 2, 0, 1)})
    case("tile", [("Tile", "x r", "y")], {"x": v}, {"y": np.tile(v, (2, 3))}, {"r": i64(2, 3)})
    case("depth_to_space", [("DepthToSpace", "x", "y", {"blocksize": 2, "mode": "CRD"})], {"x": x},
         {"y": f64(lambda t: F.pixel_shuffle(t, 2), x)})
    case("one_hot", [("OneHot", "i d v", "y")], {"i": i64(2, -1, 0)},
         {"y": np.array([[0, 0, 5], [0, 0, 5], [5, 0, 0]], np.float32)},
         {"d": np.int64(3), "v": np.array([0, 5], np.float32)})
    case("gather_nd", [("GatherND", "x i", "y")], {"x": v}, {"y": v[[2, 0], [1, 3]]}, {"i": np.array([[2, 1], [0, -1]])})
    scattered = v.copy()
    scattered[[2, 0]] += v[:2]
    case("scatter_nd_add", [("ScatterND", "x i u", "y", {"reduction": "add"})], {"x": v, "u": v[:2].copy()}, {"y": scattered},
         {"i": np.array([[2], [0]])}, opset=16)
    case("top_k", [("TopK", "x k", "y i", {"axis": 1})], {"x": v}, {"y": -np.sort(-v, 1)[:, :2], "i": np.argsort(-v, 1)[:, :2]},
         {"k": i64(2)})
    case("cum_sum_backward", [("CumSum", "x a", "y", {"exclusive": 1, "reverse": 1})], {"x": i64(1, 2, 4)}, {"y": i64(6, 4, 0)},
         {"a": np.int64(0)})
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["c"], ["d"]),
         helper.make_node("Mul", ["t", "t"], ["q"])], "body",
        [helper.make_tensor_value_info("n", TensorProto.INT64, []), helper.make_tensor_value_info("c", TensorProto.BOOL, []),
         helper.make_tensor_value_info("s", TensorProto.FLOAT, [3, 4])],
        [helper.make_tensor_value_info("d", TensorProto.BOOL, []), helper.make_tensor_value_info("t", TensorProto.FLOAT, [3, 4]),
         helper.make_tensor_value_info("q", TensorProto.FLOAT, [3, 4])])
    case("loop", [("Loop", "m - x", "y squares", {"body": body})], {"x": v},
         {"y": 4 * v, "squares": np.stack([(k * v) ** 2 for k in (2, 3, 4)])}, {"m": np.int64(3)})
    labels = np.array([[0, 2], [1, 3]])
    logits = rand("logits", 2, 4, 2)
    weight = np.array([1, 2, 0.5, 1.5], np.float32)
    case("cross_entropy", [("SoftmaxCrossEntropyLoss", "x l w", "y", {"ignore_index": 2})], {"x": logits, "l": labels},
         {"y": f64(lambda t, w: F.cross_entropy(t, torch.from_numpy(labels), w, ignore_index=2), logits, weight)}, {"w": weight})
    case("quantize", [("QuantizeLinear", "x s z", "q"), ("DequantizeLinear", "q s z", "y")], {"x": v},
         {"q": np.clip(np.rint(v.astype(np.float64) / 0.125) + 3, -128, 127).astype(np.int8),
          "y": (np.rint(v.astype(np.float64) / 0.125) * 0.125).astype(np.float32)},
         {"s": np.float32(0.125), "z": np.int8(3)})
    case("resize_cubic", [("Resize", "x - s", "y", {"mode": "cubic"})], {"x": x},
         {"y": f64(lambda t: F.interpolate(t, scale_factor=2, mode="bicubic"), x)}, {"s": np.array([1, 1, 2, 2], np.float32)})
    case("resize_linear_down", [("Resize", "x - - n", "y", {"mode": "linear", "coordinate_transformation_mode": "align_corners"})],
         {"x": x}, {"y": f64(lambda t: F.interpolate(t, (3, 4), mode="bilinear", align_corners=True), x)}, {"n": i64(2, 4, 3, 4)})
    case("einsum", [("Einsum", "a b", "y", {"equation": "nchw,hk->nkc"})], {"a": x, "b": rand("einsum", 6, 3)},
         {"y": f64(lambda a, b: torch.einsum("nchw,hk->nkc", a, b), x, rand("einsum", 6, 3))})
    lstm = torch.nn.LSTM(4, 3, bidirectional=True).double()
    generator = torch.Generator().manual_seed(7)
    for parameter in lstm.parameters():
        parameter.data = torch.rand(parameter.shape, generator=generator, dtype=torch.float64).float().double() - 0.5
    order = [0, 3, 1, 2]  # torch: i f g o; ONNX: i o f c
    gates = lambda t: t.detach().reshape(4, 3, -1)[order].reshape(12, -1).numpy().astype(np.float32)
    parts = {n: [gates(getattr(lstm, f"{n}_l0{d}")) for d in ("", "_reverse")] for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    steps = rand("steps", 5, 2, 4)
    out, (h, c) = lstm(torch.from_numpy(steps.astype(np.float64)))
    f32 = lambda t: t.detach().numpy().astype(np.float32)
    case("lstm", [("LSTM", "x w r b", "y h c", {"hidden_size": 3, "direction": "bidirectional"})], {"x": steps},
         {"y": f32(out.reshape(5, 2, 2, 3).permute(0, 2, 1, 3)), "h": f32(h), "c": f32(c)},
         {"w": np.stack(parts["weight_ih"]), "r": np.stack(parts["weight_hh"]),
          "b": np.stack([np.concatenate([a, b])[:, 0] for a, b in zip(parts["bias_ih"], parts["bias_hh"])])})
    signal = rand("signal", 2, 7, 2)
    spectrum = np.fft.fft(signal[..., 0].astype(np.float64) + 1j * signal[..., 1], axis=1)
    case("dft", [("DFT", "x", "y", {"axis": 1})], {"x": signal}, {"y": np.stack([spectrum.real, spectrum.imag], -1).astype(np.float32)})
    boxes = np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11]]], np.float32)
    case("non_max_suppression", [("NonMaxSuppression", "b s m t", "y")],
         {"b": boxes, "s": np.array([[[0.6, 0.9, 0.5]]], np.float32)}, {"y": np.array([[0, 0, 1], [0, 0, 2]])},
         {"m": i64(3), "t": np.array([0.5], np.float32)})
    volume, deep = rand("volume", 2, 4, 5, 4, 3), rand("deep", 4, 3, 2, 3, 2)
    case("conv_transpose_3d", [("ConvTranspose", "x w", "y", {"strides": [2, 1, 2], "pads": [1, 0, 0, 1, 0, 0], "output_padding": [1, 0, 0]})],
         {"x": volume}, {"y": f64(lambda a, b: F.conv_transpose3d(a, b, stride=(2, 1, 2), padding=(1, 0, 0), output_padding=(1, 0, 0)),
                                  volume, deep)}, {"w": deep})
    places = rand("places", 2, 3, 2, 2)
    case("grid_sample", [("GridSample", "x g", "y", {"padding_mode": "reflection"})], {"x": x, "g": places},
         {"y": f64(lambda a, b: F.grid_sample(a, b, padding_mode="reflection", align_corners=False), x, places)})
    case("det", [("Det", "x", "y")], {"x": rand("det", 2, 3, 3)}, {"y": f64(torch.linalg.det, rand("det", 2, 3, 3))})
    case("max_pool_3d", [("MaxPool", "x", "y", {"kernel_shape": [2, 3, 2], "strides": [2, 1, 1]})], {"x": volume},
         {"y": f64(lambda t: F.max_pool3d(t, (2, 3, 2), (2, 1, 1)), volume)})
