#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

try npuscope check digits_resnet.onnx --input digits_resnet.io.npz --chip 910A -o report
try ls report
