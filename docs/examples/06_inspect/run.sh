#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

npuscope run digits_resnet.onnx --chip 910A --input digits_resnet.io.npz --dump npu.h5 >/dev/null

try npuscope inspect npu.h5
try npuscope inspect npu.h5 /convolution/1
