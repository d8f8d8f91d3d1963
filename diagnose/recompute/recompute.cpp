#include "diagnose/recompute/recompute.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/recording/ignored_regions.h"
#include "core/recording/source.h"
#include "diagnose/apis/api_calls.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/judge_result.h"
#include "diagnose/judge/recorded_op.h"
#include "diagnose/judge/side_judge.h"
#include "diagnose/judge/stored_wider.h"
#include "diagnose/judge/sum_bounds.h"
#include "diagnose/recompute/judge_again.h"
#include "diagnose/recompute/recomputed_standard.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

namespace {

/// A device is farther off when it is by so much.
constexpr double kClearly = 4;

struct ComputeTypeOf : Observer {
    void op_end(const OpEnd& event) override { type = event.compute_type; }
    ComputeType type = ComputeType::kNone;
};

/// The device's result against the recorded one, but for what is ignored of it.
compare::TensorResult judge_by_device(const Tensor* computed,
                                      const RecordedResult& recorded,
                                      ComputeType computed_in,
                                      const compare::Bounds& bounds,
                                      const std::function<double()>& magnitudes) {
    const bool is_part =
        recorded.ignored && computed != nullptr && computed->shape() == recorded.elements.shape();
    const Tensor part = is_part ? recorded.ignored->rest_of(*computed) : Tensor();
    compare::TensorResult result =
        judge_result(is_part ? &part : computed,
                     is_part ? recorded.ignored->rest_of(recorded.elements) : recorded.elements,
                     {recorded.argument, recorded.path},
                     computed_in,
                     magnitudes,
                     bounds);
    result.target = result.golden = recorded.path;
    if (is_part) {
        result.ignored = computed->numel() - part.numel();
        result.shape = computed->shape();
    }
    return result;
}

/// What a device that refuses the op, and its arithmetic, leave open.
void leave_open(const std::string& refused, std::span<compare::TensorResult> results) {
    for (compare::TensorResult& result : results) {
        if (result.split && result.split->target) continue;
        result.judgement.verdict = compare::Verdict::kNotProvable;
        result.judgement.rule = result.judgement.bound.source = refused;
    }
}

/// Where nothing could be said of any result, the op says why.
void forget_unproven(RecomputedOp& op) {
    const auto is_unproven = [](const compare::TensorResult& result) {
        return result.judgement.verdict == compare::Verdict::kNotProvable;
    };
    if (op.results.empty() || !std::ranges::all_of(op.results, is_unproven)) return;
    op.skipped = op.results.front().judgement.rule;
    op.results.clear();
    op.errors.clear();
}

void run_op(const SourceOp& recorded,
            const backend::Op& op,
            const Device& device,
            const SideJudge& judge,
            const compare::Bounds& bounds,
            RecomputedOp& report) {
    const RecordedOp entry(recorded, op);
    OpRun run = run_of(op, entry, entry.arguments());
    Executor executor(device, {.bounded = true});
    ComputeTypeOf observed;
    executor.attach(observed);
    Results results;
    std::string refused;
    try {
        results = executor.call_named(op, run.arguments);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported) throw;
        report.refused = refused = error.what();
    }
    const size_t first = report.results.size();
    for (const RecordedResult& result : run.results)
        report.results.push_back(
            judge_by_device(result_named(results, result.name), result, observed.type, bounds, [&] {
                return sum_of_magnitudes(op, result.name, run.arguments);
            }));
    report.errors.resize(report.results.size());
    require_intact(run);
    const auto judged = std::span(report.results).subspan(first);
    narrow_stored_wider(run, recorded.stores_wider);
    run.wide = widened(run.arguments);
    if (kind_of(op) == OpKind::kRandom)
        judge_draws_again(run, judge, judged);
    else if (entry.has_inputs() && !run.arguments.empty())
        judge_again(
            std::move(run), judge, results, judged, std::span(report.errors).subspan(first));
    if (!refused.empty()) leave_open(refused, judged);
    forget_unproven(report);
}

/// Of msprobe: "Module.conv1.Conv2d.forward.0".
bool is_module(const SourceOp& op) {
    return op.id.seqid == 0 && (op.id.op.starts_with("Module.") || op.id.op.starts_with("Cell."));
}

void add_missing(const std::string& name, RecomputeReport& report) {
    if (std::ranges::find(report.missing, name) == report.missing.end())
        report.missing.push_back(name);
}

RecomputedOp run_record(const SourceOp& recorded,
                        std::span<const SourceOp> runs,
                        const Device& device,
                        const SideJudge& judge,
                        const compare::Bounds& bounds,
                        RecomputeReport& report) {
    RecomputedOp made{.id = recorded.id, .path = recorded.path};
    if (recorded.place) made.place = recorded.place();
    for (const SourceOp& run : runs) {
        const backend::Op* op = row_of(run);
        if (op == nullptr) {
            made.skipped = "there is no op of this name";
            add_missing(run.op(), report);
            continue;
        }
        if (made.computed_as.find(op->name()) == std::string::npos)
            made.computed_as += (made.computed_as.empty() ? "" : " ") + op->name();
        if (recorded.calls && kind_of(*op) == OpKind::kRandom) {
            made.skipped = compare::kRandomOp;
            continue;
        }
        try {
            run_op(run, *op, device, judge, bounds, made);
        } catch (const Error& error) {
            // A damaged file ends the run, but of a tree, whose tensors have a file each; an op
            // that cannot take its inputs is one line.
            if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported &&
                !recorded.calls)
                throw;
            made.skipped = error.what();
        }
    }
    return made;
}

/// Of its results alone: inputs are taken as recorded.
void mark_ignored(IgnoredTally& tally, Source& source) {
    std::unordered_map<std::string, std::shared_ptr<const IgnoredElements>> found;
    for (const SourceOp& op : source.ops)
        for (const SourceTensor& tensor : op.load())
            if (tensor.direction == dumpfile::Direction::kOutput)
                if (auto ignored = tally.of(tensor, "")) found[tensor.path] = std::move(ignored);
    ignore_in(source, [found = std::move(found)](const SourceTensor& tensor) {
        const auto at = found.find(tensor.path);
        return at == found.end() ? nullptr : at->second;
    });
}

/// "" where the device took all.
std::string note_of_refused(const RecomputeReport& report) {
    const RecomputedOp* first = nullptr;
    int64_t ops = 0;
    for (const RecomputedOp& op : report.ops) {
        if (op.refused.empty() || op.results.empty()) continue;
        if (first == nullptr) first = &op;
        ++ops;
    }
    if (first == nullptr) return {};
    return fmt::format(
        "{} op{} judged by what {} recorded alone, since the device does not take {}; the first: "
        "{}: {}",
        ops,
        ops == 1 ? " is" : "s are",
        ops == 1 ? "it" : "they",
        ops == 1 ? "it" : "them",
        first->path,
        first->refused);
}

}  // namespace

bool RecomputedOp::passes() const {
    return std::ranges::none_of(results, [](const compare::TensorResult& result) {
        return compare::is_finding(result.judgement.verdict);
    });
}

double RecomputedOp::worst() const {
    double error = 0;
    for (const compare::TensorResult& result : results)
        error = std::max(error, compare::relative_error(result));
    return error;
}

const RecomputedOp* RecomputeReport::worst() const {
    const RecomputedOp* found = nullptr;
    for (const RecomputedOp& op : ops)
        if (!op.results.empty() && (found == nullptr || op.worst() > found->worst())) found = &op;
    return found;
}

std::string_view Errors::word() const {
    if (ratio > 1) return "worse than the arithmetic allows";
    const bool is_closer = of_device && kClearly * recorded < *of_device &&
                           kClearly * of_dtype.value_or(0) < *of_device;
    return is_closer ? "better than the device" : "as expected";
}

RecomputeReport recompute(const std::filesystem::path& dump,
                          const Device& device,
                          const RecomputeOptions& options) {
    Source source = open_source(dump);
    describe_calls(source);
    mark_stored_wider(source);
    static const IgnoredRegions nothing;
    IgnoredTally tally(options.ignored == nullptr ? nothing : *options.ignored);
    if (options.ignored != nullptr) mark_ignored(tally, source);
    std::vector<std::string> notes = source.remarks;
    const size_t modules = std::erase_if(source.ops, is_module);
    if (modules != 0)
        notes.push_back(
            fmt::format("{} record{} of modules left out: their functions have records "
                        "of their own in dumps of level L1 and mix",
                        modules,
                        modules == 1 ? "" : "s"));
    struct Record {
        std::vector<SourceOp> runs;
        std::string why_not;
    };
    std::vector<Record> records(source.ops.size());
    std::vector<SideOp> ops;
    for (size_t i = 0; i < source.ops.size(); ++i) {
        records[i].runs = calls_of(source.ops[i], records[i].why_not);
        for (const SourceOp& run : records[i].runs)
            ops.push_back({&run});
    }
    const SideJudge judge(ops);
    RecomputeReport report{.notes = std::move(notes), .arithmetic = judge.sentences()};
    const compare::PrecisionBounds plain;
    const compare::Bounds& bounds = options.bounds == nullptr ? plain : *options.bounds;
    std::optional<RecomputedStandard> standard;
    if (options.standard.standard != nullptr) standard.emplace(options.standard, source, judge);
    for (size_t i = 0; i < source.ops.size(); ++i) {
        report.ops.push_back(
            run_record(source.ops[i], records[i].runs, device, judge, bounds, report));
        if (!records[i].why_not.empty()) report.ops.back().skipped = records[i].why_not;
        if (standard) standard->score(i, report.ops.back());
    }
    if (standard) report.standard = standard->summary(as_comparison(report));
    for (std::string& note : tally.notes())
        report.notes.push_back(std::move(note));
    if (std::string note = note_of_refused(report); !note.empty())
        report.notes.push_back(std::move(note));
    return report;
}

}  // namespace npuscope::diagnose
