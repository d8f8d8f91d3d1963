#include "diagnose/judge/op_run.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/recording/list_element.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/npu_attention.h"
#include "diagnose/judge/number_format.h"
#include "diagnose/judge/recorded_op.h"
#include "diagnose/judge/stored_wider.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::diagnose {

namespace {

bool launches(const backend::Op& op, bool (*wanted)(const backend::Kernel&)) {
    return std::ranges::any_of(op.launches, [&](std::string_view name) {
        const backend::Kernel* kernel = backend::find_kernel(name);
        return kernel != nullptr && wanted(*kernel);
    });
}

/// PyTorch's generator is no argument of those that make a tensor.
bool takes_a_generator(const backend::Op& op) {
    return op.row->schema.find("Generator") != std::string_view::npos ||
           op.name().starts_with("rand");
}

/// False, with the reason, where a tensor is not known.
bool replace_tensors(const RecordedOp& golden,
                     const std::vector<compare::RebuiltInput>& known,
                     NamedValues& arguments,
                     std::string& why_not) {
    for (const compare::RebuiltInput& input : known) {
        const std::string name = golden.canonical(input.argument);
        if (!input.tensor) {
            why_not = "its input " + name + " is not recorded";
            return false;
        }
        const size_t slash = name.find('/');
        for (NamedValue& argument : arguments) {
            if (argument.name != name.substr(0, slash)) continue;
            auto* list = std::get_if<TensorList>(&argument.value);
            if (list == nullptr) {
                argument.value = *input.tensor;
            } else if (const auto element = list_element(name);
                       element && element->index < list->size()) {
                (*list)[element->index] = *input.tensor;
            }
        }
    }
    return true;
}

}  // namespace

bool gives_16_bits(const OpRun& run) {
    return std::ranges::any_of(run.results, [](const RecordedResult& result) {
        return is_of_16_bits(result.elements.dtype());
    });
}

bool tells_16_bits(const OpRun& run) {
    const auto is_given = [](const NamedValue& argument) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        return tensor != nullptr && is_of_16_bits(tensor->dtype());
    };
    return gives_16_bits(run) || std::ranges::any_of(run.arguments, is_given);
}

bool multiplies_inside(const backend::Op& op) {
    return op.row->is_composed && launches(op, [](const backend::Kernel& kernel) {
               return kernel.unit == backend::Unit::kCube;
           });
}

bool is_of_cudnn(const backend::Op& op) {
    return op.name().starts_with("_cudnn_");
}

OpKind kind_of(const backend::Op& op) {
    if (takes_a_generator(op) || op.row->draws != backend::Draws::kNothing) return OpKind::kRandom;
    if (op.row->is_composed) return OpKind::kVector;
    if (!launches(
            op, [](const backend::Kernel& kernel) { return kernel.unit == backend::Unit::kCube; }))
        return OpKind::kVector;
    const bool strided = std::ranges::any_of(
        op.schema.arguments, [](const auto& argument) { return argument.name == "stride"; });
    return strided ? OpKind::kConvolution : OpKind::kProduct;
}

bool is_product(OpKind kind) {
    return kind == OpKind::kProduct || kind == OpKind::kConvolution;
}

const Results* exact_results(const OpRun& op) {
    if (!op.exact) op.exact = run(*op.op, op.wide, Device::reference64());
    return *op.exact ? &**op.exact : nullptr;
}

OpRun to_be_cut(const OpRun& run) {
    return {.op = run.op,
            .arguments = run.arguments,
            .wide = {},
            .results = run.results,
            .path = run.path,
            .whole = run.whole.empty() ? run.arguments : run.whole};
}

OpRun run_of(const backend::Op& op, const RecordedOp& recorded, NamedValues arguments) {
    OpRun run{.op = &op,
              .arguments = std::move(arguments),
              .wide = {},
              .results = {},
              .path = recorded.path()};
    for (const SourceTensor& output : recorded.outputs())
        run.results.push_back({output.argument,
                               recorded.name_of_argument(output),
                               Tensor::lent_by(output.open()),
                               output.compute_type,
                               output.ignored,
                               output.path});
    return run;
}

std::optional<OpRun> load_run(const SourceOp& recorded,
                              std::string& why_not,
                              const KnownInputs& known,
                              bool also_random,
                              bool widen) {
    if (recorded.calls) {
        // What a record was given is named otherwise than what its calls were.
        if (known.tensors && known.golden == &recorded) {
            why_not = "its calls are made of what was recorded";
            return std::nullopt;
        }
        const std::vector<SourceOp> runs = calls_of(recorded, why_not);
        if (runs.size() == 1) return load_run(runs.front(), why_not, known, also_random, widen);
        if (runs.size() > 1) why_not = "its results are made by several ops";
        return std::nullopt;
    }
    const backend::Op* op = row_of(recorded);
    if (op == nullptr) {
        why_not = "there is no op of this name to compute it with";
        return std::nullopt;
    }
    if (kind_of(*op) == OpKind::kRandom && !also_random) {
        why_not = compare::kRandomOp;
        return std::nullopt;
    }
    const RecordedOp own(recorded, *op);
    NamedValues arguments;
    if (own.has_inputs() || own.is_made_of_numbers()) {
        try {
            arguments = own.arguments();
            if (known.golden == &recorded && known.tensors &&
                !replace_tensors(own, known.tensors(), arguments, why_not))
                return std::nullopt;
        } catch (const Error& error) {
            // An input that is computed from others, by numbers that do not fit them.
            if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported) throw;
            why_not = error.what();
            return std::nullopt;
        }
    } else if (known.golden != nullptr) {
        const RecordedOp golden(*known.golden, *op);
        if (golden.has_inputs()) arguments = golden.arguments();
        if (known.tensors && !replace_tensors(golden, known.tensors(), arguments, why_not))
            return std::nullopt;
    }
    if (arguments.empty()) {
        why_not = "its inputs are not recorded";
        return std::nullopt;
    }
    OpRun run = run_of(*op, own, std::move(arguments));
    for (RecordedResult& result : run.results)
        if (const auto view = known.views.find(result.path);
            view != known.views.end() && view->second.source_numel == result.elements.numel())
            result.elements = compare::apply(view->second, result.elements);
    narrow_stored_wider(run, recorded.stores_wider);
    if (widen) run.wide = widened(run.arguments);
    return run;
}

void require_intact(const OpRun& run) {
    for_each_tensor(run.arguments,
                    [](const std::string&, const Tensor& tensor) { tensor.require_intact(); });
    for (const RecordedResult& result : run.results)
        result.elements.require_intact();
}

std::vector<OpRun> forms_of(OpRun run) {
    struct Words {
        std::string_view argument;
        std::vector<std::string_view> values;
    };
    static const std::array<Words, 5> choices = {
        {{"approximate", {"none", "tanh"}},
         {"input_layout", {}},
         {"reduction", {"mean", "sum"}},
         {"rounding_mode", {"", "trunc", "floor"}},
         {"reduce", {"sum", "prod", "mean", "amax", "amin"}}}};
    std::vector<OpRun> forms;
    for (const backend::Argument& argument : run.op->schema.arguments) {
        const auto* const row = std::ranges::find_if(
            choices, [&](const Words& words) { return words.argument == argument.name; });
        // Chips may have one gelu, whatever the program asks for.
        if (argument.kind != backend::ArgumentKind::kString || row == choices.end() ||
            (find(run.wide, argument.name) != nullptr && argument.name != "approximate"))
            continue;
        const std::vector<std::string_view> values =
            argument.name == "input_layout" ? possible_layouts(run.arguments) : row->values;
        for (const std::string_view word : values) {
            OpRun form = run;
            for (NamedValues* given : {&form.wide, &form.arguments})
                std::erase_if(*given,
                              [&](const NamedValue& each) { return each.name == argument.name; });
            if (!word.empty()) {
                form.wide.push_back({argument.name, std::string(word)});
                form.arguments.push_back(form.wide.back());
                form.exact.reset();
            }
            settle_ignored(form);
            forms.push_back(std::move(form));
        }
        if (!forms.empty()) return forms;
    }
    settle_ignored(run);
    forms.push_back(std::move(run));
    return forms;
}

std::optional<OpRun> form_on_chips(const OpRun& run) {
    const backend::Op* op = run.op;
    while (op->row->chip_form.empty() && !op->row->as.empty())
        op = backend::find_op(op->row->as);
    const std::string_view form = op->row->chip_form;
    if (form.empty()) return std::nullopt;
    const size_t equals = form.find('=');
    const NamedValue word{std::string(form.substr(0, equals)),
                          std::string(form.substr(equals + 1))};
    OpRun own = run;
    for (NamedValues* values : {&own.arguments, &own.wide}) {
        std::erase_if(*values, [&](const NamedValue& each) { return each.name == word.name; });
        values->push_back(word);
    }
    own.exact.reset();
    return own;
}

const RecordedResult* recorded_result(const OpRun& run, const std::string& name) {
    const auto found = std::ranges::find(run.results, name, &RecordedResult::name);
    return found == run.results.end() ? nullptr : &*found;
}

const Tensor* tensor_named(const NamedValues& values, std::string_view name) {
    const Value* value = find(values, name);
    return value == nullptr ? nullptr : std::get_if<Tensor>(value);
}

const Tensor* expected_of(const Results& results, const RecordedResult& recorded) {
    const Tensor* found = result_named(results, recorded.name);
    const bool fits = found != nullptr && found->numel() == recorded.elements.numel();
    return fits ? found : nullptr;
}

const Tensor* exact_result(const OpRun& run, const RecordedResult& recorded) {
    const Results* results = exact_results(run);
    return results == nullptr ? nullptr : expected_of(*results, recorded);
}

}  // namespace npuscope::diagnose
