#!/usr/bin/python3
"""Writes onnx_exported/: transformer blocks as the exporter by Dynamo of PyTorch 2 writes them.

    data/export_by_dynamo.py [DIR]

The blocks are those of tests/python/torch/transformer_blocks.py, drawn with a seed. `in_…` are their tokens, `out_…` what
PyTorch computes from them in float64, rounded once. Stack traces, which name paths and are most of such a file, are left
out. Needs PyTorch 2.6 and onnxscript.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/python/torch"))
import transformer_blocks as blocks  # noqa: E402

EXPORTED = (blocks.Bert, blocks.Llama, blocks.T5)


def without_traces(model: onnx.ModelProto) -> onnx.ModelProto:
    graphs = [model.graph, *model.functions]
    for graph in graphs:
        for node in graph.node:
            kept = [entry for entry in node.metadata_props if not entry.key.endswith("stack_trace")]
            del node.metadata_props[:]
            node.metadata_props.extend(kept)
    return model


def export(block: type, folder: Path) -> None:
    model = blocks.made(block).eval()
    tokens, _ = blocks.batch_of(block)
    path = folder / f"{block.__name__.lower()}.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (tokens,), dynamo=True).save(str(path))
    written = without_traces(onnx.load(path))
    onnx.save(written, path)
    names = [tensor.name for tensor in written.graph.input], [tensor.name for tensor in written.graph.output]
    with torch.no_grad():
        expected = model.double()(tokens).float()
    np.savez_compressed(
        path.with_suffix(".io.npz"), **{f"in_{names[0][0]}": tokens.numpy(), f"out_{names[1][0]}": expected.numpy()}
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "data/onnx_exported")
    folder = parser.parse_args().folder
    folder.mkdir(exist_ok=True)
    for block in EXPORTED:
        export(block, folder)


if __name__ == "__main__":
    main()
