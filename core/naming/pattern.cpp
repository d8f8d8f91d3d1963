#include "core/naming/pattern.h"

namespace npuscope {

bool fits_pattern(std::string_view name, std::string_view pattern) {
    size_t at = 0;
    size_t in = 0;
    size_t star = std::string_view::npos;
    size_t after_star = 0;
    while (at < name.size()) {
        if (in < pattern.size() && pattern[in] == '*') {
            star = in++;
            after_star = at;
        } else if (in < pattern.size() && (pattern[in] == '?' || pattern[in] == name[at])) {
            ++in;
            ++at;
        } else if (star != std::string_view::npos) {
            in = star + 1;
            at = ++after_star;
        } else {
            return false;
        }
    }
    while (in < pattern.size() && pattern[in] == '*')
        ++in;
    return in == pattern.size();
}

}  // namespace npuscope
