// Tensors of one run, wherever they were recorded: ops with inputs and outputs, or arrays.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype/compute_type.h"
#include "core/dumpfile/layout.h"
#include "core/dumpfile/reader.h"
#include "core/ir/op_id.h"
#include "core/ir/op_source.h"
#include "core/npz/npy.h"
#include "core/recording/recorded_statistics.h"
#include "core/recording/side_facts.h"
#include "core/tensor/element_source.h"
#include "core/tensor/ignored_elements.h"

namespace npuscope {

struct SourceTensor {
    dumpfile::Direction direction = dumpfile::Direction::kOutput;
    std::string argument;  ///< "0", "weight"
    std::string name{};    ///< as the op's schema calls it; "": by its argument and the aliases
    std::string path;      ///< for reports
    std::string dtype;
    ComputeType compute_type = ComputeType::kNone;  ///< what it was computed in
    Shape shape;
    /// Its elements; empty where none were recorded. Errors: Error.
    std::function<std::unique_ptr<ElementSource>()> open{};
    /// Tensors of one source with the same number, dtype and shape share their elements.
    std::optional<uint64_t> storage{};
    std::optional<RecordedStatistics> statistics{};
    std::optional<bool> requires_grad{};  ///< where the recorder says it
    std::string hash{};      ///< of its bytes, as the recorder wrote it; "" without one
    std::string problem{};   ///< what could not be read; "" where nothing was recorded
    ArrayHistory history{};  ///< of an array of a .npz, where its writer watched
    /// What of it nobody is to look at; nullptr: nothing. Has as many elements as the tensor.
    std::shared_ptr<const IgnoredElements> ignored{};

    /// All elements, or, flat, those that are not ignored. Errors: as open.
    [[nodiscard]] Tensor kept() const;

    /// Its dtype, shape and elements become those of a tensor in memory.
    void hold(const Tensor& tensor);
};

struct SourceOp {
    OpId id;           ///< of a source that is not numbered: its name, and 0
    std::string path;  ///< what reports call it
    /// The op's tensors, inputs first. Threads: any. Errors: Error.
    std::function<std::vector<SourceTensor>()> load;
    /// What else was recorded of it; may be empty. Threads: any.
    std::function<SideFacts()> facts{};
    uint64_t mapped_bytes = 0;  ///< of a mapped file that reading its tensors touches
    /// Where in a program it stands; may be empty. Threads: any.
    std::function<OpSource()> place{};
    /// Of a dump: facts() without the arguments, which cost more; may be empty. Threads: any.
    std::function<dumpfile::OpFacts()> recorded{};
    /// Of a run in load mode: no golden run fits, and it is not in the file; why. "" of others.
    std::string unmatched{};
    std::string unmatched_argument{};  ///< the number by which alone a golden run did not fit
    std::string computes{};      ///< IR name of the op that it is a run of; "": the name of its id
    bool lacks_numbers = false;  ///< of those it was given, some were not recorded
    bool shows_self_after = false;  ///< known: `self`, which it wrote into, was recorded when it had
    bool stores_wider = false;   ///< known: bfloat16 is written as float32, without a word
    /// Of a run of a function above the ops: the runs of ops that it came to, each with some of its
    /// results. Empty of others. Threads: any. Errors: Error(kUnsupported) says why there are none.
    std::function<std::vector<SourceOp>()> calls{};
    /// facts() but for its place, where that costs more; may be empty. Threads: any.
    std::function<SideFacts()> facts_but_place{};

    [[nodiscard]] const std::string& op() const { return computes.empty() ? id.op : computes; }
};

/// Its ops must not outlive it.
struct Source {
    std::vector<SourceOp> ops{};       ///< in the order of recording
    bool numbered = false;             ///< a dump: the ids are IR names and seqids
    bool structure_only = false;       ///< names and places of ops, no tensors
    bool lacks_elements = false;       ///< known: no tensor has any, only numbers of them
    std::optional<bool> has_inputs{};  ///< whether any op has some; empty: nobody looked
    std::function<void()> release{};   ///< gives the pages of a mapped file back; may be empty
    std::optional<int64_t> device{};   ///< DeviceType of a dump's tensors, where recorded
    /// Of a dump that says so: what computed it ("npu 910A"), and the options of its arithmetic.
    std::string device_name{};
    std::string device_options{};
    std::vector<std::string> remarks{};   ///< such as that the dump is incomplete
    bool complete = true;                 ///< false: the recorder says that ops are missing
    int64_t sample = 1;                   ///< of each op's runs it holds the first and every n-th
    std::vector<std::string> left_out{};  ///< what could not be taken in, at most twenty lines
    int64_t left_out_count = 0;
    int64_t unreadable = 0;  ///< of these the ones that are damaged, not only none of a recording
    std::shared_ptr<const void> owner{};  ///< what the ops read from

    /// Whether ops may have been recorded with what they took in: some were, or nobody looked.
    [[nodiscard]] bool may_have_inputs() const { return has_inputs.value_or(true); }
};

/// What the arrays of a file are.
enum class Arrays : uint8_t {
    kOfOps,  ///< op.input.0 and op_output_y are tensors of an op, others ops of one output
    kAlone,  ///< each is an op of one output, whatever its name: weights, say
};

/// Anything that a row of core/recording/formats/formats.def takes. Errors: Error(kUsage) what none
/// does, Error(kIo) what is not there, and those of the readers.
[[nodiscard]] Source open_source(const std::filesystem::path& path, Arrays form = Arrays::kOfOps);

/// `histories` are how they came about, by name.
[[nodiscard]] Source source_of_arrays(const NamedTensors& arrays,
                                      const ArrayHistories& histories = {},
                                      Arrays form = Arrays::kOfOps);
/// Whether it is a file, or a checkpoint of several, that holds named arrays.
[[nodiscard]] bool is_array_file(const std::filesystem::path& path);
[[nodiscard]] Source source_of_dump(std::shared_ptr<const dumpfile::Reader> reader);
/// DeviceType of the first tensor that tells it.
[[nodiscard]] std::optional<int64_t> device_of(const dumpfile::Reader& reader);
/// One op of a dump. Borrows both.
[[nodiscard]] SourceOp source_op(const dumpfile::Reader& reader, const dumpfile::OpEntry& op);
[[nodiscard]] Source source_of_cann_folder(const std::filesystem::path& path);
/// `path` is the dump.json, or the debug.json of values that a script saved.
[[nodiscard]] Source source_of_msprobe(const std::filesystem::path& path);

}  // namespace npuscope
