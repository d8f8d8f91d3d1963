#include "dumper/dump_scope.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/free_name.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "core/dumpfile/unmatched.h"
#include "dumper/dump_mode.h"
#include "dumper/dump_output.h"
#include "dumper/golden.h"
#include "dumper/op_facts.h"
#include "dumper/output_path.h"
#include "dumper/write_queue.h"

namespace npuscope::dumper {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostNamed = 10;
/// Of a file.
constexpr size_t kMostUnmatched = 200;

/// Upper bound of what a record adds to a file: two-byte floats are stored in four bytes, and a
/// dataset's header, its names and its group take about a kilobyte.
uint64_t most_bytes_in_file(const dumpfile::OpRecord& record) {
    constexpr uint64_t kObject = 1024;
    uint64_t bytes = 3 * kObject + to_json(record.facts).size();
    const auto add = [&](const NamedValues& values) {
        bytes += kObject * values.size();
        for_each_tensor(values, [&](const std::string&, const Tensor& tensor) {
            const size_t width = is_float(tensor.dtype()) ? 4 : 1;
            bytes += kObject + std::max(width, size_of(tensor.dtype())) *
                                   static_cast<uint64_t>(tensor.numel());
        });
    };
    if (record.write_inputs) add(record.inputs);
    add(record.outputs);
    return bytes;
}

}  // namespace

struct DumpScope::State : Observer, InputProvider {
    State(EventSource& event_source, DumpOptions scope_options, Mode scope_mode);

    void op_begin(const OpBegin& op) override {
        if (!op.recorded) match.reset();
    }
    void op_end(const OpEnd& op) override;
    void stand_at(const OpSource& place) override { golden->stand_at(place); }
    void provide(std::string_view op_name,
                 NamedValues& inputs,
                 const ComputedHere& computed_here) override;

    void attach();
    void detach() noexcept;
    void write(const dumpfile::OpRecord& record);
    void commit();
    /// A step of the writer's thread; an error is told at once.
    template <class Step>
    void watched(Step&& step);
    void count_unmatched(const OpEnd& op);
    [[nodiscard]] std::vector<dumpfile::GivenFact> take_given(const OpSource& source);
    void close();
    [[nodiscard]] std::string note() const;

    EventSource& source;
    const DumpOptions options;
    const Mode mode;
    const int exceptions_at_start = std::uncaught_exceptions();
    std::optional<Golden> golden;
    std::optional<Match> match;                     ///< of the op that runs now
    std::string no_match;                           ///< why it has none
    std::vector<dumpfile::UnmatchedOp> unmatched;   ///< the first ones
    std::string last_recorded;                      ///< path of an op in the file
    std::unordered_map<std::string, int64_t> runs;  ///< of each op, for a sample
    std::optional<DumpOutput> output;
    std::optional<DumpOutput> inputs_output;
    std::optional<Progress> progress;
    std::atomic<int64_t> committed{0};
    std::atomic<bool> closing{false};  ///< close() tells of errors from now on
    std::string stop_note;             ///< writer thread's until the queue has finished
    bool stopped = false;              ///< likewise
    std::string incomplete;            ///< of set_incomplete()
    bool attached = false;
    bool closed = false;
    DumpSummary summary;
    std::optional<WriteQueue> queue;  // last: its thread uses everything above
};

DumpScope::State::State(EventSource& event_source, DumpOptions scope_options, Mode scope_mode)
    : source(event_source), options(std::move(scope_options)), mode(scope_mode) {
    if (mode == Mode::kOff) return;
    if (mode == Mode::kOverflow && source.device_code() != dumpfile::kDeviceNpu)
        throw Error(ErrorKind::kUsage,
                    "check_overflow reads the NPU's float status; this device is no NPU");
    if ((options.statistics || options.hashes) && mode != Mode::kDump)
        throw Error(ErrorKind::kUsage,
                    "statistics and hashes go with use_dump only; other modes need the elements");
    if (options.statistics && options.hashes)
        throw Error(ErrorKind::kUsage,
                    "of a tensor either statistics or a hash is kept; ask for one of them");
    if (options.sample < 1 || (options.sample > 1 && mode != Mode::kDump))
        throw Error(ErrorKind::kUsage,
                    "sample is 1 or more and goes with use_dump only; other modes need every op");
    if (options.compress < 0 || options.compress > 9)
        throw Error(ErrorKind::kUsage, "compress is a level from 1 to 9, or 0 for none");
    const fs::path path = resolved_dump_path(options.dump_path);
    const fs::path inputs_path = with_suffix(path, "_inputs");
    const bool keep_inputs = mode == Mode::kLoad && options.dump_inputs;
    if (mode == Mode::kLoad) {
        check_load_path(options.load_file_path);
        for (const fs::path& target : {path, inputs_path})
            if (same_file(options.load_file_path, target) && (target == path || keep_inputs))
                throw Error(ErrorKind::kUsage,
                            "load_file_path and the dump are one file, " + in_quotes(target) +
                                "; give dump_path another name");
        golden.emplace(options.load_file_path);
    }
    const dumpfile::WriterOptions writer_options{.device_code = source.device_code(),
                                                 .half_as_float32 = options.half_as_float32,
                                                 .run_facts = facts_of(source, mode, options),
                                                 .commit_interval = options.commit_interval,
                                                 .compress = options.compress,
                                                 .dry_run = options.estimate,
                                                 .temporary = options.temporary,
                                                 .sync = options.sync};
    output.emplace(path, writer_options, options.load_file_path);
    if (keep_inputs) inputs_output.emplace(inputs_path, writer_options, options.load_file_path);
    progress.emplace("dumping", 0, options.progress);
    queue.emplace(
        options.queue_bytes,
        [this](const dumpfile::OpRecord& record) { watched([&] { write(record); }); },
        [this] { watched([&] { commit(); }); },
        options.commit_interval);
    attach();
}

void DumpScope::State::attach() {
    source.attach(*this);
    attached = true;
    if (mode != Mode::kLoad) return;
    try {
        source.set_input_provider(*this);
    } catch (...) {
        detach();
        throw;
    }
}

void DumpScope::State::detach() noexcept {
    if (!std::exchange(attached, false)) return;
    source.detach(*this);
    source.clear_input_provider(*this);
}

void DumpScope::State::provide(std::string_view op_name,
                               NamedValues& inputs,
                               const ComputedHere& computed_here) {
    match.reset();
    no_match.clear();
    try {
        match = golden->replace_inputs(op_name, inputs, computed_here, no_match);
    } catch (const std::exception& failure) {
        no_match = failure.what();
    }
}

void DumpScope::State::op_end(const OpEnd& op) {
    if (!op.recorded || (options.keep && !options.keep(op))) return;
    if (options.sample > 1 && runs[std::string(op.name)]++ % options.sample != 0) return;
    ++summary.ops_seen;
    progress->update(summary.ops_seen, std::string(op.name));
    // Taken out first: what provide() found serves this op only.
    const std::optional<Match> found = std::exchange(match, std::nullopt);
    if (mode == Mode::kLoad && !found) {
        count_unmatched(op);
        return;
    }
    const std::vector<dumpfile::GivenFact> given =
        found ? take_given(op.source) : std::vector<dumpfile::GivenFact>();
    if (mode == Mode::kOverflow) {
        if (!op.status.overflow()) return;
        std::printf("IR: %s  SeqId: %lld  is overflow!\n",
                    printable(op.name).c_str(),
                    static_cast<long long>(op.seqid));
        std::fflush(stdout);
    }
    dumpfile::OpRecord record;
    record.id = {std::string(op.name), found ? found->golden.seqid : op.seqid};
    record.write_inputs = mode != Mode::kLoad && options.inputs;
    const bool keeps_inputs = record.write_inputs || inputs_output.has_value();
    if (keeps_inputs) record.inputs = op.inputs;
    record.outputs = op.outputs;
    record.compute_type = op.compute_type;
    record.facts = op_facts(op, found ? &*found : nullptr, keeps_inputs);
    record.facts.given = given;
    last_recorded = record.id.path();
    record.commit = op.status.overflow();
    queue->push(std::move(record));
}

void DumpScope::State::count_unmatched(const OpEnd& op) {
    ++summary.unmatched;
    if (unmatched.size() < kMostUnmatched)
        unmatched.push_back({.id = {std::string(op.name), op.seqid},
                             .after = last_recorded,
                             .why = no_match,
                             .argument = golden->differing_number(),
                             .source = op.source});
    if (summary.first_unmatched.size() < kMostNamed)
        summary.first_unmatched.push_back(OpId{std::string(op.name), op.seqid}.path() + ": " +
                                          std::exchange(no_match, {}));
}

/// What the op that was loaded just now had been given by the program.
std::vector<dumpfile::GivenFact> DumpScope::State::take_given(const OpSource& where) {
    std::vector<dumpfile::GivenFact> facts;
    for (GivenDifference difference : golden->given_differences()) {
        facts.push_back({difference.input, how_it_differs(difference), difference.is_number});
        ++summary.given_differ;
        if (summary.first_given.size() == kMostNamed) continue;
        for (const std::string* place : {&where.node, &where.module, &where.autograd})
            if (difference.node.empty()) difference.node = *place;
        if (!where.line.empty())
            difference.node += difference.node.empty() ? where.line : ", " + where.line;
        summary.first_given.push_back(std::move(difference));
    }
    return facts;
}

/// On the writer's thread.
void DumpScope::State::write(const dumpfile::OpRecord& record) {
    if (stopped) return;
    if (options.max_bytes > 0 &&
        output->writer().size() + most_bytes_in_file(record) > options.max_bytes) {
        stopped = true;
        stop_note = "the limit of " + std::to_string(options.max_bytes) +
                    " bytes was reached; the first op left out is " + record.id.path();
        return;
    }
    if (options.statistics || options.hashes) {
        dumpfile::OpRecord kept = record;
        options.hashes ? keep_hashes(kept) : keep_statistics(kept);
        output->writer().write(kept);
    } else {
        output->writer().write(record);
    }
    if (inputs_output) {
        dumpfile::OpRecord inputs = record;
        inputs.write_inputs = true;
        inputs.outputs.clear();
        inputs_output->writer().write(inputs);
    }
    committed = output->writer().committed_count();
}

/// On the writer's thread.
void DumpScope::State::commit() {
    if (output->writer().op_count() == 0) return;
    output->writer().commit();
    if (inputs_output) inputs_output->writer().commit();
    committed = output->writer().committed_count();
}

template <class Step>
void DumpScope::State::watched(Step&& step) {
    try {
        step();
    } catch (const std::exception& error) {
        if (!closing) {
            const std::string said =
                std::string("dumping has stopped, the program goes on: ") + error.what();
            if (options.on_stopped)
                options.on_stopped(said);
            else
                std::fprintf(stderr, "npuscope: %s\n", said.c_str());
        }
        throw;
    }
}

std::string DumpScope::State::note() const {
    if (stopped) return stop_note;
    if (!incomplete.empty()) return incomplete;
    if (std::uncaught_exceptions() > exceptions_at_start)
        return "the program left the scope by an exception";
    std::string text = golden ? golden->reader().incompleteness() : std::string();
    if (summary.unmatched == 0) return text;
    if (!text.empty()) text = "; " + text;
    return std::to_string(summary.unmatched) + " of " + std::to_string(summary.ops_seen) +
           " ops have no counterpart in the golden and are left out" + text;
}

void DumpScope::State::close() {
    if (std::exchange(closed, true) || mode == Mode::kOff) return;
    detach();
    closing = true;
    const std::exception_ptr failure = queue->finish();
    progress.reset();
    if (golden) summary.replaced_tensors = golden->replaced_tensors();
    summary.ops_written = output->writer().op_count();
    summary.complete = false;
    if (failure) {
        // Whichever file is whole keeps what it has.
        output->abandon("an error ended the dump");
        if (inputs_output) inputs_output->abandon("an error ended the dump");
        output.reset();
        inputs_output.reset();
        std::rethrow_exception(failure);
    }
    const bool complete =
        !stopped && incomplete.empty() && std::uncaught_exceptions() <= exceptions_at_start;
    summary.note = note();
    try {
        if (!unmatched.empty() && summary.ops_written > 0)
            output->writer().set_run_fact("Unmatched", to_json(unmatched));
        summary.path = output->close(complete, summary.note, options.estimate);
        summary.bytes = output->bytes();
        if (inputs_output)
            summary.inputs_path = inputs_output->close(complete, summary.note, options.estimate);
    } catch (...) {
        if (inputs_output) inputs_output->abandon("an error ended the dump");
        throw;
    }
    committed = summary.ops_written;
    summary.complete = complete;
    output.reset();
    inputs_output.reset();
}

void require_a_match(const DumpSummary& summary, const fs::path& golden) {
    if (summary.ops_seen == 0 || summary.unmatched < summary.ops_seen) return;
    throw Error(ErrorKind::kUsage,
                "no op of this run has a counterpart in the golden file " + in_quotes(golden) +
                    "; the first: " + summary.first_unmatched.front() +
                    ". Is it the dump of another model?");
}

DumpScope::DumpScope(EventSource& source, DumpOptions options) {
    const Mode mode = options.enabled ? mode_of(options) : Mode::kOff;
    state_ = std::make_unique<State>(source, std::move(options), mode);
}

DumpScope::~DumpScope() {
    try {
        if (state_) state_->close();
    } catch (const std::exception&) {
        // Whoever needs to know calls close().
    }
}

int64_t DumpScope::committed_ops() const {
    return state_->committed;
}

void DumpScope::set_incomplete(const std::string& why) {
    if (state_->incomplete.empty()) state_->incomplete = why;
}

bool DumpScope::matched() const {
    return state_->match.has_value();
}

void DumpScope::forget() noexcept {
    state_->detach();
    // NOLINTNEXTLINE(bugprone-unused-return-value): left behind on purpose, see the header
    static_cast<void>(state_.release());
}

DumpSummary DumpScope::close() {
    state_->close();
    return state_->summary;
}

}  // namespace npuscope::dumper
