// The product's own models on every chip: each op within the error levels that the vendor publishes
// for its precision, the outputs like those of another runtime.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "npu_backend/executor.h"
#include "npu_backend/numerics/rounding.h"
#include "npu_backend/onnx/model.h"
#include "tests/flows/published_levels.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

bool is_matrix_product(std::string_view name) {
    return name == "mm" || name == "bmm" || name == "addmm";
}
bool is_cube_op(std::string_view name) {
    return name == "convolution" || is_matrix_product(name);
}

/// One result against its expected values.
struct Errors {
    int64_t numel = 0;
    int64_t beyond = 0;       ///< elements over a relative error
    int64_t beyond_ulps = 0;  ///< over a number of units
    double worst = 0;         ///< relative
    double mean_ulps = 0;
    double worst_of_one = 0;  ///< relative to the larger of 1 and the expected value
    double norm = 0;          ///< |error| / |expected|

    Errors(const Tensor& given, const Tensor& expected, double relative, double ulps)
        : numel(given.numel()) {
        double squares = 0;
        double expected_squares = 0;
        for (int64_t i = 0; i < numel; ++i) {
            const double wanted = expected.at(i);
            const double error = std::fabs(given.at(i) - wanted);
            squares += error * error;
            expected_squares += wanted * wanted;
            if (error == 0) continue;
            const double share = error / std::fabs(wanted);
            const double unit = std::ldexp(1.0, std::ilogb(wanted) - 23);
            worst = std::max(worst, share);
            worst_of_one = std::max(worst_of_one, error / std::max(1.0, std::fabs(wanted)));
            mean_ulps += error / unit / static_cast<double>(numel);
            beyond += share > relative ? 1 : 0;
            beyond_ulps += error > ulps * unit ? 1 : 0;
        }
        norm = std::sqrt(squares / expected_squares);
    }
};

/// The operands as this chip's Cube reads them, so that what is measured is the op's own error, as
/// the vendor measures it: expected values of the very inputs that the kernel gets.
NamedValues as_read(const OpEnd& op, const ChipOptions& options) {
    NamedValues inputs = op.inputs;
    if (!is_cube_op(op.name)) return inputs;
    for (NamedValue& item : inputs) {
        auto* tensor = std::get_if<Tensor>(&item.value);
        const bool operand = item.name == "input" || item.name == "weight" || item.name == "mat1" ||
                             item.name == "mat2" || (item.name == "self" && op.name != "addmm");
        if (tensor == nullptr || !operand || tensor->dtype() != DType::kFloat32) continue;
        if (op.compute_type == ComputeType::kFloat16) {
            *tensor = tensor->cast(DType::kFloat16).cast(DType::kFloat32);
        } else if (op.compute_type == ComputeType::kHFloat32) {
            Tensor rounded = tensor->cast(DType::kFloat32);
            for (float& value : rounded.mutable_as<float>())
                value = backend::to_hf32(value, 23 - options.hf32_mantissa, options.hf32_tie);
            *tensor = rounded;
        }
    }
    return inputs;
}

/// Judges each op where it ran.
class Judge : public Observer {
  public:
    explicit Judge(const Executor& npu) : npu_(npu) {}

    void op_end(const OpEnd& op) override {
        if (!op.recorded || op.outputs.empty()) return;
        const auto* given = std::get_if<Tensor>(&op.outputs[0].value);
        if (given == nullptr || !is_float(given->dtype())) return;
        const std::string where = std::string(npu_.device().chip->name) + " /" +
                                  std::string(op.name) + "/" + std::to_string(op.seqid) + " (" +
                                  std::string(name_of(op.compute_type)) + ")";
        const test::PublishedLevel& level = test::published_level(name_of(op.compute_type));
        const auto& ulps = test::kPublishedUlps[0];
        const Tensor expected =
            reference_.call_named(op.name, as_read(op, npu_.device().options)).tensor();
        ASSERT_EQ(given->shape(), expected.shape()) << where;
        const Errors errors(*given, expected, level.relative, ulps.units);
        const auto numel = static_cast<double>(errors.numel);
        ++judged;
        if (is_matrix_product(op.name)) {
            EXPECT_TRUE(errors.mean_ulps < ulps.mean ||
                        static_cast<double>(errors.beyond_ulps) < ulps.share * numel)
                << where << ": " << errors.mean_ulps << " units, " << errors.beyond_ulps;
        } else {
            EXPECT_LE(errors.worst, level.hard) << where;
            EXPECT_LE(static_cast<double>(errors.beyond), level.share * numel) << where;
        }
        if (!is_cube_op(op.name)) return;
        ++matrices;
        EXPECT_LE(errors.worst_of_one, test::kPublishedMatrix[0]) << where;
        const Errors demoted(*given, reference_.call_named(op.name, op.inputs).tensor(), 1, 1);
        EXPECT_LE(demoted.norm, test::kPublishedDemotion[0]) << where;
    }

    int64_t judged = 0;
    int64_t matrices = 0;

  private:
    const Executor& npu_;
    Executor reference_{Device::reference64()};
};

double cosine(const Tensor& a, const Tensor& b) {
    double product = 0;
    double aa = 0;
    double bb = 0;
    for (int64_t i = 0; i < a.numel(); ++i) {
        product += a.at(i) * b.at(i);
        aa += a.at(i) * a.at(i);
        bb += b.at(i) * b.at(i);
    }
    return product / std::sqrt(aa * bb);
}

class ModelsOnChips : public testing::TestWithParam<std::tuple<const char*, std::string_view>> {};

TEST_P(ModelsOnChips, stay_within_the_published_levels) {
    const auto& [name, chip_name] = GetParam();
    const auto folder = test::source_dir() / "data/models";
    const onnx_model::Model model = onnx_model::Model::load(folder / (std::string(name) + ".onnx"));
    NamedTensors inputs;
    Tensor expected;
    for (auto& [array, tensor] : read_npz(folder / (std::string(name) + ".io.npz"))) {
        if (array == "in_input") inputs.emplace_back("input", tensor);
        if (array == "out_logits") expected = tensor;
    }
    Executor npu(chip(chip_name));
    Judge judge(npu);
    npu.attach(judge);
    const NamedTensors outputs = model.run(npu, inputs);
    npu.detach(judge);
    EXPECT_EQ(npu.observer_error_count(), 0) << npu.first_observer_error();
    EXPECT_GE(judge.judged, 20);
    EXPECT_GE(judge.matrices, 9);
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_GT(cosine(outputs[0].second, expected), test::kPublishedCosine[0]);
}

INSTANTIATE_TEST_SUITE_P(All,
                         ModelsOnChips,
                         testing::Combine(testing::Values("digits_resnet", "digits_vit"),
                                          testing::Values("910A", "310P", "910B", "A3", "950")),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param)) + "_on_" +
                                    std::string(std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace npuscope
