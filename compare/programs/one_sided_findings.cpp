#include "compare/programs/one_sided_findings.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "compare/dataflow/input_roles.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Results that are so many times farther off than all before them, and so far at all, are so by
/// what happens here.
constexpr double kJumpHere = 4;
constexpr double kLeastJumpHere = 5e-3;

double worst_output_error(const OpResult& op) {
    return worst_error(op, Direction::kOutput).value_or(0);
}

bool has_passed(const OpResult& op) {
    return std::ranges::all_of(op.tensors, [](const TensorResult& tensor) {
        return tensor.direction != Direction::kOutput ||
               tensor.judgement.verdict <= Verdict::kUndefined;
    });
}

std::string place_words(const OpResult& op) {
    const std::string& module = op.module.empty() ? op.node : op.module;
    std::string text = module;
    if (!op.line.empty()) text += (text.empty() ? "" : ", ") + op.line;
    return text.empty() ? "" : " (" + text + ")";
}

class OneSided {
  public:
    OneSided(const Plan& plan, Result& result) : plan_(plan), result_(result) {
        for (size_t i = 0; i < plan.ops.size(); ++i) {
            const OpPair& pair = plan.ops[i];
            if (pair.target == nullptr || pair.golden == nullptr) continue;
            places_[pair.target] = places_[pair.golden] = i;
            for (const auto* also : {&pair.also_target, &pair.also_golden})
                for (const SourceOp* op : *also)
                    places_.emplace(op, i);
        }
        double before = 0;
        for (const OpResult& op : result.ops) {
            before_.push_back(before);
            if (op.is_pair()) before = std::max(before, worst_output_error(op));
        }
    }

    void take() {
        std::set<std::pair<bool, size_t>> told;
        for (const OneSidedGiven& given : plan_.one_sided) {
            const auto place = places_.find(given.op);
            if (given.partner == nullptr || place == places_.end() ||
                told.contains({given.of_target, given.tensor}) ||
                is_told(given, result_.ops[place->second]) ||
                !makes_a_difference(given, place->second))
                continue;
            told.emplace(given.of_target, given.tensor);
            tell(given, place->second);
        }
    }

  private:
    [[nodiscard]] bool makes_a_difference(const OneSidedGiven& given, size_t place) const {
        const OpResult& op = result_.ops[place];
        if (has_passed(op)) return false;
        if (given.else_alike && given.is_vector()) return true;
        return worst_output_error(op) > std::max(kLeastJumpHere, kJumpHere * before_[place]);
    }

    /// As an argument that its partner lacks.
    static bool is_told(const OneSidedGiven& given, const OpResult& op) {
        return std::ranges::any_of(op.tensors, [&](const TensorResult& tensor) {
            return (given.of_target ? tensor.target : tensor.golden) == given.path;
        });
    }

    void tell(const OneSidedGiven& given, size_t place) {
        OpResult& op = result_.ops[place];
        const std::string sentence =
            std::string(given.of_target ? "the target's " : "the golden's ") + given.op->path +
            place_words(op) + " is given a " +
            std::string(noun_of_input(given.op->id.op, given.argument)) + " `" + given.argument +
            "` (" + to_string(given.shape) + ") that the " +
            (given.of_target ? "golden" : "target") + " has nowhere";
        TensorResult tensor;
        tensor.argument = given.argument;
        tensor.direction = Direction::kInput;
        (given.of_target ? tensor.target : tensor.golden) = given.path;
        tensor.dtype = given.dtype;
        tensor.shape = given.shape;
        tensor.judgement = {given.of_target ? Verdict::kMissingGolden : Verdict::kMissingTarget,
                            sentence};
        const auto first_output =
            std::ranges::find(op.tensors, Direction::kOutput, &TensorResult::direction);
        op.tensors.insert(first_output, std::move(tensor));
        conclude(op, result_.allow_golden_at_fault);
        result_.culprits.push_back({.kind = CulpritKind::kProgram, .op = place, .why = sentence});
    }

    const Plan& plan_;
    Result& result_;
    std::unordered_map<const SourceOp*, size_t> places_;
    std::vector<double> before_;  ///< by op: the worst output of all before it
};

}  // namespace

void take_one_sided(const Plan& plan, Result& result) {
    if (!plan.one_sided.empty()) OneSided(plan, result).take();
}

}  // namespace npuscope::compare
