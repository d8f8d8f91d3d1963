// Which kernels an op became, in which formats and dtypes, and which of them went wrong: the
// content of mapping.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "core/tensor/tensor.h"
#include "diagnose/kernels/kernel_judgement.h"

namespace npuscope::diagnose {

/// One tensor of a kernel. Errors are relative: max|t - g| / max|g|.
struct MappedTensor {
    std::string dtype = {};
    std::string format = {};  ///< NCHW, NC1HWC0, …
    Shape shape = {};         ///< in plain layout
    Shape stored_shape = {};  ///< in `format`
    std::string from = {};    ///< an input's: "input weight", "kernel 0 output 0", "" when unknown
    std::string result = {};  ///< an output's: the op's result that it is, "" otherwise
    std::optional<OutputJudgement> judged = {};  ///< of an output
};

struct MappedKernel {
    std::string type = {};
    std::string op_name = {};  ///< as in its files' names
    int64_t task_id = 0;
    int64_t stream_id = 0;
    uint64_t timestamp = 0;               ///< microseconds since 1970; 0 when nothing was dumped
    std::vector<std::string> files = {};  ///< below the mapping's folder
    std::string change = {};  ///< of a Cast "float32 to float16", of a TransData "NCHW to NC1HWC0"
    std::string status = {};  ///< what the float status says, "" when it is clear
    bool overflow = false;
    std::vector<MappedTensor> inputs = {};
    std::vector<MappedTensor> outputs = {};
    std::optional<OutputJudgement> judged = {};  ///< of the worst output
    std::string unjudged = {};                   ///< why it could not be judged, as far as known

    /// "unjudged" where it was not judged.
    [[nodiscard]] std::string_view verdict_name() const {
        return judged ? compare::name_of(judged->judgement.verdict) : "unjudged";
    }
    [[nodiscard]] const std::string& rule() const {
        return judged ? judged->judgement.rule : unjudged;
    }
    /// Of the worst output; empty where it was not judged.
    [[nodiscard]] std::optional<double> introduced() const {
        return judged ? std::optional(judged->introduced) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> total() const {
        return judged ? std::optional(judged->total) : std::nullopt;
    }
    [[nodiscard]] bool fails() const {
        return judged && compare::is_finding(judged->judgement.verdict);
    }
};

struct MappedOp {
    std::string path = {};  ///< /name/seqid
    std::string computed_as = {};
    std::string node = {};
    std::string skipped = {};  ///< why it has no kernels, "" otherwise
    std::vector<MappedKernel> kernels = {};
    std::vector<compare::TensorResult> results = {};  ///< against what the file recorded
    std::optional<size_t> first_culprit = {};         ///< position in kernels
    std::string match = {};  ///< with kernel dumps of a device: how it was aligned
};

struct Mapping {
    std::string source = {};  ///< the file of ops
    std::string device = {};
    std::string reference = {};
    std::string folder = {};  ///< of the kernel files
    std::vector<MappedOp> ops = {};
    std::vector<std::string> debug_files = {};  ///< overflow records
    std::vector<std::string> remarks = {};

    [[nodiscard]] int64_t kernel_count() const;
    /// Whether any kernel went wrong, or any result of an op.
    [[nodiscard]] bool finding() const;
};

/// The object of mapping.json; its schema is docs/kernel_dumps.md.
[[nodiscard]] std::string to_json(const Mapping& mapping);
/// A table for a terminal. `all` shows the tensors of every kernel, too.
[[nodiscard]] std::string to_text(const Mapping& mapping, bool color, bool all);

}  // namespace npuscope::diagnose
