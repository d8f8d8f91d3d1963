#!/usr/bin/python3
"""Writes models/digits_16bit.npz: the first 64 test images with brightness 0 to 65535 instead of 0 to 1.

What a program feeds that forgets to normalise 16-bit greyscale images. The network's activations then
leave float16's range, so that a chip whose matrix unit takes float16 only goes wrong and others do not.
"""

from pathlib import Path

import numpy as np

MODELS = Path(__file__).resolve().parent / "models"
COUNT = 64

with np.load(MODELS / "digits_test.npz") as test:
    images = test["in_input"][:COUNT] * np.float32(65535)
    labels = test["out_label"][:COUNT]
np.savez_compressed(MODELS / "digits_16bit.npz", in_input=images, out_label=labels)
