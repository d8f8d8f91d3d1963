// The file, parsed and checked: everything that can be known before a run is found here.
#include <limits>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "npu_backend/onnx/graph.h"
#include "npu_backend/onnx/graph_reader.h"
#include "npu_backend/onnx/proto_names.h"

namespace npuscope::onnx_model {

namespace {

/// Protocol buffers are never larger.
void require_size(uintmax_t nbytes) {
    if (nbytes > static_cast<uintmax_t>(std::numeric_limits<int>::max()))
        throw Error(ErrorKind::kUnsupported,
                    "files above 2 GiB are not supported; save the tensors as external data");
}

onnx::ModelProto parse(std::span<const std::byte> bytes) {
    require_size(bytes.size());
    onnx::ModelProto model;
    if (bytes.empty() || !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        throw Error(ErrorKind::kFormat,
                    bytes.empty() ? "the file is empty"
                                  : "this is no ONNX model, or it is truncated or damaged");
    if (!model.has_graph() || !model.has_ir_version() || model.opset_import_size() == 0)
        throw Error(ErrorKind::kFormat,
                    "this is no complete ONNX model (the graph, the IR version or the operator set "
                    "is missing)");
    return model;
}

onnx::ModelProto parse_file(const std::filesystem::path& path) {
    require_size(std::filesystem::file_size(path));
    const std::string content = read_text_file(path);
    return parse(std::as_bytes(std::span(content)));
}

Graph read_parsed(const onnx::ModelProto& model, const std::filesystem::path& folder) {
    const LocalFunctions functions(model);
    ReadScope scope;
    scope.opset = default_opset(model.opset_import(), 0);
    require_known_operators(model.graph(), functions);
    Graph graph;
    ExternalData files(folder);
    ReadContext context{graph, functions, files, 0, 0, {}};
    static_cast<Body&>(graph) = GraphReader(model.graph(), context, std::move(scope), true).read();
    return graph;
}

}  // namespace

Graph read_graph(const std::filesystem::path& path) {
    require_regular_file(path, "model");
    try {
        const onnx::ModelProto model = parse_file(path);
        const std::filesystem::path folder = path.parent_path();
        return read_parsed(model, folder.empty() ? std::filesystem::path(".") : folder);
    } catch (const Error& error) {
        throw error.with_context("model " + in_quotes(path.string()));
    }
}

Graph read_graph(std::span<const std::byte> bytes) {
    return read_parsed(parse(bytes), {});
}

}  // namespace npuscope::onnx_model
