#include "custom_algorithms/runner.h"

#include <bit>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"
#include "custom_algorithms/channel.h"
#include "custom_algorithms/driver_text.h"
#include "custom_algorithms/folder.h"

namespace npuscope::custom_algorithms {

namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the driver reads little endian");

std::vector<std::string> command_of(const std::string& python,
                                    const std::filesystem::path& folder,
                                    const std::vector<std::string>& names) {
    std::vector<std::string> command = {
        python, "-B", "-u", "-c", driver_text(), std::filesystem::canonical(folder).string()};
    command.insert(command.end(), names.begin(), names.end());
    return command;
}

std::string_view bytes_of(std::span<const float> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

Runner::Runner(const std::filesystem::path& folder, RunnerOptions options)
    : names_(algorithm_names(folder)), options_(std::move(options)) {
    std::string line;
    try {
        channel_ = std::make_unique<Channel>(command_of(options_.python, folder, names_));
        line = channel_->read_line(options_.patience);
    } catch (const Error& failure) {
        throw Error(ErrorKind::kIo,
                    "custom algorithms need " + printable(options_.python) +
                        " with numpy: " + failure.what());
    }
    const json answer = parse_json<json>(line);
    if (answer.is_object() && answer.contains("ready")) return;
    const std::string problem = answer.is_object() ? text_at(answer, "error") : std::string();
    throw Error(ErrorKind::kUsage,
                "custom algorithms in " + in_quotes(folder) + ": " +
                    (problem.empty() ? "the Python process does not answer as it should"
                                     : printable(problem)));
}

Runner::~Runner() = default;

std::vector<Outcome> Runner::compare(const Request& request) {
    if (request.target.size() != request.golden.size())
        throw Error(ErrorKind::kInternal, "custom algorithms: the sides differ in size");
    const json head = {{"count", request.target.size()},
                       {"shape", std::vector<int64_t>(request.shape.begin(), request.shape.end())},
                       {"target", request.target_name},
                       {"golden", request.golden_name},
                       {"parameters", options_.parameters}};
    const std::lock_guard guard(mutex_);
    if (!failure_.empty()) throw Error(ErrorKind::kIo, failure_);
    std::string line;
    try {
        channel_->write(head.dump(-1, ' ', true, json::error_handler_t::replace) + "\n",
                        options_.patience);
        channel_->write(bytes_of(request.target), options_.patience);
        channel_->write(bytes_of(request.golden), options_.patience);
        line = channel_->read_line(options_.patience);
    } catch (const Error& failure) {
        give_up("custom algorithms: at " + printable(request.target_name) + " " + failure.what());
    }
    const json answer = parse_json<json>(line);
    const auto results = answer.is_object() ? answer.find("results") : answer.end();
    if (!answer.is_object() || results == answer.end() || results->size() != names_.size())
        give_up("custom algorithms: at " + printable(request.target_name) +
                " the Python process gives no proper answer; does a script write to descriptor 3?");
    std::vector<Outcome> outcomes;
    for (const json& result : *results)
        outcomes.push_back({text_at(result, "value"), text_at(result, "reason")});
    return outcomes;
}

std::vector<Outcome> Runner::compare(const Tensor& target,
                                     const Tensor& golden,
                                     const std::string& target_name,
                                     const std::string& golden_name) {
    const Tensor x = target.cast(DType::kFloat32);
    const Tensor y = golden.cast(DType::kFloat32);
    return compare({.target = x.as<float>(),
                    .golden = y.as<float>(),
                    .shape = target.shape(),
                    .target_name = target_name,
                    .golden_name = golden_name});
}

void Runner::give_up(const std::string& problem) {
    failure_ = problem;
    channel_.reset();
    throw Error(ErrorKind::kIo, failure_);
}

}  // namespace npuscope::custom_algorithms
