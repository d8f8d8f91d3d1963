#include "npu_backend/options.h"

#include <charconv>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"

namespace npuscope {

namespace {

[[noreturn]] void reject_value(const OptionRow& row, std::string_view value) {
    throw Error(ErrorKind::kUsage,
                "option " + std::string(row.key) + " does not take '" + std::string(value) +
                    "'; it takes " + std::string(row.values));
}

template <auto kMember>
void set_choice(ChipOptions& options, const OptionRow& row, std::string_view value) {
    using Field = std::remove_cvref_t<decltype(options.*kMember)>;
    for (size_t i = 0; i < row.choices.size(); ++i)
        if (row.choices[i] == value) {
            options.*kMember = static_cast<Field>(i);
            return;
        }
    reject_value(row, value);
}

template <auto kMember>
std::string get_choice(const ChipOptions& options, const OptionRow& row) {
    return std::string(row.choices.at(static_cast<size_t>(options.*kMember)));
}

template <auto kMember>
void set_number(ChipOptions& options, const OptionRow& row, std::string_view value) {
    int number = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failure != std::errc{} || end != value.data() + value.size() || number < row.low ||
        number > row.high)
        reject_value(row, value);
    options.*kMember = number;
}

template <auto kMember>
std::string get_number(const ChipOptions& options, const OptionRow&) {
    return std::to_string(options.*kMember);
}

template <auto kMember>
void set_list(ChipOptions& options, const OptionRow& row, std::string_view value) {
    if (value.find_first_of(" \t\n=") != std::string_view::npos) reject_value(row, value);
    options.*kMember = std::string(value);
}

template <auto kMember>
std::string get_list(const ChipOptions& options, const OptionRow&) {
    return options.*kMember;
}

std::string joined(const std::vector<std::string_view>& choices) {
    std::string text;
    for (const std::string_view choice : choices)
        text += (text.empty() ? "" : ", ") + std::string(choice);
    return text;
}

/// `values` of a row of choices is written from them once.
struct Table {
    std::vector<std::string> texts;
    std::vector<OptionRow> rows;
};

using Names = std::vector<std::string_view>;
const Names& off_on() {
    static const Names names = {"off", "on"};
    return names;
}

#define CHOICE(key, member, names, grade, meaning) \
    {key,                                          \
     {},                                           \
     meaning,                                      \
     grade,                                        \
     names,                                        \
     0,                                            \
     0,                                            \
     set_choice<&ChipOptions::member>,             \
     get_choice<&ChipOptions::member>},
#define NUMBER(key, member, low, high, values, grade, meaning) \
    {key,                                                      \
     values,                                                   \
     meaning,                                                  \
     grade,                                                    \
     {},                                                       \
     low,                                                      \
     high,                                                     \
     set_number<&ChipOptions::member>,                         \
     get_number<&ChipOptions::member>},
#define LIST(key, member, values, grade, meaning) \
    {key,                                         \
     values,                                      \
     meaning,                                     \
     grade,                                       \
     {},                                          \
     0,                                           \
     0,                                           \
     set_list<&ChipOptions::member>,              \
     get_list<&ChipOptions::member>},
#define NAMES(...) (Names{__VA_ARGS__})

Table make_table() {
    Table table;
    table.rows = {
#include "npu_backend/options.def"
    };
    table.texts.reserve(table.rows.size());
    for (OptionRow& row : table.rows)
        if (!row.choices.empty()) {
            table.texts.push_back(joined(row.choices));
            row.values = table.texts.back();
        }
    return table;
}

#undef CHOICE
#undef NUMBER
#undef LIST
#undef NAMES

const OptionRow& row_of(std::string_view key) {
    std::string known;
    for (const OptionRow& row : all_options()) {
        if (row.key == key) return row;
        known += (known.empty() ? "" : ", ") + std::string(row.key);
    }
    throw Error(ErrorKind::kUsage,
                "there is no option '" + std::string(key) + "'; the options are " + known);
}

void require_possible(const ChipOptions& options, const Chip& chip) {
    if (options.overflow_mode != chip.overflow_mode && !chip.overflow_switchable)
        throw Error(ErrorKind::kUsage,
                    "option overflow_mode: chip " + std::string(chip.name) + " has only " +
                        (chip.overflow_mode == OverflowMode::kSaturate ? "sat" : "infnan"));
    const bool demotes = options.fp32_on_910a == Float32OnHalfCube::kDemote &&
                         options.fp32_on_910a_out == DemotedOutput::kFloat32;
    if (!demotes && chip.cube_takes_float32())
        throw Error(ErrorKind::kUsage,
                    "options fp32_on_910A and fp32_on_910A_out are for a Cube without float32; "
                    "that of chip " +
                        std::string(chip.name) + " takes it");
    if (options.fp32_sat_910a && chip.overflow_mode != OverflowMode::kSaturate)
        throw Error(ErrorKind::kUsage,
                    "option fp32_sat_910A: float32 results of chip " + std::string(chip.name) +
                        " never saturate, as its tables say; chips 910A and 310P have none");
    if (options.cube_c_half && !chip.cube_half_accumulator)
        throw Error(ErrorKind::kUsage,
                    "option cube_c_half: the Cube of chip " + std::string(chip.name) +
                        " has no float16 accumulator");
}

}  // namespace

std::span<const OptionRow> all_options() {
    static const Table table = make_table();
    return table.rows;
}

ChipOptions default_options(const Chip& chip) {
    ChipOptions options;
    options.overflow_mode = chip.overflow_mode;
    options.conv_hf32 = chip.conv_hf32;
    options.matmul_hf32 = chip.matmul_hf32;
    options.hf32_mantissa = 23 - chip.hf32_dropped_bits;
    options.status_scope = chip.status_scope;
    options.precision_mode = chip.cube_takes_float32() ? PrecisionMode::kMustKeepOriginDtype
                                                       : PrecisionMode::kAllowFp32ToFp16;
    options.vec_fma = chip.name == "950" ? VectorFma::kFused : VectorFma::kTwoRoundings;
    return options;
}

void set_option(ChipOptions& options,
                const Chip& chip,
                std::string_view key,
                std::string_view value) {
    const OptionRow& row = row_of(key);
    if (value == "default") {
        const std::string own = row.get(default_options(chip), row);
        row.set(options, row, own);
    } else {
        row.set(options, row, value);
    }
    require_possible(options, chip);
}

ChipOptions options_from(const Chip& chip, std::span<const std::string> settings) {
    ChipOptions options = default_options(chip);
    for (const std::string& setting : settings) {
        const size_t equals = setting.find('=');
        if (equals == std::string::npos)
            throw Error(ErrorKind::kUsage,
                        "setting '" + setting + "' has no value; write KEY=VALUE");
        set_option(options,
                   chip,
                   std::string_view(setting).substr(0, equals),
                   std::string_view(setting).substr(equals + 1));
    }
    return options;
}

std::vector<std::string> read_settings(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw Error(ErrorKind::kIo, "cannot read the options file '" + path.string() + "'");
    const std::string json{std::istreambuf_iterator<char>(file), {}};
    const auto root = parse_json<nlohmann::ordered_json>(json);
    if (!root.is_object())
        throw Error(
            ErrorKind::kFormat,
            "options file '" + path.string() + "' is no JSON object of options and their values");
    std::vector<std::string> settings;
    for (const auto& [key, value] : root.items()) {
        std::string text;
        if (value.is_string()) {
            text = value.get<std::string>();
        } else if (value.is_boolean()) {
            text = value.get<bool>() ? "on" : "off";
        } else if (value.is_number_integer()) {
            text = std::to_string(value.get<int64_t>());
        } else {
            throw Error(ErrorKind::kFormat,
                        "options file '" + path.string() + "': option '" + key +
                            "' needs a text, a whole number, true or false");
        }
        settings.push_back(std::string(key).append("=").append(text));
    }
    return settings;
}

std::string to_string(const ChipOptions& options) {
    std::string text;
    for (const OptionRow& row : all_options())
        text += (text.empty() ? "" : " ") + std::string(row.key) + "=" + row.get(options, row);
    return text;
}

std::string changes(const ChipOptions& options, const Chip& chip) {
    const ChipOptions own = default_options(chip);
    std::string text;
    for (const OptionRow& row : all_options())
        if (const std::string value = row.get(options, row); value != row.get(own, row))
            text += (text.empty() ? "" : " ") + std::string(row.key) + "=" + value;
    return text;
}

}  // namespace npuscope
