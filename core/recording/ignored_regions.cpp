#include "core/recording/ignored_regions.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope {

namespace {

using IgnoredOf = std::function<std::shared_ptr<const IgnoredElements>(const SourceTensor&)>;

void ignore_in_op(SourceOp& op, const std::shared_ptr<const IgnoredOf>& ignored_of) {
    op.load = [load = std::move(op.load), ignored_of] {
        std::vector<SourceTensor> tensors = load();
        for (SourceTensor& tensor : tensors) {
            auto ignored = (*ignored_of)(tensor);
            if (ignored && ignored->fits(tensor.shape)) tensor.ignored = std::move(ignored);
        }
        return tensors;
    };
    if (!op.calls) return;
    op.calls = [calls = std::move(op.calls), ignored_of] {
        std::vector<SourceOp> runs = calls();
        for (SourceOp& run : runs)
            ignore_in_op(run, ignored_of);
        return runs;
    };
}

}  // namespace

void IgnoredRegions::add(const std::string& text) {
    const size_t open = text.rfind('[');
    if (open == std::string::npos || text.back() != ']')
        throw Error(ErrorKind::kUsage,
                    "the region " + in_quotes(text) +
                        " has no slice at its end; write REGEX[SLICE], as '/softmax/[..., -3:]', "
                        "and [...] for whole tensors");
    rows_.push_back({Pattern(text.substr(0, open)),
                     Slice(std::string_view(text).substr(open + 1, text.size() - open - 2))});
}

void IgnoredRegions::add(const IgnoredRegions& others) {
    rows_.insert(rows_.end(), others.rows_.begin(), others.rows_.end());
}

std::shared_ptr<const IgnoredElements> IgnoredTally::of(const SourceTensor& tensor,
                                                        const std::string& other) {
    const auto [known, is_new] = known_.try_emplace(tensor.path + '\n' + other);
    if (!is_new) return known->second;
    std::shared_ptr<IgnoredElements> found;
    for (size_t i = 0; i < met_.size(); ++i) {
        const IgnoredRegion& region = regions_.rows()[i];
        if (!region.dtype.empty() && region.dtype != tensor.dtype) continue;
        if (!region.tensor.is_found_in(tensor.path) && !region.tensor.is_found_in(other)) continue;
        ++met_[i].tensors;
        if (!found) found = std::make_shared<IgnoredElements>(tensor.shape);
        if (found->add(region.slice)) continue;
        if (met_[i].outside++ == 0)
            met_[i].first_outside = tensor.path + " " + to_string(tensor.shape);
    }
    if (found && !found->empty()) known->second = std::move(found);
    return known->second;
}

std::vector<std::string> IgnoredTally::notes() const {
    std::vector<std::string> notes;
    for (size_t i = 0; i < met_.size(); ++i) {
        const std::string name = "the region " + in_quotes(regions_.rows()[i].text());
        const Met& met = met_[i];
        if (met.tensors == 0) {
            notes.push_back(name + " to ignore is of no tensor here");
        } else if (met.outside > 0) {
            notes.push_back(name + " to ignore lies outside " + std::to_string(met.outside) +
                            " of " + std::to_string(met.tensors) +
                            (met.tensors == 1 ? " tensor, " : " tensors, first ") +
                            printable(met.first_outside));
        }
    }
    return notes;
}

void ignore_in(
    Source& source,
    std::function<std::shared_ptr<const IgnoredElements>(const SourceTensor&)> ignored_of) {
    const auto shared = std::make_shared<const IgnoredOf>(std::move(ignored_of));
    for (SourceOp& op : source.ops)
        ignore_in_op(op, shared);
}

}  // namespace npuscope
