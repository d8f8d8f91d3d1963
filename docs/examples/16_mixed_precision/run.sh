#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

step=(npuscope run digits_step.onnx --input digits_step.io.npz --expect digits_step.io.npz --tolerance 1e-2)

# Without a loss scale float16 loses much of the gradients; with one it does not.
try "${step[@]}" --chip 910A --amp-level O1
try "${step[@]}" --chip 910A --amp-level O1 --loss-scale 1024

# A scale that is far too large, while overflow is checked.
try npuscope run digits_step.onnx --input digits_step.io.npz --chip 910A --amp-level O1 \
    --loss-scale 1e12 --check-overflow overflow.h5

# A dynamic scale: alone, and beside the check for overflow.
try "${step[@]}" --chip 910A --amp-level O1 --loss-scale dynamic
try npuscope run digits_step.onnx --input digits_step.io.npz --chip 910A --amp-level O1 \
    --loss-scale dynamic --check-overflow overflow.h5
