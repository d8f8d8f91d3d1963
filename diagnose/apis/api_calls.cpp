#include "diagnose/apis/api_calls.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/naming/aliases.h"
#include "core/naming/api_names.h"
#include "diagnose/apis/autograd_nodes.h"
#include "diagnose/apis/gradients.h"
#include "diagnose/apis/not_computed.h"
#include "diagnose/apis/special_calls.h"
#include "diagnose/judge/overload.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

namespace {

/// So many records show whether a recorder kept elements.
constexpr size_t kLookedAt = 32;

/// The op's name where the function is called as its op; "linalg.norm" is linalg_norm.
std::string own_op_of(std::string_view function) {
    std::string name(function);
    std::ranges::replace(name, '.', '_');
    if (overloads_of(name).empty()) name = without_in_place(name);
    return name;
}

/// A record that names every operand and result as the op does, as our own dumps do in this layout.
std::optional<ApiCall> own_call(const Operands& operands, const std::string& function) {
    const backend::Op* op = row_of(function);
    if (op == nullptr || !operands.positional.empty()) return std::nullopt;
    const Alias* alias = op->name() == function ? nullptr : find_alias(function);
    const auto own_name = [&](const std::string& name) {
        return std::string(canonical_argument(alias, name));
    };
    std::vector<NamedOperand> arguments;
    for (const auto& [name, value] : operands.keywords)
        if (const std::string own = own_name(name);
            std::ranges::find(op->schema.arguments, own, &backend::Argument::name) !=
            op->schema.arguments.end())
            arguments.push_back({own, value});
    ApiCall call = bind_to(*op, arguments);
    std::vector<SourceTensor> outputs = operands.outputs;
    for (SourceTensor& output : outputs)
        output.name = own_name(output.argument);
    take_results(call, std::move(outputs));
    return call;
}

ApiCall forward_call(const SourceOp& record, std::string_view api) {
    Operands operands = operands_of(record);
    const ApiName* row = find_api_name(api);
    const std::string plain = plain_api(api);
    const std::string function = plain.substr(plain.find('.') + 1);
    if (api.starts_with("Aten."))
        if (std::optional<ApiCall> own = own_call(operands, function)) return *std::move(own);
    ApiCall call;
    if (row != nullptr && row->op.starts_with('@')) {
        const SpecialCall* special = find_special_call(row->op);
        if (special == nullptr) not_computed("there is no op that computes " + function);
        call = special->bind(named(*row, operands), operands.outputs);
    } else if (row == nullptr && api.starts_with("Primitive.")) {
        // What a primitive was made with is not recorded.
        not_computed("there is no op that computes the primitive " + function);
    } else {
        const std::string op = row != nullptr ? std::string(row->op) : own_op_of(function);
        if (overloads_of(op).empty()) not_computed("there is no op that computes " + function);
        call = bind_call(op, row, operands);
    }
    if (call.results.empty()) take_results(call, std::move(operands.outputs));
    return call;
}

std::vector<SourceOp> gradient_of(const SourceOp& record,
                                  const SourceOp* forward,
                                  const std::string& api) {
    if (forward == nullptr) not_computed("its forward run is not recorded");
    const ApiCall call = forward_call(*forward, api);
    GradientQuery query{call};
    for (SourceTensor& tensor : record.load())
        (tensor.direction == dumpfile::Direction::kInput ? query.given : query.made)
            .push_back(std::move(tensor));
    std::vector<SourceOp> runs;
    for (const ApiCall& each : gradient_calls(query))
        if (!each.results.empty()) runs.push_back(each.as_source(record));
    if (runs.empty()) not_computed("none of its results is one that is computed");
    return runs;
}

bool holds_elements(const Source& source) {
    size_t looked_at = 0;
    for (const SourceOp& op : source.ops) {
        if (!parse_api_record(op.id.op)) continue;
        for (const SourceTensor& tensor : op.load())
            if (tensor.open) return true;
        if (++looked_at == kLookedAt) break;
    }
    return false;
}

/// The gradients of what the ops compute, as far as the names tell.
std::string gradients_of(std::string_view ops) {
    std::string text;
    while (!ops.empty()) {
        const std::string_view base = ops.substr(0, ops.find(' '));
        ops.remove_prefix(std::min(ops.size(), base.size() + 1));
        for (const backend::Op* op : overloads_of(base)) {
            const GradientRule* rule = find_gradient_rule(op->name());
            if (rule == nullptr) continue;
            const std::string by(rule->by.empty() ? "by parts" : rule->by);
            if (text.find(by) == std::string::npos) text += (text.empty() ? "" : ", ") + by;
        }
    }
    return text;
}

std::string_view ops_of(const ApiName& row) {
    if (!row.op.starts_with('@')) return row.op;
    const SpecialCall* special = find_special_call(row.op);
    return special == nullptr ? std::string_view() : special->becomes;
}

}  // namespace

void describe_calls(Source& source) {
    describe_nodes(source);
    if (!holds_elements(source)) return;
    std::map<std::string, std::shared_ptr<const SourceOp>> forward;
    for (SourceOp& op : source.ops) {
        const auto name = parse_api_record(op.id.op);
        if (!name || op.calls) continue;
        const auto record = std::make_shared<const SourceOp>(op);
        std::string api(name->api);
        if (!name->is_backward) {
            forward[std::string(name->run)] = record;
            op.calls = [record, api] {
                return std::vector<SourceOp>{forward_call(*record, api).as_source(*record)};
            };
        } else {
            const auto own = forward.find(std::string(name->run));
            op.calls = [record, api, first = own == forward.end() ? nullptr : own->second] {
                return gradient_of(*record, first.get(), api);
            };
        }
    }
}

std::vector<KnownApi> known_apis() {
    std::vector<KnownApi> all;
    for (const ApiName& row : all_api_names()) {
        const std::string_view ops = ops_of(row);
        all.push_back({std::string(row.api), std::string(ops), gradients_of(ops)});
    }
    return all;
}

std::vector<std::string> apis_without_op() {
    std::vector<std::string> all;
    const auto add = [&](std::string_view module, std::string_view functions) {
        for (std::string_view rest = functions; !rest.empty();) {
            const std::string_view word = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(rest.size(), word.size() + 1));
            all.push_back(std::string(module) + "." + std::string(word));
        }
    };
#define WITHOUT_OP(module, functions) add(module, functions);
#include "core/naming/apis_without_op.def"
#undef WITHOUT_OP
    return all;
}

bool is_known_api(std::string_view api) {
    if (api.find('.') == std::string_view::npos) return false;
    if (const ApiName* row = find_api_name(api)) return !ops_of(*row).empty();
    const std::string plain = plain_api(api);
    return !plain.starts_with("Primitive.") &&
           !overloads_of(own_op_of(plain.substr(plain.find('.') + 1))).empty();
}

}  // namespace npuscope::diagnose
