#include "compare/align/parting.h"

#include <filesystem>

namespace npuscope::compare {

namespace {

/// More names are not shown.
constexpr size_t kMostNames = 6;

/// "addmm, relu x3, sum and 4 more".
std::string names_of(const std::vector<const SourceOp*>& ops) {
    std::string text;
    size_t shown = 0;
    size_t at = 0;
    while (at < ops.size() && shown < kMostNames) {
        size_t end = at + 1;
        while (end < ops.size() && ops[end]->id.op == ops[at]->id.op)
            ++end;
        text += (text.empty() ? "" : ", ") + ops[at]->id.op;
        if (end - at > 1) text += " x" + std::to_string(end - at);
        at = end;
        ++shown;
    }
    if (at < ops.size()) text += " and " + std::to_string(ops.size() - at) + " others";
    return text;
}

std::string place_of(const SourceOp& op) {
    const OpSource where = op.place ? op.place() : OpSource{};
    std::string place = where.module.empty() ? where.node : where.module;
    if (!where.line.empty())
        place +=
            (place.empty() ? "" : ", ") + std::filesystem::path(where.line).filename().string();
    return place;
}

}  // namespace

std::string to_text(const Parting& parting) {
    const auto& mine = parting.only_target;
    const auto& theirs = parting.only_golden;
    std::string text = "the programs part here: ";
    if (theirs.empty()) {
        text += "target has " + names_of(mine) + " more";
    } else if (mine.empty()) {
        text += "golden has " + names_of(theirs) + " more";
    } else {
        text += "target has " + names_of(mine) + " where golden has " + names_of(theirs);
    }
    const std::string place = place_of(parting.first());
    return place.empty() ? text : text + " (" + place + ")";
}

std::vector<std::string> paths_of(const std::vector<const SourceOp*>& ops) {
    std::vector<std::string> paths;
    paths.reserve(ops.size());
    for (const SourceOp* op : ops)
        paths.push_back(op->path);
    return paths;
}

}  // namespace npuscope::compare
