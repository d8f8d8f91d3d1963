// acl.json: what CANN is asked to dump of its kernels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace npuscope::ir_tbe_map {

enum class DumpMode : uint8_t { kInput, kOutput, kAll };
enum class DumpData : uint8_t { kTensor, kStats };
/// kOperator leaves out the Cast, TransData and Identity that a compiler puts around an operator.
enum class DumpLevel : uint8_t { kOperator, kKernel, kAll };

/// An operator type or name that is not dumped: all of it, or some of its tensors.
struct Exclusion {
    std::string name;
    std::vector<std::string> positions;  ///< "input0", "output1"; empty: all of it
};

/// One element of dump_list.
struct ModelSelection {
    std::string model;                ///< "" fits every model
    std::vector<std::string> layers;  ///< operators to dump; empty: all
    std::vector<Exclusion> types;
    std::vector<Exclusion> names;
    std::vector<std::pair<std::string, std::string>> ranges;  ///< first and last operator
};

/// The object `dump` of an acl.json, old schema or new, with its defaults.
/// Source: dump_config_converter of CANN's runtime; users' manual of AscendCL.
struct AclConfig {
    std::string name = "acl.json";  ///< how errors call it
    std::filesystem::path dump_path;
    DumpMode mode = DumpMode::kOutput;
    bool op_switch = false;  ///< single operators too
    bool debug = false;      ///< dump_debug: only kernels that overflowed, with their debug records
    DumpData data = DumpData::kTensor;
    std::vector<std::string> stats;  ///< columns of dump_stats; empty: all
    DumpLevel level = DumpLevel::kAll;
    std::vector<std::pair<int64_t, int64_t>> steps;  ///< first and last; empty: all
    std::vector<ModelSelection> list;
    std::vector<std::string> remarks;  ///< what is accepted but has no effect here

    [[nodiscard]] bool has_step(int64_t step) const;
    /// The selections for a model; nullopt when it is not to be dumped.
    [[nodiscard]] std::optional<std::vector<const ModelSelection*>> selections(
        std::string_view model) const;
};

/// `name` is how errors call the text. Errors: Error(kFormat) for text that is no JSON (with the
/// mended text where missing commas, comments or brackets are all that is wrong) and for an unknown
/// key or value, naming what is allowed; Error(kUsage) for settings that exclude each other.
[[nodiscard]] AclConfig parse_acl_config(const std::string& text, const std::string& name);

/// Errors: as parse_acl_config, and Error(kIo).
[[nodiscard]] AclConfig read_acl_config(const std::filesystem::path& path);

/// The JSON that was probably meant, on one line: without comments, with commas where a line end
/// lacks one, without trailing ones, with missing brackets at the end. Empty when that is no JSON
/// either.
[[nodiscard]] std::string mended_json(const std::string& text);

}  // namespace npuscope::ir_tbe_map
