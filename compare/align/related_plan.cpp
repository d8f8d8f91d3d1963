#include "compare/align/related_plan.h"

#include <algorithm>

#include "compare/align/take_ties.h"
#include "compare/gate/read_text.h"
#include "compare/relate/mapping.h"
#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

std::vector<TensorTie> read_ties(const std::filesystem::path& path,
                                 const Source& target,
                                 const Source& golden) {
    int64_t unknown = 0;
    std::vector<TensorTie> ties =
        ties_written(small_text(path, kLargeText), path.string(), target, golden, unknown);
    if (ties.empty())
        throw Error(ErrorKind::kUsage,
                    "the mapping " + in_quotes(path.string()) + " has no tensor of both sides (" +
                        std::to_string(unknown) + " are of neither)");
    return ties;
}

/// Adds to tied ops what they took in.
void tie_inputs(const Relations& relations,
                const Source& target,
                const Source& golden,
                Plan& plan) {
    std::vector<std::pair<size_t, size_t>> ops;
    std::vector<OpPair*> pairs;
    for (OpPair& pair : plan.ops) {
        if (pair.ties.empty()) continue;
        ops.emplace_back(pair.target - target.ops.data(), pair.golden - golden.ops.data());
        pairs.push_back(&pair);
    }
    std::vector<std::vector<TensorTie>> ties = input_ties(relations, target, golden, ops);
    for (size_t i = 0; i < pairs.size(); ++i)
        pairs[i]->ties.insert(pairs[i]->ties.begin(), ties[i].begin(), ties[i].end());
}

}  // namespace

Plan related_plan(const Source& target, const Source& golden, const Options& options) {
    Plan plan = make_plan(target, golden);
    const AlignOptions& align = options.align;
    if (!align.mapping.empty()) {
        const std::vector<TensorTie> ties = read_ties(align.mapping, target, golden);
        take_ties(ties, plan);
        if (align.on_ties) align.on_ties(ties);
        return plan;
    }
    const bool is_wanted = align.when == AlignOptions::When::kAlways ||
                           (align.when == AlignOptions::When::kWhereUnpaired && !plan.load_mode &&
                            share_unpaired(plan) > AlignOptions::kMostUnpaired);
    if (!is_wanted || target.lacks_elements || golden.lacks_elements) return plan;
    const Relations relations = relate(target, golden, options.threads);
    const std::vector<TensorTie> ties = ties_of(relations, target, golden);
    take_ties(ties, plan);
    tie_inputs(relations, target, golden, plan);
    if (align.on_ties) align.on_ties(ties);
    return plan;
}

}  // namespace npuscope::compare
