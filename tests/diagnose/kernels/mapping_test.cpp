#include "diagnose/kernels/mapping.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

Mapping sample_mapping() {
    MappedKernel cast{.type = "Cast", .op_name = "mm_3_0", .task_id = 1};
    cast.change = "float32 to float16";
    cast.inputs.push_back({.dtype = "float32",
                           .format = "ND",
                           .shape = {2, 3},
                           .stored_shape = {2, 3},
                           .from = "input self"});
    cast.outputs.push_back(
        {.dtype = "float16", .format = "ND", .shape = {2, 3}, .stored_shape = {2, 3}});
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    cast.judged = {
        {compare::Verdict::kOutOfRange, "g leaves the range of float16"}, kInfinite, kInfinite};
    cast.overflow = true;
    cast.status = "float overflow (bit 5)";
    cast.files = {"Cast.mm_3_0.1.0.7"};
    MappedKernel product{.type = "MatMul", .op_name = "mm_3_1", .task_id = 2};
    product.inputs.push_back(
        {.dtype = "float16", .format = "FRACTAL_NZ", .from = "kernel 0 output 0"});
    product.outputs.push_back({.dtype = "float32", .format = "FRACTAL_NZ", .result = "result"});
    product.judged = {{compare::Verdict::kPass}, 1e-7, 0.25};
    MappedOp op{.path = "/mm/3", .computed_as = "mm", .node = "fc"};
    op.kernels = {cast, product};
    op.first_culprit = 0;
    compare::TensorResult result;
    result.argument = "result";
    result.judgement = {compare::Verdict::kFail, "", {.source = "float16 0.004"}};
    result.sums.max_d = 0.25;
    op.results = {result};
    Mapping mapping{.source = "ops.h5", .device = "npu 910A", .reference = "cpu fp64"};
    mapping.folder = "kernels/1/0";
    mapping.ops = {op, MappedOp{.path = "/strange/4", .skipped = "there is no op of this name"}};
    return mapping;
}

TEST(Mapping, is_a_table_in_a_terminal) {
    EXPECT_EQ(to_text(sample_mapping(), false, false),
              "device     npu 910A\n"
              "reference  cpu fp64\n"
              "kernels    kernels/1/0\n"
              "/mm/3 (fc): 2 kernels\n"
              "    #  kernel                 dtype                format               introduced  "
              "  total"
              "  verdict\n"
              "    0  Cast                   float32 > float16    ND                          inf  "
              "    inf"
              "  out_of_range  <- first to leave the golden\n"
              "       status: float overflow (bit 5)\n"
              "       g leaves the range of float16\n"
              "    1  MatMul                 float16 > float32    FRACTAL_NZ              1.0e-07  "
              "2.5e-01"
              "  pass\n"
              "  result against the file: fail 2.5e-01 (float16 0.004)\n"
              "/strange/4: there is no op of this name\n"
              "2 ops, 2 kernels\n");
    EXPECT_NE(to_text(sample_mapping(), true, false).find("\033[31m"), std::string::npos);
    EXPECT_NE(to_text(sample_mapping(), false, true)
                  .find("input 0  float16 FRACTAL_NZ []  from kernel 0"),
              std::string::npos);
}

TEST(Mapping, is_json_that_another_parser_reads) {
    const auto parsed = test::run_python(R"(
import json, sys
def no_constant(name): raise ValueError(name)
m = json.loads(sys.argv[1], parse_constant=no_constant)
op, other = m['ops']
print(m['version'], op['path'], op['first_culprit'], [k['type'] for k in op['kernels']],
      op['kernels'][0]['introduced'], op['kernels'][0]['change'],
      op['kernels'][1]['inputs'][0]['from'], op['kernels'][1]['outputs'][0]['result'],
      other['first_culprit'], other['skipped'])
)",
                                         {to_json(sample_mapping())});
    EXPECT_EQ(parsed.out,
              "1 /mm/3 0 ['Cast', 'MatMul'] inf float32 to float16 kernel 0 output 0 result None "
              "there is no op of this name\n")
        << parsed.err;
}

TEST(Mapping, is_a_finding_when_a_kernel_or_a_result_is) {
    Mapping mapping = sample_mapping();
    EXPECT_TRUE(mapping.finding());
    mapping.ops[0].first_culprit.reset();
    EXPECT_TRUE(mapping.finding());
    mapping.ops[0].results[0].judgement.verdict = compare::Verdict::kPass;
    EXPECT_FALSE(mapping.finding());
    EXPECT_EQ(mapping.kernel_count(), 2);
}

}  // namespace
}  // namespace npuscope::diagnose
