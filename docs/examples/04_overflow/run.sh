#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

# A transformer with one attention weight so large that a matrix product leaves float16's range.
/usr/bin/python3 -B "$examples/../../data/scale_attention.py" digits_vit.onnx \
    --input digits_vit.io.npz --seed 5 -o scaled.onnx >scaled.json

# While the model runs: only the ops that overflow are written.
try npuscope run scaled.onnx --chip 910A --input scaled.io.npz --check-overflow overflow.h5

# Afterwards, from an existing dump.
npuscope run scaled.onnx --chip 910A --input scaled.io.npz --dump npu.h5 >/dev/null
try npuscope overflow npu.h5
