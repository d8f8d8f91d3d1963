#include "diagnose/judge/attention_gradient.h"

#include <algorithm>

#include "core/naming/aliases.h"
#include "diagnose/judge/composed_op.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/npu_attention.h"
#include "npu_backend/ops/linear/attention.h"

namespace npuscope::diagnose {

namespace {

using backend::batch_of;
using backend::batch_product;
using backend::turned_batch;

constexpr const char* kNpuGradient = "npu_fusion_attention_grad";

Tensor magnitude_of(backend::Lowering& op, const Tensor& tensor) {
    return op.step("abs", {{"self", tensor}});
}

void lower_sizes(backend::Lowering& op) {
    const int64_t by_key = backend::heads_by_key(op);
    const Tensor keys = backend::repeated_heads(op, op.tensor("key"), by_key);
    const Tensor values = backend::repeated_heads(op, op.tensor("value"), by_key);
    const Tensor weights =
        batch_of(backend::attention_weights(op, backend::attention_scores(op, keys)));
    const Tensor of_weights = batch_product(op,
                                            magnitude_of(op, batch_of(op.tensor("grad"))),
                                            turned_batch(op, magnitude_of(op, batch_of(values))));
    const Tensor own = op.step("mul_Tensor", {{"self", of_weights}, {"other", weights}});
    const Tensor sum =
        op.step("sum_dim_IntList", {{"self", own}, {"dim", IntList{-1}}, {"keepdim", true}});
    const Tensor both = op.step("add_Tensor", {{"self", of_weights}, {"other", sum}});
    const Tensor of_products = op.step("mul_Tensor", {{"self", both}, {"other", weights}});
    const Tensor of_scores = op.step(
        "mul_Scalar", {{"self", of_products}, {"other", Scalar{backend::attention_scale(op)}}});
    op.result(batch_product(op, of_scores, magnitude_of(op, batch_of(keys)))
                  .reshaped(op.raw("query").shape()),
              op.declared("query"));
    const Tensor of_key = batch_product(
        op, turned_batch(op, of_scores), magnitude_of(op, batch_of(op.tensor("query"))));
    op.result(backend::summed_heads(op, of_key, keys.shape(), backend::heads_by_gradient(op)),
              op.declared("key"));
}

const backend::Op& sizes() {
    static const backend::OpRow row{
        .schema =
            "sizes_inside_attention(Tensor grad, Tensor query, Tensor key, Tensor value, "
            "Tensor? attn_mask, bool is_causal, float? scale, int? shared, float "
            "dropout_p=0.0) -> (Tensor, Tensor)",
        .lower = lower_sizes};
    static const backend::Op op{.schema = backend::Schema::parse(row.schema), .row = &row};
    return op;
}

/// The same of torch_npu's op: in its layouts.
void lower_npu_sizes(backend::Lowering& op) {
    const std::vector<Tensor> made = op.computed(sizes(), attention_arguments(op));
    op.result(laid_out_as(op, made.at(0), "query"), op.declared("query"));
    op.result(laid_out_as(op, made.at(1), "key"), op.declared("key"));
}

const backend::Op& npu_sizes() {
    static const backend::OpRow row{.schema = find_composed_op(kNpuGradient)->row->schema,
                                    .lower = lower_npu_sizes};
    static const backend::Op op{.schema = backend::Schema::parse(row.schema), .row = &row};
    return op;
}

}  // namespace

void lower_gradient_of_attention(backend::Lowering& op) {
    backend::lower_attention_gradient(op, "grad");
}

bool is_gradient_of_attention(const OpRun& run) {
    return run.op->name() == kNpuGradient ||
           canonical_name(run.op->name()) == "gradient_of_attention";
}

std::vector<double> sizes_inside_attention(const OpRun& run, const RecordedResult& result) {
    const backend::Op& op = run.op->name() == kNpuGradient ? npu_sizes() : sizes();
    NamedValues values = run.wide;
    RecordedResult named = result;
    const Alias* alias = find_alias(run.op->name());
    for (NamedValue& value : values)
        value.name = canonical_argument(alias, value.name);
    named.name = canonical_argument(alias, result.name);
    // What the forward pass left is computed again.
    std::erase_if(values, [&](const NamedValue& value) {
        return std::ranges::find(op.schema.arguments, value.name, &backend::Argument::name) ==
               op.schema.arguments.end();
    });
    const auto found = diagnose::run(op, values, Device::reference64());
    const Tensor* size = found ? expected_of(*found, named) : nullptr;
    if (size == nullptr || size->dtype() != DType::kFloat64 ||
        size->numel() != result.elements.numel())
        return {};
    const std::span<const double> elements = size->as<double>();
    return {elements.begin(), elements.end()};
}

}  // namespace npuscope::diagnose
