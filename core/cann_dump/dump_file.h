// What one CANN binary dump says: the op, its tensors, and where their bytes are.
//
//   u64 length of the header (little endian) | header, a DumpData message | payloads of the inputs,
//   outputs, buffers and spaces, in this order and without gaps
//
// Source: dump_data.proto and the dump task of the CANN runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace npuscope::cann_dump {

/// Range of one dim that a part of an op covers, as the file has it.
struct DimRange {
    uint64_t start = 0;
    uint64_t end = 0;
};

/// One input or output. Codes are those of a dump (DataType) and of layout::Format, kept as numbers
/// because a file may hold any.
struct DumpTensor {
    int64_t data_type = 0;
    int64_t format = 0;
    std::optional<std::vector<int64_t>> shape;  ///< none: the file says nothing; empty: rank 0
    std::optional<std::vector<int64_t>> original_shape;  ///< before it got a private format
    int64_t sub_format = 0;                              ///< groups of a grouped FRACTAL_Z
    uint64_t address = 0;                                ///< on the device
    uint64_t offset = 0;
    uint64_t arg_index = 0;
    uint64_t input_type = 0;  ///< inputs only
    // Outputs only: the op that the framework knew.
    std::string original_name;
    uint64_t original_output_index = 0;
    int64_t original_data_type = 0;
    int64_t original_format = 0;
    std::vector<DimRange> dim_ranges;

    uint64_t size = 0;                   ///< bytes of the payload; the writer takes bytes.size()
    uint64_t position = 0;               ///< of the payload in the file; set by the reader
    std::span<const std::byte> bytes{};  ///< payload to write, borrowed; the reader leaves it empty
};

/// A buffer or a workspace: bytes without a shape.
struct DumpBlob {
    int64_t type = 0;  ///< of a buffer: 0 is L1; of a space: 0 is the log
    uint64_t size = 0;
    uint64_t position = 0;
    std::span<const std::byte> bytes{};
};

struct Attribute {
    std::string name;
    std::string value;  ///< JSON of an FFTS+ op
};

struct DumpFile {
    std::string version;
    uint64_t dump_time = 0;  ///< microseconds since 1970
    std::string op_name;
    std::vector<DumpTensor> inputs;
    std::vector<DumpTensor> outputs;
    std::vector<DumpBlob> buffers;
    std::vector<DumpBlob> spaces;
    std::vector<Attribute> attributes;
    std::string dfx_message;
    bool is_nano = false;  ///< the short format of small chips, which has no op name
};

}  // namespace npuscope::cann_dump
