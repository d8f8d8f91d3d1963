#include "core/dumpfile/facts.h"

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"

namespace npuscope::dumpfile {

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
