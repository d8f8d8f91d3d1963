#include "overflow/watcher.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/real_number.h"
#include "overflow/report.h"
#include "overflow/traces.h"

namespace npuscope::overflow {

namespace {

// More can only pile up behind ops that failed between their two events.
constexpr size_t kMaxRaised = 4096;

// How an input's trace counts against the op that reads it.
Evidence evidence_of(const Trace& trace) {
    if (trace.non_finite) return Evidence::kNonFinite;
    if (trace.taint != Taint::kNone && trace.at_limit) return Evidence::kSaturated;
    return trace.taint == Taint::kOverflow ? Evidence::kDataFlow : Evidence::kNone;
}

Damage damage_of(const std::string& via, const Trace& trace) {
    Damage damage{.evidence = evidence_of(trace), .taint = trace.taint};
    if (!damage.any()) return damage;
    damage.via = via;
    damage.from = trace.producer.path();
    damage.origin = trace.origin.path();
    return damage;
}

// Arguments that are numbers, not tensors, can carry an infinity as well (a mask's fill value).
bool is_non_finite(const Value& value) {
    const std::optional<double> x = real_of(value);
    return x && *x - *x != 0;
}

}  // namespace

struct OverflowWatcher::State {
    // A kernel that raised overflow inside an op that has not ended yet.
    struct Raised {
        OpId id;
        std::string kernel;
    };

    explicit State(WatcherOptions chosen)
        : options(std::move(chosen)), traces(options.max_tensors) {}

    Damage inspect(const OpEnd& event, OpRef& origin);
    void report_foreign(const OpEnd& event, const std::string& via, Trace& trace);
    void keep(std::vector<OverflowRecord>& list,
              size_t limit,
              int64_t& count,
              OverflowRecord record);
    void mark_outputs(const OpEnd& event, Taint taint, const OpRef& origin);
    void mark_view(const OpEnd& event);
    std::vector<std::string> take_raised(std::string_view op, int64_t seqid);

    WatcherOptions options;
    Traces traces;
    std::vector<Raised> raised;
    OverflowReport report;
};

OverflowWatcher::OverflowWatcher(EventSource& source, WatcherOptions options)
    : source_(source), state_(std::make_unique<State>(std::move(options))) {
    source_.attach(*this);
}

OverflowWatcher::~OverflowWatcher() {
    source_.detach(*this);
}

const OverflowReport& OverflowWatcher::report() const {
    return state_->report;
}

void OverflowWatcher::op_begin(const OpBegin& event) {
    // Left over from an op of that name and number that failed.
    state_->take_raised(event.name, event.seqid);
}

void OverflowWatcher::kernel_end(const KernelEvent& event) {
    if (!event.status.overflow()) return;
    auto& raised = state_->raised;
    if (raised.size() == kMaxRaised) raised.erase(raised.begin());
    raised.push_back({{std::string(event.op_name), event.seqid}, std::string(event.type)});
}

void OverflowWatcher::op_end(const OpEnd& event) {
    State& state = *state_;
    std::vector<std::string> kernels = state.take_raised(event.name, event.seqid);
    const bool overflowed = event.status.overflow();
    if (!event.recorded && !overflowed) {
        state.mark_view(event);
        return;
    }
    if (event.recorded) ++state.report.ops_seen;
    OpRef origin;
    const Damage damage = state.inspect(event, origin);
    if (overflowed) {
        // What overflows on foreign values is an overflow of its own for whoever reads it.
        if (damage.taint != Taint::kOverflow) origin = state.traces.op(event.name, event.seqid);
        state.mark_outputs(event, Taint::kOverflow, origin);
    } else {
        state.mark_outputs(event, damage.taint, origin);
    }
    const bool received = damage.any() && (overflowed || damage.taint == Taint::kOverflow);
    if (!overflowed && !received) return;

    OverflowRecord record;
    record.id = {std::string(event.name), event.seqid};
    record.source = event.source;
    record.status = event.status;
    record.kernels = std::move(kernels);
    record.kind = kind_of({.overflowed = overflowed}, damage);
    take(damage, record);
    OverflowReport& report = state.report;
    if (!overflowed) {
        state.keep(report.receivers,
                   state.options.max_receivers,
                   report.receivers_count,
                   std::move(record));
        return;
    }
    if (!received) ++report.introduced_count;
    const OverflowRecord announced = record;
    state.keep(report.records, state.options.max_records, report.records_count, std::move(record));
    if (state.options.out != nullptr)
        *state.options.out << line_of(announced) << '\n' << std::flush;
    if (state.options.on_overflow) state.options.on_overflow(announced);
}

Damage OverflowWatcher::State::inspect(const OpEnd& event, OpRef& origin) {
    Damage strongest;
    for_each_tensor(event.inputs, [&](const std::string& name, const Tensor& tensor) {
        Trace& trace = traces.scanned(tensor, options.threads);
        if (trace.non_finite && trace.taint == Taint::kNone) report_foreign(event, name, trace);
        Damage here = damage_of(name, trace);
        if (!here.any() || (strongest.any() && !says_more(here, strongest))) return;
        strongest = std::move(here);
        origin = trace.origin;
    });
    for (const NamedValue& argument : event.inputs) {
        if (strongest.any() || !is_non_finite(argument.value)) continue;
        strongest = {
            .evidence = Evidence::kNonFinite, .taint = Taint::kForeign, .via = argument.name};
    }
    return strongest;
}

void OverflowWatcher::State::report_foreign(const OpEnd& event,
                                            const std::string& via,
                                            Trace& trace) {
    trace.taint = Taint::kForeign;
    trace.origin = trace.producer;
    OverflowRecord record;
    record.id = {std::string(event.name), event.seqid};
    record.source = event.source;
    record.kind = trace.producer.name == nullptr ? OverflowKind::kInheritedFromInput
                                                 : OverflowKind::kNonFiniteWithoutOverflow;
    record.via = via;
    record.evidence = Evidence::kNonFinite;
    record.from = trace.producer.path();
    record.origin = record.from;
    keep(report.foreign, options.max_receivers, report.foreign_count, std::move(record));
}

void OverflowWatcher::State::keep(std::vector<OverflowRecord>& list,
                                  size_t limit,
                                  int64_t& count,
                                  OverflowRecord record) {
    ++count;
    if (list.size() < limit) list.push_back(std::move(record));
}

void OverflowWatcher::State::mark_outputs(const OpEnd& event, Taint taint, const OpRef& origin) {
    Trace made;
    made.producer = traces.op(event.name, event.seqid);
    made.taint = taint;
    made.origin = origin;
    for_each_tensor(event.outputs, [&](const std::string&, const Tensor& tensor) {
        traces.set(tensor.storage_id(), made);
    });
}

// The results of an op that only re-describes storage are what its most damaged input is.
void OverflowWatcher::State::mark_view(const OpEnd& event) {
    Trace source;
    bool first = true;
    for_each_tensor(event.inputs, [&](const std::string&, const Tensor& tensor) {
        const Trace& trace = traces.at(tensor.storage_id());
        if (first || trace.taint > source.taint) source = trace;
        first = false;
    });
    for_each_tensor(event.outputs, [&](const std::string&, const Tensor& tensor) {
        // A copy may hold only a part: its own scan decides what is in it.
        bool shared = false;
        for_each_tensor(event.inputs, [&](const std::string&, const Tensor& input) {
            shared = shared || input.storage_id() == tensor.storage_id();
        });
        if (shared) return;
        Trace copy = source;
        copy.scanned = copy.non_finite = copy.at_limit = false;
        traces.set(tensor.storage_id(), copy);
    });
}

std::vector<std::string> OverflowWatcher::State::take_raised(std::string_view op, int64_t seqid) {
    std::vector<std::string> kernels;
    std::erase_if(raised, [&](const Raised& one) {
        if (one.id.seqid != seqid || one.id.op != op) return false;
        if (std::find(kernels.begin(), kernels.end(), one.kernel) == kernels.end())
            kernels.push_back(one.kernel);
        return true;
    });
    return kernels;
}

}  // namespace npuscope::overflow
