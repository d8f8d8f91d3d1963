#include "compare/programs/judged_alone.h"

#include <utility>

namespace npuscope::compare {

std::vector<AloneResult> judged_alone(const Splitter& splitter,
                                      const OpPair& pair,
                                      const std::function<bool(const SourceTensor&)>& which) {
    std::vector<AloneResult> results;
    for (SourceTensor& tensor : pair.target->load())
        if (tensor.direction == dumpfile::Direction::kOutput && tensor.open && which(tensor))
            results.push_back({std::move(tensor), {}});
    if (results.empty()) return results;
    std::vector<SplitQuery> queries;
    for (const AloneResult& result : results)
        queries.push_back({.target = &result.tensor});
    std::vector<Split> splits = splitter.split(pair, queries, {});
    for (size_t i = 0; i < results.size(); ++i)
        results[i].split = std::move(splits[i]);
    return results;
}

}  // namespace npuscope::compare
