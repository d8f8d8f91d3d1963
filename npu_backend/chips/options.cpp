#include "npu_backend/chips/options.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"

namespace npuscope {

namespace {

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

ChipOptions default_options(const Chip& chip) {
    ChipOptions options;
    options.overflow_mode = chip.overflow_mode;
    options.conv_hf32 = chip.conv_hf32;
    options.matmul_hf32 = chip.matmul_hf32;
    options.hf32_mantissa = 23 - chip.hf32_dropped_bits;
    options.status_scope = chip.status_scope;
    options.precision_mode = chip.cube_takes_float32() ? PrecisionMode::kMustKeepOriginDtype
                                                       : PrecisionMode::kAllowFp32ToFp16;
    options.vec_fma = chip.vector_fma ? VectorFma::kFused : VectorFma::kTwoRoundings;
    return options;
}

void set_option(ChipOptions& options,
                const Chip& chip,
                std::string_view key,
                std::string_view value) {
    const OptionRow& row = row_of(key);
    if (value == "default") {
        const std::string own = row.access.get(default_options(chip), row);
        row.access.set(options, row, own);
    } else {
        row.access.set(options, row, value);
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

std::vector<std::string> amp_settings(std::string_view level) {
    if (level == "O0") return {};
    if (level == "O1") return {"precision_mode=allow_mix_precision"};
    if (level == "O2")
        return {"precision_mode=allow_mix_precision",
                "precision_black=BN*,LayerNorm*",
                "precision_white=*"};
    throw Error(ErrorKind::kUsage,
                "there is no mixed precision level '" + std::string(level) +
                    "'; the levels are O0, O1 and O2");
}

std::string to_string(const ChipOptions& options) {
    std::string text;
    for (const OptionRow& row : all_options())
        text +=
            (text.empty() ? "" : " ") + std::string(row.key) + "=" + row.access.get(options, row);
    return text;
}

std::string changes(const ChipOptions& options, const Chip& chip) {
    const ChipOptions own = default_options(chip);
    std::string text;
    for (const OptionRow& row : all_options())
        if (const std::string value = row.access.get(options, row);
            value != row.access.get(own, row))
            text += (text.empty() ? "" : " ") + std::string(row.key) + "=" + value;
    return text;
}

}  // namespace npuscope
