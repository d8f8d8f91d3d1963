#include "diagnose/flows/check.h"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "compare/compare.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/base/progress.h"
#include "core/dumpfile/reader.h"
#include "diagnose/culprit_kernels.h"
#include "diagnose/explanation.h"
#include "diagnose/findings.h"
#include "diagnose/model_inputs.h"
#include "dumper/dump_scope.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"
#include "overflow/watcher.h"

namespace npuscope::diagnose {

namespace fs = std::filesystem;

namespace {

/// Each receiver is marked in the table of ops.
constexpr size_t kMostReceivers = 100'000;

/// The folder for the dumps: the user's, or a temporary one that goes with this object.
class DumpFolder {
  public:
    explicit DumpFolder(const fs::path& wanted) : path_(wanted), temporary_(wanted.empty()) {
        if (temporary_) {
            std::string name = (fs::temp_directory_path() / "npuscope-check-XXXXXX").string();
            if (::mkdtemp(name.data()) == nullptr)
                throw Error(ErrorKind::kIo, "cannot make a temporary folder; name one with -o");
            path_ = name;
            return;
        }
        std::error_code failure;
        fs::create_directory(path_, failure);
        if (failure || !fs::is_directory(path_))
            throw Error(ErrorKind::kIo,
                        "cannot make the output folder '" + printable(path_.string()) +
                            "': " + (failure ? failure.message() : "a file of that name exists"));
    }
    ~DumpFolder() {
        std::error_code ignored;
        if (temporary_) fs::remove_all(path_, ignored);
    }
    DumpFolder(const DumpFolder&) = delete;
    DumpFolder& operator=(const DumpFolder&) = delete;
    [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }
    [[nodiscard]] bool temporary() const { return temporary_; }

  private:
    fs::path path_;
    bool temporary_;
};

struct RunProducts {
    NamedTensors outputs;
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
    RunProducts products;
    {
        Progress progress(label, model.node_count(), options.progress);
        products.outputs =
            model.run(executor, inputs, [&](int64_t done, int64_t, const std::string& node) {
                progress.update(done, node);
                if (options.between_steps) options.between_steps();
            });
    }
    products.dump = scope.close();
    if (executor.observer_error_count() > 0)
        throw Error(ErrorKind::kInternal,
                    label + ": an observer failed, first: " + executor.first_observer_error());
    if (products.dump.path.empty())
        throw Error(ErrorKind::kUnsupported,
                    label + ": the model runs no op that is recorded; there is nothing to check");
    products.overflow = watcher.report();
    return products;
}

compare::Result compare_files(const dumpfile::Reader& target,
                              const dumpfile::Reader& golden,
                              const std::string& label,
                              const CheckOptions& options) {
    Progress progress(label, 0, options.progress);
    compare::Options comparison;
    comparison.divergence = false;
    comparison.on_op = [&](int64_t done, int64_t, const std::string& op) {
        progress.update(done, op);
        if (options.between_steps) options.between_steps();
    };
    return compare::compare_dumps(target, golden, compare::PrecisionBounds{}, comparison);
}

void count(CheckReport& report) {
    double worst_ratio = -1;
    for (size_t i = 0; i < report.ops.size(); ++i) {
        const OpFinding& op = report.ops[i];
        const bool judged =
            op.verdict == "pass" || op.verdict == "fail" || op.verdict == "out_of_range";
        report.compared += judged ? 1 : 0;
        report.passed += op.verdict == "pass" ? 1 : 0;
        report.failed += judged && op.verdict != "pass" ? 1 : 0;
        report.not_judged += judged ? 0 : 1;
        report.overflow_introduced += op.overflow == OverflowRole::kIntroduced ? 1 : 0;
        report.overflow_received += op.overflow == OverflowRole::kReceived ? 1 : 0;
        const bool culprit =
            (judged && op.verdict != "pass") || op.overflow == OverflowRole::kIntroduced;
        if (culprit && !report.first_culprit) report.first_culprit = i;
        if (op.introduced && op.tolerance > 0 && !(*op.introduced / op.tolerance <= worst_ratio)) {
            worst_ratio = *op.introduced / op.tolerance;
            report.worst = i;
        }
    }
}

std::string label_of(const OpFinding& op) {
    return op.path + (op.node.empty() ? "" : " (" + op.node + ")");
}

std::string headline(const CheckReport& report) {
    if (report.first_culprit) {
        const OpFinding& op = report.ops[*report.first_culprit];
        if (op.overflow == OverflowRole::kIntroduced)
            return fmt::format("{} is the first op that overflows; {} op{} only received it",
                               label_of(op),
                               report.overflow_received,
                               report.overflow_received == 1 ? "" : "s");
        return fmt::format("{} is the first op over its tolerance: {}", label_of(op), op.rule);
    }
    if (report.compared == 0) return "no op could be judged";
    std::string text =
        fmt::format("all {} judged ops are within tolerance and none overflows", report.compared);
    if (report.worst) text += "; " + label_of(report.ops[*report.worst]) + " differs most";
    return text;
}

void conclude(CheckReport& report, const dumpfile::Reader& golden, bool kept) {
    count(report);
    report.verdict = report.first_culprit || report.compared == 0 ? "fail" : "pass";
    report.headline = headline(report);
    const auto subject = report.first_culprit ? report.first_culprit : report.worst;
    if (subject) {
        report.why = explain(report.ops[*subject], golden);
        if (kept)
            report.next =
                "npuscope inspect " + report.free_dump.string() + " " + report.ops[*subject].path;
    }
    if (report.not_judged > 0)
        report.remarks.push_back(
            fmt::format("{} of {} ops were not judged (constant, empty, missing or incomparable "
                        "results); the table says which",
                        report.not_judged,
                        report.ops.size()));
}

void note_unmatched(const RunProducts& isolated, CheckReport& report) {
    if (isolated.dump.unmatched == 0) return;
    const auto& first = isolated.dump.first_unmatched;
    report.remarks.push_back(fmt::format("{} ops had no match in the golden file, first: {}",
                                         isolated.dump.unmatched,
                                         first.empty() ? "" : first.front()));
}

/// What the two runs on their own give out, and how many predictions change.
void compare_results(const RunProducts& free, const RunProducts& golden, CheckReport& report) {
    report.outputs = compare_outputs(free.outputs, golden.outputs);
    if (free.outputs.empty() || golden.outputs.empty()) return;
    const Tensor& result = free.outputs.front().second;
    report.changed = changed_predictions(result, golden.outputs.front().second);
    if (report.changed) report.samples = result.dim(0);
}

}  // namespace

CheckReport check(const CheckOptions& options) {
    const onnx_model::Model model = onnx_model::Model::load(options.model);
    const NamedTensors inputs = options.input.empty() ? seeded_model_inputs(model, options.seed)
                                                      : read_model_inputs(model, options.input);
    model.check_inputs(inputs);
    const DumpFolder folder(options.output);

    CheckReport report;
    report.model = options.model.filename().string();
    report.device = options.device.description();
    report.inputs = !options.input_name.empty() ? options.input_name
                    : options.input.empty()
                        ? fmt::format("seeded uniform(-1, 1), seed {}", options.seed)
                        : options.input.string();
    report.golden_dump = options.golden.empty() ? folder / "golden.h5" : options.golden;
    report.free_dump = folder / "npu.h5";
    report.isolated_dump = folder / "isolated.h5";

    RunProducts golden_run;
    if (options.golden.empty()) {
        golden_run = run_once(model,
                              options.reference,
                              inputs,
                              {.use_dump = true, .dump_path = report.golden_dump},
                              "golden run",
                              options);
        report.golden = options.reference.description();
    } else {
        report.golden = options.golden.string();
    }
    const RunProducts free_run = run_once(model,
                                          options.device,
                                          inputs,
                                          {.use_dump = true, .dump_path = report.free_dump},
                                          "free run",
                                          options);
    const RunProducts isolated_run = run_once(
        model,
        options.device,
        inputs,
        {.use_load = true, .dump_path = report.isolated_dump, .load_file_path = report.golden_dump},
        "isolated run",
        options);
    note_unmatched(isolated_run, report);

    const dumpfile::Reader golden(report.golden_dump);
    const dumpfile::Reader free_dump(report.free_dump);
    const dumpfile::Reader isolated(report.isolated_dump);
    const compare::Result free_result =
        compare_files(free_dump, golden, "compare free run", options);
    const compare::Result isolated_result =
        compare_files(isolated, golden, "compare isolated run", options);
    report.ops = collect_findings({golden,
                                   free_dump,
                                   isolated,
                                   isolated_result,
                                   free_result,
                                   free_run.overflow,
                                   isolated_run.overflow});
    for (const auto& [key, value] : free_dump.run_facts())
        report.options.emplace_back(key, value);

    if (options.golden.empty()) compare_results(free_run, golden_run, report);
    conclude(report, golden, !folder.temporary());
    trace_culprits({.device = options.device,
                    .reference = options.reference,
                    .output = folder.temporary() ? fs::path() : folder / "map",
                    .between_steps = options.between_steps},
                   report);
    if (!folder.temporary()) {
        write_text_file(folder / "verdicts.json", to_json(report));
        write_text_file(folder / "report.html", to_html(report));
    }
    return report;
}

}  // namespace npuscope::diagnose
