#include "core/tensor/slice.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"

namespace npuscope {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, char sign) {
    std::vector<std::string_view> parts;
    while (true) {
        const size_t at = text.find(sign);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

}  // namespace

Slice::Slice(std::string_view text) : text_("[" + std::string(trimmed(text)) + "]") {
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::kUsage,
                    "the slice '" + text_ + "' " + why +
                        "; write it as NumPy does: [..., -3:], [0, 2:10:2]");
    };
    const auto number = [&](std::string_view digits) -> std::optional<int64_t> {
        if (digits.empty()) return std::nullopt;
        if (digits.front() == '+') digits.remove_prefix(1);
        int64_t value = 0;
        const char* end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, value);
        if (read.ec != std::errc() || read.ptr != end)
            refuse("has '" + std::string(digits) + "', which is no whole number");
        return value;
    };
    bool has_rest = false;
    for (const std::string_view each : split(text, ',')) {
        if (each == "...") {
            if (has_rest) refuse("has '...' twice");
            has_rest = true;
            continue;
        }
        if (each.empty()) refuse("has an empty part");
        const std::vector<std::string_view> numbers = split(each, ':');
        if (numbers.size() > 3) refuse("has more than two ':' in a part");
        Part part{.is_number = numbers.size() == 1, .start = number(numbers[0])};
        if (numbers.size() > 1) part.stop = number(numbers[1]);
        if (numbers.size() > 2) part.step = number(numbers[2]);
        if (part.step == 0) refuse("has a step of 0");
        (has_rest ? behind_ : before_).push_back(part);
    }
}

Stretch Slice::stretch_of(const Part& part, int64_t size) {
    if (part.is_number) {
        const int64_t at = *part.start < 0 ? *part.start + size : *part.start;
        return {.first = at, .count = at >= 0 && at < size ? 1 : 0};
    }
    const int64_t step = std::clamp<int64_t>(part.step.value_or(1), -size - 1, size + 1);
    // Python's slice.indices.
    const int64_t lowest = step > 0 ? 0 : -1;
    const int64_t highest = step > 0 ? size : size - 1;
    const auto bounded = [&](std::optional<int64_t> place, int64_t otherwise) {
        if (!place) return otherwise;
        return std::clamp(
            *place < 0 ? std::max(*place, -size - 1) + size : *place, lowest, highest);
    };
    const int64_t start = bounded(part.start, step > 0 ? lowest : highest);
    const int64_t stop = bounded(part.stop, step > 0 ? highest : lowest);
    const int64_t span = step > 0 ? stop - start : start - stop;
    const int64_t wide = step > 0 ? step : -step;
    const int64_t count = span > 0 ? (span + wide - 1) / wide : 0;
    return {.first = step > 0 ? start : start - (count - 1) * wide, .count = count, .step = wide};
}

std::optional<std::vector<Stretch>> Slice::in(const Shape& shape) const {
    const size_t named = before_.size() + behind_.size();
    if (named > shape.size()) return std::nullopt;
    std::vector<Stretch> stretches;
    for (size_t i = 0; i < shape.size(); ++i) {
        const size_t from_end = shape.size() - i;
        stretches.push_back(i < before_.size() ? stretch_of(before_[i], shape[i])
                            : from_end <= behind_.size()
                                ? stretch_of(behind_[behind_.size() - from_end], shape[i])
                                : Stretch{.count = shape[i]});
        if (stretches.back().count == 0) return std::nullopt;
    }
    return stretches;
}

}  // namespace npuscope
