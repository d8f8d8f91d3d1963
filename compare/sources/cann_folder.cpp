// Folders of CANN dump files, and of the NumPy files of a golden model beside them.
#include <memory>
#include <sstream>

#include "compare/sources/source.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "msaccucmp/folders/npu_pair.h"
#include "msaccucmp/kernel_dumps/dump_folder.h"

namespace npuscope::compare {

namespace {

using msaccucmp::DumpedTensor;

SourceTensor tensor_of(const DumpedTensor& dumped,
                       const std::string& path,
                       dumpfile::Direction direction,
                       const std::string& argument) {
    const msaccucmp::Array array = msaccucmp::without_padding(dumped);
    SourceTensor tensor;
    tensor.direction = direction;
    tensor.argument = argument;
    tensor.path =
        path + (direction == dumpfile::Direction::kInput ? ":input:" : ":output:") + argument;
    tensor.dtype = array.dtype;
    tensor.shape = array.shape();
    tensor.data = array.values;
    return tensor;
}

std::vector<SourceTensor> load(const msaccucmp::FolderEntry& entry, int64_t first_output) {
    std::ostringstream unread;
    msaccucmp::Log log(unread);
    const msaccucmp::DumpedOp op = msaccucmp::read_entry(entry, log);
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
    std::ostringstream unread;
    msaccucmp::Log log(unread);
    std::unique_ptr<msaccucmp::DumpFolder> opened;
    try {
        opened = std::make_unique<msaccucmp::DumpFolder>(
            path.string(), msaccucmp::DumpFolder::Options{}, log);
    } catch (const Error&) {
        throw Error(ErrorKind::kUsage,
                    "'" + printable(path.string()) +
                        "' is no folder of CANN dump files (op_type.op_name.task.stream.time) and "
                        "holds no dump.json of msprobe");
    }
    // The folder lives as long as the ops that read from it, which outlive this call.
    const std::shared_ptr<const msaccucmp::DumpFolder> folder = std::move(opened);
    Source source;
    if (folder->kind() == msaccucmp::DumpKind::kOffline) {
        std::ostringstream nothing;
        for (const auto& pair : msaccucmp::pair_folders(*folder, *folder))
            source.push_back({pair.name, [folder, entry = pair.my] { return load(*entry, 0); }});
        return source;
    }
    // Here each entry is one output, "op.0".
    std::map<std::string, std::vector<std::pair<int64_t, const msaccucmp::FolderEntry*>>> ops;
    for (const auto& [key, entry] : folder->entries()) {
        const size_t dot = key.rfind('.');
        ops[key.substr(0, dot)].emplace_back(std::stoll(key.substr(dot + 1).substr(0, 18)), &entry);
    }
    for (const auto& [name, outputs] : ops)
        source.push_back({name, [folder, outputs = outputs] {
                              std::vector<SourceTensor> tensors;
                              for (const auto& [index, entry] : outputs)
                                  for (SourceTensor& tensor : load(*entry, index))
                                      tensors.push_back(std::move(tensor));
                              return tensors;
                          }});
    return source;
}

}  // namespace npuscope::compare
