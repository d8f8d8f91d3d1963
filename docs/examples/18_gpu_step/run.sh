#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/18_gpu_step/*.py "$examples"/../../data/train_digits.py .
cp "$examples"/../../data/recordings/resnet_step* .

# The same step on this machine's PyTorch, and on the emulated chip.
try /usr/bin/python3 step.py cpu
try /usr/bin/python3 step.py 910A

# What differs between GPU and CPU, and what the chip adds.
try npuscope compare -m step_cpu.h5 -g resnet_step_gpu.h5 -q
try /usr/bin/python3 table.py
