#include <charconv>
#include <type_traits>

#include "core/base/error.h"
#include "npu_backend/chips/options.h"

namespace npuscope {

namespace {

[[noreturn]] void reject_value(const OptionRow& row, std::string_view value) {
    throw Error(ErrorKind::kUsage,
                "option " + std::string(row.key) + " does not take '" + std::string(value) +
                    "'; it takes " + std::string(row.values));
}

/// A member that is an int is a number of the row's range, one that is a text a list without
/// blanks, any other one of the row's choices.
template <auto kMember>
void set(ChipOptions& options, const OptionRow& row, std::string_view value) {
    auto& member = options.*kMember;
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::string>) {
        if (value.find_first_of(" \t\n=") != std::string_view::npos) reject_value(row, value);
        member = std::string(value);
    } else if constexpr (std::is_same_v<Member, int>) {
        int number = 0;
        const char* last = value.data() + value.size();
        const auto [end, failure] = std::from_chars(value.data(), last, number);
        if (failure != std::errc{} || end != last || number < row.low || number > row.high)
            reject_value(row, value);
        member = number;
    } else {
        for (size_t i = 0; i < row.choices.size(); ++i)
            if (row.choices[i] == value) {
                member = static_cast<Member>(i);
                return;
            }
        reject_value(row, value);
    }
}

template <auto kMember>
std::string get(const ChipOptions& options, const OptionRow& row) {
    const auto& member = options.*kMember;
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::string>)
        return member;
    else if constexpr (std::is_same_v<Member, int>)
        return std::to_string(member);
    else
        return std::string(row.choices.at(static_cast<size_t>(member)));
}

template <auto kMember>
constexpr OptionAccess kAccess = {set<kMember>, get<kMember>};

// Choices stand in the order of the enumerators.
// NOLINTNEXTLINE(readability-function-size): a row an option
std::vector<OptionRow> make_rows() {
    std::vector<OptionRow> rows = {
        {.key = "overflow_mode",
         .meaning = "what half results beyond the range become; the chip decides what is possible",
         .grade = "A",
         .choices = {"sat", "infnan"},
         .access = kAccess<&ChipOptions::overflow_mode>},
        {.key = "cube_acc",
         .meaning =
             "order and rounding of the sum inside the Cube: a block and the accumulator exactly "
             "with one rounding; one product after the other; a tree a block; a block aligned to "
             "its largest term with 0 to 3 extra bits, the rest cut; all of k exactly",
         .grade = "U",
         .choices = {"blk16_exact",
                     "seq_rne",
                     "tree16_rne",
                     "align_trunc0",
                     "align_trunc1",
                     "align_trunc2",
                     "align_trunc3",
                     "exact_k"},
         .access = kAccess<&ChipOptions::cube_acc>},
        {.key = "cube_k_block",
         .values = "0 (by dtype: 8 float32, else 16) to 1024",
         .meaning = "products that make a block; integer sums are exact whatever it is",
         .grade = "D",
         .low = 0,
         .high = 1024,
         .access = kAccess<&ChipOptions::cube_k_block>},
        {.key = "cube_split_k",
         .values = "1 to 64",
         .meaning = "parts of k with accumulators of their own, added at the end",
         .grade = "U",
         .low = 1,
         .high = 64,
         .access = kAccess<&ChipOptions::cube_split_k>},
        {.key = "cube_split_order",
         .meaning = "the order in which those parts are added",
         .grade = "U",
         .choices = {"ascending", "descending"},
         .access = kAccess<&ChipOptions::cube_split_order>},
        {.key = "cube_bias",
         .meaning = "where a convolution's bias enters: before the first product or after the last",
         .grade = "D",
         .choices = {"init_accumulator", "post_add"},
         .access = kAccess<&ChipOptions::cube_bias>},
        {.key = "cube_c_half",
         .meaning = "half x half with a float16 accumulator, where the Cube has it; the vendor "
                    "warns of its errors",
         .grade = "A",
         .choices = {"off", "on"},
         .access = kAccess<&ChipOptions::cube_c_half>},
        {.key = "conv_hf32",
         .meaning = "float32 convolutions read HF32; for chips whose Cube takes float32",
         .grade = "A",
         .choices = {"off", "on"},
         .access = kAccess<&ChipOptions::conv_hf32>},
        {.key = "matmul_hf32",
         .meaning = "float32 matrix products read HF32; for chips whose Cube takes float32",
         .grade = "A",
         .choices = {"off", "on"},
         .access = kAccess<&ChipOptions::matmul_hf32>},
        {.key = "hf32_tie",
         .meaning = "rounding to HF32; the vendor describes the second mode in two ways",
         .grade = "B",
         .choices = {"even", "away", "tie_to_zero", "trunc"},
         .access = kAccess<&ChipOptions::hf32_tie>},
        {.key = "hf32_mantissa",
         .values = "10, 11",
         .meaning = "stored significand bits of HF32",
         .grade = "B",
         .low = 10,
         .high = 11,
         .access = kAccess<&ChipOptions::hf32_mantissa>},
        {.key = "fp32_on_910A",
         .meaning = "float32 inputs of a Cube without float32: rounded to float16, refused, or "
                    "computed as if it had it",
         .grade = "A",
         .choices = {"demote", "error", "keep"},
         .access = kAccess<&ChipOptions::fp32_on_910a>},
        {.key = "fp32_on_910A_out",
         .meaning = "what such an op writes: its accumulators, or those rounded to float16 as a "
                    "pair of inserted casts would",
         .grade = "D",
         .choices = {"float32", "float16"},
         .access = kAccess<&ChipOptions::fp32_on_910a_out>},
        {.key = "fp32_sat_910A",
         .meaning = "float32 results saturate as half ones do; chips that only saturate, whose "
                    "float32 is not tabulated",
         .grade = "U",
         .choices = {"off", "on"},
         .access = kAccess<&ChipOptions::fp32_sat_910a>},
        {.key = "vec_ftz",
         .meaning = "exp, ln, division and square root take and give 0 for subnormals, also inside "
                    "Softmax, Sigmoid, norms and the like",
         .grade = "U",
         .choices = {"off", "on"},
         .access = kAccess<&ChipOptions::vec_ftz>},
        {.key = "vec_fma",
         .meaning = "multiply and add of one instruction: product rounded and saturated first, or "
                    "one rounding",
         .grade = "A",
         .choices = {"two_roundings", "fma"},
         .access = kAccess<&ChipOptions::vec_fma>},
        {.key = "rec_ulp",
         .values = "0 (correctly rounded) to 64",
         .meaning = "error put on reciprocal and rsqrt, also inside Sigmoid and norms, in units of "
                    "the last place, its sign fixed by the input's bits",
         .grade = "U",
         .low = 0,
         .high = 64,
         .access = kAccess<&ChipOptions::rec_ulp>},
        {.key = "exp_ulp",
         .values = "0 (correctly rounded) to 64",
         .meaning = "the same for exp and ln, also inside Softmax, Sigmoid, Tanh, Gelu, norms and "
                    "the like",
         .grade = "U",
         .low = 0,
         .high = 64,
         .access = kAccess<&ChipOptions::exp_ulp>},
        {.key = "op_impl_mode",
         .meaning = "ACL_OP_SELECT_IMPL_MODE; high_performance keeps Gelu, Tanh and Sigmoid "
                    "precise, high_performance_for_all does not (only Tanh's fast form is public)",
         .grade = "B",
         .choices = {"high_performance",
                     "high_precision",
                     "high_performance_for_all",
                     "high_precision_for_all"},
         .access = kAccess<&ChipOptions::op_impl_mode>},
        {.key = "op_impl_types",
         .values = "CANN types with commas between; empty: every op",
         .meaning = "ACL_OPTYPELIST_FOR_IMPLMODE: the ops that op_impl_mode is for",
         .grade = "B",
         .access = kAccess<&ChipOptions::op_impl_types>},
        {.key = "reduce_order",
         .meaning = "sums longer than one repeat of 256 bytes: a tree over the repeats, or one "
                    "after the other; or all values one by one",
         .grade = "B",
         .choices = {"tree", "sequential", "one_by_one"},
         .access = kAccess<&ChipOptions::reduce_order>},
        {.key = "status_scope",
         .meaning = "who shares the float status: the executors of a program, or all programs on "
                    "the card (DeviceFloatStatus in C++); one run alone sees no difference",
         .grade = "B",
         .choices = {"process", "device"},
         .access = kAccess<&ChipOptions::status_scope>},
        {.key = "status_inputs_nan",
         .meaning =
             "an inf or nan that comes into a kernel sets the float status, as overflow does",
         .grade = "U",
         .choices = {"off", "on"},
         .access = kAccess<&ChipOptions::status_inputs_nan>},
        {.key = "precision_mode",
         .meaning = "which float32 ops the graph compiler computes in float16",
         .grade = "A",
         .choices =
             {"must_keep_origin_dtype", "allow_fp32_to_fp16", "force_fp16", "allow_mix_precision"},
         .access = kAccess<&ChipOptions::precision_mode>},
        {.key = "precision_white",
         .values = "IR or CANN names with commas between, * at the end for all that begin so",
         .meaning = "allow_mix_precision: ops that are computed in float16",
         .grade = "B",
         .access = kAccess<&ChipOptions::precision_white>},
        {.key = "precision_black",
         .values = "IR or CANN names with commas between, * at the end for all that begin so",
         .meaning = "allow_mix_precision: ops that keep float32",
         .grade = "B",
         .access = kAccess<&ChipOptions::precision_black>},
        {.key = "precision_grey",
         .values = "IR or CANN names with commas between, * at the end for all that begin so",
         .meaning = "allow_mix_precision: ops that follow the op before them",
         .grade = "B",
         .access = kAccess<&ChipOptions::precision_grey>},
    };
    for (OptionRow& row : rows)
        for (const std::string_view choice : row.choices)
            row.values += (row.values.empty() ? "" : ", ") + std::string(choice);
    return rows;
}

}  // namespace

std::span<const OptionRow> all_options() {
    static const std::vector<OptionRow> rows = make_rows();
    return rows;
}

}  // namespace npuscope
