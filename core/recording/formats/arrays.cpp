#include "core/base/printable.h"
#include "core/npz/tensor_files.h"
#include "core/recording/formats/format.h"

namespace npuscope {

namespace {

constexpr size_t kMostNamed = 3;

/// "'a.pt': args (argparse.Namespace) and 4 more are no tensors and were passed over"
std::string passed_over_text(const std::filesystem::path& path,
                             const std::vector<std::string>& things) {
    std::string text = in_quotes(path) + ": ";
    for (size_t i = 0; i < std::min(kMostNamed, things.size()); ++i)
        text += (i == 0 ? "" : ", ") + printable(things[i]);
    if (things.size() > kMostNamed)
        text += " and " + std::to_string(things.size() - kMostNamed) + " more";
    return text + ": passed over, nothing in the file is run";
}

Source source_of_torch_file(const std::filesystem::path& path, Arrays form) {
    const TorchContent content = read_torch_content(path);
    Source source = source_of_arrays(content.tensors, {}, form);
    if (!content.passed_over.empty())
        source.remarks.push_back(passed_over_text(path, content.passed_over));
    return source;
}

Source open_arrays(const std::filesystem::path& path, Arrays form) {
    const std::string extension = path.extension().string();
    if (extension == ".npz")
        return source_of_arrays(read_npz(path), read_npz_histories(path), form);
    if (extension == ".npy")
        return source_of_arrays({{path.stem().string(), read_npy(path)}}, {}, form);
    if (extension == ".safetensors") return source_of_arrays(read_safetensors(path), {}, form);
    return source_of_torch_file(path, form);
}

}  // namespace

extern const Format k_arrays_format;
const Format k_arrays_format = {
    .name = "arrays",
    .what = "a .npz, .npy, .pt, .pth or .safetensors file",
    .holds_arrays = true,
    .is_it =
        [](const std::filesystem::path& path) {
            return has_extension(path, {".npz", ".npy", ".pt", ".pth", ".safetensors"});
        },
    .open = open_arrays,
};

}  // namespace npuscope
