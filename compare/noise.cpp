#include "compare/noise.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "compare/compare.h"
#include "compare/gate/read_text.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

using nlohmann::json;

constexpr int kNoiseVersion = 1;

[[noreturn]] void refuse_noise(const std::string& name, const std::string& why) {
    throw Error(ErrorKind::kFormat, in_quotes(name) + " is no file of noise: " + why);
}

}  // namespace

Noise::Noise(const std::filesystem::path& path) {
    take(small_text(path, kLargeText), path.string());
}

Noise::Noise(const std::string& text, const std::string& name) {
    take(text, name);
}

void Noise::take(const std::string& text, const std::string& name) {
    const auto all = parse_json<json>(text);
    if (!all.is_object() || !all.contains("noise") || !all["noise"].is_object() ||
        !all.contains("runs") || !all["runs"].is_number_unsigned())
        refuse_noise(name, "it has no \"noise\" and \"runs\"");
    if (!all.contains("version") || all["version"] != kNoiseVersion)
        refuse_noise(name, "its version is not 1");
    runs_ = static_cast<int64_t>(std::min<uint64_t>(all["runs"].get<uint64_t>(), 1000000));
    for (const auto& [path, value] : all["noise"].items()) {
        const bool infinite = value == "inf";
        if (!infinite && !(value.is_number() && value.get<double>() >= 0))
            refuse_noise(name, "the noise of " + in_quotes(path) + " is no number from 0 on");
        largest_[path] = infinite ? std::numeric_limits<double>::infinity() : value.get<double>();
    }
}

void Noise::add(const Result& repeat) {
    ++runs_;
    for (const OpResult& op : repeat.ops)
        for (const TensorResult& tensor : op.tensors) {
            if (tensor.metrics.empty() || tensor.golden.empty()) continue;
            const double apart = tensor.sums.nonfinite_differs > 0
                                     ? std::numeric_limits<double>::infinity()
                                     : tensor.sums.max_d;
            double& largest = largest_[tensor.golden];
            largest = std::max(largest, apart);
        }
}

void Noise::merge(const Noise& other) {
    runs_ += other.runs_;
    for (const auto& [path, apart] : other.largest_)
        largest_[path] = std::max(largest_[path], apart);
}

double Noise::floor(const std::string& golden) const {
    const auto found = largest_.find(golden);
    return found == largest_.end() ? 0 : kNoiseTimes * found->second;
}

std::string Noise::to_json() const {
    nlohmann::ordered_json floors = nlohmann::ordered_json::object();
    for (const auto& [path, apart] : largest_)
        floors[path] = number_json(apart);
    const nlohmann::ordered_json all = {
        {"version", kNoiseVersion}, {"runs", runs_}, {"noise", std::move(floors)}};
    return json_text(all, 1) + "\n";
}

Bound NoisyBounds::bound(const BoundQuery& query) const {
    Bound bound = plain_.bound(query);
    bound.floor = noise_.floor(query.golden);
    bound.runs = noise_.runs();
    if (bound.floor > 0) used_ = true;
    return bound;
}

}  // namespace npuscope::compare
