#include "compare/match.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "compare/align/align.h"
#include "compare/align/call_numbers.h"
#include "compare/align/match_text.h"
#include "compare/align/name_prefix.h"
#include "core/naming/aliases.h"
#include "core/naming/casts.h"
#include "core/naming/ir_name.h"
#include "core/naming/unspecified.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Anything but letters and digits is one separator.
std::string plain_name(const std::string& name) {
    std::string plain;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            plain += c;
        } else if (!plain.empty() && plain.back() != '_') {
            plain += '_';
        }
    }
    while (plain.ends_with('_'))
        plain.pop_back();
    return plain;
}

std::string canonical_argument_of(const std::string& op, const std::string& argument) {
    return std::string(canonical_argument(find_alias(op), argument));
}

/// Pairs the tensors of one direction.
class TensorMatcher {
  public:
    TensorMatcher(const std::vector<SourceTensor>& target,
                  const std::vector<SourceTensor>& golden,
                  Direction direction) {
        for (const SourceTensor& tensor : target)
            if (tensor.direction == direction) pairs_.push_back({&tensor, nullptr});
        for (const SourceTensor& tensor : golden)
            if (tensor.direction == direction) waiting_.push_back(&tensor);
    }

    [[nodiscard]] bool has_both_sides() const { return !pairs_.empty() && !waiting_.empty(); }

    /// Pairs what `target` and `golden` give one name to.
    template <class F, class G>
    void by_name(F&& target, G&& golden) {
        for (TensorPair& pair : pairs_) {
            if (pair.golden != nullptr || waiting_.empty()) continue;
            const auto& name = target(*pair.target);
            const auto found = std::ranges::find_if(
                waiting_, [&](const SourceTensor* other) { return golden(*other) == name; });
            if (found != waiting_.end()) take(pair, found);
        }
    }

    /// What is alone on both sides, whatever it is called.
    void the_only() {
        const auto is_free = [](const TensorPair& pair) { return pair.golden == nullptr; };
        if (waiting_.size() != 1 || std::ranges::count_if(pairs_, is_free) != 1) return;
        in_order();
    }

    void in_order() {
        for (TensorPair& pair : pairs_)
            if (pair.golden == nullptr && !waiting_.empty()) take(pair, waiting_.begin());
    }

    std::vector<TensorPair> pairs() && {
        for (const SourceTensor* rest : waiting_)
            pairs_.push_back({nullptr, rest});
        return std::move(pairs_);
    }

  private:
    void take(TensorPair& pair, std::vector<const SourceTensor*>::iterator golden) {
        pair.golden = *golden;
        waiting_.erase(golden);
    }

    std::vector<TensorPair> pairs_;
    std::vector<const SourceTensor*> waiting_;
};

class OpMatcher {
  public:
    OpMatcher(const Source& target, const Source& golden) : target_(target), golden_(golden) {}

    /// Every target op to the golden op of the same seqid, of equal name first.
    int64_t by_seqid() {
        std::unordered_map<int64_t, std::vector<const SourceOp*>> ops;
        for (const SourceOp& op : golden_.ops)
            ops[op.id.seqid].push_back(&op);
        int64_t matched = 0;
        const auto are_one = [](const SourceOp& one, const SourceOp& other, int looseness) {
            if (looseness == 0) return one.id.op == other.id.op;
            const std::string_view mine = canonical_name(one.id.op);
            const std::string_view theirs = canonical_name(other.id.op);
            if (looseness == 1) return mine == theirs;
            // A recorder that leaves overloads out.
            return without_overload(mine) == theirs || mine == without_overload(theirs);
        };
        for (const int looseness : {0, 1, 2}) {
            for (const SourceOp& op : target_.ops) {
                const auto found = ops.find(op.id.seqid);
                if (found == ops.end() || partners_.contains(&op) || !op.unmatched.empty())
                    continue;
                for (const SourceOp* other : found->second) {
                    if (!are_one(op, *other, looseness) || taken_.contains(other)) continue;
                    join(op, *other, match_text("seqid", op.id.op, other->id.op));
                    ++matched;
                    break;
                }
            }
        }
        return matched;
    }

    /// The k-th run of a name to the k-th run of that name.
    using Name = std::function<std::string(const SourceOp&)>;
    void by_run(const Name& target_name, const Name& golden_name) {
        std::unordered_map<std::string, std::deque<const SourceOp*>> waiting;
        for (const SourceOp& op : golden_.ops)
            if (!taken_.contains(&op)) waiting[golden_name(op)].push_back(&op);
        if (waiting.empty()) return;
        for (const SourceOp& op : target_.ops) {
            if (partners_.contains(&op)) continue;
            auto found = waiting.find(target_name(op));
            if (found == waiting.end() || found->second.empty()) continue;
            const SourceOp& golden = *found->second.front();
            join(op, golden, match_text("name", op.id.op, golden.id.op));
            found->second.pop_front();
        }
    }

    void alone() {
        if (target_.ops.size() == 1 && golden_.ops.size() == 1 && partners_.empty())
            join(target_.ops[0], golden_.ops[0], "single op");
    }

    /// What the ops without partner are called.
    [[nodiscard]] std::vector<std::string> free_target(const Name& name) const {
        std::vector<std::string> names;
        for (const SourceOp& op : target_.ops)
            if (!partners_.contains(&op)) names.push_back(name(op));
        return names;
    }
    [[nodiscard]] std::vector<std::string> free_golden(const Name& name) const {
        std::vector<std::string> names;
        for (const SourceOp& op : golden_.ops)
            if (!taken_.contains(&op)) names.push_back(name(op));
        return names;
    }

    [[nodiscard]] std::vector<OpPair> pairs() const {
        std::vector<OpPair> pairs;
        for (const SourceOp& op : target_.ops) {
            const auto found = partners_.find(&op);
            pairs.push_back(found == partners_.end()
                                ? OpPair{&op, nullptr}
                                : OpPair{&op, found->second.first, found->second.second});
        }
        for (const SourceOp& op : golden_.ops)
            if (!taken_.contains(&op)) pairs.push_back({nullptr, &op});
        return pairs;
    }

  private:
    void join(const SourceOp& target, const SourceOp& golden, std::string rule) {
        partners_[&target] = {&golden, std::move(rule)};
        taken_.insert(&golden);
    }

    const Source& target_;
    const Source& golden_;
    std::unordered_map<const SourceOp*, std::pair<const SourceOp*, std::string>> partners_;
    std::unordered_set<const SourceOp*> taken_;
};

/// Both recorded the same calls in the same order: each is its own partner, the k-th of a name too.
bool have_equal_paths(const Source& target, const Source& golden) {
    return std::ranges::equal(target.ops, golden.ops, {}, &SourceOp::path, &SourceOp::path);
}

std::vector<OpPair> pairs_in_place(const Source& target, const Source& golden) {
    std::vector<OpPair> pairs;
    pairs.reserve(target.ops.size());
    for (size_t i = 0; i < target.ops.size(); ++i)
        pairs.push_back({&target.ops[i],
                         &golden.ops[i],
                         match_text("name", target.ops[i].id.op, golden.ops[i].id.op)});
    return pairs;
}

/// Copies and casts that one side has more compute nothing.
void see_through_casts(Plan& plan) {
    const auto is_compared = [](const OpPair& pair) {
        const bool both = pair.target != nullptr && pair.golden != nullptr;
        const SourceOp& known = pair.target != nullptr ? *pair.target : *pair.golden;
        return both || !is_cast(canonical_name(known.id.op));
    };
    const auto first = std::stable_partition(plan.ops.begin(), plan.ops.end(), is_compared);
    plan.casts.assign(first, plan.ops.end());
    plan.ops.erase(first, plan.ops.end());
}

}  // namespace

Plan make_plan(const Source& target, const Source& golden, bool load_mode, const Renames& renames) {
    const bool both_dumps = target.numbered && golden.numbered;
    Plan plan;
    OpMatcher matcher(target, golden);
    if (load_mode && both_dumps && !target.may_have_inputs()) {
        // A dump of outputs only may also be a free run with seqids of its own.
        const int64_t matched = matcher.by_seqid();
        const int64_t recorded = std::ranges::count_if(
            target.ops, [](const SourceOp& op) { return op.unmatched.empty(); });
        plan.load_mode = matched > 0 && 2 * matched >= recorded;
    }
    if (plan.load_mode) {
        plan.ops = matcher.pairs();
        see_through_casts(plan);
    } else if (both_dumps) {
        plan = align_runs(target, golden);
    } else if (have_equal_paths(target, golden)) {
        plan.ops = pairs_in_place(target, golden);
    } else {
        const CallNumbers numbers(target, golden);
        // Tensor.add_ is not Tensor.__add__.
        const auto as_key = [counts = numbers.counts_calls()](const std::string& name) {
            return counts ? name : plain_name(name);
        };
        const auto of_target = [&](const SourceOp& op) {
            return renames.of(numbers.name_of_target(op));
        };
        const auto of_golden = [&](const SourceOp& op) { return numbers.name_of_golden(op); };
        matcher.by_run([&](const SourceOp& op) { return as_key(of_target(op)); },
                       [&](const SourceOp& op) { return as_key(of_golden(op)); });
        const auto canonical = [](const SourceOp& op) {
            return std::string(canonical_name(op.id.op));
        };
        matcher.by_run(canonical, [&](const SourceOp& op) {
            return numbers.is_renumbered(op) ? numbers.name_of_golden(op) : canonical(op);
        });
        const auto prefix =
            find_name_prefix(matcher.free_target(of_target), matcher.free_golden(of_golden));
        if (prefix) {
            const auto without = [&](const std::string& name, bool is_target) {
                return as_key(prefix->of_target == is_target ? prefix->without(name) : name);
            };
            matcher.by_run([&](const SourceOp& op) { return without(of_target(op), true); },
                           [&](const SourceOp& op) { return without(of_golden(op), false); });
            plan.remark = to_text(*prefix);
        }
        matcher.alone();
        plan.ops = matcher.pairs();
    }
    plan.inputs = target.may_have_inputs() && golden.may_have_inputs();
    return plan;
}

namespace {

/// Names of other arguments stay.
std::string other_operand(const std::string& argument) {
    if (argument == kFirstOperand) return std::string(kSecondOperand);
    return argument == kSecondOperand ? std::string(kFirstOperand) : argument;
}

}  // namespace

std::vector<TensorPair> pair_tensors(const OpPair& ops,
                                     const std::vector<SourceTensor>& target,
                                     const std::vector<SourceTensor>& golden,
                                     bool both_dumps) {
    std::vector<TensorPair> pairs;
    if (!ops.ties.empty()) {
        for (size_t i = 0; i < ops.ties.size(); ++i)
            pairs.push_back({&target[i], &golden[i], &ops.ties[i]});
        return pairs;
    }
    for (const Direction direction : {Direction::kInput, Direction::kOutput}) {
        TensorMatcher matcher(target, golden, direction);
        // Inputs that one side does not record at all are no finding.
        if (!both_dumps && direction == Direction::kInput && !matcher.has_both_sides()) continue;
        const auto itself = [](const SourceTensor& tensor) -> const std::string& {
            return tensor.argument;
        };
        if (!ops.exchanged || direction == Direction::kOutput) matcher.by_name(itself, itself);
        const auto canonical = [](const SourceOp& op) {
            return [&](const SourceTensor& tensor) {
                return canonical_argument_of(op.id.op, tensor.argument);
            };
        };
        if (ops.exchanged && direction == Direction::kInput)
            matcher.by_name(
                [&](const SourceTensor& tensor) {
                    return other_operand(canonical_argument_of(ops.target->id.op, tensor.argument));
                },
                canonical(*ops.golden));
        matcher.by_name(canonical(*ops.target), canonical(*ops.golden));
        if (!both_dumps) {
            const auto plain = [](const SourceTensor& tensor) {
                return plain_name(tensor.argument);
            };
            matcher.by_name(plain, plain);
            matcher.in_order();
        }
        if (direction == Direction::kOutput) matcher.the_only();
        std::vector<TensorPair> found = std::move(matcher).pairs();
        pairs.insert(pairs.end(), found.begin(), found.end());
    }
    std::erase_if(pairs, [&](const TensorPair& pair) {
        const SourceTensor& known = pair.known();
        const SourceOp* op = pair.target != nullptr ? ops.target : ops.golden;
        return op != nullptr &&
               is_unspecified(op->id.op, known.argument, known.direction == Direction::kOutput);
    });
    return pairs;
}

bool are_of_two_kinds(const OpPair& pair) {
    return !pair.ties.empty() &&
           canonical_name(pair.target->id.op) != canonical_name(pair.golden->id.op);
}

std::unordered_map<const SourceOp*, size_t> places_of(const Plan& plan) {
    std::unordered_map<const SourceOp*, size_t> places;
    for (size_t i = 0; i < plan.ops.size(); ++i)
        for (const SourceOp* op : {plan.ops[i].target, plan.ops[i].golden})
            if (op != nullptr) places.emplace(op, i);
    for (size_t i = 0; i < plan.ops.size(); ++i)
        for (const auto* also : {&plan.ops[i].also_target, &plan.ops[i].also_golden})
            for (const SourceOp* op : *also)
                places.emplace(op, i);
    return places;
}

std::unordered_set<const SourceOp*> paired_ops(const Plan& plan) {
    std::unordered_set<const SourceOp*> paired;
    for (const OpPair& pair : plan.ops) {
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        paired.insert({pair.target, pair.golden});
        paired.insert(pair.also_target.begin(), pair.also_target.end());
        paired.insert(pair.also_golden.begin(), pair.also_golden.end());
    }
    return paired;
}

}  // namespace npuscope::compare
