#include "diagnose/apis/special_calls.h"

#include <algorithm>
#include <array>

#include "diagnose/apis/fused_attention.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"
#include "diagnose/apis/primitives.h"
#include "diagnose/judge/composed_op.h"

namespace npuscope::diagnose {

namespace {

using Arguments = std::vector<NamedOperand>;
using Outputs = std::vector<SourceTensor>;

Operand argument(const Arguments& arguments, std::string_view name) {
    const auto found = std::ranges::find(arguments, name, &NamedOperand::name);
    return found == arguments.end() ? Operand() : found->value;
}

const SourceTensor& tensor(const Arguments& arguments, std::string_view name) {
    const auto found = std::ranges::find(arguments, name, &NamedOperand::name);
    if (found == arguments.end() || !found->value.tensor)
        not_computed(std::string(name) + " is not recorded");
    return *found->value.tensor;
}

int64_t whole(const Arguments& arguments, std::string_view name) {
    const Operand found = argument(arguments, name);
    if (!found.is_whole()) not_computed(std::string(name) + " is not recorded");
    return static_cast<int64_t>(found.number->numbers.front());
}

std::string text(const Arguments& arguments, std::string_view name) {
    const Operand found = argument(arguments, name);
    return found.is_text() ? found.number->text : std::string();
}

bool is_true(const Arguments& arguments, std::string_view name) {
    const Operand found = argument(arguments, name);
    return found.is_number() && found.number->numbers.front() != 0;
}

const SourceTensor& first_of(const Outputs& outputs) {
    if (outputs.empty()) not_computed("no result is recorded");
    return outputs.front();
}

Arguments without(Arguments arguments, std::initializer_list<std::string_view> names) {
    std::erase_if(arguments, [&](const NamedOperand& each) {
        return std::ranges::find(names, each.name) != names.end();
    });
    return arguments;
}

/// Rows of the softmaxes; a dtype that the input is cast to is what the op may do itself.
ApiCall softmax_by(const char* op, const Arguments& arguments) {
    SourceTensor self = tensor(arguments, "self");
    bool to_float = false;
    if (const std::string name = text(arguments, "dtype"); !name.empty()) {
        const auto dtype = dtype_from_name(name.substr(name.rfind('.') + 1));
        if (!dtype) not_computed("dtype " + name + " is not known");
        to_float = self.dtype == "float16" && *dtype == DType::kFloat32;
        if (!to_float && self.dtype != name_of(*dtype)) self = cast_to(self, *dtype);
    }
    return bind_named(op,
                      {{"self", Operand::of(std::move(self))},
                       {"dim", Operand::of(whole(arguments, "dim"))},
                       {"half_to_float", Operand::of(to_float)}});
}

ApiCall softmax(const Arguments& arguments, const Outputs&) {
    return softmax_by("_softmax", arguments);
}

ApiCall log_softmax(const Arguments& arguments, const Outputs&) {
    return softmax_by("_log_softmax", arguments);
}

ApiCall group_norm(const Arguments& arguments, const Outputs&) {
    const SourceTensor& input = tensor(arguments, "input");
    if (input.shape.size() < 2 || numel_of(input.shape) == 0)
        not_computed("input has too few dimensions");
    Arguments all = without(arguments, {"num_groups", "cudnn_enabled"});
    const int64_t spatial = numel_of(input.shape) / (input.shape[0] * input.shape[1]);
    all.push_back({"N", Operand::of(input.shape[0])});
    all.push_back({"C", Operand::of(input.shape[1])});
    all.push_back({"HxW", Operand::of(spatial)});
    all.push_back({"group", Operand::of(whole(arguments, "num_groups"))});
    return bind_named("native_group_norm", all);
}

ApiCall matmul(const Arguments& arguments, const Outputs&) {
    const SourceTensor& self = tensor(arguments, "self");
    const SourceTensor& other = tensor(arguments, "other");
    const size_t rows = self.shape.size();
    const size_t columns = other.shape.size();
    const auto call = [](const char* op, const char* second, SourceTensor a, SourceTensor b) {
        Shape shape(a.shape.begin(), a.shape.end() - 1);
        if (b.shape.size() > 1) shape.push_back(b.shape.back());
        ApiCall made = bind_named(
            op, {{"self", Operand::of(std::move(a))}, {second, Operand::of(std::move(b))}});
        made.result_shape = std::move(shape);
        return made;
    };
    if (rows == 1 && columns == 1) return call("dot", "tensor", self, other);
    if (rows == 2 && columns == 1) return call("mv", "vec", self, other);
    if (rows == 1 && columns == 2) return call("mv", "vec", transposed(other, 0, 1), self);
    if (rows < 2 || columns < 2) not_computed("matmul of a batch with a vector is not computed");
    if (columns == 2)
        return call("mm",
                    "mat2",
                    reshaped(self,
                             {numel_of(self.shape) / std::max<int64_t>(self.shape.back(), 1),
                              self.shape.back()}),
                    other);
    Shape batch(std::max(rows, columns) - 2, 1);
    for (const SourceTensor* each : {&self, &other})
        for (size_t i = 0; i + 2 < each->shape.size(); ++i) {
            int64_t& dim = batch[batch.size() - (each->shape.size() - 2) + i];
            dim = std::max(dim, each->shape[i]);
        }
    const auto batched = [&](const SourceTensor& each) {
        Shape wide = batch;
        wide.insert(wide.end(), each.shape.end() - 2, each.shape.end());
        const Shape flat = {numel_of(batch), wide[wide.size() - 2], wide.back()};
        return reshaped(each.shape == wide ? each : expanded(each, wide), flat);
    };
    return call("bmm", "mat2", batched(self), batched(other));
}

ApiCall extreme(const std::string& op, const std::string& of_two, const Arguments& arguments) {
    if (const Operand other = argument(arguments, "dim"); other.tensor)
        return bind_named(of_two, {{"self", argument(arguments, "self")}, {"other", other}});
    return bind_named(op, arguments);
}

ApiCall largest(const Arguments& arguments, const Outputs&) {
    return extreme("max", "maximum", arguments);
}

ApiCall smallest(const Arguments& arguments, const Outputs&) {
    return extreme("min", "minimum", arguments);
}

ApiCall norm(const Arguments& arguments, const Outputs&) {
    Arguments all = without(arguments, {"out", "dtype", "p"});
    const std::string word = text(arguments, "p");
    if (!word.empty() && word != "fro") not_computed("the norm " + word + " is not computed");
    all.push_back({"p", word.empty() ? argument(arguments, "p") : Operand::of(int64_t{2})});
    if (argument(arguments, "dim").is_none()) all = without(std::move(all), {"keepdim"});
    return bind_named("norm", all);
}

ApiCall split(const Arguments& arguments, const Outputs&) {
    const Operand size = argument(arguments, "split_size_or_sections");
    Arguments all = without(arguments, {"split_size_or_sections"});
    const bool is_one = size.is_whole();
    all.push_back({is_one ? "split_size" : "split_sizes", size});
    return bind_named(is_one ? "split" : "split_with_sizes", all);
}

/// A view whose shape the result tells.
ApiCall reshape(const Arguments& arguments, const Outputs& outputs) {
    return bind_named(
        "reshape",
        {{"self", argument(arguments, "self")}, {"shape", Operand::of(first_of(outputs).shape)}});
}

/// To the dtype that the result tells; recorders leave a dtype given by its place out.
ApiCall cast(const Arguments& arguments, const Outputs& outputs) {
    return bind_named(
        "_to_copy",
        {{"self", argument(arguments, "self")}, {"dtype", Operand::of(first_of(outputs).dtype)}});
}

ApiCall nll_loss(const Arguments& arguments, const Outputs&) {
    const bool images = tensor(arguments, "self").shape.size() == 4;
    return bind_named(images ? "nll_loss2d_forward" : "nll_loss_forward",
                      without(arguments, {"size_average", "reduce"}));
}

ApiCall embedding_bag(const Arguments& arguments, const Outputs&) {
    constexpr std::array<std::string_view, 3> kModes = {"sum", "mean", "max"};
    const auto mode = std::ranges::find(kModes, text(arguments, "mode"));
    if (mode == kModes.end() || argument(arguments, "offsets").is_none())
        not_computed("bags without offsets are not computed");
    Arguments all = without(arguments, {"mode", "norm_type"});
    all.push_back({"mode", Operand::of(static_cast<int64_t>(mode - kModes.begin()))});
    return bind_named("_embedding_bag", all);
}

ApiCall pad(const Arguments& arguments, const Outputs&) {
    const std::string mode = text(arguments, "mode");
    if (mode == "constant") return bind_named("constant_pad_nd", without(arguments, {"mode"}));
    const auto sizes = argument(arguments, "pad").numbers();
    if ((mode != "reflect" && mode != "replicate") || !sizes)
        not_computed("padding by " + mode + " is not computed");
    const std::string op = mode == "reflect" ? "reflection_pad" : "replication_pad";
    return bind_named(
        op + std::to_string(sizes->size() / 2) + "d",
        {{"self", argument(arguments, "self")}, {"padding", argument(arguments, "pad")}});
}

ApiCall interpolate(const Arguments& arguments, const Outputs& outputs) {
    const SourceTensor& self = tensor(arguments, "self");
    const size_t spatial = self.shape.size() < 3 ? 0 : self.shape.size() - 2;
    std::string mode = text(arguments, "mode");
    const bool corners = mode != "nearest";
    if (mode == "linear" || mode == "bilinear" || mode == "trilinear")
        mode = std::array{"", "linear", "bilinear", "trilinear"}.at(std::min<size_t>(spatial, 3));
    const Shape& shape = first_of(outputs).shape;
    if (spatial == 0 || spatial > 3 || shape.size() != spatial + 2 ||
        is_true(arguments, "antialias"))
        not_computed("such a resize is not computed");
    Arguments all = {{"self", Operand::of(self)},
                     {"output_size", Operand::of(Shape(shape.begin() + 2, shape.end()))}};
    if (corners) all.push_back({"align_corners", Operand::of(is_true(arguments, "align_corners"))});
    constexpr std::array<std::string_view, 3> kScales = {"scales_d", "scales_h", "scales_w"};
    if (auto scales = argument(arguments, "scale_factor").numbers();
        scales && !scales->empty() && !is_true(arguments, "recompute_scale_factor")) {
        scales->resize(spatial, scales->back());
        for (size_t i = 0; i < spatial; ++i)
            all.push_back({spatial == 1 ? "scales" : std::string(kScales.at(3 - spatial + i)),
                           Operand::of((*scales)[i])});
    }
    return bind_named("upsample_" + mode + std::to_string(spatial) + "d", all);
}

ApiCall grid_sample(const Arguments& arguments, const Outputs&) {
    const auto number = [&](const char* name, const std::vector<std::string>& words) {
        const auto found = std::ranges::find(words, text(arguments, name));
        if (found == words.end()) not_computed(std::string(name) + " is not computed");
        return Operand::of(static_cast<int64_t>(found - words.begin()));
    };
    return bind_named("grid_sampler_2d",
                      {{"input", argument(arguments, "input")},
                       {"grid", argument(arguments, "grid")},
                       {"interpolation_mode", number("mode", {"bilinear", "nearest", "bicubic"})},
                       {"padding_mode", number("padding_mode", {"zeros", "border", "reflection"})},
                       {"align_corners", Operand::of(is_true(arguments, "align_corners"))}});
}

ApiCall rrelu(const Arguments& arguments, const Outputs&) {
    if (is_true(arguments, "training")) not_computed("random");
    const auto bound = [&](const char* name) {
        return argument(arguments, name).numbers().value_or(std::vector<double>(1)).at(0);
    };
    return bind_named("leaky_relu",
                      {{"self", argument(arguments, "self")},
                       {"negative_slope", Operand::of((bound("lower") + bound("upper")) / 2)}});
}

/// "batchmean" divides the sum by the samples.
ApiCall kl_div(const Arguments& arguments, const Outputs&) {
    if (text(arguments, "reduction") != "batchmean")
        return bind_named("kl_div", without(arguments, {"size_average", "reduce"}));
    const SourceTensor& self = tensor(arguments, "self");
    if (self.shape.empty()) not_computed("a batch has no dimensions");
    return bind_to(*find_composed_op("mean_of_batch_kl_div"),
                   {{"self", Operand::of(self)},
                    {"target", argument(arguments, "target")},
                    {"log_target", Operand::of(is_true(arguments, "log_target"))},
                    {"count", Operand::of(self.shape.front())}});
}

ApiCall reversed(const char* op, const char* second, const Arguments& arguments) {
    return bind_named(
        op, {{"self", argument(arguments, "other")}, {second, argument(arguments, "self")}});
}

ApiCall reversed_pow(const Arguments& arguments, const Outputs&) {
    return reversed("pow", "exponent", arguments);
}

ApiCall reversed_remainder(const Arguments& arguments, const Outputs&) {
    return reversed("remainder", "other", arguments);
}

constexpr auto kSpecials = std::to_array<SpecialCall>(
    {{"@softmax", "_softmax", softmax},
     {"@log_softmax", "_log_softmax", log_softmax},
     {"@group_norm", "native_group_norm", group_norm},
     {"@matmul", "mm bmm mv dot", matmul},
     {"@max", "max maximum", largest},
     {"@min", "min minimum", smallest},
     {"@norm", "norm", norm},
     {"@split", "split split_with_sizes", split},
     {"@reshape_as", "reshape", reshape},
     {"@flatten", "reshape", reshape},
     {"@type_as", "_to_copy", cast},
     {"@to", "_to_copy", cast},
     {"@nll_loss", "nll_loss_forward nll_loss2d_forward", nll_loss},
     {"@embedding_bag", "_embedding_bag", embedding_bag},
     {"@pad",
      "constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d "
      "replication_pad2d replication_pad3d",
      pad},
     {"@interpolate",
      "upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_linear1d "
      "upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d",
      interpolate},
     {"@grid_sample", "grid_sampler_2d", grid_sample},
     {"@kl_div", "kl_div", kl_div},
     {"@npu_fusion_attention", "scaled_dot_product_attention", fused_attention},
     {"@product", "mm bmm", primitive_product},
     {"@reduce_sum", "sum", primitive_sum},
     {"@reduce_mean", "mean", primitive_mean},
     {"@bias_add", "add", primitive_bias},
     {"@gather", "embedding", primitive_gather},
     {"@rrelu", "leaky_relu", rrelu},
     {"@reversed_pow", "pow", reversed_pow},
     {"@reversed_remainder", "remainder", reversed_remainder}});

}  // namespace

std::span<const SpecialCall> all_special_calls() {
    return kSpecials;
}

const SpecialCall* find_special_call(std::string_view name) {
    const auto found = std::ranges::find(kSpecials, name, &SpecialCall::name);
    return found == kSpecials.end() ? nullptr : &*found;
}

}  // namespace npuscope::diagnose
