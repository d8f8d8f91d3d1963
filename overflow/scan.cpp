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
#include "overflow/scan_tensors.h"

namespace npuscope::overflow {

namespace {

using dumpfile::Direction;
using dumpfile::Entry;
using dumpfile::OpEntry;

constexpr size_t kMostWarnings = 20;
// Fewer ordinary values than this are equal by chance (a step count, a loss of 1).
constexpr int64_t kLeastTellingNumel = 4;

// The op that a damaged tensor came from.
struct Producer {
    std::string path;
    std::string origin;
    Taint taint = Taint::kOverflow;
};

bool saturates(DType dtype) {
    return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

bool any_tensor(const std::vector<ScannedTensor>& tensors, bool (*test)(const ScannedTensor&)) {
    return std::any_of(tensors.begin(), tensors.end(), test);
}

bool has_non_finite(const ScannedTensor& tensor) {
    return tensor.subject.census.non_finite();
}

bool has_damage(const ScannedTensor& tensor) {
    return is_damaged(tensor.subject);
}

class Scan {
  public:
    Scan(const std::filesystem::path& dump, const ScanOptions& options)
        : options_(options), reader_(dump), tensors_(reader_, options.threads) {}

    ScanReport run();

  private:
    void scan_op(const OpEntry& op);
    std::optional<ScannedTensor> scan_tensor(const Entry& entry);
    Damage judge_inputs(const OpEntry& op,
                        bool by_status,
                        bool ask_numbers,
                        std::optional<ScannedTensor>& damaged);
    Damage judge_input(const Entry& entry, const ScannedTensor& tensor, bool by_status);
    void judge_numbers(const OpEntry& op, Damage& damage) const;
    std::optional<Producer> producer_of(const Entry& entry, const Census& census);
    void remember(const OpEntry& op,
                  const std::vector<ScannedTensor>& outputs,
                  const Producer& producer,
                  bool all);
    void warn(const std::string& line);

    const ScanOptions& options_;
    dumpfile::Reader reader_;
    TensorScanner tensors_;
    ScanReport report_;
    std::map<Fingerprint, Producer> producers_;
    // (numel, largest finite) of what is in producers_: a fingerprint is taken only on a match.
    std::set<std::pair<int64_t, double>> suspects_;
};

ScanReport Scan::run() {
    report_.dump = reader_.path();
    report_.ops = static_cast<int64_t>(reader_.ops().size());
    report_.has_inputs = reader_.has_inputs();
    report_.incompleteness = reader_.incompleteness();
    report_.latent_binades = options_.latent_binades;
    report_.warnings = reader_.warnings();
    report_.unreadable = reader_.skipped_count();
    int64_t done = 0;
    for (const OpEntry& op : reader_.ops()) {
        scan_op(op);
        if (options_.on_op) options_.on_op(++done, report_.ops, path_of(op.id));
    }
    report_.scanned_bytes = tensors_.scanned_bytes();
    return std::move(report_);
}

void Scan::scan_op(const OpEntry& op) {
    ScannedOp scanned;
    const dumpfile::OpFacts facts = op.facts();
    scanned.by_status = facts.status.has_value();
    if (scanned.by_status) ++report_.ops_with_status;
    OverflowRecord& record = scanned.record;
    record.id = op.id;
    record.source = facts.source;
    record.kernels = facts.kernels;
    record.status = facts.status.value_or(FloatStatus{});

    std::vector<ScannedTensor> outputs;
    for (const Entry& entry : op.entries)
        if (entry.direction == Direction::kOutput)
            if (auto tensor = scan_tensor(entry)) outputs.push_back(std::move(*tensor));
    const bool overflowed = facts.overflow;
    const bool non_finite = any_tensor(outputs, has_non_finite);
    const bool damaged = any_tensor(outputs, has_damage);
    std::optional<ScannedTensor> damaged_input;
    const Damage damage = judge_inputs(op, scanned.by_status, damaged || overflowed, damaged_input);
    // With a clean status, the largest finite value is damage only where it came in as such.
    const bool listed =
        overflowed || non_finite || (damaged && (!scanned.by_status || damage.any()));
    if (overflowed && !record.status.overflow()) record.status.raise(FloatStatus::kOverflow);
    record.kind = kind_of({.has_status = scanned.by_status,
                           .overflowed = scanned.by_status && record.raised(),
                           .inputs_known = report_.has_inputs || op.has_inputs()},
                          damage);
    take(damage, record);
    const bool flows = scanned.by_status && damage.taint == Taint::kOverflow;
    if (listed || flows) {
        const bool inherited = record.kind == OverflowKind::kInheritedFromInput;
        const bool own = record.from.empty() || (overflowed && damage.taint == Taint::kForeign);
        remember(op,
                 outputs,
                 {record.path(),
                  own ? record.path() : record.origin,
                  inherited ? Taint::kForeign : Taint::kOverflow},
                 overflowed || flows);
    }
    std::erase_if(outputs, [](const ScannedTensor& tensor) { return tensor.findings.empty(); });
    if (!listed && outputs.empty()) return;
    scanned.tensors = std::move(outputs);
    if (listed && damaged_input) scanned.tensors.push_back(std::move(*damaged_input));
    (listed ? report_.damaged : report_.remarks).push_back(std::move(scanned));
}

std::optional<ScannedTensor> Scan::scan_tensor(const Entry& entry) {
    if (!TensorScanner::applies(entry)) return std::nullopt;
    ScannedTensor tensor;
    tensor.path = std::string(name_of(entry.direction)) + "/" + entry.argument;
    tensor.dtype = *entry.dtype();
    tensor.shape = entry.stored.shape;
    tensor.subject.dtype = tensor.dtype;
    tensor.subject.compute_type = entry.compute_type;
    tensor.subject.latent_binades = options_.latent_binades;
    try {
        tensor.subject.census = tensors_.census(entry);
    } catch (const Error& error) {
        // Nothing that is left of a file that was cut short can be told from zeros.
        if (error.kind() == ErrorKind::kIo) throw;
        warn(in_quotes(entry.path) + " left out: " + error.what());
        return std::nullopt;
    }
    ++report_.tensors;
    tensor.findings = detect(tensor.subject);
    return tensor;
}

Damage Scan::judge_inputs(const OpEntry& op,
                          bool by_status,
                          bool ask_numbers,
                          std::optional<ScannedTensor>& damaged) {
    Damage strongest;
    for (const Entry& entry : op.entries) {
        if (entry.direction != Direction::kInput) continue;
        auto tensor = scan_tensor(entry);
        if (!tensor) continue;
        Damage here = judge_input(entry, *tensor, by_status);
        if (!here.any() || (strongest.any() && !says_more(here, strongest))) continue;
        here.via = entry.argument;
        damaged = std::move(tensor);
        strongest = std::move(here);
    }
    if (!strongest.any() && ask_numbers) judge_numbers(op, strongest);
    return strongest;
}

Damage Scan::judge_input(const Entry& entry, const ScannedTensor& tensor, bool by_status) {
    const Census& census = tensor.subject.census;
    const bool at_limit = saturates(tensor.dtype) && census.at_limit > 0;
    const auto producer = producer_of(entry, census);
    Damage damage;
    if (producer) {
        damage.taint = producer->taint;
        damage.from = producer->path;
        damage.origin = producer->origin;
    } else if (report_.damaged.empty()) {
        // No op before it was damaged: it came from outside.
        damage.taint = Taint::kForeign;
    }
    if (census.non_finite()) {
        damage.evidence = Evidence::kNonFinite;
    } else if (at_limit && (producer || !by_status)) {
        damage.evidence = Evidence::kSaturated;
    } else if (producer) {
        damage.evidence = census.at_half_limit > 0 ? Evidence::kSaturated : Evidence::kDataFlow;
    }
    return damage;
}

// A number among the arguments can bring the extreme value along: a mask's fill value, say.
void Scan::judge_numbers(const OpEntry& op, Damage& damage) const {
    for (const Entry& entry : op.entries) {
        if (entry.direction != Direction::kInput || entry.is_tensor()) continue;
        if (entry.stored.dtype != DType::kFloat64 || !entry.stored.shape.empty()) continue;
        double number = 0;
        try {
            number = std::fabs(reader_.read_stored(entry).at(0));
        } catch (const Error&) {
            continue;
        }
        if (number < info(DType::kFloat16).max_finite) continue;
        damage.evidence = number - number != 0 ? Evidence::kNonFinite : Evidence::kSaturated;
        damage.taint = Taint::kForeign;
        damage.via = entry.argument;
        return;
    }
}

std::optional<Producer> Scan::producer_of(const Entry& entry, const Census& census) {
    if (suspects_.count({census.numel, census.max_finite}) == 0) return std::nullopt;
    const auto found = producers_.find(tensors_.fingerprint(entry));
    if (found == producers_.end()) return std::nullopt;
    return found->second;
}

void Scan::remember(const OpEntry& op,
                    const std::vector<ScannedTensor>& outputs,
                    const Producer& producer,
                    bool all) {
    for (const ScannedTensor& tensor : outputs) {
        const Census& census = tensor.subject.census;
        const bool telling = all && census.numel >= kLeastTellingNumel && census.max_finite > 0;
        if (!telling && !has_damage(tensor)) continue;
        for (const Entry& entry : op.entries) {
            if (entry.direction != Direction::kOutput || "output/" + entry.argument != tensor.path)
                continue;
            suspects_.emplace(census.numel, census.max_finite);
            producers_[tensors_.fingerprint(entry)] = producer;
        }
    }
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

ScanReport scan_dump(const std::filesystem::path& dump, const ScanOptions& options) {
    return Scan(dump, options).run();
}

}  // namespace npuscope::overflow
