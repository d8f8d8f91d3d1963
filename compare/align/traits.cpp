#include "compare/align/traits.h"

#include <algorithm>
#include <string_view>

#include "core/base/error.h"
#include "core/naming/aliases.h"
#include "core/naming/casts.h"
#include "core/naming/ir_name.h"
#include "core/naming/unspecified.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Fewer places of one name than one in so many: the sides name them by rules of their own.
constexpr size_t kFewPlaces = 5;

uint64_t mixed(uint64_t value) {
    value ^= value >> 31;
    value *= 0x9E3779B97F4A7C15u;
    value ^= value >> 29;
    value *= 0xBF58476D1CE4E5B9u;
    return value ^ (value >> 32);
}

/// [2,3,4] becomes [6,4].
Shape as_matrix(const Shape& shape) {
    if (shape.size() <= 2) return shape;
    Shape matrix = {1, shape.back()};
    for (size_t i = 0; i + 1 < shape.size(); ++i)
        matrix[0] *= shape[i];
    return matrix;
}

/// Gives equal texts equal numbers; "" is none.
class TextNumbers {
  public:
    int32_t number(const std::string& text) {
        if (text.empty()) return -1;
        return numbers_.try_emplace(text, static_cast<int32_t>(numbers_.size())).first->second;
    }
    std::unordered_map<std::string, int32_t> take() && { return std::move(numbers_); }

  private:
    std::unordered_map<std::string, int32_t> numbers_;
};

/// Whether the side tells overloads of one another: "add_Tensor", not "add".
bool tells_overloads(const Source& side) {
    return std::ranges::any_of(side.ops, [](const SourceOp& op) {
        const std::string_view name = canonical_name(op.id.op);
        return without_overload(name) != name;
    });
}

class TraitsReader {
  public:
    /// Without overloads where one side leaves them out.
    explicit TraitsReader(bool with_overloads) : with_overloads_(with_overloads) {}

    SideTraits read(const Source& source, bool with_inputs) {
        SideTraits side;
        for (const SourceOp& op : source.ops) {
            std::vector<Shape> inputs;
            Shape output;
            take_shapes(op, inputs, output);
            const bool is_linear = op.id.op == "linear" || op.id.op == "npu_linear";
            if (is_linear) {
                for (Shape& shape : inputs)
                    shape = as_matrix(shape);
                if (inputs.size() > 1) weight_as_operand(inputs);
                output = as_matrix(output);
            }
            OpTraits traits = traits_of(op, inputs, output);
            if (is_linear)
                traits.name = names_.number(with_inputs && inputs.size() == 2 ? "mm" : "addmm");
            if (!with_inputs) traits.inputs = 0;
            side.ops.push_back(traits);
            side.inputs.push_back(std::move(inputs));
            side.outputs.push_back(std::move(output));
        }
        return side;
    }

    std::unordered_map<std::string, int32_t> names() && { return std::move(names_).take(); }

  private:
    static void take_shapes(const SourceOp& op, std::vector<Shape>& inputs, Shape& output) {
        try {
            bool found = false;
            for (SourceTensor& tensor : op.load()) {
                // Also refuses sizes that no tensor has.
                if (numel_of(tensor.shape) == 0) continue;
                const bool is_output = tensor.direction == Direction::kOutput;
                if (is_unspecified(op.id.op, tensor.argument, is_output)) continue;
                if (!is_output) {
                    inputs.push_back(std::move(tensor.shape));
                } else if (!found) {
                    output = std::move(tensor.shape);
                    found = true;
                }
            }
        } catch (const Error&) {
            inputs.clear();
            output.clear();
        }
    }

    /// The only square-or-not [out,in] of `bias`, `input`, `weight`: the last by name.
    static void weight_as_operand(std::vector<Shape>& inputs) {
        if (inputs.back().size() == 2) std::swap(inputs.back()[0], inputs.back()[1]);
    }

    OpTraits traits_of(const SourceOp& op, const std::vector<Shape>& inputs, const Shape& output) {
        OpTraits traits;
        const std::string_view name = canonical_name(op.id.op);
        traits.name = names_.number(std::string(with_overloads_ ? name : without_overload(name)));
        for (const Shape& shape : inputs)
            traits.inputs += shape_hash(shape);
        traits.output = shape_hash(output);
        traits.rank = static_cast<int32_t>(output.size());
        traits.is_cast = is_cast(name);
        if (!op.place) return traits;
        const OpSource where = op.place();
        std::string place = where.module.empty() ? where.node : where.module;
        // What a wrapper of the whole model puts before every name.
        if (place.starts_with("module.")) place.erase(0, std::string_view("module.").size());
        traits.place = places_.number(place);
        traits.line = lines_.number(where.line);
        return traits;
    }

    bool with_overloads_;
    TextNumbers names_;
    TextNumbers places_;
    TextNumbers lines_;
};

std::vector<int32_t> places_of(const SideTraits& side) {
    std::vector<int32_t> places;
    for (const OpTraits& op : side.ops)
        if (op.place >= 0) places.push_back(op.place);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

void forget_foreign_places(BothTraits& traits) {
    const std::vector<int32_t> target = places_of(traits.target);
    const std::vector<int32_t> golden = places_of(traits.golden);
    std::vector<int32_t> common;
    std::ranges::set_intersection(target, golden, std::back_inserter(common));
    if (common.size() * kFewPlaces >= std::min(target.size(), golden.size())) return;
    for (SideTraits* side : {&traits.target, &traits.golden})
        for (OpTraits& op : side->ops)
            op.place = -1;
}

}  // namespace

uint64_t shape_hash(const Shape& shape) {
    uint64_t hash = 0x2545F4914F6CDD1Du;
    for (const int64_t dim : shape)
        if (dim != 1) hash = mixed(hash + static_cast<uint64_t>(dim));
    return hash;
}

int32_t BothTraits::name_id(const std::string& name) const {
    auto found = names.find(name);
    if (found == names.end()) found = names.find(std::string(without_overload(name)));
    return found == names.end() ? -1 : found->second;
}

BothTraits read_traits(const Source& target, const Source& golden) {
    const bool inputs = target.may_have_inputs() && golden.may_have_inputs();
    BothTraits traits;
    TraitsReader reader(tells_overloads(target) == tells_overloads(golden));
    traits.target = reader.read(target, inputs);
    traits.golden = reader.read(golden, inputs);
    traits.names = std::move(reader).names();
    forget_foreign_places(traits);
    return traits;
}

}  // namespace npuscope::compare
