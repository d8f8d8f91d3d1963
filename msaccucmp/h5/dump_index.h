// What one dump file holds, as the reference tool's matching sees it: runs of ops and their
// tensors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/h5/index.h"
#include "msaccucmp/base/log.h"

namespace npuscope::msaccucmp {

/// The k-th run of an op, k from 0 in ascending seqids. The reference writes it "op:k".
struct RunName {
    std::string op;
    int64_t k = 0;
    friend bool operator==(const RunName&, const RunName&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 is that of the compiler
    friend auto operator<=>(const RunName&, const RunName&) = default;
};

struct Dataset {
    std::string path;   ///< "/op/7/output/out", with the seqid as a plain number: the matching key
    int32_t node = -1;  ///< in the file's index, where the seqid may be zero-padded
};

struct Run {
    RunName name;
    int64_t order = 0;  ///< the seqid
    std::vector<Dataset> datasets;
    std::unordered_map<std::string, size_t> by_path;
};

/// Errors: CommandError(kIndexOutOfBounds) for more than a million runs of an
/// op. Things in the file that are no dumped tensors are logged as warnings and skipped.
class DumpIndex {
  public:
    enum class Side { kMy, kGolden };

    /// `inputs`: whether a golden file's inputs are indexed; a my file's always are.
    DumpIndex(const h5::Index& file, Side side, bool inputs, Log& log);

    /// In parse order; those without tensors are there too.
    [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
    /// The run of that name when it has at least one tensor.
    [[nodiscard]] const Run* find(const RunName& name) const;
    /// The run's seqid, or one more than the largest of the file (0 for an empty file).
    [[nodiscard]] int64_t order_of(const RunName& name) const;
    [[nodiscard]] int64_t order_after_last() const { return last_order_ ? *last_order_ + 1 : 0; }
    /// The dataset with this path in the named run, or in another run of the op at seqid `order`.
    [[nodiscard]] const Dataset* find_dataset(const RunName& name,
                                              int64_t order,
                                              const std::string& path) const;
    [[nodiscard]] bool has_tensors() const;
    /// The file has inputs; for a golden file, what the constructor was told.
    [[nodiscard]] bool has_inputs() const { return has_inputs_; }
    /// The first DeviceType of a tensor that is not the CPU's, else the last one read.
    [[nodiscard]] std::optional<int64_t> device_type() const { return device_type_; }

  private:
    using Seqids = std::vector<std::pair<int64_t, int32_t>>;  ///< number, group
    struct Group {
        RunName name;
        int32_t node = -1;
    };

    void name_runs();
    void name_pooled(const std::string& op);
    [[nodiscard]] Seqids seqids_of(int32_t op);
    void add(int64_t order, Group group);
    void walk(Run& run, int32_t node, const std::string& path);
    void take_dataset(Run& run, int32_t node, const std::string& path);

    const h5::Index& file_;
    Side side_;
    Log& log_;
    bool has_inputs_;
    std::vector<std::pair<int64_t, std::vector<Group>>> orders_;  ///< in order of first mention
    std::unordered_map<int64_t, size_t> order_index_;
    std::unordered_set<std::string> seen_ops_;
    std::vector<Run> runs_;
    std::map<RunName, size_t> by_name_;
    std::map<std::pair<std::string, int64_t>, std::vector<size_t>> by_op_and_order_;
    int64_t visited_ = 0;  ///< objects below the run being walked
    std::optional<int64_t> last_order_;
    std::optional<int64_t> device_type_;
};

}  // namespace npuscope::msaccucmp
