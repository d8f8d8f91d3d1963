#include "cli/copied_ops.h"

#include <cstdio>

#include "core/base/printable.h"

namespace npuscope::cli {

using Json = nlohmann::ordered_json;

void CopiedOps::add(const std::string& from, const std::string& to) {
    if (globals_.json)
        copied_.push_back({{"from", printable(from)}, {"to", printable(to)}});
    else if (globals_.verbose)
        std::fprintf(stderr, "%s -> %s\n", printable(from).c_str(), printable(to).c_str());
}

void CopiedOps::print_count(int64_t ops) const {
    if (globals_.json || globals_.quiet) return;
    std::printf("copied %lld object%s to %s\n",
                static_cast<long long>(ops),
                ops == 1 ? "" : "s",
                printable(output_).c_str());
}

void print_json_of_copies(Json result, const Globals& globals) {
    if (!globals.json) return;
    result["version"] = 1;
    std::printf("%s\n", result.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace npuscope::cli
