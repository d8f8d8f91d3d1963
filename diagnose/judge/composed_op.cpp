#include "diagnose/judge/composed_op.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::diagnose {

namespace {

using backend::Lowering;
using backend::Op;
using backend::OpRow;

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

/// What stands before `mark`, which is taken off `rest`; all of it where there is none.
std::string_view cut_at(std::string_view& rest, char mark) {
    const std::string_view part = rest.substr(0, rest.find(mark));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return trimmed(part);
}

[[noreturn]] void damaged(std::string_view program) {
    throw Error(ErrorKind::kInternal, "the program '" + std::string(program) + "' does not parse");
}

/// One run of a program.
class Program {
  public:
    explicit Program(Lowering& op) : op_(op) {}

    Tensor run() {
        Tensor last;
        for (std::string_view rest = op_.argument(); !rest.empty();)
            if (std::string_view step = cut_at(rest, ';'); is_wanted(step)) last = run_step(step);
        return last;
    }

  private:
    /// Takes "?weight:" off.
    bool is_wanted(std::string_view& step) const {
        if (!step.starts_with('?')) return true;
        const std::string_view condition = cut_at(step, ':');
        step = trimmed(step);
        return op_.has(condition.substr(1));
    }

    Tensor run_step(std::string_view step) {
        std::string_view name;
        // The '=' of an argument stands behind the parenthesis.
        if (const size_t equals = step.find('='); equals < step.find('(')) {
            name = trimmed(step.substr(0, equals));
            step = trimmed(step.substr(equals + 1));
        }
        const std::string_view op = cut_at(step, '(');
        if (!step.ends_with(')')) damaged(op_.argument());
        step.remove_suffix(1);
        Tensor made = op == "sum_to" ? sum_to(step) : call(op, step);
        if (!name.empty()) names_[std::string(name)] = made;
        return made;
    }

    Tensor call(std::string_view name, std::string_view arguments) {
        const Op* callee = backend::find_op(name);
        if (callee == nullptr) damaged(op_.argument());
        NamedValues values;
        for (size_t place = 0; !arguments.empty(); ++place) {
            std::string_view word = cut_at(arguments, ',');
            const backend::Argument& own = callee->schema.arguments.at(place);
            Value value = value_of(word);
            if (const auto* one = std::get_if<int64_t>(&value);
                one != nullptr && own.kind == backend::ArgumentKind::kIntList)
                value = IntList{*one};
            values.push_back({own.name, std::move(value)});
        }
        return op_.computed(name, std::move(values)).at(0);
    }

    Value value_of(std::string_view word) const {
        if (const auto own = names_.find(std::string(word)); own != names_.end())
            return own->second;
        if (word == "true" || word == "false") return word == "true";
        if (!op_.declares(word)) return number(word);
        if (Value given = op_.given(word); !std::holds_alternative<Tensor>(given)) return given;
        return op_.tensor(word);
    }

    Value number(std::string_view word) const {
        const char* end = word.data() + word.size();
        int64_t whole = 0;
        if (std::from_chars(word.data(), end, whole).ptr == end) return whole;
        double real = 0;
        if (std::from_chars(word.data(), end, real).ptr == end) return real;
        damaged(op_.argument());
    }

    Tensor sum_to(std::string_view arguments) {
        const Value tensor = value_of(cut_at(arguments, ','));
        const Tensor& wide = std::get<Tensor>(tensor);
        const IntList& shape = op_.ints(trimmed(arguments));
        if (wide.shape() == shape) return wide;
        if (shape.size() > wide.shape().size())
            op_.reject("shape " + to_string(shape) + " has too many dimensions");
        const size_t missing = wide.shape().size() - shape.size();
        IntList dims(missing);
        std::iota(dims.begin(), dims.end(), 0);
        for (size_t i = 0; i < shape.size(); ++i)
            if (shape[i] == 1 && wide.shape()[missing + i] != 1)
                dims.push_back(static_cast<int64_t>(missing + i));
        const Tensor sum =
            op_.computed("sum_dim_IntList", {{"self", wide}, {"dim", dims}, {"keepdim", true}})
                .at(0);
        if (numel_of(shape) != sum.numel())
            op_.reject("what was made has the shape " + to_string(shape));
        return sum.reshaped(shape);
    }

    Lowering& op_;
    std::map<std::string, Tensor> names_;
};

void lower_program(Lowering& op) {
    // The gradient comes in the dtype that its operand is in.
    const Tensor made = Program(op).run();
    op.result(made, op.declared(op.declares("grad") ? "grad" : "self"));
}

constexpr auto kRows = std::to_array<OpRow>({
#define COMPOSED(schema, program, sum) \
    {schema, {}, {}, {}, "ours", lower_program, program, sum, backend::Draws::kNothing, true},
#define COMPOSED_BY(schema, launch, function) \
    {schema, {launch}, {}, {}, "ours", function, {}, {}, backend::Draws::kNothing, true},
#include "diagnose/judge/composed_ops.def"
#undef COMPOSED
#undef COMPOSED_BY
});

}  // namespace

std::span<const Op> composed_ops() {
    static const std::vector<Op> ops = [] {
        std::vector<Op> all;
        all.reserve(kRows.size());
        for (const OpRow& row : kRows) {
            Op& op = all.emplace_back(Op{.schema = backend::Schema::parse(row.schema),
                                         .row = &row,
                                         .argument = row.argument});
            std::ranges::copy_if(row.launches, std::back_inserter(op.launches), [](auto name) {
                return !name.empty();
            });
        }
        return all;
    }();
    return ops;
}

const Op* find_composed_op(std::string_view name) {
    const auto ops = composed_ops();
    const auto found = std::ranges::find(ops, name, &Op::name);
    return found == ops.end() ? nullptr : &*found;
}

std::string_view program_of(const Op& op) {
    return op.row->argument;
}

}  // namespace npuscope::diagnose
