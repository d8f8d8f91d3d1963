// Against PyTorch 1.13, in float64: cross_entropy with its gradient by autograd, optim.AdamW.
#include "tests/diagnose/judge/made_by_fused.h"

namespace npuscope::diagnose {
namespace {

using test::expect_near;
using test::floats;
using test::made_by_fused;

/// The last label is ignored.
Tensor three_labels() {
    return Tensor::from<int64_t>({3}, {0, 2, -100});
}

const std::vector<float> kShares = {-1.4643688F,
                                    -0.4643688F,
                                    -1.9643688F,
                                    -1.4076060F,
                                    -2.4076060F,
                                    -0.4076060F,
                                    -0.2395448F,
                                    -2.2395448F,
                                    -2.2395448F};

TEST(NpuTraining, computes_the_loss_of_labels) {
    for (const auto& [smoothing, loss] : {std::pair{0.0, 0.9359874F}, std::pair{0.3, 1.0609874F}}) {
        const auto made = made_by_fused("npu_cross_entropy_loss",
                                        {{"input", floats({3, 3}, {1, 2, 0.5F, 0, -1, 1, 3, 1, 1})},
                                         {"target", three_labels()},
                                         {"label_smoothing", smoothing}});
        expect_near(made[0], {}, {loss});
        expect_near(made[1], {3, 3}, kShares);
    }
}

TEST(NpuTraining, computes_the_gradient_of_the_loss) {
    const auto back = [](double smoothing) {
        return made_by_fused("npu_cross_entropy_loss_backward",
                             {{"grad_loss", floats({}, {2})},
                              {"log_prob", floats({3, 3}, kShares)},
                              {"target", three_labels()},
                              {"label_smoothing", smoothing}})[0];
    };
    expect_near(
        back(0),
        {3, 3},
        {-0.7687761F, 0.6285317F, 0.1402444F, 0.2447285F, 0.0900306F, -0.3347590F, 0, 0, 0});
    expect_near(
        back(0.3),
        {3, 3},
        {-0.5687761F, 0.5285317F, 0.0402444F, 0.1447285F, -0.0099694F, -0.1347590F, 0, 0, 0});
}

TEST(NpuTraining, steps_with_decoupled_decay) {
    const auto made = made_by_fused("npu_apply_adam_w_out",
                                    {{"beta1_power", Scalar{0.5}},
                                     {"beta2_power", Scalar{0.75}},
                                     {"lr", Scalar{0.1}},
                                     {"weight_decay", Scalar{0.25}},
                                     {"beta1", Scalar{0.5}},
                                     {"beta2", Scalar{0.75}},
                                     {"epsilon", Scalar{0.5}},
                                     {"grad", floats({2}, {0.5F, -1})},
                                     {"var", floats({2}, {0.925F, -1.8833333F})},
                                     {"m", floats({2}, {0.25F, -0.5F})},
                                     {"v", floats({2}, {0.0625F, 0.25F})}});
    expect_near(made[0], {2}, {0.8518750F, -1.7695833F});
    expect_near(made[1], {2}, {0.375F, -0.75F});
    expect_near(made[2], {2}, {0.109375F, 0.4375F});
}

}  // namespace
}  // namespace npuscope::diagnose
