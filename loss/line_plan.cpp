#include "loss/line_plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/parallel/parallel_for.h"
#include "loss/find_text.h"
#include "loss/lines.h"
#include "loss/step_key.h"

namespace npuscope::loss {

namespace {

constexpr std::string_view kBetween = " \t:='\"([{";
constexpr size_t kFarthest = 24;  // characters between a key and its number

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_key(char c) {
    return is_word(c) || c == ' ' || c == '/' || c == '.' || c == '-';
}

struct Number {
    double value;
    const char* end;
    bool is_whole;
};

// A whole number, decimal, nan or inf at `begin`, which no letter follows.
std::optional<Number> number_at(const char* begin, const char* end) {
    const char* from = begin;
    if (from < end && *from == '+') ++from;
    double value = 0;
    const auto [stop, failure] = std::from_chars(from, end, value);
    if (stop == from) return std::nullopt;
    if (failure == std::errc::result_out_of_range)
        value = std::memchr(from, '-', static_cast<size_t>(stop - from)) != nullptr && *from != '-'
                    ? 0.0
                    : std::numeric_limits<double>::infinity();
    if (stop < end && is_word(*stop)) return std::nullopt;
    const bool is_whole = std::all_of(from, stop, [](char c) { return c >= '0' && c <= '9'; });
    return Number{value, stop, is_whole};
}

std::string_view trimmed_key(std::string_view key) {
    while (!key.empty() && !is_word(key.back()))
        key.remove_suffix(1);
    while (!key.empty() && !is_word(key.front()))
        key.remove_prefix(1);
    return key;
}

// The number behind a key that stands at `place`, or nothing: the key is part of a longer word.
std::optional<Number> number_behind(std::string_view line, size_t place, size_t key_size) {
    if (place > 0 && is_word(line[place - 1])) return std::nullopt;
    const char* end = line.data() + line.size();
    const char* from = line.data() + place + key_size;
    const char* farthest = std::min(end, from + kFarthest);
    if (from == end || is_word(*from)) return std::nullopt;
    while (from < farthest && std::memchr(kBetween.data(), *from, kBetween.size()) != nullptr)
        ++from;
    return number_at(from, end);
}

std::optional<Number> find_number(std::string_view line, size_t from, std::string_view key) {
    for (;;) {
        const size_t place = find_text(line, key, from);
        if (place == std::string_view::npos) return std::nullopt;
        if (const auto number = number_behind(line, place, key.size())) return number;
        from = place + key.size();
    }
}

// "10/100 [": what tqdm draws between its bar and its times.
std::optional<int64_t> step_before_slash(std::string_view line) {
    for (size_t slash = line.find('/'); slash != std::string_view::npos;
         slash = line.find('/', slash + 1)) {
        size_t begin = slash;
        while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])))
            --begin;
        size_t end = slash + 1;
        while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])))
            ++end;
        if (begin == slash || end == slash + 1 || !line.substr(end).starts_with(" [")) continue;
        int64_t step = 0;
        const auto parsed = std::from_chars(line.data() + begin, line.data() + slash, step);
        if (parsed.ec == std::errc()) return step;
    }
    return std::nullopt;
}

// Words of a key from the front on are left away until the rest is known: "INFO - step" is "step".
// The penalty is for words before it: "mtp_1 loss" is a poorer loss than "loss".
template <class Fit>
std::pair<int, std::string_view> best_suffix(std::string_view key, Fit fit) {
    bool dropped_word = false;
    while (!key.empty()) {
        if (const int found = fit(key); found >= 0) return {found + (dropped_word ? 100 : 0), key};
        const size_t blank = key.find_first_of(" -");
        if (blank == std::string_view::npos) break;
        const size_t next = key.find_first_not_of(" -", blank);
        if (next == std::string_view::npos) break;
        dropped_word = key[next - 1] == ' ' && key[blank] == ' ' && next == blank + 1;
        key.remove_prefix(next);
    }
    return {-1, {}};
}

// Lines of validation say so in one of their words.
bool is_other_line(std::string_view line) {
    constexpr std::array<std::string_view, 4> kOther = {"valid", "Valid", "eval", "Eval"};
    return std::any_of(kOther.begin(), kOther.end(), [&](std::string_view word) {
        const size_t place = find_text(line, word, 0);
        return place != std::string_view::npos && (place == 0 || !is_word(line[place - 1]));
    });
}

struct Vote {
    size_t lines = 0;
    size_t place = 0;  // sum over lines of its place among the line's numbers
    int fit = 0;
};

void vote(std::map<std::string, Vote>& votes, std::string_view key, int fit, size_t place) {
    Vote& entry = votes[std::string(key)];
    ++entry.lines;
    entry.place += place;
    entry.fit = fit;
}

// The best fit that half of the most frequent key's lines have.
const std::pair<const std::string, Vote>* elected(const std::map<std::string, Vote>& votes) {
    size_t most = 0;
    for (const auto& [key, entry] : votes)
        most = std::max(most, entry.lines);
    const std::pair<const std::string, Vote>* best = nullptr;
    for (const auto& entry : votes)
        if (entry.second.lines * 2 >= most &&
            (best == nullptr || entry.second.fit < best->second.fit))
            best = &entry;
    return best;
}

}  // namespace

std::vector<KeyNumber> key_numbers(std::string_view line) {
    std::vector<KeyNumber> found;
    size_t key_from = 0;
    const char* end = line.data() + line.size();
    for (size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool starts = std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '+' ||
                            c == '.' || c == 'n' || c == 'N' || c == 'i' || c == 'I';
        const bool bounded = i == 0 || !is_word(line[i - 1]);
        if (!starts || !bounded) {
            if (!is_key(c) && kBetween.find(c) == std::string_view::npos) key_from = i + 1;
            continue;
        }
        const std::optional<Number> number = number_at(line.data() + i, end);
        if (!number) continue;
        // "number of nan iterations: 0" has one number.
        if (std::isalpha(static_cast<unsigned char>(c))) {
            const char* next = number->end;
            while (next < end && *next == ' ')
                ++next;
            if (next < end && std::isalpha(static_cast<unsigned char>(*next))) continue;
        }
        std::string_view key = line.substr(key_from, i - key_from);
        // What stands before an earlier separator belongs to something else: "a: b: 1" is b.
        key = trimmed_key(key);
        if (const size_t last = key.find_last_of(":='\"([{"); last != std::string_view::npos)
            key = trimmed_key(key.substr(last + 1));
        found.push_back({key, number->value, number->is_whole});
        i = static_cast<size_t>(number->end - line.data()) - 1;
        key_from = i + 1;
    }
    return found;
}

bool LinePlan::has(Quantity quantity) const {
    return std::any_of(keys.begin(), keys.end(), [&](auto& key) { return key.first == quantity; });
}

std::string LinePlan::key_of(Quantity quantity) const {
    for (const auto& [own, key] : keys)
        if (own == quantity) return key;
    return {};
}

std::string LinePlan::marker() const {
    const std::string loss = key_of(Quantity::kLoss);
    return step_key.size() > 3 ? step_key : loss;
}

std::string LinePlan::to_text() const {
    std::string text = step_before_slash  ? "step before '/'"
                       : step_key.empty() ? "no step"
                                          : "step after " + in_quotes(step_key);
    for (const auto& [quantity, key] : keys)
        text += fmt::format(", {} after {}", name_of(quantity), in_quotes(key));
    return text;
}

namespace {

/// What lines of a log say, counted.
struct Votes {
    std::map<std::string, Vote> steps;
    std::array<std::map<std::string, Vote>, kQuantities> quantities;
    size_t slashes = 0;

    void count(std::string_view line) {
        const std::vector<KeyNumber> numbers = key_numbers(line);
        const auto fits = [](const KeyNumber& number, Quantity quantity) {
            return best_suffix(number.key,
                               [&](std::string_view key) { return fit_of(quantity, key); });
        };
        if (std::ranges::none_of(numbers, [&](const KeyNumber& number) {
                return fits(number, Quantity::kLoss).first >= 0;
            }))
            return;
        slashes += step_before_slash(line) ? 1 : 0;
        for (size_t i = 0; i < numbers.size(); ++i) {
            const auto [step_fit, step_key] = best_suffix(numbers[i].key, fit_of_step);
            if (step_fit >= 0 && numbers[i].is_whole) vote(steps, step_key, step_fit, i);
            for (size_t q = 0; q < kQuantities; ++q) {
                const auto [fit, key] = fits(numbers[i], static_cast<Quantity>(q));
                if (fit >= 0) vote(quantities[q], key, fit, i);
            }
        }
    }
};

}  // namespace

LinePlan guess_plan(const std::vector<std::string_view>& lines) {
    Votes votes;
    for (const std::string_view line : lines)
        if (!is_other_line(line)) votes.count(line);
    LinePlan plan;
    if (const auto* step = elected(votes.steps)) plan.step_key = step->first;
    std::vector<std::pair<double, std::pair<Quantity, std::string>>> places;
    size_t loss_lines = 0;
    for (size_t q = 0; q < kQuantities; ++q) {
        const auto* key = elected(votes.quantities[q]);
        if (key == nullptr) continue;
        if (q == 0) loss_lines = key->second.lines;
        places.push_back(
            {static_cast<double>(key->second.place) / static_cast<double>(key->second.lines),
             {static_cast<Quantity>(q), key->first}});
    }
    std::sort(places.begin(), places.end());
    for (auto& [place, key] : places)
        plan.keys.push_back(std::move(key));
    if (plan.step_key.empty() && votes.slashes * 2 >= loss_lines && votes.slashes > 0)
        plan.step_before_slash = true;
    return plan;
}

bool apply(const LinePlan& plan, std::string_view line, Record& record) {
    record.present = 0;
    record.step = Record::kNoStep;
    size_t from = 0;
    if (!plan.step_key.empty()) {
        const std::optional<Number> step = find_number(line, 0, plan.step_key);
        if (!step || !step->is_whole || step->value > 9e15) return false;
        record.step = static_cast<int64_t>(step->value);
        from = static_cast<size_t>(step->end - line.data());
        if (is_other_line(line.substr(0, from))) return false;
    } else if (plan.step_before_slash) {
        const std::optional<int64_t> step = step_before_slash(line);
        if (!step) return false;
        record.step = *step;
    }
    for (const auto& [quantity, key] : plan.keys) {
        std::optional<Number> number = find_number(line, from, key);
        if (!number && from > 0) number = find_number(line.substr(0, from), 0, key);
        if (!number) continue;
        record.set(quantity, number->value);
        from = static_cast<size_t>(number->end - line.data());
        // "step 10 eval loss: 2.5"
        constexpr size_t kBefore = 48;
        if (quantity == Quantity::kLoss &&
            is_other_line(
                line.substr(from > kBefore ? from - kBefore : 0, std::min(from, kBefore))))
            return false;
    }
    return record.present != 0;
}

namespace {

// Has a mapping's pages made ready in one call, where the system can; each would cost a fault.
void touch_pages(std::string_view part) {
#ifdef MADV_POPULATE_READ
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const size_t before = reinterpret_cast<uintptr_t>(part.data()) % page;
    const size_t size = part.size() + before;
    if (size > 16 * page)
        static_cast<void>(
            ::madvise(const_cast<char*>(part.data()) - before, size, MADV_POPULATE_READ));
#else
    static_cast<void>(part);
#endif
}

// Reads the lines of one part; returns how many were too long.
size_t read_part(const LinePlan& plan, std::string_view part, LogBuilder& records) {
    touch_pages(part);
    const std::string marker = plan.marker();
    MarkedLines lines(part, marker);
    std::string_view line;
    std::string buffer;
    Record record;
    while (lines.next(line)) {
        std::string_view clean = without_escapes(line, buffer);
        record.rank = take_rank(clean);
        if (apply(plan, clean, record)) records.add(record);
    }
    return lines.too_long();
}

// Parts of about kPartBytes that end with lines.
std::vector<std::string_view> parts_of(std::string_view text) {
    constexpr size_t kPartBytes = size_t{32} << 20;
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        size_t end = text.size() > kPartBytes ? text.find('\n', kPartBytes) : text.size();
        end = end >= text.size() ? text.size() : end + 1;
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return parts;
}

}  // namespace

void read_lines(const LinePlan& plan, std::string_view text, LogBuilder& records, Log& log) {
    const std::vector<std::string_view> parts = parts_of(text);
    std::vector<LogBuilder> read(parts.size());
    std::vector<size_t> too_long(parts.size());
    parallel_for(static_cast<int64_t>(parts.size()), 0, [&](int64_t i) {
        const auto k = static_cast<size_t>(i);
        too_long[k] = read_part(plan, parts[k], read[k]);
    });
    records = LogBuilder::joined(std::move(read));
    if (const size_t passed = std::accumulate(too_long.begin(), too_long.end(), size_t{0});
        passed > 0)
        log.remarks.push_back(
            fmt::format("{} lines of more than {} bytes are passed over", passed, kLongestLine));
    log.loss_name = plan.key_of(Quantity::kLoss);
    for (const auto& [quantity, key] : plan.keys)
        log.names[static_cast<size_t>(quantity)] = key;
}

}  // namespace npuscope::loss
