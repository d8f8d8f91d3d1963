#include "core/recording/formats/call_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/words.h"

namespace npuscope {

namespace {

using dumpfile::Direction;

constexpr std::string_view kArrow = "  ->  ";
constexpr std::string_view kLog = "  # {";
constexpr size_t kMostDims = 64;
/// Of a dtype and a shape.
constexpr size_t kLongest = 1024;

/// Source: PyTorch, torch/utils/_dtype_abbrs.py.
std::string dtype_of(std::string_view abbreviation) {
    static constexpr auto kDTypes = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"bf16", "bfloat16"},
        {"f16", "float16"},
        {"f32", "float32"},
        {"f64", "float64"},
        {"i8", "int8"},
        {"i16", "int16"},
        {"i32", "int32"},
        {"i64", "int64"},
        {"u8", "uint8"},
        {"u16", "uint16"},
        {"u32", "uint32"},
        {"u64", "uint64"},
        {"b8", "bool"},
        {"c64", "complex64"},
        {"c128", "complex128"},
    });
    for (const auto& [known, dtype] : kDTypes)
        if (known == abbreviation) return std::string(dtype);
    return std::string(abbreviation);
}

/// The pieces between commas that no bracket or quote encloses.
std::vector<std::string> pieces_of(std::string_view text) {
    std::vector<std::string> pieces;
    int depth = 0;
    char quote = 0;
    size_t start = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            --depth;
        } else if (c == ',' && depth == 0) {
            pieces.push_back(trimmed(text.substr(start, i - start)));
            start = i + 1;
        }
    }
    pieces.push_back(trimmed(text.substr(start)));
    if (pieces.back().empty()) pieces.pop_back();
    return pieces;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A tensor at `at`: "t: f32[8, 8]", "dt$0: bf16[8]"; moves `at` behind it.
std::optional<SourceTensor> tensor_at(std::string_view text, size_t& at) {
    size_t next = at;
    if (at > 0 && is_word(text[at - 1])) return std::nullopt;
    if (text[next] == 'd' || text[next] == 'f') ++next;
    if (next >= text.size() || text[next] != 't') return std::nullopt;
    ++next;
    if (next < text.size() && text[next] == '$')
        while (++next < text.size() && std::isdigit(static_cast<unsigned char>(text[next])) != 0) {
        }
    if (!text.substr(next).starts_with(": ")) return std::nullopt;
    next += 2;
    const std::string_view rest = text.substr(next, kLongest);
    const size_t open = rest.find('[');
    const size_t close = rest.find(']');
    if (close == std::string_view::npos || open > close) return std::nullopt;
    const std::string_view abbreviation = rest.substr(0, open);
    if (abbreviation.empty() || !std::ranges::all_of(abbreviation, is_word)) return std::nullopt;
    SourceTensor tensor;
    tensor.dtype = dtype_of(abbreviation);
    for (const std::string& dim : fields_of(rest.substr(open + 1, close - open - 1), ',')) {
        const std::string digits = trimmed(dim);
        if (digits.empty()) continue;
        const auto size = natural(digits);
        if (!size || tensor.shape.size() == kMostDims) return std::nullopt;
        tensor.shape.push_back(*size);
    }
    at = next + close + 1;
    return tensor;
}

/// All tensors of a piece, by its name, or by name and number of several.
void take_tensors(std::string_view piece,
                  const std::string& name,
                  Direction direction,
                  std::vector<SourceTensor>& tensors) {
    const size_t before = tensors.size();
    for (size_t at = 0; at < piece.size();) {
        auto tensor = tensor_at(piece, at);
        if (!tensor) {
            ++at;
            continue;
        }
        tensor->direction = direction;
        tensors.push_back(std::move(*tensor));
    }
    const bool is_list = piece.starts_with('[') || piece.starts_with('(');
    for (size_t i = before; i < tensors.size(); ++i)
        tensors[i].argument = is_list ? name + "." + std::to_string(i - before) : name;
}

PlainArgument plain(const std::string& name, const std::string& value) {
    PlainArgument argument{.name = name, .recorded = name};
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (value == "True" || value == "False") {
        argument.is_bool = true;
        argument.numbers.push_back(value == "True" ? 1 : 0);
    } else if (end != value.c_str() && *end == '\0') {
        argument.numbers.push_back(number);
        argument.is_whole = is_digits(value);
    } else {
        argument.text = plain_text(value);
    }
    return argument;
}

/// The numbers of "'hash': …" in a Python dict; a word of another kind ends them.
std::vector<double> hashes_in(std::string_view log, std::string_view key) {
    const std::string quoted = "'" + std::string(key) + "': ";
    const size_t at = log.find(quoted);
    if (at == std::string_view::npos || (at > 0 && log[at - 1] != ' ' && log[at - 1] != '{'))
        return {};
    const std::vector<std::string> values = pieces_of(log.substr(at + quoted.size()));
    if (values.empty()) return {};
    std::string text = values.front();
    std::vector<double> numbers;
    std::ranges::replace_if(
        text,
        [](char c) { return std::string_view("()[]{},").find(c) != std::string_view::npos; },
        ' ');
    for (const std::string& word : fields_of(text, ' ')) {
        if (word.empty() || word == "None") continue;
        char* end = nullptr;
        const double number = std::strtod(word.c_str(), &end);
        // Names of keyword arguments stand among the hashes of inputs.
        if (*end == '\0') numbers.push_back(number);
    }
    return numbers;
}

void take_hashes(const std::vector<double>& hashes, std::vector<SourceTensor>& tensors) {
    if (hashes.size() != tensors.size()) return;
    for (size_t i = 0; i < hashes.size(); ++i)
        tensors[i].statistics = RecordedStatistics{.l1 = hashes[i]};
}

}  // namespace

std::optional<CallText> parse_call(const std::string& text) {
    const size_t log = std::min(text.rfind(kLog), text.size());
    const size_t arrow = std::min(text.rfind(kArrow, log), log);
    const size_t open = text.find('(');
    const size_t close = text.rfind(')', arrow);
    if (open == 0 || close == std::string::npos || open > close) return std::nullopt;
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (!std::ranges::all_of(text.substr(0, open), is_printable)) return std::nullopt;
    CallText call{.name = text.substr(0, open)};
    const std::vector<std::string> pieces =
        pieces_of(std::string_view(text).substr(open + 1, close - open - 1));
    for (size_t i = 0; i < pieces.size(); ++i) {
        std::string name = std::to_string(i);
        std::string value = pieces[i];
        const size_t equals = value.find('=');
        const bool is_named = equals != std::string::npos && equals > 0 &&
                              std::ranges::all_of(value.substr(0, equals), is_word);
        if (is_named) {
            name = value.substr(0, equals);
            value = value.substr(equals + 1);
        }
        const size_t before = call.inputs.size();
        take_tensors(value, name, Direction::kInput, call.inputs);
        if (call.inputs.size() == before) call.arguments.push_back(plain(name, value));
    }
    if (arrow < log) {
        const std::string_view results =
            std::string_view(text).substr(arrow + kArrow.size(), log - arrow - kArrow.size());
        take_tensors(results, "0", Direction::kOutput, call.outputs);
        for (size_t i = 0; i < call.outputs.size(); ++i)
            call.outputs[i].argument = std::to_string(i);
    }
    const std::string_view logged = std::string_view(text).substr(log);
    take_hashes(hashes_in(logged, "hash"), call.outputs);
    take_hashes(hashes_in(logged, "input_hash"), call.inputs);
    return call;
}

}  // namespace npuscope
