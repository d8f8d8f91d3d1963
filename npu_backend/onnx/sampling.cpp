// GridSample and Det.
#include <utility>

#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

namespace {

int64_t place_of(const NodeRun& node,
                 const std::string& word,
                 std::initializer_list<const char*> words) {
    int64_t place = 0;
    for (const char* known : words) {
        if (word == known) return place;
        ++place;
    }
    node.require(false, "one of its modes is not one of ONNX's");
    return -1;
}

}  // namespace

/// Operator set 20 renames the modes.
void lower_grid_sample(NodeRun& node) {
    std::string mode = node.attribute("mode", "bilinear");
    if (mode == "linear") mode = "bilinear";
    if (mode == "cubic") mode = "bicubic";
    const std::string padding = node.attribute("padding_mode", "zeros");
    if (node.input(0).ndim() != 4) node.unsupported("sampling of other than images");
    node.set_output(
        0,
        node.call("grid_sampler_2d",
                  {{"input", node.input(0)},
                   {"grid", node.input(1)},
                   {"interpolation_mode", place_of(node, mode, {"bilinear", "nearest", "bicubic"})},
                   {"padding_mode", place_of(node, padding, {"zeros", "border", "reflection"})},
                   {"align_corners", node.attribute("align_corners", int64_t{0}) != 0}}));
}

void lower_det(NodeRun& node) {
    node.set_output(0, node.call("linalg_det", {{"A", node.input(0)}}));
}

}  // namespace npuscope::onnx_model
