#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

npuscope run digits_resnet.onnx --device cpu --input digits_resnet.io.npz --dump golden.h5 >/dev/null
npuscope run digits_resnet.onnx --chip 910A --input digits_resnet.io.npz --dump npu.h5 >/dev/null

mkdir -p measures/algorithm
cat > measures/algorithm/alg_ErrorP99.py <<'PYTHON'
import numpy as np


def compare(my, golden, params):
    """The 99th percentile of the absolute error."""
    if golden.size < 2:
        return "NaN", "one element has no percentile"
    return "%.3g" % np.percentile(np.abs(my - golden), 99), ""
PYTHON

try npuscope compare -m npu.h5 -g golden.h5 --no-inputs --custom measures -o reports
/usr/bin/python3 - <<'PYTHON'
import csv

for row in list(csv.DictReader(open("reports/result.csv", newline="")))[:2]:
    print(row["target"], row["custom:ErrorP99"])
PYTHON
