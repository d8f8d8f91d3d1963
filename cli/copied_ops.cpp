#include "cli/copied_ops.h"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "core/base/printable.h"

namespace npuscope::cli {

namespace {

using Json = nlohmann::ordered_json;

Json copies_in_json(const CopiedOps& copied) {
    Json pairs = Json::array();
    for (const auto& [from, to] : copied.pairs)
        pairs.push_back({{"from", printable(from)}, {"to", printable(to)}});
    return {{"output", copied.output}, {"copied", std::move(pairs)}};
}

void print_with_version(Json result) {
    result["version"] = 1;
    std::printf("%s\n", result.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace

void CopiedOps::add(const std::string& from, const std::string& to, const Globals& globals) {
    if (globals.json)
        pairs.emplace_back(from, to);
    else if (globals.verbose)
        std::fprintf(stderr, "%s -> %s\n", printable(from).c_str(), printable(to).c_str());
}

void CopiedOps::print_count(int64_t ops, const Globals& globals) const {
    if (globals.json || globals.quiet) return;
    std::printf("copied %lld object%s to %s\n",
                static_cast<long long>(ops),
                ops == 1 ? "" : "s",
                printable(output).c_str());
}

void print_json_of_copies(const CopiedOps& copied, const Globals& globals) {
    if (globals.json) print_with_version(copies_in_json(copied));
}

void print_json_of_copies(const std::string& folder,
                          std::span<const CopiedOps> runs,
                          const Globals& globals) {
    if (!globals.json) return;
    Json list = Json::array();
    for (const CopiedOps& copied : runs) {
        Json made = copies_in_json(copied);
        made["step"] = copied.run.step ? Json(*copied.run.step) : Json();
        made["rank"] = copied.run.rank;
        list.push_back(std::move(made));
    }
    print_with_version({{"output", folder}, {"runs", std::move(list)}});
}

}  // namespace npuscope::cli
