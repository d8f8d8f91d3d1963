#include "npu_backend/onnx/model.h"

#include <set>
#include <thread>

#include "npu_backend/onnx/graph.h"
#include "tests/npu_backend/onnx/onnx_case.h"

namespace npuscope::test {
namespace {

using onnx_model::Model;

/// Names of recorded ops and the nodes that they come from.
class Recorder : public Observer {
  public:
    explicit Recorder(EventSource& source) : source_(source) { source.attach(*this); }
    ~Recorder() override { source_.detach(*this); }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void op_end(const OpEnd& op) override {
        if (!op.recorded) return;
        ops.emplace_back(op.name);
        nodes.push_back(op.source.node);
    }

    std::vector<std::string> ops;
    std::vector<std::string> nodes;

  private:
    EventSource& source_;
};

std::filesystem::path model_path(const std::string& name) {
    return source_dir() / "data" / "models" / (name + ".onnx");
}

TEST(OnnxModel, agrees_with_onnxruntime_on_the_residual_network) {
    EXPECT_LE(error_on(model_path("digits_resnet"), Device::reference64()), kTolerance);
    EXPECT_LE(error_on(model_path("digits_resnet"), Device::reference32()), kTolerance);
}

TEST(OnnxModel, agrees_with_onnxruntime_on_the_vision_transformer) {
    EXPECT_LE(error_on(model_path("digits_vit"), Device::reference64()), kTolerance);
    EXPECT_LE(error_on(model_path("digits_vit"), Device::reference32()), kTolerance);
}

TEST(OnnxModel, describes_inputs_outputs_and_nodes) {
    const Model model = Model::load(model_path("digits_resnet"));
    ASSERT_EQ(model.inputs().size(), 1u);
    EXPECT_EQ(model.inputs()[0].name, "input");
    EXPECT_EQ(model.inputs()[0].dtype, DType::kFloat32);
    EXPECT_EQ(model.inputs()[0].shape, (Shape{64, 1, 8, 8}));
    ASSERT_EQ(model.outputs().size(), 1u);
    EXPECT_EQ(model.outputs()[0].name, "logits");
    EXPECT_EQ(model.node_count(), 22);
    EXPECT_EQ(model.path(), model_path("digits_resnet"));
}

TEST(OnnxModel, keeps_the_names_of_symbolic_dimensions) {
    const Model model = Model::load(onnx_case_path("shape_of_symbols"));
    EXPECT_EQ(model.inputs()[0].shape, (Shape{-1, 3, -1}));
    EXPECT_EQ(model.inputs()[0].symbols, (std::vector<std::string>{"N", "", "C"}));
}

TEST(OnnxModel, records_ops_under_the_names_of_their_nodes) {
    const auto path = model_path("digits_resnet");
    Executor executor(Device::reference32());
    const Recorder recorder(executor);
    static_cast<void>(Model::load(path).run(executor, arrays_of(io_path(path), "in_")));
    // 9 convolutions, 7 ReLUs, 3 additions, the mean and the last layer; Flatten is a view.
    EXPECT_EQ(recorder.ops.size(), 21u);
    EXPECT_EQ(std::ranges::count(recorder.ops, "convolution"), 9);
    EXPECT_EQ(recorder.ops.front(), "convolution");
    EXPECT_EQ(recorder.nodes.front(), "/c/Conv");
    EXPECT_EQ(recorder.ops.back(), "addmm");
    EXPECT_EQ(recorder.nodes.back(), "/fc/Gemm");
}

TEST(OnnxModel, computes_shapes_on_the_host_without_recording) {
    const auto path = onnx_case_path("shape_arithmetic");
    Executor executor(Device::reference64());
    const Recorder recorder(executor);
    static_cast<void>(Model::load(path).run(executor, arrays_of(io_path(path), "in_")));
    EXPECT_EQ(recorder.ops, (std::vector<std::string>{"relu", "relu"}));
    EXPECT_EQ(recorder.nodes, (std::vector<std::string>{"Relu_8", "Relu_9"}));
}

TEST(OnnxModel, computes_scalar_constants_on_the_host_without_recording) {
    const auto path = onnx_case_path("scalar_arithmetic");
    Executor executor(Device::reference64());
    const Recorder recorder(executor);
    static_cast<void>(Model::load(path).run(executor, arrays_of(io_path(path), "in_")));
    EXPECT_EQ(recorder.ops, (std::vector<std::string>{"mul_Tensor"}));
}

TEST(OnnxModel, announces_each_node_before_it_runs) {
    const auto path = onnx_case_path("identity");
    Executor executor(Device::reference64());
    std::vector<std::string> seen;
    static_cast<void>(Model::load(path).run(
        executor,
        arrays_of(io_path(path), "in_"),
        [&](int64_t done, int64_t total, const std::string& node) {
            seen.push_back(std::to_string(done) + "/" + std::to_string(total) + " " + node);
        }));
    EXPECT_EQ(seen, (std::vector<std::string>{"0/3 Identity_0", "1/3 Identity_1", "2/3 Add_2"}));
}

TEST(OnnxModel, runs_on_several_threads_with_executors_of_their_own) {
    const auto path = model_path("digits_resnet");
    const Model model = Model::load(path);
    const NamedTensors inputs = arrays_of(io_path(path), "in_");
    std::vector<NamedTensors> outputs(3);
    std::vector<std::thread> threads;
    for (NamedTensors& output : outputs)
        threads.emplace_back([&] {
            Executor executor(Device::reference32());
            output = model.run(executor, inputs);
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const NamedTensors& output : outputs) {
        ASSERT_EQ(output.size(), 1u);
        EXPECT_TRUE(identical(output[0].second, outputs[0][0].second));
    }
}

TEST(OnnxModel, frees_values_after_their_last_use) {
    const onnx_model::Graph graph = onnx_model::read_graph(model_path("digits_resnet"));
    size_t alive = 0;
    size_t most = 0;
    for (const onnx_model::Node& node : graph.nodes) {
        alive += node.outputs.size();
        most = std::max(most, alive);
        for (const int value : node.last_uses) {
            const bool computed = std::ranges::any_of(graph.nodes, [&](const auto& other) {
                return std::ranges::count(other.outputs, value) != 0;
            });
            alive -= computed ? 1 : 0;
        }
    }
    EXPECT_EQ(alive, 1u) << "the output";
    EXPECT_LE(most, 3u) << "two branches and what is being made";
}

std::string usage_message(const std::string& name, const NamedTensors& inputs) {
    const Model model = Model::load(onnx_case_path(name));
    return message_of(ErrorKind::kUsage, [&] { model.check_inputs(inputs); });
}

TEST(OnnxModelInputs, accepts_any_size_of_a_symbolic_dimension) {
    const Model model = Model::load(onnx_case_path("add_symbols"));
    const Tensor five = Tensor::zeros(DType::kFloat32, {5, 4});
    EXPECT_NO_THROW(model.check_inputs({{"b", five}, {"a", five}}));
}

TEST(OnnxModelInputs, rejects_different_sizes_of_one_symbol) {
    const std::string message = usage_message("add_symbols",
                                              {{"a", Tensor::zeros(DType::kFloat32, {5, 4})},
                                               {"b", Tensor::zeros(DType::kFloat32, {6, 4})}});
    EXPECT_NE(message.find("input 'b' is float32 [6,4]; N is 5 by an earlier dimension; the "
                           "model's inputs are 'a' float32 [N,4], 'b' float32 [N,4]"),
              std::string::npos)
        << message;
}

TEST(OnnxModelInputs, rejects_wrong_names_counts_dtypes_and_shapes) {
    const Tensor fits = Tensor::zeros(DType::kFloat32, {3, 5});
    const std::string all = "; the model's inputs are 'x' float32 [3,5]";
    const auto expect = [&](const NamedTensors& inputs, const std::string& problem) {
        const std::string message = usage_message("relu", inputs);
        EXPECT_NE(message.find(problem + all), std::string::npos) << message;
    };
    expect({}, "input 'x' is not given");
    expect({{"x", fits}, {"y", fits}}, "there is no input 'y'");
    expect({{"in_x", fits}}, "there is no input 'in_x'");
    expect({{"x", fits}, {"x", fits}}, "input 'x' is given twice");
    expect({{"x", fits.cast(DType::kFloat16)}}, "input 'x' is float16 [3,5]");
    expect({{"x", fits.reshaped({5, 3})}}, "input 'x' is float32 [5,3]");
    expect({{"x", fits.reshaped({15})}}, "input 'x' is float32 [15]");
}

}  // namespace
}  // namespace npuscope::test
