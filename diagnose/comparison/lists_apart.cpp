#include "diagnose/comparison/lists_apart.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/recording/list_element.h"
#include "npu_backend/ops/forms/lists_of_tensors.h"

namespace npuscope::diagnose {

namespace {

using dumpfile::Direction;

constexpr std::string_view kOnLists = "_foreach_";

bool is_on_lists(const SourceOp& op) {
    return op.op().starts_with(kOnLists);
}

/// A number for Python (of a counter of steps), which nothing else takes in.
bool reads_number(const SourceOp& op) {
    return op.op() == "_local_scalar_dense" || op.op() == "item";
}

bool has_lists(const Source& source) {
    return std::ranges::any_of(source.ops, is_on_lists);
}

/// The ops of the side without lists.
class OtherOps {
  public:
    explicit OtherOps(const Source& source) : source_(source) {
        for (const SourceOp& op : source.ops)
            names_.insert(op.op());
    }

    [[nodiscard]] bool contains(const std::string& name) const { return names_.contains(name); }

    /// How many runs of that op take in a single number as `self`. Errors: as SourceOp::load.
    [[nodiscard]] size_t on_single_numbers(const std::string& name) const {
        return static_cast<size_t>(std::ranges::count_if(source_.ops, [&](const SourceOp& op) {
            return op.op() == name && std::ranges::any_of(op.load(), is_single_self);
        }));
    }

    /// Whether runs of that op take in each of these shapes as `self`, with a tensor that has axes
    /// as `other` or without one, as asked. Errors: as SourceOp::load.
    [[nodiscard]] bool take_all(const std::string& name,
                                const std::set<Shape>& shapes,
                                bool with_other) const {
        if (!contains(name)) return false;
        auto known = taken_.find(name);
        if (known == taken_.end()) {
            ShapesOfSelf found;
            for (const SourceOp& op : source_.ops)
                if (op.op() == name) add_self(op.load(), found);
            known = taken_.emplace(name, std::move(found)).first;
        }
        return std::ranges::includes(known->second[with_other ? 1 : 0], shapes);
    }

    static bool is_single_self(const SourceTensor& tensor) {
        return tensor.direction == Direction::kInput && tensor.argument == "self" &&
               tensor.shape.empty();
    }

  private:
    /// Of runs without such an `other`, and with one.
    using ShapesOfSelf = std::array<std::set<Shape>, 2>;

    static void add_self(const std::vector<SourceTensor>& tensors, ShapesOfSelf& shapes) {
        const SourceTensor* self = nullptr;
        bool has_other = false;
        for (const SourceTensor& tensor : tensors) {
            if (tensor.direction != Direction::kInput) continue;
            if (tensor.argument == "self") self = &tensor;
            has_other = has_other || (tensor.argument == "other" && !tensor.shape.empty());
        }
        if (self != nullptr) shapes[has_other ? 1 : 0].insert(self->shape);
    }

    const Source& source_;
    std::unordered_set<std::string> names_{};
    mutable std::map<std::string, ShapesOfSelf> taken_{};  ///< by name, once it was asked for
};

/// How an op on lists is called as an op on one tensor, and its arguments.
class OneByOne {
  public:
    OneByOne(const backend::Op& op, const std::set<Shape>& shapes, const OtherOps& others)
        : arguments_(backend::arguments_of_one(*op.row)) {
        const std::string_view name = op.row->schema.substr(0, op.row->schema.find_first_of("(."));
        const std::string base(name.substr(kOnLists.size()));
        const bool replaces_self = base.ends_with('_');
        const std::string plain = replaces_self ? base.substr(0, base.size() - 1) : base;
        const std::string as(op.row->as);
        const std::string overload = as.starts_with(plain) ? as.substr(plain.size()) : "";
        name_ = name_for(op, shapes, base, replaces_self ? plain : plain + "_", overload, others);
        is_in_place_ = name_.starts_with(plain + "_") && name_ != plain + "_Tensor" &&
                       name_ != plain + "_Scalar";
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string result() const { return is_in_place_ ? "self" : "result"; }
    /// Whether each tensor has a number of its own, which recorders leave out.
    [[nodiscard]] bool takes_numbers() const {
        return std::ranges::find(arguments_, "scalars", &Pair::first) != arguments_.end();
    }
    /// "" of what the op on one tensor does not take.
    [[nodiscard]] std::string argument(std::string_view given) const {
        if (given == "self") return "self";
        const auto found = std::ranges::find(arguments_, given, &Pair::first);
        return found == arguments_.end() ? "" : std::string(found->second);
    }

  private:
    using Pair = std::pair<std::string_view, std::string_view>;

    /// The name that the other side has for it. A number may be a tensor for its overload, a list
    /// of tensors is no number; a loop may write over what the list keeps, or the other way round.
    std::string name_for(const backend::Op& op,
                         const std::set<Shape>& shapes,
                         const std::string& base,
                         const std::string& other_base,
                         const std::string& overload,
                         const OtherOps& others) const {
        const bool takes_other =
            std::ranges::find(arguments_, "other", &Pair::second) != arguments_.end();
        const bool is_list = op.row->schema.find("Tensor[] other") != std::string::npos;
        const std::array<std::string, 6> names = {base + overload,
                                                  base + "_Tensor",
                                                  base,
                                                  other_base + overload,
                                                  other_base + "_Tensor",
                                                  other_base};
        const auto is_alike = [&](const std::string& each) {
            return takes_other ? others.take_all(each, shapes, is_list) : others.contains(each);
        };
        if (const auto* known = std::ranges::find_if(names, is_alike); known != names.end())
            return *known;
        // Of the same form, whatever it takes in.
        const auto* end = names.begin() + names.size() / 2;
        const auto* known = std::find_if(
            names.begin(), end, [&](const auto& each) { return others.contains(each); });
        return known == end ? names.front() : *known;
    }

    std::vector<Pair> arguments_;
    std::string name_;
    bool is_in_place_ = false;
};

/// Of the tensors of its first list. Errors: as SourceOp::load.
std::set<Shape> shapes_of(const SourceOp& op) {
    std::set<Shape> shapes;
    for (const SourceTensor& tensor : op.load())
        if (const auto element = list_element(tensor.argument);
            element && element->list == "self" && tensor.direction == Direction::kInput)
            shapes.insert(tensor.shape);
    return shapes;
}

bool has_list_of_numbers(const SourceOp& op) {
    if (!op.facts) return false;
    const SideFacts facts = op.facts();
    return std::ranges::any_of(facts.arguments, &PlainArgument::is_list);
}

/// What an op on lists took in and gave, by the places in its lists: loaded once for all of them.
struct Elements {
    std::vector<std::vector<SourceTensor>> tensors{};  ///< as the op on one tensor calls them
    std::vector<SourceTensor>
        numbers{};  ///< for all, which a loop over the tensors takes as numbers
    /// Of the only result, or, where a recorder left out what the op writes over, of `self`.
    std::vector<std::string> paths{};
};

/// Without paths where elements are missing. Errors: as SourceOp::load.
Elements elements_of(const SourceOp& op, const OneByOne& as) {
    std::array<std::vector<std::string>, 2> paths;
    Elements found;
    std::vector<SourceTensor> for_all;
    std::vector<SourceTensor> loaded = op.load();
    for (SourceTensor& tensor : loaded) {
        const bool is_output = tensor.direction == Direction::kOutput;
        const auto element = list_element(tensor.argument);
        if (!element) {
            const bool is_number = !is_output && tensor.shape.empty();
            (is_number ? found.numbers : for_all).push_back(std::move(tensor));
            continue;
        }
        const size_t index = element->index;
        if (index >= loaded.size()) return {};
        found.tensors.resize(std::max(found.tensors.size(), index + 1));
        if (is_output || element->list == "self") {
            std::vector<std::string>& own = paths[is_output ? 0 : 1];
            own.resize(std::max(own.size(), index + 1));
            own[index] = tensor.path;
        }
        tensor.argument = is_output ? as.result() : as.argument(element->list);
        tensor.name.clear();
        if (!tensor.argument.empty()) found.tensors[index].push_back(std::move(tensor));
    }
    for (SourceTensor& tensor : for_all) {
        tensor.argument = as.argument(tensor.argument);
        tensor.name.clear();
        if (tensor.argument.empty() || tensor.direction == Direction::kOutput) continue;
        for (std::vector<SourceTensor>& own : found.tensors)
            own.push_back(tensor);
    }
    found.paths = std::move(paths[paths[0].empty() ? 1 : 0]);
    if (std::ranges::find(found.paths, "") != found.paths.end()) found.paths.clear();
    found.tensors.resize(found.paths.size());
    return found;
}

SideFacts facts_at(SideFacts facts, const Elements& elements, const OneByOne& as, size_t index) {
    std::vector<PlainArgument> own;
    const auto take = [&](PlainArgument argument) {
        argument.name = as.argument(argument.name);
        argument.recorded = argument.name;
        if (!argument.name.empty()) own.push_back(std::move(argument));
    };
    for (PlainArgument& argument : facts.arguments) {
        if (argument.is_list && argument.numbers.size() == elements.paths.size()) {
            argument.numbers = {argument.numbers[index]};
            argument.is_list = false;
        }
        take(std::move(argument));
    }
    for (const SourceTensor& number : elements.numbers)
        if (number.open)
            take({.name = number.argument,
                  .numbers = {number.open()->whole().cast(DType::kFloat64).as<double>()[0]}});
    facts.arguments = std::move(own);
    return facts;
}

/// One op on lists, as runs on one tensor.
class TakenApart {
  public:
    TakenApart(const SourceOp& op, const OtherOps& others) : op_(op) {
        const backend::Op* known = backend::find_op(op.op());
        if (known == nullptr) return;
        try {
            as_.emplace(*known, shapes_of(op), others);
            elements_ = std::make_shared<const Elements>(elements_of(op, *as_));
            lacks_numbers_ = as_->takes_numbers() && !has_list_of_numbers(op);
            // Counters of steps, which a loop in Python keeps as numbers of its own.
            if (count() > 0 && is_of_single_numbers() &&
                others.on_single_numbers(as_->name()) < count())
                elements_ = std::make_shared<const Elements>();
        } catch (const Error&) {
            // Told where the op is compared.
        }
    }

    /// Tensors; 0 of an op that stays as it is.
    [[nodiscard]] size_t count() const { return elements_->paths.size(); }

    [[nodiscard]] SourceOp at(size_t index) const {
        SourceOp one = op_;
        one.id.op = as_->name();
        // Of an unknown number nothing is computed: there is no such run of the op on lists.
        one.computes = lacks_numbers_ ? op_.op() : "";
        one.lacks_numbers = lacks_numbers_;
        one.path = elements_->paths[index];
        one.mapped_bytes /= std::max<size_t>(1, count());
        one.load = [elements = elements_, index] { return elements->tensors[index]; };
        const auto facts_of_one = [&](const std::function<SideFacts()>& facts) {
            return [facts, elements = elements_, as = *as_, index] {
                return facts_at(facts(), *elements, as, index);
            };
        };
        if (op_.facts) one.facts = facts_of_one(op_.facts);
        if (op_.facts_but_place) one.facts_but_place = facts_of_one(op_.facts_but_place);
        return one;
    }

  private:
    [[nodiscard]] bool is_of_single_numbers() const {
        return std::ranges::all_of(elements_->tensors, [](const auto& tensors) {
            return std::ranges::any_of(tensors, OtherOps::is_single_self);
        });
    }

    SourceOp op_;
    std::optional<OneByOne> as_;
    std::shared_ptr<const Elements> elements_ = std::make_shared<const Elements>();
    bool lacks_numbers_ = false;
};

/// Runs of one length follow each other as in a loop over the tensors; what read numbers in between
/// follows them.
class AsLoop {
  public:
    explicit AsLoop(std::vector<SourceOp>& ops) : ops_(ops) {}

    [[nodiscard]] bool takes(const TakenApart& list) const {
        return lists_.empty() || lists_.front().count() == list.count();
    }
    [[nodiscard]] bool is_begun() const { return !lists_.empty(); }
    void add(TakenApart list) { lists_.push_back(std::move(list)); }
    void add_reader(SourceOp op) { readers_.push_back(std::move(op)); }

    void end() {
        for (size_t tensor = 0; is_begun() && tensor < lists_.front().count(); ++tensor)
            for (const TakenApart& list : lists_)
                ops_.push_back(list.at(tensor));
        lists_.clear();
        std::ranges::move(readers_, std::back_inserter(ops_));
        readers_.clear();
    }

  private:
    std::vector<SourceOp>& ops_;
    std::vector<TakenApart> lists_;
    std::vector<SourceOp> readers_;
};

void take_apart(Source& source, const Source& other) {
    const OtherOps others(other);
    std::vector<SourceOp> ops;
    AsLoop loop(ops);
    for (SourceOp& op : source.ops) {
        if (loop.is_begun() && reads_number(op)) {
            loop.add_reader(std::move(op));
            continue;
        }
        std::optional<TakenApart> apart;
        if (is_on_lists(op)) apart.emplace(op, others);
        const bool is_apart = apart && apart->count() > 0;
        if (!is_apart || !loop.takes(*apart)) loop.end();
        if (is_apart) {
            loop.add(std::move(*apart));
        } else {
            ops.push_back(std::move(op));
        }
    }
    loop.end();
    source.ops = std::move(ops);
}

}  // namespace

void take_lists_apart(Source& target, Source& golden) {
    const bool of_target = has_lists(target);
    if (of_target == has_lists(golden)) return;
    take_apart(of_target ? target : golden, of_target ? golden : target);
}

}  // namespace npuscope::diagnose
