"""npuscope for PyTorch programs, 1.13 and later, on CPU or CUDA tensors.

    with npuscope.torch.dumper(use_dump=True, dump_path="gpu.h5"):
        model(x).sum().backward()
    with npuscope.torch.npu("910A"), npuscope.torch.dumper(
        use_dump=True, load_file_path="gpu.h5", dump_path="npu.h5"
    ):
        model(x).sum().backward()
"""

from npuscope.torch.chip_session import npu
from npuscope.torch.dumping import dumper, op_map, step
from npuscope.torch.installing import install, uninstall
from npuscope.torch.mixed_precision import LossScale, autocast
from npuscope.torch.profiling import profile_ops
from npuscope.torch.watching import Watch, compare_models, watch

__all__ = [
    "LossScale",
    "Watch",
    "autocast",
    "compare_models",
    "dumper",
    "install",
    "npu",
    "op_map",
    "profile_ops",
    "step",
    "uninstall",
    "watch",
]
