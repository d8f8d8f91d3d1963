"""A 3x3 convolution of stride 1 by Winograd's F(2x2, 3x3), in float32.

Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, section 4.1.
"""

from __future__ import annotations

from typing import Sequence

import torch
from torch import Tensor
from torch.nn import functional

_B = torch.tensor([[1.0, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
_G = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])
_A = torch.tensor([[1.0, 1, 1, 0], [0, 1, -1, -1]])


def winograd_3x3(x: Tensor, w: Tensor, padding: Sequence[int]) -> Tensor:
    """x [n, c, h, w], w [o, c, 3, 3] -> [n, o, h + 2 padding - 2, …]"""
    height = x.shape[2] + 2 * padding[0] - 2
    width = x.shape[3] + 2 * padding[1] - 2
    x = functional.pad(x, (padding[1], padding[1] + width % 2, padding[0], padding[0] + height % 2))
    tiles = x.unfold(2, 4, 2).unfold(3, 4, 2)  # [n, c, th, tw, 4, 4]
    data = _B @ tiles @ _B.t()
    filters = _G @ w @ _G.t()
    n, c, rows, columns = data.shape[:4]
    left = filters.permute(2, 3, 0, 1).reshape(16, w.shape[0], c)
    right = data.permute(4, 5, 1, 0, 2, 3).reshape(16, c, -1)
    product = (left @ right).reshape(4, 4, w.shape[0], n, rows, columns).permute(3, 2, 4, 5, 0, 1)
    y = _A @ product @ _A.t()  # [n, o, th, tw, 2, 2]
    y = y.permute(0, 1, 2, 4, 3, 5).reshape(n, w.shape[0], 2 * rows, 2 * columns)
    return y[:, :, :height, :width].contiguous()
