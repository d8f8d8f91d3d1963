// Functions that a model brings along.
#include "npu_backend/onnx/graph.h"
#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(LocalFunctions,
                    "function_attributes",
                    "function_nested",
                    "function_default",
                    "function_left_out",
                    "function_with_body")

namespace npuscope::test {
namespace {

TEST(LocalFunctionNodes, are_named_after_their_calls) {
    const onnx_model::Graph graph = onnx_model::read_graph(onnx_case_path("function_nested"));
    std::vector<std::string> names;
    for (const onnx_model::Node& node : graph.nodes)
        names.push_back(node.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"Twice_0/Scaled_0/LeakyRelu_0",
                                        "Twice_0/Scaled_0/Add_1",
                                        "Twice_0/Scaled_1/LeakyRelu_0",
                                        "Twice_0/Scaled_1/Add_1"}));
}

TEST(LocalFunctionNodes, follow_the_operator_set_of_their_function) {
    const onnx_model::Graph graph = onnx_model::read_graph(onnx_case_path("function_left_out"));
    ASSERT_EQ(graph.nodes.size(), 2u);
    EXPECT_EQ(graph.nodes[1].opset, 13);
}

class RefusedFunction : public testing::TestWithParam<Bad> {};

TEST_P(RefusedFunction, rejects_with_one_clear_line) {
    expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Onnx,
    RefusedFunction,
    testing::Values(
        Bad{"function_recursive",
            ErrorKind::kFormat,
            "node 'B_0' (npuscope.test.B), a function of the model: node 'A_0' (npuscope.test.A) "
            "calls the function that it is in: functions may not be recursive"},
        Bad{"function_growth",
            ErrorKind::kUnsupported,
            "node 'AA_0' (npuscope.test.AA), a function of the model: functions within: node "
            "'Relu_0' "
            "(Relu): the model has more than 1048576 nodes"},
        Bad{"function_depth", ErrorKind::kUnsupported, "functions are called 64 deep"},
        Bad{"function_operator",
            ErrorKind::kUnsupported,
            "2 operators are not supported: Unheard (1 node, the first 'Unheard_0'), far.Of (1 "
            "node, the first 'Of_1')"},
        Bad{"function_twice",
            ErrorKind::kFormat,
            "the model has two functions 'A' in the domain 'npuscope.test'"},
        Bad{"function_inputs",
            ErrorKind::kFormat,
            "node 'A_0' (npuscope.test.A) calls a function of 1 inputs and 1 outputs with 2 and 1"},
        Bad{"function_attribute",
            ErrorKind::kUnsupported,
            "attribute 'slope' of node 'A_0' (npuscope.test.A) is no attribute of its function"},
        Bad{"function_output",
            ErrorKind::kFormat,
            "output 'b' uses 'b', which nothing in the model makes"},
        Bad{"function_opset", ErrorKind::kUnsupported, "operator set 99 is not supported"},
        Bad{"reference_outside",
            ErrorKind::kFormat,
            "attribute 'alpha' of node 'LeakyRelu_0' (LeakyRelu) refers to the attribute 'slope' "
            "of a function, but the node is in none"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace npuscope::test
