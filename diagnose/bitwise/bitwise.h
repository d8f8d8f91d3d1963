// Runs that should repeat each other to the bit: where they part, and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording/ignored_regions.h"
#include "core/recording/source.h"
#include "diagnose/bitwise/manner.h"

namespace npuscope::diagnose {

/// What of an op is not equal.
enum class PartedBy : uint8_t {
    kOp,            ///< its inputs are equal, its results are not
    kInputs,        ///< it was given other inputs, and no op before it had other results
    kResultsAlone,  ///< its results differ, and its inputs were not recorded
};
/// "op", "inputs", "results_alone"
[[nodiscard]] std::string_view key_of(PartedBy by);

struct PartedTensor {
    std::string path;
    std::string dtype{};
    Shape shape{};
    std::string other{};  ///< "float16[4]" where the other run's dtype or shape is another
    Difference difference{};
    std::string made_by{};  ///< of an input: the op whose result it was; "" where none was recorded
};

struct Parting {
    std::string path;     ///< of the op
    std::string place{};  ///< its node, module or line in the program; "" where nobody recorded it
    PartedBy by = PartedBy::kOp;
    Manner manner = Manner::kUnknown;  ///< of its results
    std::vector<PartedTensor> tensors{};
};

/// One run against the first.
struct RunAgainst {
    std::filesystem::path path;
    int64_t ops = 0;  ///< that both have
    int64_t equal_ops = 0;
    int64_t tensors = 0;                       ///< that could be compared
    int64_t incomparable = 0;                  ///< tensors without elements and hashes of one kind
    int64_t origins = 0;                       ///< ops with equal inputs and unequal results
    int64_t inherited = 0;                     ///< ops that were given other inputs
    int64_t only_in_first = 0, only_here = 0;  ///< ops
    std::string first_unpaired;                ///< "/relu/7 is in the first run only"
    std::optional<Parting> parting;            ///< the first
    std::vector<std::string> others;           ///< at most ten more origins
    int64_t ignored_tensors = 0;               ///< pairs of which elements were ignored
    int64_t ignored_elements = 0;

    [[nodiscard]] bool equal() const { return !parting && only_in_first == 0 && only_here == 0; }
};

struct BitwiseReport {
    std::filesystem::path first;
    std::vector<RunAgainst> runs{};
    std::vector<std::string> notes{};

    [[nodiscard]] bool equal() const;
};

/// Elements of the regions to ignore are not compared. `on_op(done, total, path)` before each op.
/// Ops pair by their order where all have the same names, else by name and number. Errors:
/// Error(kUsage) where two runs have no op or no comparable tensor in common, and those of
/// open_source().
[[nodiscard]] BitwiseReport compare_bitwise(
    std::span<const std::filesystem::path> paths,
    const IgnoredRegions& ignored = {},
    const std::function<void(int64_t, int64_t, const std::string&)>& on_op = {});

/// For people, and as the JSON of docs/json.md.
[[nodiscard]] std::string bitwise_text(const BitwiseReport& report);
[[nodiscard]] std::string bitwise_json(const BitwiseReport& report);

}  // namespace npuscope::diagnose
