// Checkpoints in several .safetensors files, whose index tells which tensor is in which.
// Source: Hugging Face, safetensors documentation, "Sharded checkpoints": {"metadata": {…},
// "weight_map": {"tensor": "file beside the index"}}.
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/npz/tensor_files.h"
#include "core/recording/formats/format.h"

namespace npuscope {

namespace {

[[noreturn]] void is_no_index(const std::filesystem::path& path, const std::string& problem) {
    throw Error(ErrorKind::kFormat,
                in_quotes(path) + " is no index of a safetensors checkpoint: " + problem);
}

/// The names of each file's tensors.
std::map<std::string, std::vector<std::string>> weight_map(const std::filesystem::path& path) {
    const auto index = parse_json<nlohmann::json>(read_text_file(path));
    if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
        is_no_index(path, "it has no object 'weight_map'");
    std::map<std::string, std::vector<std::string>> files;
    for (const auto& [name, file] : index["weight_map"].items()) {
        if (!file.is_string()) is_no_index(path, in_quotes(name) + " has no file");
        const std::filesystem::path shard = file.get<std::string>();
        // A name that leads out of the folder is not followed.
        if (shard.empty() || shard != shard.filename() || shard == "." || shard == "..")
            is_no_index(path, "the file of " + in_quotes(name) + " is no plain name");
        files[shard.string()].push_back(name);
    }
    return files;
}

Source open_index(const std::filesystem::path& path, Arrays) {
    std::map<std::string, Tensor> tensors;
    for (const auto& [file, names] : weight_map(path)) {
        std::map<std::string, Tensor> shard;
        for (auto& [name, tensor] : read_safetensors(path.parent_path() / file))
            shard.emplace(name, std::move(tensor));
        for (const std::string& name : names) {
            const auto at = shard.find(name);
            if (at == shard.end())
                throw Error(ErrorKind::kFormat,
                            in_quotes(path) + ": " + in_quotes(name) + " is not in " +
                                in_quotes(file) + ", where the index has it");
            tensors.emplace(name, std::move(at->second));
        }
    }
    return source_of_arrays({tensors.begin(), tensors.end()}, {}, Arrays::kAlone);
}

}  // namespace

extern const Format k_safetensors_index_format;
const Format k_safetensors_index_format = {
    .name = "safetensors_index",
    .what = "a .safetensors.index.json (a checkpoint in several files)",
    .holds_arrays = true,
    .is_it =
        [](const std::filesystem::path& path) {
            return path.filename().string().ends_with(".safetensors.index.json");
        },
    .open = open_index,
};

}  // namespace npuscope
