#include "compare/align/related_plan.h"

#include <algorithm>
#include <iterator>

#include "compare/align/missed_sums.h"
#include "compare/align/one_sided.h"
#include "compare/align/renames.h"
#include "compare/align/take_ties.h"
#include "compare/gate/read_text.h"
#include "compare/relate/mapping.h"
#include "compare/relate/ties.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

/// A file of ours begins with a brace, msprobe's do not.
bool is_ours(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

/// Ties by the names of a data mapping.
std::vector<TensorTie> named_ties(const Renames& renames,
                                  const std::string& name,
                                  const Source& target,
                                  const Source& golden,
                                  int64_t& unknown) {
    if (renames.tensors().empty()) return {};
    return ties_written(mapping_text(renames.tensors()), name, target, golden, unknown);
}

std::vector<TensorTie> given_ties(const std::vector<TensorTie>& ties) {
    std::vector<TensorTie> given;
    std::ranges::copy_if(ties, std::back_inserter(given), [](const TensorTie& tie) {
        return tie.direction == dumpfile::Direction::kInput && !tie.by_place;
    });
    return given;
}

Plan mapped_plan(const Source& target, const Source& golden, const AlignOptions& align) {
    const std::string name = align.mapping.string();
    const std::string text = small_text(align.mapping, kLargeText);
    int64_t unknown = 0;
    Renames renames;
    std::vector<TensorTie> ties;
    if (is_ours(text)) {
        ties = ties_written(text, name, target, golden, unknown);
    } else {
        renames = Renames(text, name);
        ties = named_ties(renames, name, target, golden, unknown);
    }
    if (ties.empty() && unknown > 0)
        throw Error(ErrorKind::kUsage,
                    "the mapping " + in_quotes(name) + " has no tensor of both sides (" +
                        std::to_string(unknown) + " are of neither)");
    Plan plan = make_plan(target, golden, true, renames);
    take_ties(ties, plan);
    plan.given = given_ties(ties);
    plan.is_related = true;
    if (align.on_ties) align.on_ties(ties);
    return plan;
}

std::string unpaired_text(const Plan& plan) {
    const auto alone = std::ranges::count_if(plan.ops, [](const OpPair& pair) {
        return pair.target == nullptr || pair.golden == nullptr;
    });
    return std::to_string(alone) +
           " ops found no partner by their names and order, so tensors were paired by what they "
           "hold as well";
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

/// Views and copies of other shapes show something else on either side: both are seen through.
void part_views(Plan& plan) {
    std::vector<OpPair> rest;
    for (OpPair& pair : plan.ops) {
        const bool is_view = pair.target != nullptr && pair.golden != nullptr &&
                             is_cast(pair.target->id.op) && is_cast(pair.golden->id.op);
        if (is_view && (pair.shapes_differ || pair.inputs_differ)) {
            plan.casts.push_back({pair.target, nullptr});
            plan.casts.push_back({nullptr, pair.golden});
        } else {
            rest.push_back(std::move(pair));
        }
    }
    plan.ops = std::move(rest);
}

}  // namespace

Plan related_plan(const Source& target,
                  const Source& golden,
                  const Options& options,
                  bool load_mode) {
    const AlignOptions& align = options.align;
    if (!align.mapping.empty()) return mapped_plan(target, golden, align);
    Plan plan = make_plan(target, golden, load_mode);
    const bool is_wanted = align.when == AlignOptions::When::kAlways ||
                           (align.when == AlignOptions::When::kWhereUnpaired && !plan.load_mode &&
                            stays_much_unpaired(plan));
    if (!is_wanted || target.lacks_elements || golden.lacks_elements) return plan;
    if (align.when == AlignOptions::When::kWhereUnpaired) plan.remark = unpaired_text(plan);
    Relations relations = relate(target, golden, options.threads);
    forget_missed_sums(target, golden, plan, relations);
    const std::vector<TensorTie> ties = ties_of(relations, target, golden);
    take_ties(ties, plan);
    part_views(plan);
    tie_inputs(relations, target, golden, plan);
    plan.given = given_ties(ties);
    plan.shown = ties_behind_views(relations, target, golden);
    plan.one_sided = one_sided_givens(relations, target, golden, plan);
    plan.is_related = true;
    if (align.on_ties) align.on_ties(ties);
    return plan;
}

}  // namespace npuscope::compare
