// Reads one dump file, ours or the original dumper's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype/compute_type.h"
#include "core/dumpfile/facts.h"
#include "core/dumpfile/layout.h"
#include "core/h5/elements.h"
#include "core/h5/h5.h"
#include "core/h5/index.h"
#include "core/ir/value.h"
#include "core/tensor/tensor.h"

namespace npuscope::dumpfile {

/// One dataset of a dump, as its attributes describe it; elements are read on demand.
struct Entry {
    std::string path;      ///< full path of the dataset
    std::string argument;  ///< path below input/ or output/: "weight", "tensors/tensors_0"
    Direction direction = Direction::kOutput;
    std::optional<int64_t> save_type;  ///< attribute Type
    std::optional<int64_t> data_type;  ///< attribute DataType
    std::optional<int64_t> device_type;
    ComputeType compute_type = ComputeType::kNone;
    std::string stored_from;  ///< "bfloat16" when stored as float32
    h5::DatasetInfo stored;
    int32_t node = -1;  ///< of the dataset in Reader::index()

    /// Type is 0 (tensor) or 101 (a tensor of a dtype that old readers skip).
    [[nodiscard]] bool is_tensor() const;
    /// The tensor's own dtype (float16 for data stored as float32 with DataType 10); empty if
    /// unreadable.
    [[nodiscard]] std::optional<DType> dtype() const;
};

/// One run of one op.
struct OpEntry {
    OpId id;
    std::vector<Entry> entries;  ///< inputs, then outputs, names ascending
    std::string facts_json;      ///< /op/seqid/npuscope, "" when absent

    /// Parsed anew by each call: most readers of a large file ask for few.
    [[nodiscard]] OpFacts facts() const { return parse_facts(facts_json); }
    /// The first that an output tells.
    [[nodiscard]] ComputeType compute_type() const;
    [[nodiscard]] bool has_inputs() const;  ///< tensors among them
};

/// The whole index of a file; no elements. Damaged objects are left out with a warning. Threads:
/// const calls may run at once. Errors: Error(kIo|kFormat) names the file and object; a newer major
/// format version is refused.
class Reader {
  public:
    explicit Reader(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
    /// Ordered by seqid, then name.
    [[nodiscard]] const std::vector<OpEntry>& ops() const { return ops_; }
    [[nodiscard]] const OpEntry* find(const OpId& id) const;
    /// Elements in the tensor's own dtype (a half stored as float32 comes back as float16).
    [[nodiscard]] Tensor read(const Entry& entry) const;
    /// Elements as the file stores them.
    [[nodiscard]] Tensor read_stored(const Entry& entry) const;
    /// The same without reading them whole; they borrow this reader.
    [[nodiscard]] h5::Elements elements(const Entry& entry) const;
    /// Root attributes that are strings: Version, Chip, Options, Complete, …
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& run_facts() const {
        return run_facts_;
    }
    [[nodiscard]] std::string run_fact(const std::string& name) const;  ///< "" when absent
    /// False when the writer said that ops are missing.
    [[nodiscard]] bool complete() const { return run_fact("Complete") != "no"; }
    /// "'a.h5' is incomplete: the dump was not closed; its last op is /relu/7"; "" when complete.
    [[nodiscard]] std::string incompleteness() const;
    /// Whether any op has inputs in the file.
    [[nodiscard]] bool has_inputs() const;
    /// What is no part of the layout and was left out (a run whose name is no number, say); at most
    /// twenty lines, what is damaged first, else in file order.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    /// How many objects were left out.
    [[nodiscard]] int64_t skipped_count() const { return skipped_count_; }
    /// Those of them that could not be read; the others are no part of a dump.
    [[nodiscard]] int64_t unreadable_count() const { return unreadable_count_; }
    [[nodiscard]] const h5::Reader& file() const { return file_; }
    /// All objects of the file.
    [[nodiscard]] const h5::Index& index() const { return index_; }

  private:
    void read_root_attributes();
    void index_ops();
    void index_op(int32_t run, const OpId& id);
    void index_below(OpEntry& op, int32_t group, const std::string& argument, Direction direction);
    void add_entry(OpEntry& op, int32_t dataset, std::string argument, Direction direction);
    [[nodiscard]] std::string facts_of(int32_t dataset);
    void skip(int32_t node, const std::string& reason);

    h5::Reader file_;
    h5::Index index_;
    std::vector<OpEntry> ops_;
    std::vector<std::pair<std::string, std::string>> run_facts_;
    std::vector<std::string> warnings_;
    int64_t skipped_count_ = 0;
    int64_t unreadable_count_ = 0;
};

}  // namespace npuscope::dumpfile
