#include "diagnose/check/check.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "compare/compare.h"
#include "core/base/error.h"
#include "core/base/interrupted.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "core/dumpfile/reader.h"
#include "diagnose/check/check_verdict.h"
#include "diagnose/check/culprit_kernels.h"
#include "diagnose/check/end_to_end.h"
#include "diagnose/check/findings.h"
#include "diagnose/judge/split.h"
#include "diagnose/judge/sum_bounds.h"
#include "diagnose/run/batched_run.h"
#include "diagnose/run/model_inputs.h"
#include "dumper/dump_scope.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"
#include "overflow/watcher.h"

namespace npuscope::diagnose {

namespace fs = std::filesystem;

namespace {

/// Each receiver is marked in the table of ops.
constexpr size_t kMostReceivers = 100'000;

constexpr const char* kGoldenDump = "golden.h5";
constexpr const char* kFreeDump = "npu.h5";
constexpr const char* kIsolatedDump = "isolated.h5";

/// The folder for the dumps: the user's, or a temporary one that goes with this object.
class DumpFolder {
  public:
    explicit DumpFolder(const fs::path& wanted) : path_(wanted), temporary_(wanted.empty()) {
        if (temporary_) {
            std::string name = (fs::temp_directory_path() / "npuscope-check-XXXXXX").string();
            if (::mkdtemp(name.data()) == nullptr)
                throw Error(ErrorKind::kIo,
                            "cannot make a temporary folder; name an output folder");
            path_ = name;
            return;
        }
        std::error_code failure;
        fs::create_directory(path_, failure);
        if (failure || !fs::is_directory(path_))
            throw Error(ErrorKind::kIo,
                        "cannot make the output folder " + in_quotes(path_) + ": " +
                            (failure ? failure.message() : "a file of that name exists"));
    }
    ~DumpFolder() {
        std::error_code ignored;
        if (temporary_) fs::remove_all(path_, ignored);
    }
    DumpFolder(const DumpFolder&) = delete;
    DumpFolder& operator=(const DumpFolder&) = delete;
    [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }
    [[nodiscard]] bool temporary() const { return temporary_; }
    /// Of a check that is not finished.
    void tell_dumps(Interrupted& stop) const {
        if (temporary_) return;
        std::error_code ignored;
        for (const char* name : {kGoldenDump, kFreeDump, kIsolatedDump})
            if (fs::exists(path_ / name, ignored)) stop.kept.push_back(in_quotes(path_ / name));
    }

  private:
    fs::path path_;
    bool temporary_;
};

struct RunProducts {
    NamedTensors outputs;
    std::vector<std::pair<std::string, std::string>> places;  ///< of the outputs, in the dump
    overflow::OverflowReport overflow;
    dumper::DumpSummary dump;
};

RunProducts run_once(const onnx_model::Model& model,
                     const Device& device,
                     const NamedTensors& inputs,
                     const dumper::DumpOptions& dump,
                     const std::string& label,
                     const CheckOptions& options) {
    Executor executor(device);
    overflow::OverflowWatcher watcher(executor, {.max_receivers = kMostReceivers});
    dumper::DumpScope scope(executor, dump);
    ResultPlaces places;
    executor.attach(places);
    RunProducts products;
    if (options.between_steps)
        executor.add_hook(HookPoint::kBeforeOp, "*", [&](HookCall&) { options.between_steps(); });
    try {
        Progress progress(label, model.node_count(), options.progress);
        products.outputs =
            run_model(model, executor, inputs, [&](int64_t done, int64_t, const std::string& node) {
                progress.update(done, node);
                if (options.between_steps) options.between_steps();
            });
    } catch (const Interrupted& stop) {
        scope.set_incomplete(stop.why + " ended the run");
        throw;
    }
    products.dump = scope.close();
    if (dump.use_load) dumper::require_a_match(products.dump, dump.load_file_path);
    if (executor.observer_error_count() > 0)
        throw Error(ErrorKind::kInternal,
                    label + ": an observer failed, first: " + executor.first_observer_error());
    if (products.dump.path.empty())
        throw Error(ErrorKind::kUnsupported,
                    label + ": the model runs no op that is recorded; there is nothing to check");
    products.overflow = watcher.report();
    for (const auto& [name, tensor] : products.outputs)
        products.places.emplace_back(name, places.place_of(tensor));
    return products;
}

/// What both comparisons are judged by.
struct Judging {
    const JudgingFiles& files;
    RecordedRun golden;
    compare::StandardOptions standard = {};
};

/// `known`: both devices, as far as they run here. In the isolated run nobody but the dumper gave
/// the ops their inputs.
compare::Result compare_runs(const dumpfile::Reader& target,
                             const dumpfile::Reader& golden,
                             const KnownRuns& known,
                             const std::string& label,
                             const Judging& judging,
                             const CheckOptions& options) {
    Progress progress(label, 0, options.progress);
    compare::Options comparison;
    comparison.divergence = false;
    comparison.dataflow = known.target_only;
    RecomputingSplitter splitter(0, known);
    comparison.splitter = &splitter;
    comparison.ignored = judging.files.ignored();
    comparison.standard = judging.standard;
    comparison.on_op = [&](int64_t done, int64_t, const std::string& op) {
        progress.update(done, op);
        if (options.between_steps) options.between_steps();
    };
    const compare::PrecisionBounds precision;
    const SumBounds sums(precision, target.path(), golden.path());
    const JudgingBounds bounds(sums, judging.files, judging.golden);
    return compare::compare_dumps(target, golden, bounds.bounds(), comparison);
}

std::optional<Source> third_recording(const JudgingRequest& judging) {
    if (!judging.third_is_recording()) return std::nullopt;
    return open_source(judging.third);
}

/// What the isolated run's comparison says beside its verdicts, for when its ops became findings.
class IsolatedStandard {
  public:
    explicit IsolatedStandard(const compare::Result& isolated)
        : standard_(isolated.standard), counts_(isolated.counts) {
        if (!standard_) return;
        for (const compare::StandardDisagreement& each : standard_->disagreements)
            ids_.push_back(isolated.ops[each.op].id);
    }
    void take(CheckReport& report) const {
        report.ignored_tensors = counts_.ignored_tensors;
        report.ignored_elements = counts_.ignored_elements;
        report.standard = standard_;
        if (!standard_) return;
        report.standard->disagreements.clear();
        for (size_t i = 0; i < ids_.size(); ++i) {
            const auto found = std::ranges::find(report.ops, ids_[i], &OpFinding::id);
            if (found != report.ops.end())
                report.standard->disagreements.push_back(
                    {static_cast<size_t>(found - report.ops.begin()),
                     standard_->disagreements[i].text});
        }
    }

  private:
    std::optional<compare::StandardSummary> standard_;
    compare::Counts counts_;
    std::vector<OpId> ids_;  ///< of the disagreements
};

/// What the isolated run says of the golden: ops that it lacks, tensors that it was given.
void take_load(const RunProducts& isolated, CheckReport& report) {
    report.given_differ = isolated.dump.given_differ;
    for (const dumper::GivenDifference& difference : isolated.dump.first_given)
        report.given.push_back(dumper::describe(difference));
    if (isolated.dump.unmatched == 0) return;
    const auto& first = isolated.dump.first_unmatched;
    report.remarks.push_back(fmt::format("{} ops had no match in the golden file, first: {}",
                                         isolated.dump.unmatched,
                                         first.empty() ? "" : first.front()));
}

/// The target's: "matrix products (float32): fp16 inputs, fp32 sums (as npu 910A states, 20 ops)".
std::vector<std::string> arithmetic_of(const compare::Result& comparison) {
    constexpr std::string_view kSide = "target, ";
    std::vector<std::string> lines;
    for (const std::string& line : comparison.arithmetic)
        if (line.starts_with(kSide)) lines.push_back(line.substr(kSide.size()));
    return lines;
}

/// Where the free run's program and tensors are not the golden's.
std::vector<std::string> program_differences(const compare::Result& free_run) {
    std::vector<std::string> sentences;
    for (const compare::Culprit& culprit : free_run.culprits)
        if (culprit.kind == compare::CulpritKind::kProgram ||
            culprit.kind == compare::CulpritKind::kTensor)
            sentences.push_back(culprit.why);
    return sentences;
}

/// What the two runs on their own give out, and how many predictions change. A golden that is a
/// file has no outputs beside its ops.
void compare_results(const RunProducts& free,
                     const RunProducts& golden,
                     const compare::Result& free_result,
                     CheckReport& report) {
    report.outputs = golden.outputs.empty() ? outputs_by_dump(free.places, free_result)
                                            : compare_outputs(free.outputs, golden.outputs);
    if (free.outputs.empty() || golden.outputs.empty()) return;
    const Tensor& result = free.outputs.front().second;
    report.changed = changed_predictions(result, golden.outputs.front().second);
    if (report.changed) report.samples = result.dim(0);
}

}  // namespace

namespace {

CheckReport check_in(const DumpFolder& folder,
                     const CheckOptions& options,
                     JudgingFiles& files,
                     const onnx_model::Model& model,
                     const NamedTensors& inputs) {
    CheckReport report;
    report.model = options.model.filename().string();
    report.device = options.device.description();
    report.inputs =
        (!options.input_name.empty() ? options.input_name
         : options.input.empty()     ? fmt::format("seeded uniform(-1, 1), seed {}", options.seed)
                                     : options.input.string()) +
        ": " + describe_tensors(inputs);
    report.bad_inputs = nan_inputs(inputs);
    if (options.input.empty())
        if (const std::string open = open_sizes(model, options.input_shapes); !open.empty())
            report.remarks.push_back("the model leaves sizes open and 1 was taken: " + open);
    report.golden_dump = options.golden.empty() ? folder / kGoldenDump : options.golden;
    report.free_dump = folder / kFreeDump;
    report.isolated_dump = folder / kIsolatedDump;

    RunProducts golden_run;
    if (options.golden.empty()) {
        golden_run = run_once(
            model,
            options.reference,
            inputs,
            {.use_dump = true, .dump_path = report.golden_dump, .temporary = folder.temporary()},
            "golden run",
            options);
        report.golden = options.reference.description();
    } else {
        report.golden = options.golden.string();
    }
    const RunProducts free_run =
        run_once(model,
                 options.device,
                 inputs,
                 {.use_dump = true, .dump_path = report.free_dump, .temporary = folder.temporary()},
                 "free run",
                 options);
    const RunProducts isolated_run = run_once(model,
                                              options.device,
                                              inputs,
                                              {.use_load = true,
                                               .dump_path = report.isolated_dump,
                                               .load_file_path = report.golden_dump,
                                               .temporary = folder.temporary()},
                                              "isolated run",
                                              options);
    take_load(isolated_run, report);

    const dumpfile::Reader golden(report.golden_dump);
    const dumpfile::Reader free_dump(report.free_dump);
    const dumpfile::Reader isolated(report.isolated_dump);
    KnownRuns known{.target = &options.device,
                    .golden = options.golden.empty() ? &options.reference : nullptr,
                    .loaded = true,
                    .target_only = true};
    Judging judging{.files = files, .golden = {.path = report.golden_dump}};
    files.measure_repeats(options.judging.repeats, {judging.golden});
    const compare::Result free_result =
        compare_runs(free_dump, golden, known, "compare free run", judging, options);
    known.target_only = false;
    const std::optional<Source> third = third_recording(options.judging);
    judging.standard = files.standard();
    judging.standard.third_source = third ? &*third : nullptr;
    if (options.judging.third.empty()) judging.standard.third_is_plain = options.golden.empty();
    compare::Result isolated_result =
        compare_runs(isolated, golden, known, "compare isolated run", judging, options);
    report.remarks.insert(
        report.remarks.end(), isolated_result.notes.begin(), isolated_result.notes.end());
    const IsolatedStandard of_standard(isolated_result);
    report.ops = collect_findings({.free_dump = free_dump,
                                   .free_run = free_result,
                                   .isolated = std::move(isolated_result),
                                   .free_overflow = free_run.overflow,
                                   .isolated_overflow = isolated_run.overflow});
    of_standard.take(report);
    for (const auto& [key, value] : free_dump.run_facts())
        report.options.emplace_back(key, value);

    report.arithmetic = arithmetic_of(free_result);
    report.program = program_differences(free_result);
    compare_results(free_run, golden_run, free_result, report);
    conclude(report, golden, !folder.temporary());
    trace_culprits({.device = options.device,
                    .reference = options.reference,
                    .output = folder.temporary() ? fs::path() : folder / "map",
                    .between_steps = options.between_steps},
                   report);
    return report;
}

}  // namespace

CheckReport check(const CheckOptions& options) {
    const onnx_model::Model model = onnx_model::Model::load(options.model, options.limits);
    const NamedTensors inputs =
        model_inputs(model, options.input, options.seed, options.input_shapes);
    model.check_inputs(inputs);
    JudgingFiles files(options.judging);
    const DumpFolder folder(options.output);
    try {
        return check_in(folder, options, files, model, inputs);
    } catch (Interrupted& stop) {
        folder.tell_dumps(stop);
        throw;
    }
}

}  // namespace npuscope::diagnose
