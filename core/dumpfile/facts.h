// What a dump keeps of an op beside its tensors: the JSON text /op/seqid/npuscope.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/float_status.h"
#include "core/ir/op_source.h"
#include "core/tensor/statistics.h"
#include "core/tensor/tensor.h"

namespace npuscope::dumpfile {

/// A tensor that is kept by its numbers alone.
struct TensorFacts {
    DType dtype = DType::kFloat32;
    Shape shape;
    Statistics statistics;
};

/// A tensor that is kept by a hash of its elements alone.
struct HashedTensor {
    DType dtype = DType::kFloat32;
    Shape shape;
    std::string hash;  ///< core/tensor/byte_hash.h
};

/// What the program had for an input in load mode, where it is not the golden's.
struct GivenFact {
    std::string input;       ///< "mat2"
    std::string how;         ///< "it is its transpose"
    bool is_number = false;  ///< a Scalar, no tensor
};

/// Where an op stands in a program, how it ran, and what of its tensors is not in the datasets.
struct OpFacts {
    OpSource source;
    std::vector<std::string> kernels;
    std::optional<FloatStatus> status;  ///< empty: not recorded
    bool overflow = false;              ///< what the recorder said, else what `status` says
    std::string golden;                 ///< of load mode: the golden run, "/op/seqid"
    bool by_alias = false;              ///< that run has another name
    std::vector<GivenFact> given;       ///< of load mode
    /// By a tensor's path below the op ("input/mat2"): its strides in elements where the program
    /// had it, not negative; C order where there is none.
    std::map<std::string, std::vector<int64_t>> strides;
    /// Arguments that are words ("tanh" of `approximate`), by name.
    std::map<std::string, std::string> words;
    /// By path ("input/mat2"), in the order of the op's values.
    std::optional<std::vector<std::pair<std::string, TensorFacts>>> statistics;
    /// Likewise.
    std::optional<std::vector<std::pair<std::string, HashedTensor>>> hashes;
};

/// Tolerant: what is missing, of another kind, or no JSON at all keeps its default.
[[nodiscard]] OpFacts parse_facts(const std::string& json);

/// "" when there is nothing to tell. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const OpFacts& facts);

}  // namespace npuscope::dumpfile
