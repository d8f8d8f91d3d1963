// What nobody outside knows about a chip, or what a user can switch, as one value with stated
// defaults.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npu_backend/chips/chip.h"

namespace npuscope {

/// How the Cube adds the products of one dot product. Enumerators in the order of their names.
enum class CubeAccumulation : uint8_t {
    kBlockExact,  ///< blk16_exact: a block's products and the accumulator added exactly, rounded
                  ///< once
    kSequential,  ///< seq_rne: k ascending, the sum rounded to float32 after each product
    kBlockTree,  ///< tree16_rne: neighbours of a block in pairs, rounded each; then the accumulator
    kAlignTrunc0,  ///< align_trunc0…3: block and accumulator aligned to the largest, low bits cut
    kAlignTrunc1,
    kAlignTrunc2,
    kAlignTrunc3,
    kExact,  ///< exact_k: all of k exactly, rounded once
};
enum class CubeBias : uint8_t { kInitAccumulator, kPostAdd };
enum class SplitOrder : uint8_t { kAscending, kDescending };
enum class Hf32Tie : uint8_t { kEven, kAway, kTowardZero, kTruncate };
enum class Float32OnHalfCube : uint8_t { kDemote, kError, kKeep };
enum class DemotedOutput : uint8_t { kFloat32, kFloat16 };
enum class VectorFma : uint8_t { kTwoRoundings, kFused };
enum class ImplMode : uint8_t {
    kHighPerformance,
    kHighPrecision,
    kHighPerformanceForAll,
    kHighPrecisionForAll,
};
enum class ReduceOrder : uint8_t { kTree, kSequential, kOneByOne };
enum class PrecisionMode : uint8_t {
    kMustKeepOriginDtype,
    kAllowFp32ToFp16,
    kForceFp16,
    kAllowMixPrecision,
};

struct ChipOptions {
    OverflowMode overflow_mode = OverflowMode::kInfNan;
    CubeAccumulation cube_acc = CubeAccumulation::kSequential;
    int cube_k_block = 0;  ///< products of a block; 0: by dtype (8 float32, else 16)
    int cube_split_k = 1;  ///< parts of k with accumulators of their own
    SplitOrder cube_split_order = SplitOrder::kAscending;
    CubeBias cube_bias = CubeBias::kInitAccumulator;
    bool cube_c_half = false;
    bool conv_hf32 = false;
    bool matmul_hf32 = false;
    Hf32Tie hf32_tie = Hf32Tie::kEven;
    int hf32_mantissa = 11;
    Float32OnHalfCube fp32_on_910a = Float32OnHalfCube::kDemote;
    DemotedOutput fp32_on_910a_out = DemotedOutput::kFloat32;
    bool fp32_sat_910a = false;
    bool vec_ftz = false;
    VectorFma vec_fma = VectorFma::kTwoRoundings;
    int rec_ulp = 0;
    int exp_ulp = 0;
    ImplMode op_impl_mode = ImplMode::kHighPerformance;
    std::string op_impl_types;  ///< CANN types the mode is for, commas between; empty: all
    ReduceOrder reduce_order = ReduceOrder::kTree;
    ChipStatusScope status_scope = ChipStatusScope::kProcess;
    bool status_inputs_nan = false;
    PrecisionMode precision_mode = PrecisionMode::kMustKeepOriginDtype;
    std::string precision_white;  ///< added to the built-in lists of allow_mix_precision
    std::string precision_black;
    std::string precision_grey;

    friend bool operator==(const ChipOptions&, const ChipOptions&) = default;
};

struct OptionRow;

struct OptionAccess {
    void (*set)(ChipOptions& options, const OptionRow& row, std::string_view value);
    std::string (*get)(const ChipOptions& options, const OptionRow& row);
};

/// One option, with its documentation.
struct OptionRow {
    std::string_view key;
    std::string values = {};                     ///< for people
    std::string_view meaning;                    ///< with the reason why it is an option
    std::string_view grade;                      ///< how well the default is known, A to U
    std::vector<std::string_view> choices = {};  ///< empty for numbers and lists
    int low = 0;                                 ///< of numbers
    int high = 0;
    OptionAccess access;
};

[[nodiscard]] std::span<const OptionRow> all_options();

[[nodiscard]] ChipOptions default_options(const Chip& chip);

/// Sets one option; the value "default" gives the chip's own.
/// Errors: Error(kUsage) that lists the known options, or the option's values; an overflow mode
/// that the chip does not have.
void set_option(ChipOptions& options,
                const Chip& chip,
                std::string_view key,
                std::string_view value);

/// The chip's defaults, then each "key=value" in order. Errors: as set_option.
[[nodiscard]] ChipOptions options_from(const Chip& chip, std::span<const std::string> settings);

/// The settings of a JSON file, one object of keys and values (text, number or true/false), as
/// "key=value". Errors: Error(kIo), Error(kFormat).
[[nodiscard]] std::vector<std::string> read_settings(const std::filesystem::path& path);

/// The settings of a level of mixed precision, as apex names them. O0: float32 as given. O1: Cube
/// ops in float16, sums, exponentials and norms in float32, the rest follows. O2: everything in
/// float16 but norms. Errors: Error(kUsage) for another level.
[[nodiscard]] std::vector<std::string> amp_settings(std::string_view level);

/// "key=value key=value …" of all options, or only of those that differ from the chip's own.
[[nodiscard]] std::string to_string(const ChipOptions& options);
[[nodiscard]] std::string changes(const ChipOptions& options, const Chip& chip);

}  // namespace npuscope
