#include "ir_tbe_map/acl_config.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"

namespace npuscope::ir_tbe_map {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostSteps = 100;
constexpr size_t kMostExclusions = 100;
constexpr size_t kLongestPath = 512;

constexpr auto kKeys = std::to_array<std::string_view>({"dump_path",
                                                        "dump_mode",
                                                        "dump_op_switch",
                                                        "dump_data",
                                                        "dump_stats",
                                                        "dump_level",
                                                        "dump_step",
                                                        "dump_debug",
                                                        "dump_list",
                                                        "dump_scene",
                                                        "dump_kernel_data"});
constexpr auto kListKeys = std::to_array<std::string_view>({"model_name",
                                                            "layer",
                                                            "watcher_nodes",
                                                            "optype_blacklist",
                                                            "opname_blacklist",
                                                            "opname_range"});
constexpr auto kStats = std::to_array<std::string_view>(
    {"Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm"});

template <class Names>
std::string listed(const Names& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Reads one `dump` object.
class Parser {
  public:
    explicit Parser(std::string name) : name_(std::move(name)) {}

    AclConfig config(const Json& dump) {
        if (!dump.is_object()) fail("dump", "must be an object");
        check_keys(dump, kKeys, "dump");
        AclConfig config;
        config.name = name_;
        config.dump_path = path(text(dump, "dump_path", ""));
        config.mode = choice<DumpMode>(
            dump,
            "dump_mode",
            {{"output", DumpMode::kOutput}, {"input", DumpMode::kInput}, {"all", DumpMode::kAll}});
        config.op_switch = on(dump, "dump_op_switch");
        config.debug = on(dump, "dump_debug");
        config.data = choice<DumpData>(
            dump, "dump_data", {{"tensor", DumpData::kTensor}, {"stats", DumpData::kStats}});
        config.level = choice<DumpLevel>(dump,
                                         "dump_level",
                                         {{"all", DumpLevel::kAll},
                                          {"op", DumpLevel::kOperator},
                                          {"kernel", DumpLevel::kKernel}});
        config.stats = stats(dump);
        config.steps = steps(text(dump, "dump_step", ""));
        config.list = list(dump);
        unused(dump, config);
        check_together(config);
        return config;
    }

  private:
    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        throw Error(ErrorKind::kFormat, "'" + name_ + "': " + key + " " + what);
    }

    template <class Keys>
    void check_keys(const Json& object, const Keys& keys, const std::string& where) const {
        for (const auto& [key, value] : object.items())
            if (std::ranges::find(keys, key) == keys.end())
                fail(where, "has no key '" + key + "'; there are " + listed(keys));
    }

    [[nodiscard]] std::string text(const Json& object,
                                   const char* key,
                                   const std::string& otherwise) const {
        if (!object.contains(key)) return otherwise;
        if (!object[key].is_string()) fail(key, "must be a text in quotes");
        return object[key];
    }

    template <class T>
    [[nodiscard]] T choice(const Json& object,
                           const char* key,
                           const std::vector<std::pair<std::string, T>>& values) const {
        const std::string given = text(object, key, values.front().first);
        std::vector<std::string> names;
        for (const auto& [name, value] : values) {
            if (name == given) return value;
            names.push_back(name);
        }
        fail(key, "is '" + given + "', but must be one of " + listed(names));
    }

    [[nodiscard]] bool on(const Json& object, const char* key) const {
        return choice<bool>(object, key, {{"off", false}, {"on", true}});
    }

    [[nodiscard]] std::filesystem::path path(const std::string& given) const {
        if (given.empty()) fail("dump_path", "is missing: the folder for the kernel dumps");
        if (given.size() > kLongestPath)
            fail("dump_path", "has more than " + std::to_string(kLongestPath) + " characters");
        if (const size_t colon = given.find(':');
            colon != std::string::npos && given.find_first_not_of("0123456789.") == colon)
            fail("dump_path", "names another machine ('" + given + "'); give a folder of this one");
        return given;
    }

    [[nodiscard]] std::vector<std::string> texts(const Json& object, const char* key) const {
        std::vector<std::string> values;
        if (!object.contains(key)) return values;
        if (!object[key].is_array()) fail(key, "must be a list of texts");
        for (const Json& value : object[key]) {
            if (!value.is_string()) fail(key, "must be a list of texts");
            values.push_back(value);
        }
        return values;
    }

    [[nodiscard]] std::vector<std::string> stats(const Json& dump) const {
        std::vector<std::string> names = texts(dump, "dump_stats");
        for (const std::string& name : names)
            if (std::ranges::find(kStats, name) == kStats.end())
                fail("dump_stats", "has no '" + name + "'; there are " + listed(kStats));
        if (!names.empty() && text(dump, "dump_data", "tensor") != "stats")
            fail("dump_stats", "needs \"dump_data\": \"stats\"");
        return names;
    }

    /// "0|3-5|10"
    [[nodiscard]] std::vector<std::pair<int64_t, int64_t>> steps(const std::string& given) const {
        std::vector<std::pair<int64_t, int64_t>> ranges;
        if (given.empty()) return ranges;
        const auto number = [&](std::string_view digits) {
            int64_t value = -1;
            const auto [end, error] =
                std::from_chars(digits.data(), digits.data() + digits.size(), value);
            if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() ||
                value < 0)
                fail("dump_step", "is '" + given + "', but must read like 0|3-5|10");
            return value;
        };
        std::string_view rest = given;
        while (true) {
            const size_t bar = rest.find('|');
            const std::string_view item = rest.substr(0, bar);
            const size_t dash = item.find('-');
            const int64_t first = number(item.substr(0, dash));
            const int64_t last =
                dash == std::string_view::npos ? first : number(item.substr(dash + 1));
            if (last < first)
                fail("dump_step",
                     fmt::format("has the range {}, which ends before it begins", item));
            ranges.emplace_back(first, last);
            if (bar == std::string_view::npos) break;
            rest = rest.substr(bar + 1);
        }
        if (ranges.size() > kMostSteps)
            fail("dump_step", "has more than " + std::to_string(kMostSteps) + " parts");
        return ranges;
    }

    [[nodiscard]] std::vector<Exclusion> exclusions(const Json& object, const char* key) const {
        std::vector<Exclusion> rows;
        if (!object.contains(key)) return rows;
        if (!object[key].is_array() || object[key].size() > kMostExclusions)
            fail(key, fmt::format("must be a list of at most {} objects", kMostExclusions));
        for (const Json& item : object[key]) {
            if (!item.is_object() || !item.contains("name"))
                fail(key, "must hold objects like {\"name\": \"Cast\", \"pos\": [\"input0\"]}");
            check_keys(item, std::to_array<std::string_view>({"name", "pos"}), key);
            Exclusion row{text(item, "name", ""), texts(item, "pos")};
            for (const std::string& position : row.positions) {
                const size_t digits = position.find_first_of("0123456789");
                const std::string side = position.substr(0, digits);
                if (digits == std::string::npos || (side != "input" && side != "output") ||
                    position.find_first_not_of("0123456789", digits) != std::string::npos)
                    fail(key, "has the pos '" + position + "'; write input0, output1, …");
            }
            rows.push_back(std::move(row));
        }
        return rows;
    }

    [[nodiscard]] std::vector<ModelSelection> list(const Json& dump) const {
        std::vector<ModelSelection> rows;
        if (!dump.contains("dump_list")) return rows;
        const Json& list = dump["dump_list"];
        if (!list.is_array()) fail("dump_list", "must be a list, [] for every model");
        for (const Json& item : list) {
            if (!item.is_object()) fail("dump_list", "must hold objects");
            check_keys(item, kListKeys, "dump_list");
            ModelSelection row;
            row.model = text(item, "model_name", "");
            row.layers = texts(item, "layer");
            row.types = exclusions(item, "optype_blacklist");
            row.names = exclusions(item, "opname_blacklist");
            row.ranges = ranges(item);
            if (!row.ranges.empty() && row.model.empty())
                fail("opname_range", "needs a model_name beside it");
            const bool limited = !row.ranges.empty() || !row.types.empty() || !row.names.empty();
            if (limited && text(dump, "dump_level", "all") != "op")
                fail("dump_list", "has ranges or blacklists, which need \"dump_level\": \"op\"");
            rows.push_back(std::move(row));
        }
        return rows;
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> ranges(const Json& item) const {
        std::vector<std::pair<std::string, std::string>> rows;
        if (!item.contains("opname_range")) return rows;
        if (!item["opname_range"].is_array()) fail("opname_range", "must be a list");
        for (const Json& range : item["opname_range"]) {
            if (!range.is_object()) fail("opname_range", "must hold objects with begin and end");
            check_keys(range, std::to_array<std::string_view>({"begin", "end"}), "opname_range");
            rows.emplace_back(text(range, "begin", ""), text(range, "end", ""));
            if (rows.back().first.empty() || rows.back().second.empty())
                fail("opname_range", "needs begin and end");
        }
        return rows;
    }

    void unused(const Json& dump, AclConfig& config) const {
        constexpr auto kScenes = std::to_array<std::string_view>({"lite_exception",
                                                                  "aic_err_brief_dump",
                                                                  "aic_err_norm_dump",
                                                                  "aic_err_detail_dump",
                                                                  "watcher"});
        if (const std::string scene = text(dump, "dump_scene", ""); !scene.empty()) {
            if (std::ranges::find(kScenes, scene) == kScenes.end())
                fail("dump_scene", "is '" + scene + "'; there are " + listed(kScenes));
            config.remarks.push_back("dump_scene '" + scene +
                                     "' is for a device's own failures and has no effect here");
        }
        if (!text(dump, "dump_kernel_data", "").empty())
            config.remarks.emplace_back(
                "dump_kernel_data is what kernels print themselves and has no effect here");
    }

    void check_together(const AclConfig& config) const {
        if (config.debug && config.op_switch)
            throw Error(ErrorKind::kUsage,
                        "'" + name_ +
                            "': dump_debug and dump_op_switch cannot both be on; dump_debug dumps "
                            "only kernels that overflow");
    }

    std::string name_;
};

}  // namespace

bool AclConfig::has_step(int64_t step) const {
    return steps.empty() || std::ranges::any_of(steps, [step](const auto& range) {
               return range.first <= step && step <= range.second;
           });
}

std::optional<std::vector<const ModelSelection*>> AclConfig::selections(
    std::string_view model) const {
    std::vector<const ModelSelection*> found;
    for (const ModelSelection& row : list)
        if (row.model.empty() || row.model == model) found.push_back(&row);
    if (found.empty() && !list.empty()) return std::nullopt;
    return found;
}

AclConfig parse_acl_config(const std::string& text, const std::string& name) {
    const Json root = parse_json<Json>(text);
    if (root.is_discarded()) {
        const JsonProblem problem = json_problem(text);
        if (problem.is_too_deep)
            throw Error(ErrorKind::kFormat,
                        "'" + name + "' is no acl.json: " + problem.reason +
                            "; see docs/kernel_dumps.md for an example");
        const auto line =
            1 + std::count(
                    text.begin(), text.begin() + static_cast<std::ptrdiff_t>(problem.byte), '\n');
        const std::string mended = mended_json(text);
        throw Error(
            ErrorKind::kFormat,
            fmt::format("'{}' is no JSON near line {}{}",
                        name,
                        line,
                        mended.empty() ? "; see docs/kernel_dumps.md for an example"
                                       : " (JSON knows no comments and wants a comma between two "
                                         "fields); write: " +
                                             mended));
    }
    if (!root.is_object() || !root.contains("dump"))
        throw Error(ErrorKind::kFormat,
                    "'" + name + "' has no object \"dump\"; see docs/kernel_dumps.md");
    return Parser(name).config(root["dump"]);
}

AclConfig read_acl_config(const std::filesystem::path& path) {
    require_regular_file(path, "acl.json");
    return parse_acl_config(read_text_file(path), path.string());
}

}  // namespace npuscope::ir_tbe_map
