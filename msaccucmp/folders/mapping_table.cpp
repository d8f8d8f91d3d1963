// -map: which dump files of both sides belong together, without comparing them.
#include "msaccucmp/base/failure.h"
#include "msaccucmp/folders/fusion_group.h"

namespace npuscope::msaccucmp {

namespace {

class Mapper {
  public:
    Mapper(const FolderPair& folders, const FusionGroup& group, bool with_sequence, Log& log)
        : folders_(folders), group_(group), with_sequence_(with_sequence), log_(log) {}

    std::vector<Row> run() {
        for (const size_t index : group_.ops)
            map_op(folders_.rule.ops[index]);
        return std::move(rows_);
    }

  private:
    void map_op(const FusionOp& op) {
        const FolderEntry* entry = find_mine(folders_, op.name);
        if (entry == nullptr) {
            log_.warning("There is no dump file of mine for the op '" + op.name + "'.");
            add(op, kNotANumber, kNotANumber, kNotANumber);
            return;
        }
        const std::string path = entry->newest().path.string();
        DumpedOp dump;
        try {
            dump = read_newest(*entry);
        } catch (const Error& failure) {
            log_.error(failure.what());
            add(op, kNotANumber, path, kNotANumber);
            return;
        }
        if (!is_dequantisation(op)) map_tensors(op, path, dump.inputs.size(), true);
        if (!is_quantisation(op)) map_tensors(op, path, dump.outputs.size(), false);
    }

    void map_tensors(const FusionOp& op, const std::string& path, size_t count, bool is_input) {
        for (size_t i = 0; i < count; ++i) {
            const TensorIndex index{.index = static_cast<int64_t>(i), .is_input = is_input};
            add(op, index.text(op.name), path, golden_path(op, index));
        }
    }

    std::string golden_path(const FusionOp& op, const TensorIndex& index) {
        try {
            const ProducedBy source = produced_by(folders_.rule, op, index);
            const OriginTensor origin = source.op->origin_of(source.output);
            if (const FolderEntry* entry = find_golden(folders_, origin))
                return entry->newest().path.string();
            log_.warning("[" + index.text(op.name) + "] There is no golden dump file.");
        } catch (const CompareFailure& failure) {
            log_.warning("[" + index.text(op.name) + "] " + failure.what());
        }
        return kNotANumber;
    }

    void add(const FusionOp& op,
             const std::string& id,
             const std::string& my_path,
             const std::string& golden_path) {
        const GroupNames names = row_names(folders_.rule, group_, op);
        Row row{.index = op.id, .cells = {}};
        row.cells = {std::to_string(op.id)};
        if (with_sequence_) row.cells.push_back(std::to_string(op.sequence));
        for (const std::string& cell : {op.type, names.my, names.golden, id, my_path, golden_path})
            row.cells.push_back(cell);
        rows_.push_back(std::move(row));
    }

    const FolderPair& folders_;
    const FusionGroup& group_;
    bool with_sequence_;
    Log& log_;
    std::vector<Row> rows_;
};

}  // namespace

std::vector<Row> map_group(const FolderPair& folders,
                           const FusionGroup& group,
                           bool with_sequence,
                           Log& log) {
    return Mapper(folders, group, with_sequence, log).run();
}

}  // namespace npuscope::msaccucmp
