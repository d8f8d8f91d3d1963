#include "core/dumpfile/facts.h"

#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"

namespace npuscope::dumpfile {

namespace {

/// Empty unless it is a list of numbers that can be strides.
std::vector<int64_t> strides_of(const nlohmann::json& list) {
    std::vector<int64_t> strides;
    if (!list.is_array()) return strides;
    for (const auto& stride : list) {
        constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
        if (!stride.is_number_unsigned() || stride.get<uint64_t>() > kMost) return {};
        strides.push_back(stride.get<int64_t>());
    }
    return strides;
}

}  // namespace

OpFacts parse_facts(const std::string& json) {
    OpFacts facts;
    const auto parsed = parse_json<nlohmann::json>(json);
    if (!parsed.is_object()) return facts;
    const auto text = [&](const char* key) {
        const auto found = parsed.find(key);
        return found != parsed.end() && found->is_string() ? found->get<std::string>()
                                                           : std::string();
    };
    facts.node = text("node");
    facts.module = text("module");
    facts.line = text("line");
    facts.golden = text("golden");
    if (const auto kernels = parsed.find("kernels"); kernels != parsed.end() && kernels->is_array())
        for (const auto& kernel : *kernels)
            if (kernel.is_string()) facts.kernels.push_back(kernel.get<std::string>());
    if (const auto rows = parsed.find("strides"); rows != parsed.end() && rows->is_object())
        for (const auto& [path, list] : rows->items())
            if (auto strides = strides_of(list); !strides.empty())
                facts.strides.emplace(path, std::move(strides));
    const auto status = parsed.find("status");
    if (status == parsed.end() || !status->is_object()) return facts;
    const auto overflow = status->find("overflow");
    facts.has_status = overflow != status->end() && overflow->is_boolean();
    if (facts.has_status) facts.overflow = overflow->get<bool>();
    const auto bits = status->find("bits");
    if (bits != status->end() && bits->is_number_unsigned())
        facts.status_bits = bits->get<uint64_t>();
    return facts;
}

}  // namespace npuscope::dumpfile
