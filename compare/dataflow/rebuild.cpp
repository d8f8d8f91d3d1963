#include "compare/dataflow/rebuild.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "compare/dataflow/earlier_steps.h"
#include "compare/dataflow/find_part.h"
#include "compare/dataflow/input_roles.h"
#include "compare/dataflow/running_statistics.h"
#include "compare/dataflow/seen_through.h"
#include "compare/dataflow/single_numbers.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/relate/dot_products.h"
#include "compare/relate/kinship.h"
#include "compare/relate/loss_multiple.h"
#include "core/base/error.h"
#include "core/naming/casts.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

constexpr auto kNarrow = std::to_array({DType::kBFloat16, DType::kFloat16});

Tensor read_whole(const Side& side, size_t tensor) {
    return open_traced(side.source, side.flow, tensor)->whole();
}

/// Of the norm: results of which one is the other, but for a last rounding in float32.
constexpr double kOneRounding = 1e-6;

bool holds_square_matrices(const Shape& shape) {
    return shape.size() >= 2 && shape.back() > 1 && shape[shape.size() - 2] == shape.back();
}

/// Whether all its matrices, which are square, equal their transposes.
bool is_symmetric(const Tensor& tensor) {
    const int64_t rows = tensor.shape().back();
    for (int64_t matrix = 0; matrix < tensor.numel(); matrix += rows * rows)
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t column = 0; column < row; ++column)
                if (tensor.at(matrix + row * rows + column) !=
                    tensor.at(matrix + column * rows + row))
                    return false;
    return true;
}

Tensor full_of(double number, const Shape& shape, DType dtype) {
    Tensor full = Tensor::zeros(DType::kFloat64, shape);
    std::ranges::fill(full.mutable_as<double>(), number);
    return full.cast(dtype);
}

}  // namespace

InputRebuilder::InputRebuilder(PairedFlows& flows, int threads)
    : flows_(flows), first_training_(first_moving_norm(flows)) {
    const Dataflow& golden = flows.golden().flow;
    std::vector<size_t> open;
    for (size_t i = 0; i < golden.tensors.size(); ++i)
        if (golden.tensors[i].given) open.push_back(i);
    find_parts(flows.golden().source, flows.golden().flow, open, threads);
    for (const OpPair& cast : flows.plan().casts) {
        if (cast.target == nullptr) continue;
        for (const TracedTensor& made : flows.target().of_op(*cast.target))
            if (made.direction == Direction::kOutput && holds_16_bits(made)) {
                const auto place = static_cast<size_t>(&made - flows.target().flow.tensors.data());
                casts_.emplace(made.content->sequence, place);
                if (made.content->tells_bag()) shown_casts_.emplace(made.content->bag, place);
            }
    }
}

const std::optional<View>& InputRebuilder::view_of(size_t golden_input) {
    const auto known = views_.find(golden_input);
    if (known != views_.end()) return known->second;
    const TracedTensor& input = flows_.golden().tensor(golden_input);
    std::optional<View> view;
    if (input.producer) {
        const TracedTensor& producer = flows_.golden().tensor(*input.producer);
        if (input.passage == Passage::kAsIs)
            view = View{.shape = input.shape,
                        .source_numel = producer.content->numel,
                        .loops = {{input.content->numel, 1}}};
        else
            view = find_view(read_whole(flows_.golden(), golden_input),
                             read_whole(flows_.golden(), *input.producer));
    }
    return views_.emplace(golden_input, std::move(view)).first->second;
}

std::optional<Tensor> InputRebuilder::made(const TracedTensor& input,
                                           size_t index,
                                           size_t partner) {
    const TracedTensor& source = flows_.target().tensor(partner);
    if (!source.content) return std::nullopt;
    if (input.ambiguous) {
        const bool same = source.content->sequence == input.content->sequence &&
                          source.content->numel == input.content->numel;
        return same ? std::optional(read_whole(flows_.golden(), index)) : std::nullopt;
    }
    const auto& view = view_of(index);
    if (!view || view->source_numel != source.content->numel) return std::nullopt;
    Tensor shown = apply(*view, read_whole(flows_.target(), partner));
    // Of what equals its transpose the elements do not tell which of the two the op takes in.
    if (holds_square_matrices(input.shape) &&
        is_symmetric(shown) != is_symmetric(read_whole(flows_.golden(), index)))
        return std::nullopt;
    return shown;
}

bool InputRebuilder::was_moved(const TracedTensor& input) const {
    const Side& golden = flows_.golden();
    const auto is_statistic = [&](const TracedTensor& tensor) {
        return tensor.direction == Direction::kInput && tensor.content &&
               is_running(golden.source.ops[tensor.op].id.op, tensor.argument);
    };
    if (!is_statistic(input) || input.op <= first_training_) return false;
    const auto before = std::span(golden.flow.tensors).first(golden.flow.first[input.op]);
    return std::ranges::any_of(before, [&](const TracedTensor& tensor) {
        return is_statistic(tensor) && tensor.argument == input.argument &&
               tensor.shape == input.shape && !same_content(*tensor.content, *input.content);
    });
}

RebuiltInput InputRebuilder::rebuild(size_t golden_input, bool trains) {
    const TracedTensor& input = flows_.golden().tensor(golden_input);
    RebuiltInput rebuilt{.argument = input.argument, .golden = input.path};
    if (!input.content || (!trains && was_moved(input))) return rebuilt;
    const bool nothing = input.content->numel == 0 ||
                         is_unread(flows_.golden().source.ops[input.op].id.op, input.argument);
    try {
        if (!nothing && !input.producer) take_number(input, rebuilt);
        if (rebuilt.tensor) return rebuilt;
        if (nothing || !input.producer) {
            rebuilt.tensor = read_whole(flows_.golden(), golden_input);
            rebuilt.origin = Rebuilt::kGiven;
        } else if (const auto partner = made_before_casts(*input.producer, input.op)) {
            if (!may_be_another(input, *partner))
                rebuilt.tensor = made(input, golden_input, *partner);
            if (rebuilt.tensor) {
                rebuilt.origin = Rebuilt::kMade;
                rebuilt.producer = flows_.target().tensor(*partner).path;
            }
        } else if (shows_given(flows_.golden(), input)) {
            // The golden's copies alone stand between the op and what nobody made.
            rebuilt.tensor = read_whole(flows_.golden(), golden_input);
            rebuilt.origin = Rebuilt::kGiven;
        }
        // Which of several ops made what is full of one number makes no difference.
        if (!rebuilt.tensor && input.producer) take_number(input, rebuilt);
    } catch (const Error&) {
        rebuilt.tensor.reset();
    }
    return rebuilt;
}

bool InputRebuilder::may_be_another(const TracedTensor& input, size_t partner) const {
    const Side& golden = flows_.golden();
    const Side& target = flows_.target();
    const auto is_computed = [&](size_t output) {
        return !is_cast(golden.source.ops[golden.tensor(output).op].id.op);
    };
    const std::string& taker = golden.source.ops[input.op].id.op;
    const double most = step_of(taker) == OpStep::kAny ? 0 : kOneRounding;
    const auto is_other = [&](size_t one) {
        const auto& mine = target.tensor(one).content;
        const auto& its = target.tensor(partner).content;
        return mine && its && mine->numel == its->numel && !same_content(*mine, *its) &&
               relative_distance(read_whole(target, one).cast(DType::kFloat64).as<double>(),
                                 read_whole(target, partner).cast(DType::kFloat64).as<double>()) >
                   most;
    };
    const Content& made = *golden.tensor(*input.producer).content;
    return is_computed(*input.producer) &&
           std::ranges::any_of(flows_.copies_of(*input.producer), [&](size_t copy) {
               const auto other = flows_.partner_of(copy);
               return copy < *input.producer && is_computed(copy) && other &&
                      same_content(*golden.tensor(copy).content, made) && is_other(*other);
           });
}

std::optional<size_t> InputRebuilder::made_before_casts(size_t golden_output, size_t op) const {
    const Side& golden = flows_.golden();
    std::optional<size_t> made = golden_output;
    while (made) {
        if (const auto partner = flows_.made_by_target(*made, op)) return partner;
        const TracedTensor& output = golden.tensor(*made);
        const TracedTensor* given =
            is_cast(golden.source.ops[output.op].id.op) ? given_to(golden, output) : nullptr;
        made = given != nullptr ? given->producer : std::nullopt;
    }
    return std::nullopt;
}

void InputRebuilder::take_number(const TracedTensor& input, RebuiltInput& rebuilt) const {
    std::optional<size_t> partner;
    for (const size_t number : numbers_expanded(flows_.golden().flow, input))
        if (!partner) partner = made_before_casts(number, input.op);
    if (!partner || !flows_.target().tensor(*partner).content->constant) return;
    const double value = read_whole(flows_.target(), *partner).cast(DType::kFloat64).at(0);
    rebuilt.tensor =
        full_of(value, input.shape, dtype_from_name(input.dtype).value_or(DType::kFloat32));
    rebuilt.origin = Rebuilt::kMade;
    rebuilt.producer = flows_.target().tensor(*partner).path;
}

bool InputRebuilder::is_cast_of(size_t cast, DType narrow, const std::string& producer) const {
    const Side& target = flows_.target();
    const auto made = std::ranges::find(target.flow.tensors, producer, &TracedTensor::path);
    if (made == target.flow.tensors.end()) return false;
    const auto index = static_cast<size_t>(made - target.flow.tensors.begin());
    return same_content(*target.tensor(cast).content,
                        content_of(TensorElements(read_whole(target, index)), narrow));
}

bool InputRebuilder::take_cast(size_t op, DType narrow, RebuiltInput& rebuilt) const {
    const Content rounded = content_of(TensorElements(*rebuilt.tensor), narrow);
    const auto [begin, end] = casts_.equal_range(rounded.sequence);
    for (auto cast = begin; cast != end; ++cast) {
        const TracedTensor& made = flows_.target().tensor(cast->second);
        if (made.op >= op || !same_content(rounded, *made.content)) continue;
        rebuilt.tensor =
            read_whole(flows_.target(), cast->second).reshaped(rebuilt.tensor->shape());
        rebuilt.origin = Rebuilt::kCast;
        rebuilt.producer = made.path;
        return true;
    }
    // A view of such a cast that was not recorded.
    const auto shown = shown_casts_.find(rounded.bag);
    if (shown == shown_casts_.end() || flows_.target().tensor(shown->second).op >= op ||
        (rebuilt.origin == Rebuilt::kMade && !is_cast_of(shown->second, narrow, rebuilt.producer)))
        return false;
    rebuilt.tensor = rebuilt.tensor->cast(narrow).cast(rebuilt.tensor->dtype());
    rebuilt.origin = Rebuilt::kCast;
    rebuilt.producer = flows_.target().tensor(shown->second).path;
    return true;
}

void InputRebuilder::take_extra(const OpPair& pair, size_t golden_input, RebuiltInput& rebuilt) {
    const auto found = instead_.find(rebuilt.producer);
    if (rebuilt.origin != Rebuilt::kMade || found == instead_.end()) return;
    const TracedTensor& extra = flows_.target().tensor(found->second);
    if (&flows_.target().source.ops[extra.op] >= pair.target) return;
    auto shown = made(flows_.golden().tensor(golden_input), golden_input, found->second);
    if (!shown) return;
    rebuilt.tensor = std::move(shown);
    rebuilt.producer = extra.path;
}

bool InputRebuilder::gives_16_bits(const OpPair& pair) const {
    return std::ranges::all_of(flows_.target().of_op(*pair.target), [](const TracedTensor& made) {
        return made.direction != Direction::kOutput || holds_16_bits(made);
    });
}

void InputRebuilder::round_as_cast(const OpPair& pair, RebuiltInput& rebuilt) const {
    if (casts_.empty() || !rebuilt.tensor || !is_float(rebuilt.tensor->dtype()) ||
        !gives_16_bits(pair))
        return;
    const auto own = static_cast<size_t>(pair.target - flows_.target().source.ops.data());
    for (const DType narrow : kNarrow)
        if (take_cast(own, narrow, rebuilt)) return;
}

std::optional<size_t> InputRebuilder::shown_by(size_t producer) const {
    const Side& golden = flows_.golden();
    const TracedTensor& made = golden.tensor(producer);
    for (const TracedTensor& input : golden.flow.of_op(made.op))
        if (input.direction == Direction::kInput && input.content && made.content->tells_bag() &&
            input.content->numel == made.content->numel && input.content->bag == made.content->bag)
            return static_cast<size_t>(&input - golden.flow.tensors.data());
    return std::nullopt;
}

std::optional<Tensor> InputRebuilder::made_wider(size_t golden_input, size_t producer) {
    const TracedTensor& input = flows_.golden().tensor(golden_input);
    const auto partner = flows_.made_by_target(producer, input.op);
    if (!partner || holds_16_bits(flows_.target().tensor(*partner))) return std::nullopt;
    const auto view =
        find_view(read_whole(flows_.golden(), golden_input), read_whole(flows_.golden(), producer));
    if (!view || view->source_numel != flows_.target().tensor(*partner).content->numel)
        return std::nullopt;
    return apply(*view, read_whole(flows_.target(), *partner));
}

void InputRebuilder::take_wider(const OpPair& pair, size_t golden_input, RebuiltInput& rebuilt) {
    const TracedTensor& input = flows_.golden().tensor(golden_input);
    if (rebuilt.origin != Rebuilt::kMade || !input.producer || input.ambiguous ||
        !is_float(rebuilt.tensor->dtype()) || gives_16_bits(pair))
        return;
    // Most is made of nothing narrower.
    const auto partner = flows_.made_by_target(*input.producer, input.op);
    if (!partner || !holds_16_bits(flows_.target().tensor(*partner))) return;
    const Content narrow = content_of(TensorElements(*rebuilt.tensor));
    if (same_content(narrow, *input.content)) return;
    try {
        for (auto shown = shown_by(*input.producer); shown;) {
            const auto producer = flows_.golden().tensor(*shown).producer;
            std::optional<Tensor> wider = producer ? made_wider(golden_input, *producer)
                                                   : read_whole(flows_.golden(), golden_input);
            for (const DType format : kNarrow) {
                if (!wider || !same_content(content_of(TensorElements(*wider), format), narrow))
                    continue;
                rebuilt.tensor = std::move(wider);
                rebuilt.origin = producer ? Rebuilt::kMade : Rebuilt::kGiven;
                rebuilt.producer.clear();
                return;
            }
            shown = producer ? shown_by(*producer) : std::nullopt;
        }
    } catch (const Error&) {
        return;
    }
}

double InputRebuilder::scale_of_results(const OpPair& pair) const {
    for (const TracedTensor& theirs : flows_.golden().of_op(*pair.golden)) {
        if (theirs.direction != Direction::kOutput || !theirs.content) continue;
        const auto golden = static_cast<size_t>(&theirs - flows_.golden().flow.tensors.data());
        const auto partner = flows_.partner_of(golden);
        if (!partner || !flows_.target().tensor(*partner).content ||
            flows_.target().tensor(*partner).content->numel != theirs.content->numel)
            continue;
        return loss_multiple(read_whole(flows_.target(), *partner),
                             read_whole(flows_.golden(), golden));
    }
    return 1;
}

void InputRebuilder::take_scale(const OpPair& pair, size_t golden_input, RebuiltInput& rebuilt) {
    const TracedTensor& input = flows_.golden().tensor(golden_input);
    if (!rebuilt.tensor || !input.content || !input.content->constant ||
        input.content->first != 1 || !is_float(rebuilt.tensor->dtype()) ||
        rebuilt.tensor->numel() != input.content->numel || rebuilt.tensor->at(0) != 1 ||
        (input.content->numel > 1 && !is_number_expanded(flows_.golden().flow, input)))
        return;
    try {
        const double scale = scale_of_results(pair);
        if (scale == 1) return;
        rebuilt.tensor = full_of(scale, rebuilt.tensor->shape(), rebuilt.tensor->dtype());
        if (scale_text_.empty())
            scale_text_ = fmt::format(
                "gradients: {:g} times the golden's from {} on, as the scale of "
                "a loss makes them",
                scale,
                pair.target->path);
    } catch (const Error&) {
        return;
    }
}

std::vector<RebuiltInput> InputRebuilder::inputs_of(size_t pair) {
    std::vector<RebuiltInput> inputs;
    const SourceOp* op = flows_.plan().ops[pair].golden;
    if (op == nullptr) return inputs;
    const Dataflow& flow = flows_.golden().flow;
    const auto index = static_cast<size_t>(op - flows_.golden().source.ops.data());
    const bool trains = flows_.trains(pair).value_or(true);
    for (size_t i = flow.first[index]; i < flow.first[index + 1]; ++i)
        if (flow.tensors[i].direction == Direction::kInput) {
            inputs.push_back(rebuild(i, trains));
            if (flows_.plan().ops[pair].target == nullptr) continue;
            take_extra(flows_.plan().ops[pair], i, inputs.back());
            take_wider(flows_.plan().ops[pair], i, inputs.back());
            round_as_cast(flows_.plan().ops[pair], inputs.back());
            take_scale(flows_.plan().ops[pair], i, inputs.back());
        }
    return inputs;
}

std::vector<RebuiltInput> InputRebuilder::inputs_before_step(size_t pair) {
    std::vector<RebuiltInput> inputs = inputs_of(pair);
    const Side& golden = flows_.golden();
    bool any = false;
    for (RebuiltInput& input : inputs) {
        if (input.origin != Rebuilt::kGiven) continue;
        const auto tensors = golden.of_op(*flows_.plan().ops[pair].golden);
        const auto own = std::ranges::find(tensors, input.golden, &TracedTensor::path);
        const auto place = static_cast<size_t>(&*own - golden.flow.tensors.data());
        const auto before = given_a_step_before(golden, place);
        if (!before) continue;
        input.tensor = read_whole(golden, *before);
        any = true;
    }
    return any ? inputs : std::vector<RebuiltInput>();
}

}  // namespace npuscope::compare
