#include "loss/log.h"

#include <algorithm>
#include <cctype>

namespace npuscope::loss {

namespace {

constexpr std::array<std::string_view, kQuantities> kNames = {
#define QUANTITY(enumerator, name, keys) name,
#include "loss/quantities.def"
#undef QUANTITY
};
constexpr std::array<std::string_view, kQuantities> kKeys = {
#define QUANTITY(enumerator, name, keys) keys,
#include "loss/quantities.def"
#undef QUANTITY
};

// "Train/LM loss" is "lm_loss", and is_other tells of parts that make a key no training step's.
std::string plain_key(std::string_view key, bool& is_other) {
    std::string plain;
    is_other = false;
    const auto end_part = [&] {
        while (!plain.empty() && plain.back() == '_')
            plain.pop_back();
        for (const std::string_view other : {"eval", "val", "valid", "validation", "test"})
            if (plain == other || plain.starts_with(std::string(other) + "_")) is_other = true;
    };
    for (const char c : key) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '/' || c == '.') {
            end_part();
            plain.clear();
        } else if (std::isalnum(byte)) {
            plain += static_cast<char>(std::tolower(byte));
        } else if (!plain.empty() && plain.back() != '_') {
            plain += '_';
        }
    }
    end_part();
    return plain;
}

}  // namespace

std::string_view name_of(Quantity quantity) {
    return kNames[static_cast<size_t>(quantity)];
}

int fit_of(Quantity quantity, std::string_view key) {
    bool is_other = false;
    const std::string plain = plain_key(key, is_other);
    if (is_other || plain.empty()) return -1;
    std::string_view keys = kKeys[static_cast<size_t>(quantity)];
    for (int rank = 0; !keys.empty(); ++rank) {
        const size_t end = std::min(keys.find(' '), keys.size());
        if (keys.substr(0, end) == plain) return rank;
        keys.remove_prefix(std::min(end + 1, keys.size()));
    }
    return -1;
}

const double* Curve::at(int64_t step) const {
    const auto found = std::lower_bound(steps.begin(), steps.end(), step);
    if (found == steps.end() || *found != step) return nullptr;
    return &values[static_cast<size_t>(found - steps.begin())];
}

}  // namespace npuscope::loss
