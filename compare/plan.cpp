#include "compare/plan.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "core/naming/aliases.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;
using dumpfile::Entry;
using dumpfile::OpEntry;

/// "alias conv2d=convolution" when the names differ, "" when they are equal.
std::string alias_text(const std::string& target, const std::string& golden) {
    if (target == golden) return {};
    const Alias* row = find_alias(target);
    if (row == nullptr || row->canonical == target) row = find_alias(golden);
    if (row == nullptr) return {};
    const Alias* other = find_alias(golden);
    std::string text = "alias " + std::string(row->name) + "=" + std::string(row->canonical);
    if (other != nullptr && other != row)
        text += ", alias " + std::string(other->name) + "=" + std::string(other->canonical);
    return text;
}

std::string match_text(const char* rule, const std::string& target, const std::string& golden) {
    const std::string alias = alias_text(target, golden);
    return alias.empty() ? rule : std::string(rule) + ", " + alias;
}

std::string canonical_argument_of(const std::string& op, const std::string& argument) {
    const Alias* alias = find_alias(op);
    return alias == nullptr ? argument : std::string(canonical_argument(*alias, argument));
}

bool is_wanted(const Entry& entry, bool inputs) {
    return entry.is_tensor() && (inputs || entry.direction == Direction::kOutput);
}

/// Tensors by equal direction and argument, then by canonical argument; the rest has one side.
std::vector<TensorPair> pair_tensors(const OpEntry& target, const OpEntry& golden, bool inputs) {
    std::vector<TensorPair> pairs;
    std::set<const Entry*> taken;
    const auto partner = [&](const Entry& entry, auto&& name_target, auto&& name_golden) {
        for (const Entry& other : golden.entries)
            if (is_wanted(other, inputs) && other.direction == entry.direction &&
                !taken.contains(&other) &&
                name_target(entry.argument) == name_golden(other.argument))
                return &other;
        return static_cast<const Entry*>(nullptr);
    };
    const auto itself = [](const std::string& name) { return name; };
    for (const Entry& entry : target.entries) {
        if (!is_wanted(entry, inputs)) continue;
        const Entry* other = partner(entry, itself, itself);
        if (other != nullptr) taken.insert(other);
        pairs.push_back({&entry, other});
    }
    for (TensorPair& pair : pairs) {
        if (pair.golden != nullptr) continue;
        pair.golden = partner(
            *pair.target,
            [&](const std::string& name) { return canonical_argument_of(target.id.op, name); },
            [&](const std::string& name) { return canonical_argument_of(golden.id.op, name); });
        if (pair.golden != nullptr) taken.insert(pair.golden);
    }
    for (const Entry& entry : golden.entries)
        if (is_wanted(entry, inputs) && !taken.contains(&entry)) pairs.push_back({nullptr, &entry});
    std::stable_sort(pairs.begin(), pairs.end(), [](const TensorPair& a, const TensorPair& b) {
        const Entry& x = a.target != nullptr ? *a.target : *a.golden;
        const Entry& y = b.target != nullptr ? *b.target : *b.golden;
        return x.direction < y.direction;
    });
    return pairs;
}

class Aligner {
  public:
    Aligner(const dumpfile::Reader& target, const dumpfile::Reader& golden)
        : target_(target), golden_(golden) {}

    /// Every target op to the golden op of the same seqid, of equal name first.
    int64_t by_seqid() {
        std::unordered_map<int64_t, std::vector<const OpEntry*>> ops;
        for (const OpEntry& op : golden_.ops())
            ops[op.id.seqid].push_back(&op);
        int64_t matched = 0;
        for (const bool exact : {true, false}) {
            for (const OpEntry& op : target_.ops()) {
                const auto found = ops.find(op.id.seqid);
                if (found == ops.end() || partners_.contains(&op)) continue;
                for (const OpEntry* other : found->second) {
                    const bool same =
                        exact ? other->id.op == op.id.op
                              : canonical_name(other->id.op) == canonical_name(op.id.op);
                    if (!same || taken_.contains(other)) continue;
                    join(op, *other, "seqid");
                    ++matched;
                    break;
                }
            }
        }
        return matched;
    }

    /// The k-th run of a name to the k-th run of that name.
    void by_run(bool canonical) {
        const auto name = [&](const OpEntry& op) {
            return canonical ? std::string(canonical_name(op.id.op)) : op.id.op;
        };
        std::map<std::string, std::deque<const OpEntry*>> waiting;
        for (const OpEntry& op : golden_.ops())
            if (!taken_.contains(&op)) waiting[name(op)].push_back(&op);
        for (const OpEntry& op : target_.ops()) {
            if (partners_.contains(&op)) continue;
            auto found = waiting.find(name(op));
            if (found == waiting.end() || found->second.empty()) continue;
            join(op, *found->second.front(), "name");
            found->second.pop_front();
        }
    }

    void forget() {
        partners_.clear();
        taken_.clear();
    }

    std::vector<OpPair> pairs(bool inputs) const {
        std::vector<OpPair> pairs;
        for (const OpEntry& op : target_.ops()) {
            const auto found = partners_.find(&op);
            if (found == partners_.end()) {
                pairs.push_back({&op, nullptr, {}, {}});
            } else {
                const auto& [golden, rule] = found->second;
                pairs.push_back({&op,
                                 golden,
                                 match_text(rule, op.id.op, golden->id.op),
                                 pair_tensors(op, *golden, inputs)});
            }
        }
        for (const OpEntry& op : golden_.ops())
            if (!taken_.contains(&op)) pairs.push_back({nullptr, &op, {}, {}});
        return pairs;
    }

  private:
    void join(const OpEntry& target, const OpEntry& golden, const char* rule) {
        partners_[&target] = {&golden, rule};
        taken_.insert(&golden);
    }

    const dumpfile::Reader& target_;
    const dumpfile::Reader& golden_;
    std::unordered_map<const OpEntry*, std::pair<const OpEntry*, const char*>> partners_;
    std::set<const OpEntry*> taken_;
};

}  // namespace

Plan make_plan(const dumpfile::Reader& target, const dumpfile::Reader& golden, bool inputs) {
    Plan plan;
    Aligner aligner(target, golden);
    if (!target.has_inputs()) {
        // Two dumps of outputs only may also be two free runs with seqids of their own.
        const int64_t matched = aligner.by_seqid();
        const auto ops = static_cast<int64_t>(target.ops().size());
        plan.load_mode = matched > 0 && (golden.has_inputs() || 2 * matched >= ops);
        if (!plan.load_mode) aligner.forget();
    }
    if (!plan.load_mode) {
        aligner.by_run(false);
        aligner.by_run(true);
    }
    plan.ops = aligner.pairs(inputs && target.has_inputs() && golden.has_inputs());
    return plan;
}

}  // namespace npuscope::compare
