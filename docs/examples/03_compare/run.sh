#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

npuscope run digits_vit.onnx --device cpu --input digits_vit.io.npz --dump golden.h5 >/dev/null
npuscope run digits_vit.onnx --chip 910A --input digits_vit.io.npz --dump free.h5 >/dev/null
npuscope run digits_vit.onnx --chip 910A --input digits_vit.io.npz --load golden.h5 --dump isolated.h5 >/dev/null

# The free run: every op sees what the chip computed before.
try npuscope compare -m free.h5 -g golden.h5
# The isolated run: every op sees the golden inputs.
try npuscope compare -m isolated.h5 -g golden.h5 -o reports
try ls reports
