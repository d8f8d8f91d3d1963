#include "compare/sources/compare_sources.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "compare/count.h"
#include "compare/overflow_roles.h"
#include "core/base/error.h"
#include "custom_algorithms/runner.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

std::string normal(const std::string& name) {
    std::string result;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            result += c;
        } else if (!result.empty() && result.back() != '_') {
            result += '_';
        }
    }
    while (result.ends_with('_'))
        result.pop_back();
    return result;
}

class Comparison {
  public:
    Comparison(const Source& target,
               const Source& golden,
               const Bounds& bounds,
               const Options& options)
        : target_(target), golden_(golden), bounds_(bounds), options_(options) {
        for (size_t i = 0; i < golden.size(); ++i)
            golden_by_name_[normal(golden[i].name)].push_back(i);
    }

    Result run() {
        if (options_.custom != nullptr) result_.custom_names = options_.custom->names();
        std::vector<bool> taken(golden_.size(), false);
        for (size_t i = 0; i < target_.size(); ++i) {
            const auto partner = partner_of(target_[i], taken);
            if (partner) taken[*partner] = true;
            add(&target_[i], partner ? &golden_[*partner] : nullptr);
            if (options_.on_op)
                options_.on_op(static_cast<int64_t>(i + 1),
                               static_cast<int64_t>(target_.size()),
                               target_[i].name);
        }
        for (size_t i = 0; i < golden_.size(); ++i)
            if (!taken[i]) add(nullptr, &golden_[i]);
        mark_overflow(result_.ops);
        count(result_);
        return std::move(result_);
    }

  private:
    std::optional<size_t> partner_of(const SourceOp& op, const std::vector<bool>& taken) const {
        if (target_.size() == 1 && golden_.size() == 1) return 0;
        const auto at = golden_by_name_.find(normal(op.name));
        if (at == golden_by_name_.end()) return std::nullopt;
        for (const size_t i : at->second)
            if (!taken[i]) return i;
        return std::nullopt;
    }

    void add(const SourceOp* target, const SourceOp* golden) {
        OpResult op;
        op.id = {(target != nullptr ? target : golden)->name,
                 static_cast<int64_t>(result_.ops.size())};
        if (target != nullptr) op.target = target->name;
        if (golden != nullptr) op.golden = golden->name;
        take_facts(facts_of(target), facts_of(golden), op);
        if (target == nullptr || golden == nullptr) {
            op.judgement =
                target != nullptr
                    ? Judgement{Verdict::kMissingGolden, "only the target has this op"}
                    : Judgement{Verdict::kMissingTarget, "only the golden side has this op"};
        } else {
            op.match = normal(target->name) == normal(golden->name) ? "name" : "single op";
            compare_op(*target, *golden, op);
        }
        result_.ops.push_back(std::move(op));
    }

    static SideFacts facts_of(const SourceOp* op) {
        return op != nullptr && op->facts ? op->facts() : SideFacts{};
    }

    void compare_op(const SourceOp& target, const SourceOp& golden, OpResult& op) const {
        std::vector<SourceTensor> mine;
        std::vector<SourceTensor> theirs;
        try {
            mine = target.load();
            theirs = golden.load();
        } catch (const Error& failure) {
            op.judgement = {Verdict::kIncomparable, failure.what()};
            TensorResult unread;
            unread.target = target.name;
            unread.golden = golden.name;
            unread.judgement = op.judgement;
            op.tensors.push_back(std::move(unread));
            return;
        }
        for (const Direction direction : {Direction::kInput, Direction::kOutput})
            if (direction == Direction::kOutput || options_.inputs)
                compare_direction(select(mine, direction), select(theirs, direction), op);
        conclude(op);
    }

    static std::vector<const SourceTensor*> select(const std::vector<SourceTensor>& tensors,
                                                   Direction direction) {
        std::vector<const SourceTensor*> selected;
        for (const SourceTensor& tensor : tensors)
            if (tensor.direction == direction) selected.push_back(&tensor);
        return selected;
    }

    void compare_direction(const std::vector<const SourceTensor*>& target,
                           std::vector<const SourceTensor*> golden,
                           OpResult& op) const {
        // Inputs that one side does not record at all are no finding.
        if (target.empty() || golden.empty()) {
            if (!target.empty() && target.front()->direction == Direction::kInput) return;
            if (!golden.empty() && golden.front()->direction == Direction::kInput) return;
        }
        std::vector<const SourceTensor*> partners(target.size(), nullptr);
        for (size_t i = 0; i < target.size(); ++i)
            for (const SourceTensor*& each : golden)
                if (each != nullptr && partners[i] == nullptr &&
                    normal(each->argument) == normal(target[i]->argument))
                    std::swap(partners[i], each);
        std::erase(golden, nullptr);
        size_t next = 0;
        for (const SourceTensor*& partner : partners)
            if (partner == nullptr && next < golden.size()) partner = golden[next++];
        for (size_t i = 0; i < target.size(); ++i)
            op.tensors.push_back(compare_tensor(target[i], partners[i]));
        for (; next < golden.size(); ++next)
            op.tensors.push_back(compare_tensor(nullptr, golden[next]));
    }

    TensorResult compare_tensor(const SourceTensor* target, const SourceTensor* golden) const {
        const SourceTensor& known = target != nullptr ? *target : *golden;
        TensorResult result;
        if (target == nullptr || golden == nullptr) {
            result.judgement =
                target != nullptr
                    ? Judgement{Verdict::kMissingGolden, "only the target has it"}
                    : Judgement{Verdict::kMissingTarget, "only the golden side has it"};
        } else {
            result = measure(*target, *golden);
        }
        result.argument = known.argument;
        result.direction = known.direction;
        if (result.dtype.empty()) result.dtype = known.dtype;
        if (result.shape.empty()) result.shape = known.shape;
        if (target != nullptr) result.target = target->path;
        if (golden != nullptr) result.golden = golden->path;
        if (target != nullptr && golden != nullptr && target->data && golden->data)
            run_custom(options_, *target->data, *golden->data, result);
        return result;
    }

    TensorResult measure(const SourceTensor& target, const SourceTensor& golden) const {
        const auto dtype = dtype_from_name(target.dtype);
        TensorResult result;
        try {
            const Bound bound = bounds_.bound({.target = target.path,
                                               .golden = golden.path,
                                               .dtype = dtype.value_or(DType::kFloat32),
                                               .compute_type = target.compute_type,
                                               .is_input = target.direction == Direction::kInput});
            if (target.data && golden.data)
                return compare_tensors(*target.data, *golden.data, bound, options_);
            for (const SourceTensor* side : {&target, &golden})
                if (!side->data && !side->statistics && !side->problem.empty()) {
                    result.judgement = {Verdict::kIncomparable, side->problem};
                    return result;
                }
            if (target.shape != golden.shape) {
                result.judgement = {Verdict::kIncomparable,
                                    "shapes differ: " + to_string(target.shape) + " and " +
                                        to_string(golden.shape)};
                return result;
            }
            result.bound = bound;
            const auto [judgement, missing] =
                judge_statistics(recorded(target), recorded(golden), bound);
            result.judgement = judgement;
            result.missing_statistics = missing;
            result.by_statistics = missing < kStatistics;
        } catch (const Error& failure) {
            result.judgement = {Verdict::kIncomparable, failure.what()};
        }
        return result;
    }

    static RecordedStatistics recorded(const SourceTensor& tensor) {
        return tensor.data ? recorded_of(*tensor.data)
                           : tensor.statistics.value_or(RecordedStatistics{});
    }

    const Source& target_;
    const Source& golden_;
    const Bounds& bounds_;
    const Options& options_;
    std::map<std::string, std::vector<size_t>> golden_by_name_;
    Result result_;
};

}  // namespace

Result compare_sources(const Source& target,
                       const Source& golden,
                       const Bounds& bounds,
                       const Options& options) {
    return Comparison(target, golden, bounds, options).run();
}

}  // namespace npuscope::compare
