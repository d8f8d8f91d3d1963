#include "diagnose/comparison/lists_apart.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

namespace {

using dumpfile::Direction;

constexpr std::string_view kOnLists = "_foreach_";

bool is_on_lists(const SourceOp& op) {
    return op.op().starts_with(kOnLists);
}

bool has_lists(const Source& source) {
    return std::ranges::any_of(source.ops, is_on_lists);
}

/// "tensors1/tensors1_3": its list, and its place there.
struct ListElement {
    std::string_view list;
    size_t index = 0;
};

std::optional<ListElement> element_of(std::string_view argument) {
    const size_t slash = argument.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    ListElement element{argument.substr(0, slash)};
    const std::string_view number = argument.substr(argument.rfind('_') + 1);
    const char* end = number.data() + number.size();
    if (std::from_chars(number.data(), end, element.index).ptr != end) return std::nullopt;
    return element;
}

/// How an op on lists is called as an op on one tensor, and its arguments.
class OneByOne {
  public:
    OneByOne(const backend::Op& op, const std::unordered_set<std::string>& others)
        : pairs_(op.row->argument) {
        const std::string_view name = op.row->schema.substr(0, op.row->schema.find_first_of("(."));
        const std::string base(name.substr(kOnLists.size()));
        is_in_place_ = base.ends_with('_');
        const std::string plain = is_in_place_ ? base.substr(0, base.size() - 1) : base;
        const std::string as(op.row->as);
        const std::string overload = as.starts_with(plain) ? as.substr(plain.size()) : "";
        // A number may be a tensor for the other side's overload.
        const std::array<std::string, 4> names = {
            base + overload, base + "_Tensor", base + "_Scalar", base};
        const auto known =
            std::ranges::find_if(names, [&](const auto& each) { return others.contains(each); });
        name_ = known == names.end() ? names.front() : *known;
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string result() const { return is_in_place_ ? "self" : "result"; }
    /// Whether each tensor has a number of its own, which recorders leave out.
    [[nodiscard]] bool takes_numbers() const {
        return pairs_.find("scalars=") != std::string_view::npos;
    }
    /// "" of what the op on one tensor does not take.
    [[nodiscard]] std::string argument(std::string_view given) const {
        if (given == "self") return "self";
        std::string_view rest = pairs_;
        while (!rest.empty()) {
            const std::string_view pair = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
            const size_t equals = pair.find('=');
            if (pair.substr(0, equals) == given) return std::string(pair.substr(equals + 1));
        }
        return "";
    }

  private:
    std::string_view pairs_;
    std::string name_;
    bool is_in_place_ = false;
};

/// A number for all tensors, which a loop over them takes as a number.
bool is_number(const SourceTensor& tensor) {
    return tensor.direction == Direction::kInput && tensor.shape.empty() &&
           !element_of(tensor.argument);
}

std::vector<SourceTensor> tensors_at(const SourceOp& op, const OneByOne& as, size_t index) {
    std::vector<SourceTensor> own;
    for (SourceTensor& tensor : op.load()) {
        const auto element = element_of(tensor.argument);
        if ((element && element->index != index) || is_number(tensor)) continue;
        const std::string_view name = element ? element->list : std::string_view(tensor.argument);
        tensor.argument = tensor.direction == Direction::kOutput ? as.result() : as.argument(name);
        tensor.name.clear();
        if (!tensor.argument.empty()) own.push_back(std::move(tensor));
    }
    return own;
}

SideFacts facts_at(
    const SourceOp& op, SideFacts facts, const OneByOne& as, size_t index, size_t count) {
    std::vector<PlainArgument> own;
    const auto take = [&](PlainArgument argument) {
        argument.name = as.argument(argument.name);
        argument.recorded = argument.name;
        if (!argument.name.empty()) own.push_back(std::move(argument));
    };
    for (PlainArgument& argument : facts.arguments) {
        if (argument.is_list && argument.numbers.size() == count) {
            argument.numbers = {argument.numbers[index]};
            argument.is_list = false;
        }
        take(std::move(argument));
    }
    for (const SourceTensor& tensor : op.load())
        if (is_number(tensor) && tensor.open)
            take({.name = tensor.argument,
                  .numbers = {tensor.open()->whole().cast(DType::kFloat64).as<double>()[0]}});
    facts.arguments = std::move(own);
    return facts;
}

/// Paths of the elements of its only result, or, where a recorder left out what the op writes over,
/// of `self`. Empty where they are not all there.
std::vector<std::string> elements_of(const SourceOp& op) {
    std::array<std::vector<std::string>, 2> paths;
    try {
        const std::vector<SourceTensor> tensors = op.load();
        for (const SourceTensor& tensor : tensors) {
            const auto element = element_of(tensor.argument);
            if (element && element->index >= tensors.size()) return {};
            const bool is_output = tensor.direction == Direction::kOutput;
            if (!element || (!is_output && element->list != "self")) continue;
            std::vector<std::string>& own = paths[is_output ? 0 : 1];
            own.resize(std::max(own.size(), element->index + 1));
            own[element->index] = tensor.path;
        }
    } catch (const Error&) {
        // Told where the op is compared.
        return {};
    }
    std::vector<std::string>& found = paths[paths[0].empty() ? 1 : 0];
    if (std::ranges::find(found, "") != found.end()) found.clear();
    return std::move(found);
}

bool has_list_of_numbers(const SourceOp& op) {
    if (!op.facts) return false;
    const SideFacts facts = op.facts();
    return std::ranges::any_of(facts.arguments, &PlainArgument::is_list);
}

/// One op on lists, as runs on one tensor.
class TakenApart {
  public:
    TakenApart(const SourceOp& op, const std::unordered_set<std::string>& others) : op_(op) {
        const backend::Op* known = backend::find_op(op.op());
        if (known == nullptr) return;
        paths_ = elements_of(op);
        as_.emplace(*known, others);
        lacks_numbers_ = as_->takes_numbers() && !has_list_of_numbers(op);
    }

    /// Tensors; 0 of an op that stays as it is.
    [[nodiscard]] size_t count() const { return paths_.size(); }

    [[nodiscard]] SourceOp at(size_t index) const {
        SourceOp one = op_;
        one.id.op = as_->name();
        // Of an unknown number nothing is computed: there is no such run of the op on lists.
        one.computes = lacks_numbers_ ? op_.op() : "";
        one.lacks_numbers = lacks_numbers_;
        one.path = paths_[index];
        one.mapped_bytes /= std::max<size_t>(1, count());
        one.load = [op = op_, as = *as_, index] { return tensors_at(op, as, index); };
        const size_t count = paths_.size();
        const auto facts_of_one = [&](const std::function<SideFacts()>& facts) {
            return [op = op_, facts, as = *as_, index, count] {
                return facts_at(op, facts(), as, index, count);
            };
        };
        if (op_.facts) one.facts = facts_of_one(op_.facts);
        if (op_.facts_but_place) one.facts_but_place = facts_of_one(op_.facts_but_place);
        return one;
    }

  private:
    SourceOp op_;
    std::optional<OneByOne> as_;
    std::vector<std::string> paths_;
    bool lacks_numbers_ = false;
};

/// Runs of one length follow each other as in a loop over the tensors.
void add_as_loop(std::vector<TakenApart>& lists, std::vector<SourceOp>& ops) {
    if (lists.empty()) return;
    for (size_t tensor = 0; tensor < lists.front().count(); ++tensor)
        for (const TakenApart& list : lists)
            ops.push_back(list.at(tensor));
    lists.clear();
}

void take_apart(Source& source, const Source& other) {
    std::unordered_set<std::string> others;
    for (const SourceOp& op : other.ops)
        others.insert(op.op());
    std::vector<SourceOp> ops;
    std::vector<TakenApart> lists;
    for (SourceOp& op : source.ops) {
        std::optional<TakenApart> apart;
        if (is_on_lists(op)) apart.emplace(op, others);
        const bool goes_on = apart && apart->count() > 0 &&
                             (lists.empty() || lists.front().count() == apart->count());
        if (!goes_on) add_as_loop(lists, ops);
        if (apart && apart->count() > 0) {
            lists.push_back(std::move(*apart));
        } else {
            ops.push_back(std::move(op));
        }
    }
    add_as_loop(lists, ops);
    source.ops = std::move(ops);
}

}  // namespace

void take_lists_apart(Source& target, Source& golden) {
    const bool of_target = has_lists(target);
    if (of_target == has_lists(golden)) return;
    take_apart(of_target ? target : golden, of_target ? golden : target);
}

}  // namespace npuscope::diagnose
