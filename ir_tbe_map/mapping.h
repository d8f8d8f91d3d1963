// Which kernels an op became, in which formats and dtypes, and which of them went wrong: the
// content of mapping.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::ir_tbe_map {

/// One tensor of a kernel. Errors are relative: max|t - g| / max|g|.
struct MappedTensor {
    std::string dtype = {};
    std::string format = {};  ///< NCHW, NC1HWC0, …
    Shape shape = {};         ///< in plain layout
    Shape stored_shape = {};  ///< in `format`
    std::string from = {};    ///< an input's: "input weight", "kernel 0 output 0", "" when unknown
    std::string result = {};  ///< an output's: the op's result that it is, "" otherwise
    std::optional<double> introduced = {};
    std::optional<double> total = {};
    std::string verdict = {};  ///< of an output: pass, fail, out_of_range, …; "" when not judged
    std::string rule = {};
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
    std::string verdict = {};  ///< pass, fail, out_of_range, …, unjudged
    std::string rule = {};
    std::optional<double> introduced = {};  ///< of the worst output
    std::optional<double> total = {};
};

struct MappedResult {
    std::string name = {};
    double error = 0;  ///< against the recorded result
    std::string verdict = {};
    std::string bound = {};
};

struct MappedOp {
    std::string path = {};  ///< /name/seqid
    std::string computed_as = {};
    std::string node = {};
    std::string skipped = {};  ///< why it has no kernels, "" otherwise
    std::vector<MappedKernel> kernels = {};
    std::vector<MappedResult> results = {};    ///< against what the file recorded
    std::optional<size_t> first_culprit = {};  ///< position in kernels
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

}  // namespace npuscope::ir_tbe_map
