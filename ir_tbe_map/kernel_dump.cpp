#include "ir_tbe_map/kernel_dump.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/make_folder.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/cann_dump/data_type.h"
#include "core/cann_dump/name.h"
#include "core/cann_dump/op_debug.h"
#include "core/cann_dump/writer.h"
#include "ir_tbe_map/kernel_selection.h"
#include "ir_tbe_map/statistics_csv.h"
#include "ir_tbe_map/stored_tensor.h"

namespace npuscope::ir_tbe_map {

namespace fs = std::filesystem;

namespace {

constexpr const char* kVersion = "1.0";

uint64_t system_microseconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

/// YYYYmmddHHMMSS, local time.
std::string folder_time(uint64_t microseconds) {
    const auto seconds = static_cast<std::time_t>(microseconds / 1'000'000);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char text[32] = {};
    std::strftime(text, sizeof(text), "%Y%m%d%H%M%S", &parts);
    return text;
}

std::string source_of(const KernelDumpOptions& options) {
    return in_quotes(options.config.name);
}

TensorFormat format_at(std::span<const TensorFormat> formats, size_t index) {
    return index < formats.size() ? formats[index] : TensorFormat{};
}

}  // namespace

struct KernelDumpScope::State : Observer {
    State(EventSource& event_source, KernelDumpOptions scope_options)
        : source(event_source),
          options(std::move(scope_options)),
          selection(options.config, options.model_name, source_of(options)) {
        start = now();
        for (const std::string& remark : options.config.remarks)
            options.log.say(LogLevel::kWarning, options.config.name + ": " + remark);
        source.attach(*this);
    }
    ~State() override { detach(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void op_begin(const OpBegin& op) override {
        position = 0;
        node = op.source.node;
        if (op.source.step >= 0) step = op.source.step;
    }
    void kernel_end(const KernelEvent& event) override;

    void write(const KernelEvent& event, const KernelNames& names);
    void write_tensors(const KernelEvent& event,
                       const KernelNames& names,
                       const cann_dump::FileNameFields& fields,
                       KernelFiles& files);
    void write_debug_record(const KernelEvent& event, uint64_t timestamp);
    fs::path folder();
    std::string below(const fs::path& file) const {
        return file.lexically_relative(summary.folder).string();
    }
    void detach() noexcept {
        if (!std::exchange(detached, true)) source.detach(*this);
    }
    uint64_t now() const { return options.now ? options.now() : system_microseconds(); }

    EventSource& source;
    const KernelDumpOptions options;
    KernelSelection selection;
    uint64_t start = 0;
    uint64_t last_timestamp = 0;
    int64_t position = 0;  ///< of the next kernel in its op
    int64_t step = 0;
    std::string node;
    bool detached = false;
    KernelDumpSummary summary;
};

void KernelDumpScope::State::kernel_end(const KernelEvent& event) {
    const std::string op = std::string(event.op_name) + "_" + std::to_string(event.seqid);
    const std::string op_name = op + "_" + std::to_string(position++);
    const KernelNames names{event.type, event.conversion, op_name, op, node};
    // Ranges are followed through kernels that are not wanted, too.
    const bool kept = selection.keeps(names);
    if (!kept || !options.config.has_step(step) || (options.wanted && !options.wanted())) return;
    if (options.config.debug && !event.status.overflow()) return;
    try {
        write(event, names);
        if (options.log.takes(LogLevel::kInfo))
            options.log.say(LogLevel::kInfo,
                            "dumped " + summary.kernels.back().names.front() + " of " + op);
    } catch (const std::exception& failure) {
        const std::string what = std::string(event.type) + " of " + op + ": " + failure.what();
        options.log.say(LogLevel::kError, what);
        if (summary.failed++ == 0) summary.first_failure = what;
    }
}

/// {dump_path}/{time}/{device_id}[/{model_name}/{model_id}/{step}], made when it is needed.
fs::path KernelDumpScope::State::folder() {
    // Two dumps that begin in one second get a folder each.
    while (summary.folder.empty() && fs::exists(options.config.dump_path / folder_time(start)))
        start += 1'000'000;
    summary.folder =
        options.config.dump_path / folder_time(start) / std::to_string(options.device_id);
    fs::path path = summary.folder;
    if (!options.model_name.empty())
        path /= fs::path(cann_dump::sanitized(options.model_name)) /
                std::to_string(options.model_id) / std::to_string(step);
    make_folder(path);
    return path;
}

void KernelDumpScope::State::write(const KernelEvent& event, const KernelNames& names) {
    last_timestamp = std::max(now(), last_timestamp + 1);
    const cann_dump::FileNameFields fields{.op_type = std::string(event.type),
                                           .op_name = std::string(names.op_name),
                                           .task_id = static_cast<uint64_t>(event.task_id),
                                           .stream_id = static_cast<uint64_t>(event.stream_id),
                                           .timestamp = last_timestamp,
                                           .ffts = std::nullopt};
    KernelFiles files{.op = std::string(event.op_name),
                      .seqid = event.seqid,
                      .type = fields.op_type,
                      .op_name = fields.op_name,
                      .task_id = event.task_id,
                      .stream_id = event.stream_id,
                      .timestamp = last_timestamp,
                      .names = {}};
    write_tensors(event, names, fields, files);
    summary.kernels.push_back(std::move(files));
    if (event.status.overflow() && (options.config.debug || options.debug_records))
        write_debug_record(event, last_timestamp);
}

void KernelDumpScope::State::write_tensors(const KernelEvent& event,
                                           const KernelNames& names,
                                           const cann_dump::FileNameFields& fields,
                                           KernelFiles& files) {
    const bool statistics = options.config.data == DumpData::kStats;
    std::vector<StatisticsRow> rows;
    const auto take = [&](std::span<const Tensor> tensors,
                          std::span<const TensorFormat> formats,
                          bool input) {
        for (size_t i = 0; i < tensors.size(); ++i) {
            if (!selection.keeps_tensor(names, input, i)) continue;
            const TensorFormat format = format_at(formats, i);
            rows.push_back({input,
                            i,
                            statistics ? described_in_format(tensors[i], format.name, format.groups)
                                       : stored_in_format(tensors[i], format.name, format.groups)});
        }
    };
    take(event.inputs, event.input_formats, true);
    take(event.outputs, event.output_formats, false);
    const fs::path place = folder();
    if (statistics) {
        const fs::path file = place / cann_dump::stored_name(cann_dump::file_name(fields) + ".csv");
        write_text_file(file, statistics_csv(rows, options.config.stats));
        files.names.push_back(below(file));
        return;
    }
    cann_dump::DumpFile dump;
    dump.version = kVersion;
    dump.dump_time = fields.timestamp;
    dump.op_name = fields.op_name;
    for (const StatisticsRow& row : rows) {
        cann_dump::DumpTensor tensor = row.tensor.described();
        tensor.arg_index = row.index;
        if (!row.input) {
            tensor.original_name = fields.op_name;
            tensor.original_output_index = row.index;
        }
        (row.input ? dump.inputs : dump.outputs).push_back(std::move(tensor));
    }
    files.names.push_back(below(cann_dump::write_dump(place, fields, dump)));
}

void KernelDumpScope::State::write_debug_record(const KernelEvent& event, uint64_t timestamp) {
    cann_dump::OpDebugRecord record;
    record.ai_core.stream_id = static_cast<uint64_t>(event.stream_id);
    record.ai_core.task_id = static_cast<uint64_t>(event.task_id);
    record.ai_core.status = event.status.bits;
    const std::vector<std::byte> payload = record.payload();
    cann_dump::DumpTensor tensor;
    tensor.data_type = static_cast<int64_t>(cann_dump::DataType::kUInt8);
    tensor.format = static_cast<int64_t>(layout::Format::kND);
    tensor.shape = std::vector<int64_t>{static_cast<int64_t>(payload.size())};
    tensor.bytes = payload;
    tensor.size = payload.size();
    cann_dump::DumpFile dump;
    dump.version = kVersion;
    dump.dump_time = timestamp;
    dump.op_name = "Node_OpDebug";
    dump.outputs.push_back(tensor);
    const fs::path file =
        cann_dump::write_dump(folder(),
                              {.op_type = "Opdebug",
                               .op_name = "Node_OpDebug",
                               .task_id = static_cast<uint64_t>(event.task_id),
                               .stream_id = static_cast<uint64_t>(event.stream_id),
                               .timestamp = timestamp,
                               .ffts = std::nullopt},
                              dump);
    summary.debug_files.push_back(below(file));
}

KernelDumpScope::KernelDumpScope(EventSource& source, KernelDumpOptions options)
    : state_(std::make_unique<State>(source, std::move(options))) {}

KernelDumpScope::~KernelDumpScope() = default;

void KernelDumpScope::set_step(int64_t step) {
    state_->step = step;
}

KernelDumpSummary KernelDumpScope::close() {
    state_->detach();
    if (state_->summary.failed > 0)
        throw Error(ErrorKind::kIo,
                    std::to_string(state_->summary.failed) +
                        " kernels could not be dumped; the first: " +
                        printable(state_->summary.first_failure));
    return state_->summary;
}

}  // namespace npuscope::ir_tbe_map
