#include "diagnose/apis/api_calls.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/naming/api_names.h"
#include "diagnose/apis/api_call.h"
#include "diagnose/apis/gradients.h"
#include "diagnose/apis/special_calls.h"
#include "diagnose/judge/overload.h"
#include "diagnose/judge/recorded_op.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

struct Wrapped {
    std::string api;
    std::string op;
};

std::vector<Wrapped> wrapped_functions() {
    std::ifstream file(test::source_dir() / "tests/diagnose/apis/wrapped_functions.txt");
    std::vector<Wrapped> all;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        Wrapped each;
        words >> each.api >> each.op;
        all.push_back(each);
    }
    return all;
}

TEST(ApiCalls, know_nine_of_ten_wrapped_functions_whose_op_is_ours) {
    int64_t with_op = 0;
    int64_t known = 0;
    std::string unknown;
    for (const Wrapped& each : wrapped_functions()) {
        if (overloads_of(each.op).empty()) continue;
        ++with_op;
        if (is_known_api(each.api))
            ++known;
        else
            unknown += " " + each.api;
    }
    EXPECT_GE(with_op, 900);
    EXPECT_GE(known * 10, with_op * 9) << unknown;
}

TEST(ApiCalls, list_every_wrapped_function_that_has_no_op) {
    std::set<std::string> listed;
    for (const std::string& api : apis_without_op())
        listed.insert(api);
    std::set<std::string> expected;
    for (const Wrapped& each : wrapped_functions())
        if (!is_known_api(each.api)) expected.insert(each.api);
    EXPECT_EQ(listed, expected);
}

TEST(ApiCalls, of_the_table_name_ops_of_ours) {
    for (const ApiName& row : all_api_names()) {
        if (row.op.starts_with('@')) {
            EXPECT_NE(find_special_call(row.op), nullptr) << row.api;
        } else {
            EXPECT_FALSE(overloads_of(row.op).empty()) << row.api;
        }
    }
    for (const GradientRule& rule : all_gradient_rules()) {
        EXPECT_NE(row_of(rule.op), nullptr) << rule.op;
        if (rule.make == nullptr) {
            EXPECT_NE(row_of(rule.by), nullptr) << rule.by;
        }
    }
}

TEST(ApiCalls, bind_numbers_and_tensors_to_the_overload_that_takes_them) {
    SourceTensor tensor;
    tensor.dtype = "float32";
    tensor.shape = {2, 3};
    const auto bound = [&](std::vector<Operand> operands) {
        return bind_call("add", nullptr, {.positional = std::move(operands)}).op->name();
    };
    EXPECT_EQ(bound({Operand::of(tensor), Operand::of(tensor)}), "add_Tensor");
    EXPECT_EQ(bound({Operand::of(tensor), Operand::of(2.5)}), "add_Scalar");
    EXPECT_THROW((void)bound({Operand::of(tensor)}), Error);
    EXPECT_THROW(
        (void)bound({Operand::of(tensor), Operand::of(tensor), Operand(), Operand::of(1.0)}),
        Error);
}

TEST(ApiCalls, take_the_dimensions_of_a_view_one_by_one_or_as_a_list) {
    SourceTensor tensor;
    tensor.dtype = "float32";
    tensor.shape = {2, 6};
    const std::vector<Operand> apart = {
        Operand::of(tensor), Operand::of(int64_t{3}), Operand::of(int64_t{4})};
    const std::vector<Operand> list = {Operand::of(tensor),
                                       Operand::of(std::vector<int64_t>{3, 4})};
    for (const auto& operands : {apart, list}) {
        const ApiCall call = bind_call("view", nullptr, {.positional = operands});
        EXPECT_EQ(call.argument("size").numbers(), (std::vector<double>{3, 4}));
    }
    // Of roll they are two arguments.
    const ApiCall call = bind_call("roll", nullptr, {.positional = apart});
    EXPECT_EQ(call.argument("shifts").numbers(), std::vector<double>{3});
    EXPECT_EQ(call.argument("dims").numbers(), std::vector<double>{4});
}

TEST(ApiCalls, leave_a_source_without_elements_as_it_is) {
    Source source;
    source.ops.push_back({.id = {"Torch.relu.0.forward", 0},
                          .path = "Torch.relu.0.forward",
                          .load = [] { return std::vector<SourceTensor>(1); }});
    describe_calls(source);
    EXPECT_FALSE(source.ops[0].calls);
}

}  // namespace
}  // namespace npuscope::diagnose
