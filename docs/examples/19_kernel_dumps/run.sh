#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/19_kernel_dumps/*.py .

# A transformer with one attention weight so large that a matrix product leaves float16's range.
/usr/bin/python3 -B "$examples/../../data/scale_attention.py" digits_vit.onnx \
    --input digits_vit.io.npz --seed 5 -o scaled.onnx >scaled.json

# 1. Which op overflows? Its inputs and outputs go to a file.
npuscope run scaled.onnx --chip 910A --input scaled.io.npz --check-overflow overflow.h5 -q >/dev/null || true
try npuscope extract -p -i overflow.h5 -o op.h5 -s /bmm/52 -d /bmm/52

# 2. What is to be dumped. A manual's example has a comment and lacks commas:
cat >acl.json <<'END'
{
    "dump":
    {
        "dump_list":[]
        "dump_path":"./output_IR2TBE"# Mapping result output path
        "dump_mode":"all"
        "dump_op_switch":"on"
    }
}
END
try npuscope map op.h5 --acl acl.json 2>&1
cat >acl.json <<'END'
{"dump": {"dump_list": [], "dump_path": "./output_IR2TBE", "dump_mode": "all", "dump_op_switch": "on"}}
END

# 3. The whole model once more: only the op that the file holds is dumped.
export ACL_DUMP_DATA=0
npuscope run scaled.onnx --chip 910A --input scaled.io.npz -q \
    --load op.h5 --dump loaded.h5 --acl acl.json >run.txt
try grep -e ^dump -e ^kernels run.txt
(cd output_IR2TBE/*/0/scaled/0/0 && try ls)

# 4. Or without the model: the op alone, and which of its kernels goes wrong.
try npuscope map op.h5 -o map -q

# 5. The kernel's arrays, and the record of the overflow.
kernels=$(echo map/kernels/*/0)
msaccucmp convert -d "$kernels"/Cast.bmm_52_1.* -out npy -v 2 >/dev/null 2>&1
try /usr/bin/python3 show.py npy
msaccucmp overflow -d "$kernels" -out overflow >/dev/null 2>&1 || true
(cd overflow && try grep -h -e '^\[' -e AI.Core overflow_summary_*.txt)

# The same with PyTorch: a single operator, and load_with_acl_dump.
try /usr/bin/python3 single_op.py
try /usr/bin/python3 ir_to_tbe.py
