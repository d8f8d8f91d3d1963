#include "core/recording/write_dump.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/dumpfile/writer.h"
#include "core/naming/pattern.h"
#include "core/recording/msprobe/record_name.h"

namespace npuscope {

namespace {

using dumpfile::Direction;
using dumpfile::OpRecord;
using dumpfile::TensorFacts;

/// "/conv2d/" is "conv2d".
std::string_view trimmed(std::string_view path) {
    while (path.starts_with('/'))
        path.remove_prefix(1);
    while (path.ends_with('/'))
        path.remove_suffix(1);
    return path;
}

std::vector<bool> chosen_ops(const Source& source, const std::vector<std::string>& patterns) {
    std::vector<bool> chosen(source.ops.size());
    for (const std::string& pattern : patterns) {
        bool any = false;
        for (size_t i = 0; i < source.ops.size(); ++i)
            if (fits_pattern(trimmed(source.ops[i].path), trimmed(pattern))) chosen[i] = any = true;
        if (!any)
            throw Error(ErrorKind::kUsage,
                        in_quotes(pattern) + " fits none of the " +
                            std::to_string(source.ops.size()) + " recorded ops" +
                            (source.ops.empty() ? std::string()
                                                : ", such as " + in_quotes(source.ops[0].path)));
    }
    return chosen;
}

/// Without the number of the call; a group's name holds no '/'.
std::string op_name(const std::string& path) {
    std::string name(trimmed(path));
    if (const auto call = msprobe::parse_record_name(name))
        name = std::string(call->base) + "." + std::string(call->pass);
    std::ranges::replace(name, '/', '.');
    return name;
}

/// What four numbers tell of a tensor; empty where one is missing. How many elements are not finite
/// is not known: one stands for them.
std::optional<Statistics> statistics_of_recorded(const RecordedStatistics& recorded,
                                                 int64_t numel) {
    if (!recorded.max || !recorded.min || !recorded.mean || !recorded.norm || numel == 0)
        return std::nullopt;
    Statistics found{.count = numel};
    if (std::isnan(*recorded.max) || std::isnan(*recorded.min)) {
        found.nan = 1;
    } else {
        found.positive_inf = std::isinf(*recorded.max) ? 1 : 0;
        found.negative_inf = std::isinf(*recorded.min) ? 1 : 0;
    }
    found.finite =
        std::max<int64_t>(numel - found.nan - found.positive_inf - found.negative_inf, 0);
    const auto finite = [](double value) { return std::isfinite(value) ? value : 0; };
    found.max = finite(*recorded.max);
    found.min = finite(*recorded.min);
    found.mean = finite(*recorded.mean);
    const double square = finite(*recorded.norm) * finite(*recorded.norm);
    found.deviation =
        std::sqrt(std::max(0.0, square / static_cast<double>(numel) - found.mean * found.mean));
    return found;
}

std::optional<Value> value_of(const PlainArgument& argument) {
    constexpr std::string_view kTorch = "torch.";
    if (!argument.text.empty()) {
        const std::string_view text = argument.text;
        const auto dtype =
            text.starts_with(kTorch) ? dtype_from_name(text.substr(kTorch.size())) : std::nullopt;
        return dtype ? std::optional<Value>(*dtype) : std::nullopt;
    }
    if (argument.is_list) {
        if (argument.is_whole) return IntList(argument.numbers.begin(), argument.numbers.end());
        return FloatList(argument.numbers);
    }
    if (argument.numbers.size() != 1) return std::nullopt;
    if (argument.is_bool) return argument.numbers[0] != 0;
    if (argument.is_whole) return static_cast<int64_t>(argument.numbers[0]);
    return argument.numbers[0];
}

/// Adds a tensor to the op's record, and to the counts.
void take(const SourceTensor& tensor, OpRecord& record, WrittenDump& counts) {
    const bool is_input = tensor.direction == Direction::kInput;
    if (tensor.open) {
        (is_input ? record.inputs : record.outputs)
            .push_back({.name = tensor.argument, .value = tensor.open()->whole()});
        ++counts.tensors;
        return;
    }
    const auto dtype = dtype_from_name(tensor.dtype);
    const auto found = tensor.statistics
                           ? statistics_of_recorded(*tensor.statistics, numel_of(tensor.shape))
                           : std::nullopt;
    if (!dtype || !found) {
        ++counts.left_out;
        return;
    }
    if (!record.facts.statistics) record.facts.statistics.emplace();
    record.facts.statistics->emplace_back((is_input ? "input/" : "output/") + tensor.argument,
                                          TensorFacts{*dtype, tensor.shape, *found});
    ++counts.numbers;
}

OpRecord record_of(const SourceOp& op, int64_t place, WrittenDump& counts) {
    OpRecord record{.id = {op_name(op.path), place}, .inputs = {}, .outputs = {}, .facts = {}};
    if (op.facts) {
        SideFacts facts = op.facts();
        record.facts = std::move(facts.recorded);
        for (const PlainArgument& argument : facts.arguments)
            if (auto value = value_of(argument))
                record.inputs.push_back({.name = argument.name, .value = std::move(*value)});
            else if (!argument.text.empty())
                record.facts.words.emplace(argument.name, argument.text);
    }
    if (record.facts.source.node.empty()) record.facts.source.node = op.path;
    for (const SourceTensor& tensor : op.load())
        take(tensor, record, counts);
    return record;
}

}  // namespace

WrittenDump write_dump(
    const Source& source,
    const std::vector<std::string>& patterns,
    const std::filesystem::path& output,
    const std::function<void(const std::string& from, const std::string& to)>& on_op) {
    const std::vector<bool> chosen = chosen_ops(source, patterns);
    if (std::filesystem::exists(output))
        throw Error(ErrorKind::kUsage,
                    in_quotes(output) + " is there already; remove it or choose another name");
    dumpfile::Writer writer(output, {});
    WrittenDump counts;
    for (size_t i = 0; i < chosen.size(); ++i) {
        if (!chosen[i]) continue;
        const OpRecord record = record_of(source.ops[i], static_cast<int64_t>(i) + 1, counts);
        writer.write(record);
        ++counts.ops;
        if (on_op) on_op(source.ops[i].path, record.id.path());
    }
    writer.close();
    return counts;
}

}  // namespace npuscope
