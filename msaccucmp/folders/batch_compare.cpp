#include "msaccucmp/folders/batch_compare.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "core/base/words.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/folders/folder_compare.h"
#include "msaccucmp/rules/fusion_rule.h"

namespace npuscope::msaccucmp {

namespace {

namespace fs = std::filesystem;

struct ModelDump {
    fs::path folder;
    std::string prefix;  ///< "<device>_<model>_<step>_"
};

/// By the model's name.
using ModelDumps = std::map<std::string, std::vector<ModelDump>>;

std::vector<fs::path> sorted_entries(const fs::path& folder, Log& log) {
    require_path(folder.string(), PathType::kDirectory, log);
    std::vector<fs::path> entries;
    for (const auto& each : fs::directory_iterator(folder))
        entries.push_back(each.path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

ModelDumps find_dumps(const fs::path& root, Log& log) {
    ModelDumps dumps;
    for (const fs::path& device : sorted_entries(root, log))
        for (const fs::path& model : sorted_entries(device, log))
            for (const fs::path& id : sorted_entries(model, log)) {
                const auto steps = sorted_entries(id, log);
                if (steps.empty()) continue;
                const std::string name = model.filename().string();
                dumps[name].push_back({.folder = steps.back(),
                                       .prefix = device.filename().string() + "_" + name + "_" +
                                                 steps.back().filename().string() + "_"});
            }
    if (dumps.empty())
        throw CommandError(kInvalidPath,
                           "There is no dump in '" + root.string() +
                               "'; it must hold device/model/model_id/step/files.");
    return dumps;
}

/// The rule file of each graph.
std::vector<std::pair<std::string, std::string>> find_rules(const fs::path& folder, Log& log) {
    std::map<std::string, std::string> rules;
    for (const fs::path& file : sorted_entries(folder, log)) {
        if (!file.string().ends_with(".json")) continue;
        for (const std::string& graph : graph_names(file.string(), log))
            rules[graph] = file.string();
    }
    if (rules.empty())
        throw CommandError(kInvalidPath, "There is no rule file in '" + folder.string() + "'.");
    return {rules.begin(), rules.end()};
}

std::vector<std::string> numbers_in(const std::string& name) {
    std::vector<std::string> numbers;
    bool inside = false;
    for (const char c : name) {
        const bool digit = c >= '0' && c <= '9';
        if (digit && !inside) numbers.emplace_back();
        if (digit) numbers.back() += c;
        inside = digit;
    }
    return numbers;
}

/// The dumps of the model that is called like the graph, or else of the one with the same second
/// number: names hold the time of their making and a number.
const std::vector<ModelDump>* dumps_of(const std::string& graph,
                                       const ModelDumps& dumps,
                                       Log& log) {
    if (const auto at = dumps.find(graph); at != dumps.end()) return &at->second;
    const auto graph_numbers = numbers_in(graph);
    const std::string start = "The graph '" + graph + "' and the ";
    const std::vector<ModelDump>* found = nullptr;
    for (const auto& [model, folders] : dumps) {
        const auto numbers = numbers_in(model);
        if (graph_numbers.size() != 2 || numbers.size() != 2)
            throw CommandError(kInvalidPath,
                               std::string(start).append("model '").append(model).append(
                                   "' cannot be matched by the numbers in their names."));
        if (numbers[1] != graph_numbers[1]) continue;
        log.warning(std::string(start)
                        .append("dump of '")
                        .append(model)
                        .append("' were not made at the same time."));
        found = &folders;
    }
    return found;
}

}  // namespace

int compare_batch(const CompareOptions& options, std::ostream& out, Log& log, int threads) {
    if (options.op_name && !options.op_name->empty())
        throw CommandError(kInvalidParameter, "-op is not for a folder of rule files (-f).");
    const fs::path root = canonical(options.my_path);
    require_path(root.string(), PathType::kDirectory, log);
    if (!is_digits(root.filename().string()))
        throw CommandError(kInvalidPath,
                           "With a folder of rule files (-f), -m must end in the time of the dump "
                           "(digits only), not '" +
                               root.filename().string() + "'.");
    const auto rules = find_rules(canonical(options.fusion_rule_file), log);
    const ModelDumps dumps = find_dumps(root, log);
    std::map<std::string, const std::vector<ModelDump>*> dumps_of_rule;
    for (const auto& [graph, file] : rules)
        if (const auto* found = dumps_of(graph, dumps, log)) dumps_of_rule[file] = found;
    if (dumps_of_rule.empty())
        throw CommandError(kInvalidPath,
                           "No model in '" + root.string() + "' fits a rule file's graph.");
    int code = kOk;
    int ended_early = kOk;
    for (const auto& [file, folders] : dumps_of_rule)
        for (const ModelDump& dump : *folders) {
            CompareOptions own = options;
            own.my_path = dump.folder.string();
            own.fusion_rule_file = file;
            try {
                code = compare_folders_as(dump.prefix, own, out, log, threads);
            } catch (const CommandError& failure) {
                if (*failure.what() != '\0') log.error(failure.what());
                if (ended_early == kOk) ended_early = failure.code();
            }
        }
    return ended_early == kOk ? code : ended_early;
}

}  // namespace npuscope::msaccucmp
