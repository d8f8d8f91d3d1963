#include "tests/conformance/onnx_data.h"

#include <algorithm>
#include <fstream>
#include <sstream>

// The second needs the first.
// clang-format off
#include <onnx/onnx_pb.h>
#include <onnx/onnx-data.pb.h>
// clang-format on

#include "core/base/error.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope::test {

namespace fs = std::filesystem;
using onnx_model::TensorInfo;
using onnx_model::ValueKind;

namespace {

template <class Proto>
Proto parsed(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    Proto proto;
    if (!proto.ParseFromString(text.str()))
        throw Error(ErrorKind::kFormat, path.filename().string() + " cannot be parsed");
    return proto;
}

/// The suite stores bfloat16 as the bits of uint16. Where only the dtype of an input counts, it
/// stores one element for a declared shape of more: that one is repeated.
Tensor as_declared(Tensor stored, const TensorInfo& info) {
    if (stored.dtype() == DType::kUInt16 && info.dtype == DType::kBFloat16)
        stored = Tensor::copy_of(info.dtype, stored.shape(), stored.data());
    const bool fixed = std::ranges::all_of(info.shape, [](int64_t dim) { return dim >= 0; });
    if (stored.numel() != 1 || !fixed || !info.shape_known || numel_of(info.shape) <= 1)
        return stored;
    Tensor repeated(stored.dtype(), info.shape);
    for (int64_t i = 0; i < repeated.numel(); ++i)
        std::copy_n(stored.data(),
                    stored.nbytes(),
                    repeated.mutable_data() + static_cast<size_t>(i) * stored.nbytes());
    return repeated;
}

/// OptionalProto and SequenceProto have the same fields: a kind, tensors, and sequences.
void append_elements(const onnx::SequenceProto& proto,
                     const TensorInfo& info,
                     const std::string& what,
                     NamedTensors& arrays) {
    if (proto.sequence_values_size() != 0) {
        append_elements(proto.sequence_values(0), info, what, arrays);
        return;
    }
    for (int i = 0; i < proto.tensor_values_size(); ++i)
        arrays.emplace_back(
            info.kind == ValueKind::kSequence ? info.name + "/" + std::to_string(i) : info.name,
            onnx_model::read_tensor(proto.tensor_values(i), what));
}

/// prefix_0.pb, prefix_1.pb, … in that order.
NamedTensors stored(const fs::path& folder,
                    const std::string& prefix,
                    const std::vector<TensorInfo>& infos) {
    NamedTensors arrays;
    for (size_t i = 0; i < infos.size(); ++i) {
        const fs::path path = folder / (prefix + "_" + std::to_string(i) + ".pb");
        if (!fs::exists(path)) break;
        const std::string what = path.filename().string();
        const TensorInfo& info = infos[i];
        const bool plain = info.kind == ValueKind::kTensor && !info.optional;
        if (plain) {
            Tensor tensor = onnx_model::read_tensor(parsed<onnx::TensorProto>(path), what);
            arrays.emplace_back(info.name, as_declared(std::move(tensor), info));
        } else {
            append_elements(parsed<onnx::SequenceProto>(path), info, what, arrays);
        }
    }
    return arrays;
}

}  // namespace

std::map<std::string, fs::path> onnx_suite(const fs::path& root) {
    std::map<std::string, fs::path> cases;
    for (const auto& family : fs::directory_iterator(root))
        for (const auto& entry : fs::directory_iterator(family))
            if (fs::exists(entry.path() / "model.onnx"))
                cases[family.path().filename().string() + "/" + entry.path().filename().string()] =
                    entry.path();
    return cases;
}

std::vector<OnnxDataSet> onnx_data_sets(const fs::path& folder, const onnx_model::Model& model) {
    std::vector<OnnxDataSet> sets;
    for (;;) {
        const fs::path data = folder / ("test_data_set_" + std::to_string(sets.size()));
        if (!fs::exists(data)) return sets;
        sets.push_back(
            {stored(data, "input", model.inputs()), stored(data, "output", model.outputs())});
    }
}

}  // namespace npuscope::test
