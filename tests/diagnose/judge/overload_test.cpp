#include "diagnose/judge/overload.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/naming/ir_name.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {
namespace {

/// A run whose recorder wrote these inputs.
SourceOp run_with(const std::string& op, std::vector<std::string> inputs) {
    return {.id = {ir_name(op), 1}, .path = "/" + op + "/1", .load = [inputs = std::move(inputs)] {
                std::vector<SourceTensor> tensors;
                for (const std::string& each : inputs)
                    tensors.push_back({.direction = dumpfile::Direction::kInput,
                                       .argument = each,
                                       .path = each,
                                       .dtype = each == "dim" ? "int64" : "float32",
                                       .shape = {2}});
                return tensors;
            }};
}

std::string name_of_row(const std::string& op, std::vector<std::string> inputs) {
    const backend::Op* row = row_of(run_with(op, std::move(inputs)));
    return row == nullptr ? "" : row->name();
}

TEST(Overload, is_told_by_the_arguments) {
    EXPECT_EQ(name_of_row("mul", {"self", "other"}), "mul_Tensor");
    EXPECT_EQ(name_of_row("mul_", {"self", "other"}), "mul__Tensor");
    EXPECT_EQ(name_of_row("aten::add", {"self", "other"}), "add_Tensor");
    EXPECT_EQ(name_of_row("pow", {"self", "exponent"}).substr(0, 4), "pow_");
    EXPECT_EQ(name_of_row("aten::mul", {"0", "1"}), "mul_Tensor");
    EXPECT_EQ(name_of_row("stack", {"tensors/tensors_0", "tensors/tensors_1"}), "stack");
}

TEST(Overload, is_told_by_the_arguments_where_one_has_no_suffix) {
    EXPECT_EQ(name_of_row("sum", {"self"}), "sum");
    EXPECT_EQ(name_of_row("sum", {"self", "dim"}).substr(0, 8), "sum_dim_");
    EXPECT_EQ(name_of_row("mean", {"self", "dim"}).substr(0, 8), "mean_dim");
    EXPECT_EQ(name_of_row("mean", {"self", "unknown"}), "mean");
}

TEST(Overload, is_none_where_arguments_are_unknown_or_missing) {
    EXPECT_EQ(name_of_row("mul", {"self"}), "");
    EXPECT_EQ(name_of_row("mul", {"a", "b"}), "");
    EXPECT_EQ(name_of_row("aten::mul", {"0", "1", "2"}), "");
    EXPECT_EQ(name_of_row("mul", {"0", "1"}), "");
    EXPECT_EQ(name_of_row("no_such_op", {"self"}), "");
}

TEST(Overload, is_the_recorded_one_where_that_is_told) {
    EXPECT_EQ(name_of_row("aten.mul.Scalar", {"self", "other"}), "mul_Scalar");
    EXPECT_EQ(name_of_row("aten.relu.default", {"self"}), "relu");
}

TEST(SchemaName, is_that_of_an_argument_by_its_place) {
    const auto& cat = backend::find_op("cat")->schema.arguments;
    EXPECT_EQ(schema_name("args_1", cat), "dim");
    EXPECT_EQ(schema_name("0/0_1", cat), "tensors/tensors_1");
    EXPECT_EQ(schema_name("2", cat), "");
    EXPECT_EQ(schema_name("tensors/tensors_0", cat), "");
}

TEST(IrNames, are_found_of_every_op_that_the_executor_has) {
    for (const backend::Op& op : backend::all_ops()) {
        const std::string schema(op.row->schema.substr(0, op.row->schema.find('(')));
        EXPECT_EQ(ir_name(schema), op.name());
        const bool is_plain = schema.find('.') == std::string::npos;
        EXPECT_EQ(ir_name("aten." + schema + (is_plain ? ".default" : "")), op.name());
    }
}

}  // namespace
}  // namespace npuscope::diagnose
