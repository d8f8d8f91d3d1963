#include "page/details.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/recording/source.h"
#include "page/pictures.h"

namespace npuscope::page {

namespace {

using nlohmann::json;

constexpr size_t kMostTensors = 48;
/// Of both sides together; some seconds of reading.
constexpr int64_t kMostElements = int64_t{1} << 27;

struct Wanted {
    std::string target_op;
    std::string golden_op;
    std::string target;
    std::string golden;
};

bool proves_nothing(const std::string& verdict) {
    return verdict == "pass" || verdict == "undefined" || verdict == "missing_target" ||
           verdict == "missing_golden";
}

void add_op(const json& op, std::vector<Wanted>& wanted) {
    const std::string target_op = text_at(op, "path");
    const std::string golden_op = op.contains("golden") ? text_at(op, "golden") : target_op;
    for (const json& tensor : op.value("tensors", json::array())) {
        const Wanted each{
            target_op, golden_op, text_at(tensor, "target"), text_at(tensor, "golden")};
        if (!each.target.empty() && !each.golden.empty()) wanted.push_back(each);
    }
}

/// The findings' tensors first, then those of ops that do not pass, in the program's order.
std::vector<Wanted> wanted_of(const json& document) {
    std::set<std::string> culprits;
    for (const json& each : document.value("culprits", json::array()))
        culprits.insert(text_at(each, "path"));
    if (document.contains("first_culprit") && document["first_culprit"].is_object())
        culprits.insert(text_at(document["first_culprit"], "path"));
    std::vector<Wanted> wanted;
    static const json nothing = json::array();
    const auto found = document.find("ops");
    const json& ops = found == document.end() ? nothing : *found;
    for (const bool of_culprits : {true, false})
        for (const json& op : ops) {
            if (wanted.size() > kMostTensors) break;
            const bool is_culprit = culprits.contains(text_at(op, "path"));
            if (is_culprit == of_culprits &&
                (is_culprit || !proves_nothing(text_at(op, "verdict"))))
                add_op(op, wanted);
        }
    wanted.resize(std::min(wanted.size(), kMostTensors));
    return wanted;
}

/// The tensors of some ops of a recording.
class OpenRecording {
  public:
    explicit OpenRecording(const std::string& path) : source_(open_source(path)) {
        for (const SourceOp& op : source_.ops)
            ops_.try_emplace(op.path, &op);
    }

    /// Its elements; nullptr where there are none.
    [[nodiscard]] std::unique_ptr<ElementSource> open(const std::string& op,
                                                      const std::string& tensor) const {
        const auto found = ops_.find(op);
        if (found == ops_.end()) return nullptr;
        for (const SourceTensor& each : found->second->load())
            if (each.path == tensor && each.open) return each.open();
        return nullptr;
    }

  private:
    Source source_;
    std::unordered_map<std::string, const SourceOp*> ops_;
};

json pictures(const std::vector<Wanted>& wanted,
              const OpenRecording& target,
              const OpenRecording& golden) {
    json out = json::object();
    int64_t budget = kMostElements;
    for (const Wanted& each : wanted) {
        if (out.contains(each.target)) continue;
        try {
            const auto mine = target.open(each.target_op, each.target);
            const auto theirs = golden.open(each.golden_op, each.golden);
            if (!mine || !theirs || mine->numel() != theirs->numel() || mine->numel() == 0 ||
                mine->numel() > budget / 2)
                continue;
            budget -= 2 * mine->numel();
            out[each.target] = pictures_of(*mine, *theirs);
        } catch (const Error&) {
            // The comparison has told what cannot be read.
        }
    }
    return out;
}

}  // namespace

std::string details_json(const std::string& kind, const json& document) {
    if (!document.is_object()) return {};
    const bool is_check = kind == "check";
    if (!is_check && kind != "compare") return {};
    if (is_check && !document.contains("dumps")) return {};
    const json& files = is_check ? document["dumps"] : document;
    const std::string target = text_at(files, is_check ? "isolated" : "target");
    const std::string golden = text_at(files, "golden");
    const std::vector<Wanted> wanted = wanted_of(document);
    if (wanted.empty() || target.empty() || golden.empty()) return {};
    try {
        const OpenRecording mine(target), theirs(golden);
        const json tensors = pictures(wanted, mine, theirs);
        return tensors.empty() ? "" : json_text(json{{"tensors", tensors}}, -1);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace npuscope::page
