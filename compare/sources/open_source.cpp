#include <algorithm>
#include <memory>

#include "compare/sources/source.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/dumpfile/reader.h"
#include "core/npz/tensor_files.h"

namespace npuscope::compare {

namespace {

constexpr int kDeepestMsprobe = 4;

/// The dump.json below a folder; msprobe has step<N>/rank<N>/ above it.
std::vector<std::filesystem::path> msprobe_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    const auto all = std::filesystem::directory_options::skip_permission_denied;
    for (auto at = std::filesystem::recursive_directory_iterator(folder, all);
         at != std::filesystem::recursive_directory_iterator();
         ++at) {
        if (at.depth() >= kDeepestMsprobe) at.disable_recursion_pending();
        if (at->path().filename() == "dump.json" && at->is_regular_file())
            found.push_back(at->path());
    }
    return found;
}

Source open_folder(const std::filesystem::path& path) {
    const auto files = msprobe_files(path);
    if (files.empty()) return source_of_cann_folder(path);
    if (files.size() == 1) return source_of_msprobe(files.front());
    throw Error(ErrorKind::kUsage,
                in_quotes(path) + " holds " + std::to_string(files.size()) +
                    " dumps of msprobe; name one, " + in_quotes(files.front()) + " for example");
}

/// op, direction and argument of "op.output.0", nothing for other names.
struct TensorName {
    std::string op;
    dumpfile::Direction direction;
    std::string argument;
};

std::optional<TensorName> parse_name(const std::string& name) {
    constexpr std::string_view kSeparators = "._:/";
    const auto separates = [&](size_t at) {
        return kSeparators.find(name[at]) != std::string_view::npos;
    };
    // The last such word between separators counts; an argument may be called "input" itself.
    for (size_t at = name.size(); at-- > 2;)
        for (const auto& [word, direction] : {std::pair("input", dumpfile::Direction::kInput),
                                              {"output", dumpfile::Direction::kOutput}}) {
            const size_t end = at + std::string_view(word).size();
            if (name.compare(at, end - at, word) == 0 && end + 1 < name.size() &&
                separates(at - 1) && separates(end))
                return TensorName{name.substr(0, at - 1), direction, name.substr(end + 1)};
        }
    return std::nullopt;
}

}  // namespace

bool is_array_file(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".npz" || extension == ".npy" || extension == ".pt" ||
           extension == ".pth" || extension == ".safetensors";
}

NamedTensors read_array_source(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".npz") return read_npz(path);
    if (extension == ".pt" || extension == ".pth") return read_torch_file(path);
    if (extension == ".safetensors") return read_safetensors(path);
    NamedTensors arrays;
    arrays.emplace_back(path.stem().string(), read_npy(path));
    return arrays;
}

ComputeTypes read_compute_types(const std::filesystem::path& path) {
    return path.extension() == ".npz" ? read_npz_compute_types(path) : ComputeTypes();
}

Source source_of_arrays(const NamedTensors& arrays, const ComputeTypes& compute_types) {
    std::vector<std::pair<std::string, std::vector<SourceTensor>>> ops;
    for (const auto& [name, array] : arrays) {
        const auto parsed = parse_name(name);
        SourceTensor tensor;
        tensor.direction = parsed ? parsed->direction : dumpfile::Direction::kOutput;
        tensor.argument = parsed ? parsed->argument : "0";
        tensor.path = name;
        tensor.dtype = name_of(array.dtype());
        const auto computed = compute_types.find(name);
        if (computed != compute_types.end()) tensor.compute_type = computed->second;
        tensor.shape = array.shape();
        tensor.data = array;
        const std::string op = parsed ? parsed->op : name;
        auto at = std::find_if(
            ops.begin(), ops.end(), [&](const auto& each) { return each.first == op; });
        if (at == ops.end()) at = ops.insert(at, {op, {}});
        at->second.push_back(std::move(tensor));
    }
    Source source;
    for (auto& [name, tensors] : ops)
        source.push_back({name, [tensors = std::move(tensors)] { return tensors; }});
    return source;
}

Source source_of_dump(const std::filesystem::path& path) {
    // The reader lives as long as the ops that read from it, which outlive this call.
    const auto reader = std::make_shared<dumpfile::Reader>(path);
    Source source;
    for (size_t i = 0; i < reader->ops().size(); ++i)
        source.push_back(
            {dumpfile::op_path(reader->ops()[i].id.op, reader->ops()[i].id.seqid),
             [reader, i] {
                 std::vector<SourceTensor> tensors;
                 for (const dumpfile::Entry& entry : reader->ops()[i].entries) {
                     if (!entry.is_tensor()) continue;
                     SourceTensor tensor;
                     tensor.direction = entry.direction;
                     tensor.argument = entry.argument;
                     tensor.path = entry.path;
                     tensor.shape = entry.stored.shape;
                     tensor.compute_type = entry.compute_type;
                     const auto dtype = entry.dtype();
                     tensor.dtype = dtype ? name_of(*dtype) : entry.stored.numpy_name;
                     try {
                         tensor.data = reader->read(entry);
                     } catch (const Error& failure) {
                         tensor.problem = failure.what();
                     }
                     tensors.push_back(std::move(tensor));
                 }
                 return tensors;
             },
             [reader, i]() -> SideFacts {
                 const dumpfile::OpEntry& op = reader->ops()[i];
                 return {dumpfile::parse_facts(op.facts_json), plain_arguments(*reader, op)};
             }});
    return source;
}

Source open_source(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) return open_folder(path);
    const std::string extension = path.extension().string();
    if (extension == ".h5" || extension == ".hdf5") return source_of_dump(path);
    if (path.filename() == "dump.json") return source_of_msprobe(path);
    if (is_array_file(path))
        return source_of_arrays(read_array_source(path), read_compute_types(path));
    throw Error(ErrorKind::kUsage,
                in_quotes(path) +
                    " is no .h5 dump, no .npz, .npy, .pt or .safetensors file, no dump.json and no "
                    "folder of dumps; nothing else can be compared");
}

}  // namespace npuscope::compare
