#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

npuscope run digits_resnet.onnx --device cpu --input digits_resnet.io.npz --dump golden.h5 >/dev/null
npuscope run digits_resnet.onnx --chip 910A --input digits_resnet.io.npz --dump npu.h5 >/dev/null

try msaccucmp compare -m npu.h5 -g golden.h5 -out result
head -n 3 result/result_*.csv
