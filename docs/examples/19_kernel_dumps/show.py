"""What a kernel read and wrote: python3 show.py FOLDER"""

import sys
from pathlib import Path

import numpy as np

for path in sorted(Path(sys.argv[1]).glob("*.npy")):
    array = np.load(path)
    kind, name, _, _, _, side, number, _ = path.name.split(".")
    largest = np.abs(array.astype(np.float64)).max()
    print(f"{kind} {name} {side} {number}: {array.dtype} {array.shape}, largest {largest:g}")
