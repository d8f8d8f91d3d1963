#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/../../data/recordings/gpu_step_fp32.h5 .

# Ops of a step that a GPU ran, as msprobe would have recorded them.
try npuscope export gpu_step_fp32.h5 -o golden --format msprobe
ls golden

# The tree holds what the dump does: each op computed again from its own inputs.
try npuscope recompute golden --device cpu --reference fp32
