// Megatron's checkpoints: mp_rank_<tensor>[_<pipeline>[_<expert>]]/model_optim_rng.pt, one for each
// rank of model parallelism, in a folder of one iteration, and a tracker file above that names the
// last one. Source: NVIDIA/Megatron-LM, megatron/training/checkpointing.py.
#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/words.h"
#include "core/npz/tensor_files.h"
#include "core/recording/formats/format.h"

namespace npuscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* kTracker = "latest_checkpointed_iteration.txt";
constexpr const char* kFile = "model_optim_rng.pt";

/// The ranks' folders that hold a checkpoint, by name; none of what is no folder.
std::vector<fs::path> ranks_of(const fs::path& folder) {
    std::vector<fs::path> ranks;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed))
        if (entry.path().filename().string().starts_with("mp_rank_") &&
            fs::is_regular_file(entry.path() / kFile, failed))
            ranks.push_back(entry.path());
    std::ranges::sort(ranks);
    return ranks;
}

/// The folder of the iteration that the tracker names: a number of seven digits, or "release".
fs::path last_iteration(const fs::path& folder) {
    const std::string text = trimmed(read_text_file(folder / kTracker));
    if (text == "release") return folder / text;
    const auto iteration = natural(text);
    if (!iteration)
        throw Error(ErrorKind::kFormat,
                    in_quotes(folder / kTracker) + " names no iteration: " + in_quotes(text));
    const std::string digits = std::to_string(*iteration);
    return folder / ("iter_" + std::string(7 - std::min<size_t>(7, digits.size()), '0') + digits);
}

bool is_checkpoint(const fs::path& path) {
    std::error_code failed;
    return fs::is_directory(path, failed) &&
           (fs::is_regular_file(path / kTracker, failed) || !ranks_of(path).empty());
}

Source open_checkpoint(const fs::path& path, Arrays) {
    const fs::path folder = fs::exists(path / kTracker) ? last_iteration(path) : path;
    const std::vector<fs::path> ranks = ranks_of(folder);
    if (ranks.empty())
        throw Error(ErrorKind::kFormat,
                    in_quotes(folder) + " holds no mp_rank_<N>/" + kFile +
                        "; distributed checkpoints of torch are not read");
    NamedTensors tensors;
    size_t passed_over = 0;
    for (const fs::path& rank : ranks) {
        TorchContent content = read_torch_content(rank / kFile);
        passed_over += content.passed_over.size();
        const std::string before = ranks.size() == 1 ? "" : rank.filename().string() + ".";
        for (auto& [name, tensor] : content.tensors)
            tensors.emplace_back(before + name, std::move(tensor));
    }
    Source source = source_of_arrays(tensors, {}, Arrays::kAlone);
    if (passed_over > 0)
        source.remarks.push_back(in_quotes(folder) + ": " + std::to_string(passed_over) +
                                 " objects that are no tensors (arguments, states of random "
                                 "generators) were passed over, nothing in the files is run");
    return source;
}

}  // namespace

extern const Format k_megatron_format;
const Format k_megatron_format = {
    .name = "megatron",
    .what = "a folder of Megatron's mp_rank_<N>/model_optim_rng.pt",
    .holds_arrays = true,
    .is_it = is_checkpoint,
    .open = open_checkpoint,
};

}  // namespace npuscope
