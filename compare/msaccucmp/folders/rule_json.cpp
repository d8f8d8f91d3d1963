#include "compare/msaccucmp/folders/rule_json.h"

#include <filesystem>

#include "compare/msaccucmp/exit_codes.h"
#include "compare/msaccucmp/paths.h"
#include "core/base/pending_file.h"

namespace npuscope::compare::msaccucmp {

nlohmann::json read_rule_json(const std::string& path, Log& log) {
    constexpr uintmax_t kLarge = uintmax_t{100} << 20;
    if (const int code = check_path(path, true, false, PathType::kFile, log); code != kOk)
        throw CommandError(code, "");
    std::error_code failure;
    const uintmax_t size = std::filesystem::file_size(path, failure);
    if (!failure && size > kLarge)
        log.warning("The rule file '" + path + "' exceeds 100MB, so this may take a while.");
    try {
        return nlohmann::json::parse(read_text_file(path));
    } catch (const nlohmann::json::exception& problem) {
        throw CommandError(kParseJsonError,
                           "The rule file '" + path + "' is no JSON: " + problem.what());
    }
}

}  // namespace npuscope::compare::msaccucmp
