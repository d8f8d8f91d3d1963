#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

recorded=$examples/../../tests/golden/msaccucmp_dumps
cp -r "$recorded"/overflow/in/dumps overflow_run
cp "$recorded"/convert_to_NCHW/in/Op.s.1.2.1700000000000001 .

try msaccucmp overflow -d overflow_run -out overflowed
cat overflowed/overflow_summary_*.txt
echo

try npuscope inspect Op.s.1.2.1700000000000001
try msaccucmp convert -d Op.s.1.2.1700000000000001 -f NCHW -i 0 -out arrays
ls arrays
try npuscope inspect arrays/Op.s.1.2.1700000000000001.input.0.2x5x3x4.npy
