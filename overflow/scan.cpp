#include "overflow/scan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "overflow/origin.h"
#include "overflow/scan_order.h"
#include "overflow/scan_tensors.h"

namespace npuscope::overflow {

namespace {

using dumpfile::Direction;

constexpr size_t kMostWarnings = 20;
// Fewer ordinary values than this are equal by chance (a step count, a loss of 1).
constexpr int64_t kLeastTellingNumel = 4;

// The op that a damaged tensor came from.
struct Producer {
    std::string path;
    std::string origin;
    Taint taint = Taint::kOverflow;
    FlowIds flows{};
    int64_t op = 0;             // its place in the recording
    bool shows_damage = false;  // the tensor itself, not only the way to it
    bool is_read = false;
};

// A floating-point tensor of the op that is being scanned.
struct Scanned {
    const SourceTensor* source;
    ScannedTensor tensor;
};

// What the inputs of an op bring along.
struct Inflow {
    Damage strongest{};
    std::optional<ScannedTensor> tensor{};  // the strongest one's
    FlowIds flows{};
    std::vector<std::pair<std::string, FlowIds>> visible{};  // inputs that show their damage
};

bool saturates(DType dtype) {
    return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

bool has_non_finite(const Scanned& scanned) {
    return scanned.tensor.subject.census.non_finite();
}

bool has_damage(const Scanned& scanned) {
    return is_damaged(scanned.tensor.subject);
}

Marks marks_of(const std::vector<Scanned>& outputs) {
    Marks marks;
    for (const Scanned& output : outputs) {
        marks.non_finite = marks.non_finite || has_non_finite(output);
        const Census& census = output.tensor.subject.census;
        const bool at_limit = census.at_limit > 0 || census.at_half_limit > 0;
        marks.saturated = marks.saturated || (at_limit && has_damage(output));
    }
    return marks;
}

dumpfile::OpFacts facts_of(const SourceOp& op) {
    if (op.recorded) return op.recorded();
    if (op.place) {
        dumpfile::OpFacts facts;
        facts.source = op.place();
        return facts;
    }
    return op.facts ? op.facts().recorded : dumpfile::OpFacts{};
}

bool has_inputs(const std::vector<SourceTensor>& tensors) {
    return std::ranges::any_of(
        tensors, [](const SourceTensor& tensor) { return tensor.direction == Direction::kInput; });
}

// Looks at ops until one has inputs where the source does not say.
bool has_inputs(const Source& source) {
    if (source.has_inputs) return *source.has_inputs;
    return std::ranges::any_of(source.ops,
                               [](const SourceOp& op) { return has_inputs(op.load()); });
}

class Scan {
  public:
    Scan(const Source& source, const ScanOptions& options)
        : options_(options), source_(source), tensors_(options.threads) {}

    ScanReport run();

  private:
    void scan_op(const SourceOp& op);
    std::vector<Scanned> scan_outputs(const std::vector<SourceTensor>& tensors);
    std::optional<ScannedTensor> scan_tensor(const SourceTensor& tensor);
    Inflow judge_inputs(const std::vector<SourceTensor>& tensors, bool by_status);
    Damage judge_input(const Census& census, DType dtype, const Producer* producer, bool by_status);
    static void judge_numbers(const SourceOp& op, Damage& damage);
    void judge_contents(const std::vector<Scanned>& outputs, Inflow& inflow);
    Producer* producer_of(const SourceTensor& tensor, const Census& census);
    FlowIds follow(const ScannedOp& scanned,
                   bool listed,
                   const Inflow& inflow,
                   const std::vector<Scanned>& outputs);
    void remember(const std::vector<Scanned>& outputs, const Producer& producer, bool all);
    void find_unread();
    void warn(const std::string& line);

    const ScanOptions& options_;
    const Source& source_;
    TensorScanner tensors_;
    ScanReport report_;
    Flows flows_;
    std::map<Fingerprint, Producer> producers_;
    // (numel, largest finite) of what is in producers_: a fingerprint is taken only on a match.
    std::set<std::pair<int64_t, double>> suspects_;
    int64_t done_ = 0;
};

ScanReport Scan::run() {
    const auto is_recorded = [](const SourceOp& op) { return op.unmatched.empty(); };
    report_.ops = std::ranges::count_if(source_.ops, is_recorded);
    report_.has_inputs = has_inputs(source_);
    report_.complete = source_.complete;
    report_.notes = source_.remarks;
    report_.latent_binades = options_.latent_binades;
    report_.warnings = source_.left_out;
    report_.unreadable = source_.unreadable;
    for (const SourceOp* op : scan_order(source_)) {
        if (!is_recorded(*op)) continue;
        scan_op(*op);
        if (options_.on_op) options_.on_op(++done_, report_.ops, op->path);
    }
    find_unread();
    report_.flows = flows_.take();
    report_.scanned_bytes = tensors_.scanned_bytes();
    return std::move(report_);
}

void Scan::scan_op(const SourceOp& op) {
    ScannedOp scanned;
    const dumpfile::OpFacts facts = facts_of(op);
    scanned.by_status = facts.status.has_value();
    if (scanned.by_status) ++report_.ops_with_status;
    OverflowRecord& record = scanned.record;
    record.id = op.id;
    record.recorded_as = op.path;
    record.source = facts.source;
    record.kernels = facts.kernels;
    record.status = facts.status.value_or(FloatStatus{});

    const std::vector<SourceTensor> tensors = specified_tensors(op);
    std::vector<Scanned> outputs = scan_outputs(tensors);
    const bool overflowed = facts.overflow;
    const bool non_finite = std::ranges::any_of(outputs, has_non_finite);
    const bool damaged = std::ranges::any_of(outputs, has_damage);
    Inflow inflow = judge_inputs(tensors, scanned.by_status);
    Damage& damage = inflow.strongest;
    if (damaged && is_module(op)) judge_contents(outputs, inflow);
    if (!damage.any() && (damaged || overflowed)) judge_numbers(op, damage);
    // With a clean status, the largest finite value is damage only where it came in as such.
    const bool listed =
        overflowed || non_finite || (damaged && (!scanned.by_status || damage.any()));
    if (overflowed && !record.status.overflow()) record.status.raise(FloatStatus::kOverflow);
    record.kind = kind_of({.has_status = scanned.by_status,
                           .overflowed = scanned.by_status && record.raised(),
                           .inputs_known = report_.has_inputs || has_inputs(tensors)},
                          damage);
    take(damage, record);
    const FlowIds ids = follow(scanned, listed, inflow, outputs);
    const bool flows = scanned.by_status && damage.taint == Taint::kOverflow;
    if (listed || flows) {
        const bool inherited = record.kind == OverflowKind::kInheritedFromInput;
        const bool own = record.from.empty() || (overflowed && damage.taint == Taint::kForeign);
        remember(outputs,
                 {.path = record.path(),
                  .origin = own ? record.path() : record.origin,
                  .taint = inherited ? Taint::kForeign : Taint::kOverflow,
                  .flows = ids,
                  .op = done_},
                 overflowed || flows);
    }
    for (Scanned& output : outputs)
        if (!output.tensor.findings.empty()) scanned.tensors.push_back(std::move(output.tensor));
    if (!listed && scanned.tensors.empty()) return;
    if (listed && inflow.tensor) scanned.tensors.push_back(std::move(*inflow.tensor));
    (listed ? report_.damaged : report_.remarks).push_back(std::move(scanned));
}

std::vector<Scanned> Scan::scan_outputs(const std::vector<SourceTensor>& tensors) {
    std::vector<Scanned> outputs;
    for (const SourceTensor& tensor : tensors)
        if (tensor.direction == Direction::kOutput)
            if (auto scanned = scan_tensor(tensor))
                outputs.push_back({&tensor, std::move(*scanned)});
    return outputs;
}

std::optional<ScannedTensor> Scan::scan_tensor(const SourceTensor& source) {
    const auto dtype = TensorScanner::dtype_of(source);
    if (!source.problem.empty()) warn(in_quotes(source.path) + " left out: " + source.problem);
    if (!dtype) return std::nullopt;
    ScannedTensor tensor;
    tensor.path = std::string(name_of(source.direction)) + "/" + source.argument;
    tensor.dtype = *dtype;
    tensor.shape = source.shape;
    tensor.subject.dtype = tensor.dtype;
    tensor.subject.compute_type = source.compute_type;
    tensor.subject.latent_binades = options_.latent_binades;
    try {
        tensor.subject.census = tensors_.census(source);
    } catch (const Error& error) {
        // Nothing that is left of a file that was cut short can be told from zeros.
        if (error.kind() == ErrorKind::kIo) throw;
        warn(in_quotes(source.path) + " left out: " + error.what());
        return std::nullopt;
    }
    if (tensor.subject.census.numel == 0) return std::nullopt;
    ++report_.tensors;
    if (!tensor.subject.census.counted) ++report_.by_statistics;
    tensor.findings = detect(tensor.subject);
    return tensor;
}

Inflow Scan::judge_inputs(const std::vector<SourceTensor>& tensors, bool by_status) {
    Inflow inflow;
    for (const SourceTensor& input : tensors) {
        if (input.direction != Direction::kInput) continue;
        auto tensor = scan_tensor(input);
        if (!tensor) continue;
        const Census& census = tensor->subject.census;
        const Producer* producer = producer_of(input, census);
        Damage here = judge_input(census, tensor->dtype, producer, by_status);
        if (!here.any()) continue;
        if (producer != nullptr) {
            add(producer->flows, inflow.flows);
            if (here.evidence >= Evidence::kSaturated)
                inflow.visible.emplace_back(input.argument, producer->flows);
        }
        if (inflow.strongest.any() && !says_more(here, inflow.strongest)) continue;
        here.via = input.argument;
        inflow.tensor = std::move(tensor);
        inflow.strongest = std::move(here);
    }
    return inflow;
}

Damage Scan::judge_input(const Census& census,
                         DType dtype,
                         const Producer* producer,
                         bool by_status) {
    const bool at_limit = saturates(dtype) && census.at_limit > 0;
    Damage damage;
    if (producer != nullptr) {
        damage.taint = producer->taint;
        damage.from = producer->path;
        damage.origin = producer->origin;
    } else if (report_.damaged.empty()) {
        // No op before it was damaged: it came from outside.
        damage.taint = Taint::kForeign;
    }
    if (census.non_finite()) {
        damage.evidence = Evidence::kNonFinite;
    } else if (at_limit && (producer != nullptr || !by_status)) {
        damage.evidence = Evidence::kSaturated;
    } else if (producer != nullptr) {
        damage.evidence = census.at_half_limit > 0 ? Evidence::kSaturated : Evidence::kDataFlow;
    }
    return damage;
}

// A number among the arguments can bring the extreme value along: a mask's fill value, say.
void Scan::judge_numbers(const SourceOp& op, Damage& damage) {
    if (!op.facts) return;
    for (const PlainArgument& argument : op.facts().arguments) {
        const bool is_number = argument.numbers.size() == 1 && !argument.is_list &&
                               !argument.is_bool && !argument.is_whole;
        if (!is_number || std::fabs(argument.numbers[0]) < info(DType::kFloat16).max_finite)
            continue;
        damage.evidence =
            std::isfinite(argument.numbers[0]) ? Evidence::kSaturated : Evidence::kNonFinite;
        damage.taint = Taint::kForeign;
        damage.via = argument.recorded.empty() ? argument.name : argument.recorded;
        return;
    }
}

// A module gives out what an op in it made; the op's overflow is its own.
void Scan::judge_contents(const std::vector<Scanned>& outputs, Inflow& inflow) {
    for (const Scanned& output : outputs) {
        if (inflow.strongest.any()) return;
        if (!has_damage(output)) continue;
        const Producer* maker = producer_of(*output.source, output.tensor.subject.census);
        if (maker == nullptr) continue;
        inflow.strongest = {
            .evidence = has_non_finite(output) ? Evidence::kNonFinite : Evidence::kSaturated,
            .taint = maker->taint,
            .via = output.tensor.path,
            .from = maker->path,
            .origin = maker->origin};
        add(maker->flows, inflow.flows);
    }
}

Producer* Scan::producer_of(const SourceTensor& tensor, const Census& census) {
    if (suspects_.count({census.numel, census.max_finite}) == 0) return nullptr;
    const auto found = producers_.find(tensors_.fingerprint(tensor));
    if (found == producers_.end()) return nullptr;
    found->second.is_read = true;
    return &found->second;
}

// The flows that the op's results carry, after what it did with those that came in is noted.
FlowIds Scan::follow(const ScannedOp& scanned,
                     bool listed,
                     const Inflow& inflow,
                     const std::vector<Scanned>& outputs) {
    const OverflowRecord& record = scanned.record;
    if (listed && inflow.flows.empty())
        return record.kind == OverflowKind::kUndetermined ? FlowIds{}
                                                          : flows_.born(record, marks_of(outputs));
    if (listed) flows_.carried(inflow.flows, record.path(), marks_of(outputs));
    if (!listed && !outputs.empty())
        for (const auto& [via, ids] : inflow.visible)
            flows_.killed(ids, {record.path(), record.source, via});
    return inflow.flows;
}

void Scan::remember(const std::vector<Scanned>& outputs, const Producer& producer, bool all) {
    for (const Scanned& output : outputs) {
        const Census& census = output.tensor.subject.census;
        const bool telling = all && census.numel >= kLeastTellingNumel && census.max_finite > 0;
        const bool shows_damage = has_damage(output);
        if (!telling && !shows_damage) continue;
        suspects_.emplace(census.numel, census.max_finite);
        Producer& known = producers_[tensors_.fingerprint(*output.source)];
        known = producer;
        known.shows_damage = shows_damage;
    }
}

void Scan::find_unread() {
    std::map<std::pair<int64_t, std::string>, FlowIds> unread;
    for (const auto& [print, producer] : producers_)
        if (producer.shows_damage && !producer.is_read)
            add(producer.flows, unread[{producer.op, producer.path}]);
    for (const auto& [op, ids] : unread)
        flows_.left_unread(ids, op.second);
}

void Scan::warn(const std::string& line) {
    ++report_.unreadable;
    if (report_.warnings.size() < 2 * kMostWarnings) report_.warnings.push_back(line);
}

}  // namespace

bool ScanReport::found() const {
    return std::any_of(damaged.begin(), damaged.end(), [](const ScannedOp& op) {
        if (op.record.kind != OverflowKind::kInheritedFromInput) return true;
        return std::any_of(op.tensors.begin(), op.tensors.end(), [](const ScannedTensor& tensor) {
            return tensor.path.rfind("output/", 0) == 0 && tensor.subject.census.nan > 0;
        });
    });
}

const ScannedOp* ScanReport::first() const {
    for (const OverflowKind wanted : {OverflowKind::kIntroduced,
                                      OverflowKind::kNonFiniteWithoutOverflow,
                                      OverflowKind::kUndetermined})
        for (const ScannedOp& op : damaged)
            if (op.record.kind == wanted) return &op;
    return damaged.empty() ? nullptr : &damaged.front();
}

ScanReport scan(const Source& source, const ScanOptions& options) {
    return Scan(source, options).run();
}

ScanReport scan_dump(const std::filesystem::path& dump, const ScanOptions& options) {
    ScanReport report = scan(open_source(dump), options);
    report.dump = dump;
    return report;
}

}  // namespace npuscope::overflow
