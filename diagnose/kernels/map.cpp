#include "diagnose/kernels/map.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "core/dumpfile/paths.h"
#include "core/dumpfile/reader.h"
#include "diagnose/judge/judge_result.h"
#include "diagnose/judge/recorded_op.h"
#include "diagnose/judge/sum_bounds.h"
#include "diagnose/kernels/kernel_mapping.h"
#include "diagnose/kernels/kernel_trace.h"
#include "diagnose/kernels/map_device.h"
#include "ir_tbe_map/kernel_dump.h"

namespace npuscope::diagnose {

namespace fs = std::filesystem;

namespace {

/// The executor's events under the recorded op's name and number.
class Renumbered : public EventSource, private Observer {
  public:
    explicit Renumbered(Executor& executor) : executor_(executor) { executor_.attach(*this); }
    ~Renumbered() override { executor_.detach(*this); }
    Renumbered(const Renumbered&) = delete;
    Renumbered& operator=(const Renumbered&) = delete;

    void next(const OpId& id) { id_ = id; }
    [[nodiscard]] int device_code() const override { return executor_.device_code(); }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts() const override {
        return executor_.run_facts();
    }

  private:
    void op_begin(const OpBegin& event) override {
        const OpBegin renamed{id_.op, id_.seqid, event.recorded, event.inputs, event.source};
        publish([&](Observer& observer) { observer.op_begin(renamed); });
    }
    void kernel_end(const KernelEvent& event) override {
        KernelEvent renamed = event;
        renamed.op_name = id_.op;
        renamed.seqid = id_.seqid;
        publish([&](Observer& observer) { observer.kernel_end(renamed); });
    }

    Executor& executor_;
    OpId id_;
};

/// Everything of every kernel, into the output folder.
ir_tbe_map::AclConfig whole_config(const fs::path& output) {
    ir_tbe_map::AclConfig config;
    config.name = "the default configuration";
    config.dump_path = output / "kernels";
    config.mode = ir_tbe_map::DumpMode::kAll;
    config.op_switch = true;
    return config;
}

void make_folder(const fs::path& path) {
    if (path.empty()) return;
    std::error_code failure;
    fs::create_directory(path, failure);
    if (failure || !fs::is_directory(path))
        throw Error(ErrorKind::kIo,
                    "cannot make the output folder " + in_quotes(path) + ": " +
                        (failure ? failure.message() : "a file of that name exists"));
}

class MapRun {
  public:
    MapRun(const MapOptions& options, const dumpfile::Reader& reader)
        : options_(options), reader_(reader), executor_(options.device), renumbered_(executor_) {
        executor_.attach(trace_);
        if (!options.acl.empty())
            scope_.emplace(
                renumbered_,
                ir_tbe_map::KernelDumpOptions{.config = ir_tbe_map::read_acl_config(options.acl)});
        else if (!options.output.empty())
            scope_.emplace(renumbered_,
                           ir_tbe_map::KernelDumpOptions{.config = whole_config(options.output),
                                                         .debug_records = true});
        if (options.prepare) options.prepare(executor_);
    }
    ~MapRun() { executor_.detach(trace_); }
    MapRun(const MapRun&) = delete;
    MapRun& operator=(const MapRun&) = delete;

    MappedOp map(const dumpfile::OpEntry& recorded) {
        MappedOp mapped;
        mapped.path = recorded.id.path();
        mapped.node = recorded.facts().source.node;
        const backend::Op* op = row_of(recorded.id.op);
        if (op == nullptr) {
            mapped.skipped = "there is no op of this name";
            return mapped;
        }
        mapped.computed_as = op->name();
        try {
            run(recorded, *op, mapped);
        } catch (const Error& error) {
            // A damaged file ends the run; an op that cannot take its inputs is one line.
            if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported) throw;
            static_cast<void>(trace_.take());
            mapped.kernels.clear();
            mapped.skipped = error.what();
        }
        return mapped;
    }

    std::optional<ir_tbe_map::KernelDumpSummary> close() {
        if (!scope_) return std::nullopt;
        return scope_->close();
    }

  private:
    void run(const dumpfile::OpEntry& recorded, const backend::Op& op, MappedOp& mapped) {
        const RecordedOp recording(source_op(reader_, recorded), op);
        NamedValues arguments = recording.arguments();
        renumbered_.next(recorded.id);
        const Results results =
            executor_.call_named(op.name(), arguments, OpSource{.node = mapped.node});
        const std::vector<TracedKernel> kernels = trace_.take();
        map_kernels(kernels,
                    judge_kernels(kernels, options_.reference, trace_.compute_type()),
                    arguments,
                    results.values(),
                    mapped);
        for (const SourceTensor& output : recording.outputs()) {
            const std::string name = recording.name_of_argument(output);
            mapped.results.push_back(
                judge_result(result_named(results, name),
                             output.open()->whole(),
                             {output.argument, output.path},
                             trace_.compute_type(),
                             [&] { return sum_of_magnitudes(op, name, arguments); }));
        }
    }

    const MapOptions& options_;
    const dumpfile::Reader& reader_;
    Executor executor_;
    Renumbered renumbered_;
    KernelTrace trace_;
    std::optional<ir_tbe_map::KernelDumpScope> scope_;
};

/// The files of each kernel, by its task.
void take_files(const ir_tbe_map::KernelDumpSummary& summary, Mapping& mapping) {
    mapping.folder = summary.folder.string();
    mapping.debug_files = summary.debug_files;
    std::unordered_map<int64_t, const ir_tbe_map::KernelFiles*> by_task;
    for (const ir_tbe_map::KernelFiles& files : summary.kernels)
        by_task[files.task_id] = &files;
    for (MappedOp& op : mapping.ops)
        for (MappedKernel& kernel : op.kernels) {
            const auto found = by_task.find(kernel.task_id);
            if (found == by_task.end()) continue;
            kernel.timestamp = found->second->timestamp;
            kernel.files = found->second->names;
            kernel.op_name = found->second->op_name;
        }
}

}  // namespace

bool is_selected(const dumpfile::OpEntry& op, const std::vector<std::string>& only) {
    return only.empty() || std::ranges::find(only, op.id.path()) != only.end();
}

Mapping map_ops(const MapOptions& options) {
    const dumpfile::Reader reader(options.ops);
    Mapping mapping{.source = options.ops.string(),
                    .device = options.device.description(),
                    .reference = options.reference.description(),
                    .folder = {},
                    .ops = {},
                    .debug_files = {},
                    .remarks = {}};
    for (const std::string& path : options.only) {
        const auto id = dumpfile::parse_op_path(path);
        if (!id || reader.find(*id) == nullptr)
            throw Error(ErrorKind::kUsage,
                        in_quotes(options.ops) + " has no op " + in_quotes(path) +
                            dumpfile::nearest_paths(reader.index(), path));
    }
    make_folder(options.output);
    if (!options.from.empty()) {
        if (!options.acl.empty())
            throw Error(ErrorKind::kUsage,
                        "kernel dumps are read from a folder; acl.json, which writes them, has no "
                        "place there");
        mapping = map_device(options);
        if (!options.output.empty())
            write_text_file(options.output / "mapping.json", to_json(mapping));
        return mapping;
    }
    Progress progress("map", static_cast<int64_t>(reader.ops().size()), options.progress);
    MapRun run(options, reader);
    for (const dumpfile::OpEntry& recorded : reader.ops()) {
        if (!is_selected(recorded, options.only)) continue;
        if (options.between_steps) options.between_steps();
        mapping.ops.push_back(run.map(recorded));
        progress.update(static_cast<int64_t>(mapping.ops.size()), mapping.ops.back().path);
    }
    if (const auto summary = run.close()) take_files(*summary, mapping);
    if (!options.output.empty()) write_text_file(options.output / "mapping.json", to_json(mapping));
    return mapping;
}

}  // namespace npuscope::diagnose
