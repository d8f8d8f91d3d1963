#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "npu_backend/executor.h"
#include "npu_backend/kernels/formats.h"

namespace npuscope {
namespace {

/// "Conv2D(NC1HWC0,FRACTAL_Z/2)->NC1HWC0" a kernel, and whether each tensor in a private format
/// came out of a kernel in that format.
struct FormatRecorder : Observer {
    void kernel_end(const KernelEvent& event) override {
        ASSERT_EQ(event.input_formats.size(), event.inputs.size()) << event.type;
        ASSERT_EQ(event.output_formats.size(), event.outputs.size()) << event.type;
        std::string row = std::string(event.type) + "(";
        for (size_t i = 0; i < event.inputs.size(); ++i) {
            row += (i == 0 ? "" : ",") + text(event.input_formats[i]);
            const auto held = last.find(event.inputs[i].storage_id());
            if (held != last.end() && event.input_formats[i].name != base(event.inputs[i])) {
                EXPECT_EQ(held->second, event.input_formats[i].name) << event.type << " " << i;
            }
        }
        row += ")->";
        for (size_t i = 0; i < event.outputs.size(); ++i) {
            row += (i == 0 ? "" : ",") + text(event.output_formats[i]);
            last[event.outputs[i].storage_id()] = event.output_formats[i].name;
        }
        rows.push_back(row);
    }
    static std::string text(const TensorFormat& format) {
        return std::string(format.name) +
               (format.groups > 1 ? "/" + std::to_string(format.groups) : "");
    }
    static std::string_view base(const Tensor& tensor) {
        return backend::base_format(tensor.ndim());
    }
    std::vector<std::string> rows;
    std::map<uint64_t, std::string> last;
};

std::vector<std::string> formats_on(const Device& device,
                                    const std::string& op,
                                    std::vector<Value> arguments) {
    Executor executor(device);
    FormatRecorder recorder;
    executor.attach(recorder);
    executor.call(op, std::move(arguments));
    executor.detach(recorder);
    EXPECT_EQ(executor.observer_error_count(), 0) << executor.first_observer_error();
    return recorder.rows;
}

Tensor ones(DType dtype, Shape shape) {
    Tensor tensor = Tensor::zeros(DType::kFloat32, std::move(shape));
    for (float& value : tensor.mutable_as<float>())
        value = 1;
    return tensor.cast(dtype);
}

std::vector<Value> convolution(DType dtype, int64_t groups) {
    return {ones(dtype, {1, 4, 3, 3}),
            ones(dtype, {4, 4 / groups, 2, 2}),
            ones(dtype, {4}),
            IntList{1, 1},
            IntList{0, 0},
            IntList{1, 1},
            false,
            IntList{0, 0},
            groups};
}

using Rows = std::vector<std::string>;

TEST(KernelFormats, of_a_grouped_convolution) {
    EXPECT_EQ(formats_on(Device::npu(chip("910A")), "convolution", convolution(DType::kFloat16, 2)),
              (Rows{"TransData(NCHW)->NC1HWC0",
                    "TransData(NCHW/2)->FRACTAL_Z/2",
                    "Conv2D(NC1HWC0,FRACTAL_Z/2,ND)->NC1HWC0",
                    "TransData(NC1HWC0)->NCHW"}));
}

TEST(KernelFormats, of_a_reference_are_plain) {
    EXPECT_EQ(formats_on(Device::reference64(), "convolution", convolution(DType::kFloat32, 1)),
              Rows{"Conv2D(NCHW,NCHW,ND)->NCHW"});
}

TEST(KernelFormats, of_a_demoted_matrix_product) {
    const std::vector<Value> arguments = {ones(DType::kFloat32, {2, 3}),
                                          ones(DType::kFloat32, {3, 2})};
    EXPECT_EQ(formats_on(Device::npu(chip("910A")), "mm", arguments),
              (Rows{"Cast(ND)->ND",
                    "Cast(ND)->ND",
                    "TransData(ND)->FRACTAL_NZ",
                    "TransData(ND)->FRACTAL_NZ",
                    "MatMul(FRACTAL_NZ,FRACTAL_NZ)->FRACTAL_NZ",
                    "TransData(FRACTAL_NZ)->ND"}));
    EXPECT_EQ(formats_on(Device::npu(chip("910B")), "mm", arguments), Rows{"MatMul(ND,ND)->ND"});
}

TEST(KernelFormats, of_batch_normalisation_in_training) {
    const auto arguments = [](Shape shape) {
        return std::vector<Value>{ones(DType::kFloat16, std::move(shape)),
                                  ones(DType::kFloat32, {3}),
                                  ones(DType::kFloat32, {3}),
                                  ones(DType::kFloat32, {3}),
                                  ones(DType::kFloat32, {3}),
                                  true,
                                  0.1,
                                  1e-5};
    };
    const Device device = Device::npu(chip("910A"));
    EXPECT_EQ(formats_on(device, "native_batch_norm", arguments({2, 3, 2, 2})),
              (Rows{"TransData(NCHW)->NC1HWC0",
                    "BNTrainingReduce(NC1HWC0)->NC1HWC0,NC1HWC0",
                    "BNTrainingUpdate(NC1HWC0,NC1HWC0,NC1HWC0,NC1HWC0,NC1HWC0,NC1HWC0,NC1HWC0)->"
                    "NC1HWC0,NC1HWC0,NC1HWC0,NC1HWC0,NC1HWC0",
                    "TransData(NC1HWC0)->NCHW",
                    "Adds(ND)->ND",
                    "Rsqrt(ND)->ND"}));
    EXPECT_EQ(formats_on(device, "native_batch_norm", arguments({2, 3})).front(),
              "BNTrainingReduce(ND)->ND,ND");
}

TEST(KernelFormats, of_pooling_and_volumes) {
    const Device device = Device::npu(chip("910B"));
    EXPECT_EQ(formats_on(device,
                         "max_pool2d_with_indices",
                         {ones(DType::kFloat32, {1, 2, 4, 4}), IntList{2, 2}}),
              (Rows{"TransData(NCHW)->NC1HWC0",
                    "MaxPoolWithArgmaxV1(NC1HWC0)->NC1HWC0,NCHW",
                    "TransData(NC1HWC0)->NCHW"}));
    EXPECT_EQ(formats_on(device,
                         "convolution",
                         {ones(DType::kFloat16, {1, 2, 3, 3, 3}),
                          ones(DType::kFloat16, {2, 2, 1, 1, 1}),
                          Value(),
                          IntList{1, 1, 1},
                          IntList{0, 0, 0},
                          IntList{1, 1, 1},
                          false,
                          IntList{0, 0, 0},
                          int64_t{1}})[2],
              "Conv3D(NDC1HWC0,FRACTAL_Z_3D)->NDC1HWC0");
}

}  // namespace
}  // namespace npuscope
