#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

npuscope run digits_resnet.onnx --device cpu --input digits_resnet.io.npz --dump golden.h5 >/dev/null

# One op; as h5copy does, the target may be another path.
try npuscope extract -i golden.h5 -o one.h5 -s /convolution/1/ -d /convolution/1/ -p -v
# Several, by pattern.
try npuscope extract -i golden.h5 -o several.h5 -s '/add_Tensor/*' -d '/add_Tensor/*'
try npuscope inspect several.h5
