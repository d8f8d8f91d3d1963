#include "compare/run_noise.h"

#include <nlohmann/json.hpp>

#include "compare/gate/read_text.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

using nlohmann::ordered_json;

/// The list of a tree's runs.
constexpr const char* kTree = "tree";

}  // namespace

RunNoise::RunNoise(const std::filesystem::path& path) {
    take(small_text(path, kLargeText), path.string());
}

RunNoise::RunNoise(const std::string& text, const std::string& name) {
    take(text, name);
}

void RunNoise::take(const std::string& text, const std::string& name) {
    const auto all = parse_json<ordered_json>(text);
    if (!all.is_object() || !all.contains(kTree)) {
        runs_[{}] = Noise(text, name);
        return;
    }
    const auto refuse = [&] {
        throw Error(ErrorKind::kFormat,
                    in_quotes(name) +
                        " is no file of noise: a run of its tree has no step, rank "
                        "and noise");
    };
    if (!all[kTree].is_array()) refuse();
    for (const ordered_json& run : all[kTree]) {
        if (!run.is_object() || !run.contains("step") || !run.contains("rank") ||
            !run["rank"].is_string() || !(run["step"].is_null() || run["step"].is_number_integer()))
            refuse();
        std::optional<int64_t> step;
        if (!run["step"].is_null()) step = run["step"].get<int64_t>();
        runs_[{step, run["rank"].get<std::string>()}] = Noise(json_text(run, 0), name);
    }
}

const Noise& RunNoise::of(const RecordedRun& run) const {
    static const Noise none;
    for (const Key& key : {key_of(run), Key()})
        if (const auto found = runs_.find(key); found != runs_.end()) return found->second;
    return none;
}

void RunNoise::merge(const RunNoise& other) {
    for (const auto& [key, noise] : other.runs_)
        runs_[key].merge(noise);
}

size_t RunNoise::size() const {
    size_t count = 0;
    for (const auto& [key, noise] : runs_)
        count += noise.size();
    return count;
}

std::string RunNoise::to_json() const {
    if (runs_.size() == 1 && runs_.contains(Key())) return runs_.at({}).to_json();
    ordered_json tree = ordered_json::array();
    for (const auto& [key, noise] : runs_) {
        ordered_json run = {{"step", key.first ? ordered_json(*key.first) : ordered_json()},
                            {"rank", key.second}};
        run.update(ordered_json::parse(noise.to_json()));
        tree.push_back(std::move(run));
    }
    return json_text(ordered_json{{"version", 1}, {kTree, std::move(tree)}}, 1) + "\n";
}

}  // namespace npuscope::compare
