#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

try npuscope run digits_resnet.onnx --device cpu --input digits_resnet.io.npz --expect digits_resnet.io.npz
for chip in 910A 910B; do
    try npuscope run digits_resnet.onnx --chip "$chip" --batch \
        --input digits_test.npz --labels digits_test.npz --output "logits_$chip.npz"
done
