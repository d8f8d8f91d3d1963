// Convolutions of one to three dimensions, their gradients and their transposes against the sums of
// their definitions, in double.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

struct Case {
    Shape x, w;  ///< of the convolution
    IntList stride, pad, dilation;
    int64_t groups;
};

const std::vector<Case> kCases = {
    {{2, 3, 7}, {4, 3, 3}, {2}, {1}, {1}, 1},
    {{2, 4, 6, 5}, {6, 2, 3, 2}, {2, 1}, {1, 0}, {1, 2}, 2},
    {{1, 2, 9, 40}, {3, 2, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1},
    {{1, 4, 4, 5, 6}, {4, 2, 2, 3, 2}, {1, 2, 3}, {1, 0, 1}, {2, 1, 1}, 2},
    {{2, 2, 3, 4, 5}, {2, 2, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 1},
};

Tensor random_tensor(Shape shape, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> whole(-8, 8);  // sums are exact in float32
    Tensor tensor(DType::kFloat32, std::move(shape));
    for (float& value : tensor.mutable_as<float>())
        value = static_cast<float>(whole(random));
    return tensor;
}

/// Calls f(index of x, index of w, index of y) for every product of a convolution.
template <class F>
void for_products(const Case& c, const Shape& y, F&& f) {
    const size_t spatial = c.x.size() - 2;
    const auto index = [](const Shape& shape, const Shape& at) {
        int64_t flat = 0;
        for (size_t i = 0; i < shape.size(); ++i)
            flat = flat * shape[i] + at[i];
        return static_cast<size_t>(flat);
    };
    const int64_t outputs = c.w[0] / c.groups;
    for (int64_t yi = 0; yi < numel_of(y); ++yi)
        for (int64_t wi = 0; wi < numel_of(c.w) / c.w[0]; ++wi) {
            Shape at_y(y.size());
            for (int64_t rest = yi, i = static_cast<int64_t>(y.size()) - 1; i >= 0; --i) {
                at_y[static_cast<size_t>(i)] = rest % y[static_cast<size_t>(i)];
                rest /= y[static_cast<size_t>(i)];
            }
            Shape at_w(c.w.size());
            for (int64_t rest = wi, i = static_cast<int64_t>(c.w.size()) - 1; i > 0; --i) {
                at_w[static_cast<size_t>(i)] = rest % c.w[static_cast<size_t>(i)];
                rest /= c.w[static_cast<size_t>(i)];
            }
            at_w[0] = at_y[1];
            Shape at_x = {at_y[0], at_y[1] / outputs * c.w[1] + at_w[1]};
            bool inside = true;
            for (size_t i = 0; i < spatial; ++i) {
                at_x.push_back(at_y[i + 2] * c.stride[i] - c.pad[i] + at_w[i + 2] * c.dilation[i]);
                inside = inside && at_x.back() >= 0 && at_x.back() < c.x[i + 2];
            }
            if (inside) f(index(c.x, at_x), index(c.w, at_w), static_cast<size_t>(yi));
        }
}

Shape output_shape(const Case& c) {
    Shape y = {c.x[0], c.w[0]};
    for (size_t i = 0; i < c.stride.size(); ++i)
        y.push_back(
            (c.x[i + 2] + 2 * c.pad[i] - c.dilation[i] * (c.w[i + 2] - 1) - 1) / c.stride[i] + 1);
    return y;
}

NamedValues attributes(const Case& c) {
    IntList strides = {1, 1};
    IntList dilations = {1, 1};
    IntList pads;
    for (size_t i = 0; i < c.stride.size(); ++i) {
        strides.push_back(c.stride[i]);
        dilations.push_back(c.dilation[i]);
        pads.insert(pads.end(), 2, c.pad[i]);
    }
    return {{"strides", strides}, {"pads", pads}, {"dilations", dilations}, {"groups", c.groups}};
}

void expect_sums(const Tensor& got, const std::vector<double>& expected) {
    ASSERT_EQ(static_cast<size_t>(got.numel()), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(got.at(static_cast<int64_t>(i)), expected[i]) << i;
}

const char* name(const Case& c, const char* flat, const char* deep) {
    return c.x.size() == 5 ? deep : flat;
}

class ConvolutionSums : public testing::TestWithParam<std::string> {
  protected:
    [[nodiscard]] static Device device() {
        const std::vector<std::string> settings = {"cube_acc=" + GetParam(), "conv_hf32=off"};
        return Device::npu(chip("910B"), settings);
    }
};

TEST_P(ConvolutionSums, forward) {
    for (const Case& c : kCases) {
        const Tensor x = random_tensor(c.x, 1);
        const Tensor w = random_tensor(c.w, 2);
        const Shape shape = output_shape(c);
        std::vector<double> y(static_cast<size_t>(numel_of(shape)));
        for_products(c, shape, [&](size_t xi, size_t wi, size_t yi) {
            y[yi] += x.as<float>()[xi] * w.as<float>()[wi];
        });
        const KernelRun run =
            run_kernel(name(c, "Conv2D", "Conv3D"), {x, w}, attributes(c), device(), 2);
        EXPECT_EQ(run.outputs[0].shape(), shape);
        expect_sums(run.outputs[0], y);
    }
}

TEST_P(ConvolutionSums, input_gradient_and_transpose) {
    for (const Case& c : kCases) {
        const Shape shape = output_shape(c);
        const Tensor dy = random_tensor(shape, 3);
        const Tensor w = random_tensor(c.w, 4);
        std::vector<double> dx(static_cast<size_t>(numel_of(c.x)));
        for_products(c, shape, [&](size_t xi, size_t wi, size_t yi) {
            dx[xi] += dy.as<float>()[yi] * w.as<float>()[wi];
        });
        NamedValues given = attributes(c);
        given.push_back({"input_size", IntList(c.x.begin(), c.x.end())});
        expect_sums(
            run_kernel(
                name(c, "Conv2DBackpropInput", "Conv3DBackpropInput"), {dy, w}, given, device(), 2)
                .outputs[0],
            dx);
        IntList extra;
        for (size_t i = 0; i < c.stride.size(); ++i)
            extra.push_back(c.x[i + 2] - ((shape[i + 2] - 1) * c.stride[i] - 2 * c.pad[i] +
                                          c.dilation[i] * (c.w[i + 2] - 1) + 1));
        NamedValues turned = attributes(c);
        turned.push_back({"output_padding", extra});
        expect_sums(
            run_kernel(name(c, "Conv2DTranspose", "Conv3DTranspose"), {dy, w}, turned, device(), 1)
                .outputs[0],
            dx);
    }
}

TEST_P(ConvolutionSums, weight_gradient) {
    for (const Case& c : kCases) {
        const Shape shape = output_shape(c);
        const Tensor dy = random_tensor(shape, 5);
        const Tensor x = random_tensor(c.x, 6);
        std::vector<double> dw(static_cast<size_t>(numel_of(c.w)));
        for_products(c, shape, [&](size_t xi, size_t wi, size_t yi) {
            dw[wi] += dy.as<float>()[yi] * x.as<float>()[xi];
        });
        NamedValues given = attributes(c);
        given.push_back({"filter_size", IntList(c.w.begin(), c.w.end())});
        expect_sums(run_kernel(name(c, "Conv2DBackpropFilter", "Conv3DBackpropFilter"),
                               {dy, x},
                               given,
                               device(),
                               2)
                        .outputs[0],
                    dw);
    }
}

INSTANTIATE_TEST_SUITE_P(Models,
                         ConvolutionSums,
                         testing::Values("seq_rne", "blk16_exact", "tree16_rne", "exact_k"));

TEST(Convolution, bias_enters_first_or_last) {
    // One after the other 1 + 2^-24 is lost; 2^-24 + 2^-24 first is not.
    const Tensor x = halves({1, 2, 1, 1}, {0x1p-12f, 0x1p-12f});
    const Tensor w = halves({1, 2, 1, 1}, {0x1p-12f, 0x1p-12f});
    const Tensor bias = floats({1}, {1});
    const NamedValues given = {{"strides", IntList{1, 1, 1, 1}},
                               {"pads", IntList{0, 0, 0, 0}},
                               {"dilations", IntList{1, 1, 1, 1}},
                               {"groups", int64_t{1}},
                               {"output_dtype", DType::kFloat32}};
    const std::vector<std::string> first = {"cube_acc=seq_rne"};
    EXPECT_EQ(run_kernel("Conv2D", {x, w, bias}, given, Device::npu(chip("910A"), first)).at(0), 1);
    const std::vector<std::string> last = {"cube_acc=seq_rne", "cube_bias=post_add"};
    EXPECT_EQ(run_kernel("Conv2D", {x, w, bias}, given, Device::npu(chip("910A"), last)).at(0),
              1 + 0x1p-23);
}

TEST(IntegerProduct, is_exact_and_follows_the_chip) {
    const Tensor a = Tensor::from<int8_t>({1, 2}, {-128, 127});
    const Tensor b = Tensor::from<int8_t>({2, 1}, {-128, 127});
    const NamedValues plain = {{"transpose_x1", false}, {"transpose_x2", false}};
    EXPECT_EQ(run_kernel("MatMul", {a, b}, plain).at(0), 16384 + 16129);
    const Tensor u = Tensor::from<uint8_t>({1, 2}, {255, 1});
    EXPECT_EQ(run_kernel("MatMul", {u, b}, plain).at(0), -128 * 255 + 127);
    EXPECT_THROW((void)run_kernel("MatMul", {u, b}, plain, Device::npu(chip("910B"))), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
