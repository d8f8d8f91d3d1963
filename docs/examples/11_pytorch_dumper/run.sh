#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/11_pytorch_dumper/train.py .

# In the GPU environment; without a GPU the CPU is the golden side.
try /usr/bin/python3 train.py gpu

# In the NPU environment, or anywhere: the chip is emulated. Each op runs on the golden's inputs.
try /usr/bin/python3 train.py npu

# npuscope's verdict, and the reference tool's columns.
try npuscope compare -m model_npu.h5 -g model_gpu.h5 --all -q
mkdir table
try msaccucmp compare -m ./model_npu.h5 -g ./model_gpu.h5 -out table
head -n 1 table/*.csv | cut -d, -f1-6
