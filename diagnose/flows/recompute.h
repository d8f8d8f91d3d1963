// Each op of a dump computed again from its own recorded inputs, against its recorded outputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "npu_backend/chips/device.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

struct RecomputedResult {
    std::string name;            ///< as recorded: result, result0, self, …
    double relative_error = 0;   ///< max|computed - recorded| / max|recorded|; infinity where one
                                 ///< side is not finite
    bool within = true;          ///< what the precision that the op computed in allows
    std::string bound;           ///< "float16 4e-3"
    std::string incomparable{};  ///< why it could not be judged, "" otherwise
};

struct RecomputedOp {
    std::string op;  ///< as recorded
    int64_t seqid = 0;
    std::string computed_as;  ///< IR name of the row that ran; "" when there is none
    std::vector<RecomputedResult> results{};
    std::string skipped{};  ///< why it did not run, "" otherwise

    [[nodiscard]] double worst() const;  ///< largest relative error, 0 without results
};

struct RecomputeReport {
    std::vector<RecomputedOp> ops;     ///< in the order of the recording
    std::vector<std::string> missing;  ///< recorded names without a row, each once

    /// The op with the largest error; nullptr when nothing ran.
    [[nodiscard]] const RecomputedOp* worst() const;
};

/// nullptr when there is no such tensor; `path` is "name" or, in a list, "name/name_0".
[[nodiscard]] const Tensor* result_named(const Results& results, const std::string& path);

/// One computed result (or nullptr) against what was recorded as `name`. `magnitudes` is asked when
/// the result exceeds its bound; as compare::Bounds::sum_of_magnitudes.
[[nodiscard]] RecomputedResult judge_result(const Tensor* computed,
                                            const Tensor& recorded,
                                            const std::string& name,
                                            ComputeType compute_type,
                                            const std::function<double()>& magnitudes = {});

/// Names and arguments of other frameworks go through the aliases. A mask that was not recorded
/// asks for the recorded results; an argument that is neither recorded nor optional skips the op.
/// Errors: Error(kIo|kFormat) when the dump cannot be read.
[[nodiscard]] RecomputeReport recompute(const std::filesystem::path& dump, const Device& device);

}  // namespace npuscope::diagnose
