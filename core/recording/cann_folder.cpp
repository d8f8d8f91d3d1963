// Folders of CANN dump files, and of the NumPy files of a golden model beside them.
#include <memory>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/cann_dump/folder.h"
#include "core/cann_dump/unpadded.h"
#include "core/recording/source.h"

namespace npuscope {

namespace {

using cann_dump::DumpFolder;
using cann_dump::FolderEntry;

/// A file that is left out, and parts that are missing, show as tensors without a partner.
void no_remark(const std::string&) {}

SourceTensor tensor_of(const cann_dump::DumpedTensor& dumped,
                       const std::string& path,
                       dumpfile::Direction direction,
                       const std::string& argument) {
    const RealArray array = cann_dump::unpadded(dumped);
    SourceTensor tensor;
    tensor.direction = direction;
    tensor.argument = argument;
    tensor.path =
        path + (direction == dumpfile::Direction::kInput ? ":input:" : ":output:") + argument;
    tensor.hold(array.values);
    tensor.dtype = array.dtype;
    tensor.shape = array.shape();
    return tensor;
}

std::vector<SourceTensor> load(const FolderEntry& entry, int64_t first_output) {
    const cann_dump::DumpedOp op = cann_dump::read_op(entry, no_remark);
    const std::string path = entry.newest().name;
    std::vector<SourceTensor> tensors;
    for (size_t i = 0; i < op.inputs.size(); ++i)
        tensors.push_back(
            tensor_of(op.inputs[i], path, dumpfile::Direction::kInput, std::to_string(i)));
    for (size_t i = 0; i < op.outputs.size(); ++i)
        tensors.push_back(tensor_of(op.outputs[i],
                                    path,
                                    dumpfile::Direction::kOutput,
                                    std::to_string(first_output + static_cast<int64_t>(i))));
    return tensors;
}

}  // namespace

Source source_of_cann_folder(const std::filesystem::path& path) {
    std::shared_ptr<const DumpFolder> folder;
    try {
        // The folder lives as long as the ops that read from it, which outlive this call.
        folder = std::make_shared<const DumpFolder>(path, DumpFolder::Options{}, no_remark);
    } catch (const Error&) {
        throw Error(ErrorKind::kUsage,
                    in_quotes(path) +
                        " is no folder of CANN dump files (op_type.op_name.task.stream.time) and "
                        "holds no dump.json of msprobe");
    }
    Source source;
    if (folder->kind() == cann_dump::DumpKind::kOffline) {
        for (const auto& [name, entry] : folder->by_time())
            source.ops.push_back(
                {{name, 0}, name, [folder, entry = entry] { return load(*entry, 0); }});
        return source;
    }
    // Here each entry is one output, "op.0".
    std::map<std::string, std::vector<std::pair<int64_t, const FolderEntry*>>> ops;
    for (const auto& [key, entry] : folder->entries()) {
        const size_t dot = key.rfind('.');
        ops[key.substr(0, dot)].emplace_back(std::stoll(key.substr(dot + 1).substr(0, 18)), &entry);
    }
    for (const auto& [name, outputs] : ops)
        source.ops.push_back({{name, 0}, name, [folder, outputs = outputs] {
                                  std::vector<SourceTensor> tensors;
                                  for (const auto& [index, entry] : outputs)
                                      for (SourceTensor& tensor : load(*entry, index))
                                          tensors.push_back(std::move(tensor));
                                  return tensors;
                              }});
    return source;
}

}  // namespace npuscope
