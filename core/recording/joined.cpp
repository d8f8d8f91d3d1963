#include "core/recording/joined.h"

#include <algorithm>
#include <memory>

namespace npuscope {

namespace {

/// Between a rank and a path: no path begins so.
constexpr std::string_view kMark = ":/";

std::string in_rank(const std::string& rank, const std::string& path) {
    return rank + (path.starts_with('/') ? ":" : ":/") + path;
}

void take_rank(const std::string& rank, uint64_t number, SourceOp& op) {
    op.path = in_rank(rank, op.path);
    op.load = [load = std::move(op.load), rank, number] {
        std::vector<SourceTensor> tensors = load();
        for (SourceTensor& tensor : tensors) {
            tensor.path = in_rank(rank, tensor.path);
            // Numbers of one file say nothing of another's.
            if (tensor.storage) tensor.storage = *tensor.storage * 4096 + number;
        }
        return tensors;
    };
}

}  // namespace

Source join_ranks(std::vector<Source> sources, const std::vector<std::string>& ranks) {
    Source joined;
    size_t longest = 0;
    joined.numbered = true;
    for (Source& source : sources) {
        longest = std::max(longest, source.ops.size());
        joined.numbered = joined.numbered && source.numbered;
        joined.complete = joined.complete && source.complete;
        joined.structure_only = joined.structure_only || source.structure_only;
        joined.lacks_elements = joined.lacks_elements || source.lacks_elements;
        if (source.has_inputs)
            joined.has_inputs = joined.has_inputs.value_or(false) || *source.has_inputs;
        if (!joined.device) joined.device = source.device;
        for (const std::string& remark : source.remarks)
            if (std::ranges::find(joined.remarks, remark) == joined.remarks.end())
                joined.remarks.push_back(remark);
    }
    for (size_t op = 0; op < longest; ++op)
        for (size_t rank = 0; rank < sources.size(); ++rank) {
            if (op >= sources[rank].ops.size()) continue;
            take_rank(ranks[rank], rank, sources[rank].ops[op]);
            joined.ops.push_back(std::move(sources[rank].ops[op]));
        }
    auto owners = std::make_shared<std::vector<Source>>(std::move(sources));
    joined.release = [owners] {
        for (const Source& source : *owners)
            if (source.release) source.release();
    };
    joined.owner = owners;
    return joined;
}

std::string_view rank_of_path(std::string_view path) {
    const size_t mark = path.find(kMark);
    return mark == std::string_view::npos || path.starts_with('/') ? std::string_view()
                                                                   : path.substr(0, mark);
}

std::string_view path_in_rank(std::string_view path) {
    const std::string_view rank = rank_of_path(path);
    return rank.empty() ? path : path.substr(rank.size() + 1);
}

}  // namespace npuscope
