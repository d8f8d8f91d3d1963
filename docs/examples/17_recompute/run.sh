#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/../../data/recordings/*.h5 .

# Is the recording what its ops say? Each op in float32, from its recorded inputs.
try npuscope recompute gpu_step_fp32.h5 --device cpu --reference fp32

# The same step on a chip whose matrix unit takes float16.
try npuscope recompute gpu_step_fp32.h5 --chip 910A -v
