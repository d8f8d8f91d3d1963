// What a kernel, an op or a chip is stands in its row: other rooms read the row and name none.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "npu_backend/chips/chip.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/ops/op.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

namespace fs = std::filesystem;

bool is_name(const std::string& text) {
    // Ops of one word (mean, all, take) are words of other rooms, too.
    return backend::find_kernel(text) != nullptr ||
           (text.find('_') != std::string::npos && backend::find_op(text) != nullptr) ||
           std::ranges::count(all_chips(), text, &Chip::name) != 0;
}

TEST(Names, of_rows_stand_in_npu_backend_alone) {
    const std::set<std::pair<std::string, std::string>> reviewed = {
        {"cli", "910A"},            // the chip when none is named
        {"compare", "add_Tensor"},  // what copies or adds a bias, by which programs are aligned
        {"compare", "add__Tensor"},
        {"compare", "empty_like"},  // what another project leaves out
        {"compare", "empty_strided"},
        {"compare", "new_empty"},
        {"compare", "new_empty_strided"},
        {"compare", "mul_Tensor"},
        {"diagnose", "910A"},  // implementations of honest arithmetic
        {"diagnose", "910B"},
        {"diagnose", "950"},
        {"diagnose", "_scaled_dot_product_flash_attention_for_cpu_backward"},  // steps of fused ops
        {"diagnose", "add_Scalar"},
        {"diagnose", "arange_start"},  // ranges of numbers
        {"diagnose", "arange_start_step"},
        {"diagnose", "cross_entropy_loss"},
        {"diagnose", "div_Tensor"},
        {"diagnose", "logical_not"},
        {"diagnose", "logical_or"},
        {"diagnose", "masked_fill_Scalar"},
        {"diagnose", "mean_dim"},
        {"diagnose", "ne_Scalar"},
        {"diagnose", "nll_loss_backward"},
        {"diagnose", "slice_Tensor"},
        {"diagnose", "sub_Tensor"},
        {"diagnose", "where_ScalarSelf"},
        {"diagnose", "zeros_like"},
        {"diagnose", "Abs"},  // what is rounded once, or has terms that cancel
        {"diagnose", "Add"},
        {"diagnose", "Adds"},
        {"diagnose", "Axpy"},
        {"diagnose", "HardtanhGrad"},
        {"diagnose", "LeakyRelu"},
        {"diagnose", "LeakyReluGrad"},
        {"diagnose", "MaskedFill"},
        {"diagnose", "Maximum"},
        {"diagnose", "Minimum"},
        {"diagnose", "Mul"},
        {"diagnose", "Muls"},
        {"diagnose", "Neg"},
        {"diagnose", "Relu"},
        {"diagnose", "ReluGrad"},
        {"diagnose", "SelectV2"},
        {"diagnose", "Sub"},
        {"diagnose", "ThresholdGradV2D"},
        {"diagnose", "_log_softmax"},
        {"diagnose", "_log_softmax_backward_data"},
        {"diagnose", "_softmax_backward_data"},
        {"diagnose", "adaptive_max_pool2d"},
        {"diagnose", "add_Tensor"},
        {"diagnose", "gelu_backward"},
        {"diagnose", "cudnn_batch_norm"},
        {"diagnose", "log_sigmoid_forward"},
        {"diagnose", "max_dim"},
        {"diagnose", "max_pool2d_with_indices"},
        {"diagnose", "max_pool3d_with_indices"},
        {"diagnose", "min_dim"},
        {"diagnose", "mish_backward"},
        {"diagnose", "native_batch_norm"},
        {"diagnose", "native_layer_norm"},
        {"diagnose", "silu_backward"},
        {"diagnose", "Cast"},      // which attributes a device's kernel had
        {"diagnose", "Identity"},  // as Cast
        {"diagnose", "TransData"},
        {"diagnose", "_embedding_bag"},  // what functions above the ops come to
        {"diagnose", "_softmax"},
        {"diagnose", "_to_copy"},
        {"diagnose", "constant_pad_nd"},
        {"diagnose", "grid_sampler_2d"},
        {"diagnose", "index_add"},
        {"diagnose", "kl_div"},
        {"diagnose", "leaky_relu"},
        {"diagnose", "mul_Scalar"},
        {"diagnose", "mul_Tensor"},
        {"diagnose", "native_group_norm"},
        {"diagnose", "nll_loss2d_forward"},
        {"diagnose", "nll_loss_forward"},
        {"diagnose", "scaled_dot_product_attention"},
        {"diagnose", "scatter_add"},
        {"diagnose", "split_with_sizes"},
        {"diagnose", "huber_loss_backward"},  // what libraries compute in steps of 16 bits
        {"diagnose", "index_add_"},
        {"diagnose", "scatter_add_"},
        {"diagnose", "mse_loss_backward"},
        {"diagnose", "sigmoid_backward"},
        {"diagnose", "smooth_l1_loss_backward"},
        {"diagnose", "tanh_backward"},
        {"diagnose", "binary_cross_entropy_backward"},  // steps of composed ops
        {"diagnose", "elu_backward"},
        {"diagnose", "huber_loss"},
        {"diagnose", "smooth_l1_loss"},
        {"diagnose", "sum_dim_IntList"},
        {"msaccucmp", "Cast"},       // of CANN's dumps, whoever wrote them
        {"msaccucmp", "Index"},      // a column
        {"msaccucmp", "TransData"},  // as Cast
    };
    std::set<std::pair<std::string, std::string>> found;
    const std::regex literal(R"re("([A-Za-z0-9_]+)")re");
    for (const char* room : {"cli",
                             "compare",
                             "core",
                             "custom_algorithms",
                             "diagnose",
                             "dumper",
                             "ir_tbe_map",
                             "msaccucmp",
                             "overflow",
                             "python"})
        for (const fs::directory_entry& entry :
             fs::recursive_directory_iterator(test::source_dir() / room)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
            const std::string text =
                std::regex_replace(test::read_file(entry.path()), std::regex("//[^\n]*"), "");
            for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at)
                if (is_name((*at)[1])) found.emplace(room, (*at)[1]);
        }
    // Apart, so that the new ones can be read.
    std::vector<std::pair<std::string, std::string>> unreviewed, gone;
    std::ranges::set_difference(found, reviewed, std::back_inserter(unreviewed));
    std::ranges::set_difference(reviewed, found, std::back_inserter(gone));
    EXPECT_EQ(unreviewed, decltype(unreviewed)());
    EXPECT_EQ(gone, decltype(gone)());
}

}  // namespace
}  // namespace npuscope
