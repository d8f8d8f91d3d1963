#include "compare/growth/module_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>
#include <vector>

namespace npuscope::compare {

namespace {

enum class Word : uint8_t {
    kParameter,
    kGradient,
    kState,
    kNoProduct,
    kReduction,
    kGate,
    kJump,
    kBatchNorm
};

constexpr auto kWords = std::to_array<std::pair<std::string_view, Word>>({
#define MODULE_WORD(word, what) {word, Word::what},
#define MODULE_PART(part)
#define MODULE_BATCH_NORM(part)
#include "compare/growth/module_words.def"
#undef MODULE_WORD
#undef MODULE_PART
#undef MODULE_BATCH_NORM
});

constexpr auto kPartsWithoutProducts = std::to_array<std::string_view>({
#define MODULE_WORD(word, what)
#define MODULE_PART(part) part,
#define MODULE_BATCH_NORM(part)
#include "compare/growth/module_words.def"
#undef MODULE_WORD
#undef MODULE_PART
#undef MODULE_BATCH_NORM
});

constexpr auto kBatchNorms = std::to_array<std::string_view>({
#define MODULE_WORD(word, what)
#define MODULE_PART(part)
#define MODULE_BATCH_NORM(part) part,
#include "compare/growth/module_words.def"
#undef MODULE_WORD
#undef MODULE_PART
#undef MODULE_BATCH_NORM
});

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// "blocks", "ln", "weight" of "blocks.0.LN_1.weight".
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        if (is_letter(c))
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

bool has_word(std::string_view name, Word what) {
    return std::ranges::any_of(words_of(name), [&](const std::string& word) {
        return std::ranges::find(kWords, std::pair<std::string_view, Word>(word, what)) !=
               kWords.end();
    });
}

/// What comes behind the last point or slash that letters follow: "q" of "blocks.0.q", "layers" of
/// "layers.3".
std::string_view last_part(std::string_view name) {
    for (;;) {
        const size_t at = name.find_last_of("./");
        if (at == std::string_view::npos) return name;
        const std::string_view part = name.substr(at + 1);
        if (std::ranges::any_of(part, is_letter)) return part;
        name = name.substr(0, at);
    }
}

/// Words that mean something else as well: an expert that is counted (exp0, exp1), what a network
/// makes of a point in time (temb, time_emb).
bool is_another_word(std::string_view part) {
    const size_t expert = part.find("exp");
    const bool is_counted = expert != std::string_view::npos && expert + 3 < part.size() &&
                            std::isdigit(static_cast<unsigned char>(part[expert + 3])) != 0;
    return is_counted || std::ranges::any_of(words_of(part), [](const std::string& word) {
               return word == "temb" || word.starts_with("time");
           });
}

}  // namespace

std::string without_numbers(std::string_view name) {
    std::string all;
    for (const char c : name) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0)
            all += c;
        else if (all.empty() || all.back() != '#')
            all += '#';
    }
    return all;
}

bool names_parameter(std::string_view name) {
    return has_word(name, Word::kParameter) && !has_word(name, Word::kGradient) &&
           !has_word(name, Word::kState);
}

bool names_parameter_gradient(std::string_view name) {
    return has_word(name, Word::kParameter) && has_word(name, Word::kGradient);
}

bool names_state(std::string_view name) {
    return has_word(name, Word::kState);
}

bool names_gradient(std::string_view name) {
    return name.find("backward") != std::string_view::npos || has_word(name, Word::kGradient);
}

bool names_reduction(std::string_view name) {
    return has_word(last_part(name), Word::kReduction);
}

bool names_share(std::string_view name) {
    const std::string_view part = last_part(name);
    return part.find("softmax") != std::string_view::npos &&
           part.find("log") == std::string_view::npos;
}

bool names_batch_norm(std::string_view name) {
    std::string part(last_part(name));
    std::ranges::transform(
        part, part.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return has_word(part, Word::kBatchNorm) ||
           std::ranges::any_of(kBatchNorms, [&](std::string_view each) {
               return part.find(each) != std::string::npos;
           });
}

bool names_gate(std::string_view name) {
    return has_word(last_part(name), Word::kGate);
}

bool names_jump(std::string_view name) {
    return has_word(last_part(name), Word::kJump);
}

bool may_hold_products(std::string_view name) {
    const std::string_view part = last_part(name);
    if (is_another_word(part)) return true;
    for (const Word what : {Word::kNoProduct, Word::kReduction, Word::kGate, Word::kJump})
        if (has_word(part, what)) return false;
    for (const std::string& word : words_of(part))
        for (const std::string_view known : kPartsWithoutProducts)
            if (word.find(known) != std::string::npos) return false;
    return true;
}

bool op_may_hold_products(std::string_view op) {
    constexpr auto kProducts = std::to_array<std::string_view>({"mm",
                                                                "conv",
                                                                "linear",
                                                                "matmul",
                                                                "attention",
                                                                "lstm",
                                                                "gru",
                                                                "rnn",
                                                                "dot",
                                                                "einsum",
                                                                "mv",
                                                                "addr",
                                                                "outer",
                                                                "fused",
                                                                "npu_",
                                                                "cdist",
                                                                "ger"});
    return may_hold_products(op) && std::ranges::any_of(kProducts, [&](std::string_view each) {
               return op.find(each) != std::string_view::npos;
           });
}

}  // namespace npuscope::compare
