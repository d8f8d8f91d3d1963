#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

for mode in must_keep_origin_dtype allow_fp32_to_fp16 force_fp16 allow_mix_precision; do
    try npuscope check pyramid.onnx --input pyramid.io.npz --chip 910B --precision-mode "$mode"
done

# A transposed convolution on the black list keeps float32.
try npuscope check pyramid.onnx --input pyramid.io.npz --chip 910B --precision-mode allow_mix_precision \
    --set precision_black=Conv2DTranspose

# The Cube of a 910A has no float32.
for mode in must_keep_origin_dtype allow_fp32_to_fp16; do
    try npuscope check pyramid.onnx --input pyramid.io.npz --chip 910A --precision-mode "$mode"
done
