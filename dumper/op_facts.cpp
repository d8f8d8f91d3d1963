#include "dumper/op_facts.h"

namespace npuscope::dumper {

namespace {

void add_strides(const NamedValues& values, dumpfile::OpFacts& facts) {
    for (const NamedValue& item : values) {
        size_t number = 0;
        for_each_tensor({item}, [&](const std::string& path, const Tensor&) {
            if (number < item.strides.size() && !item.strides[number].empty())
                facts.strides["input/" + path] = item.strides[number];
            ++number;
        });
    }
}

void drop_tensors(NamedValues& values) {
    std::erase_if(values, [](const NamedValue& item) {
        return std::holds_alternative<Tensor>(item.value) ||
               std::holds_alternative<TensorList>(item.value);
    });
}

}  // namespace

dumpfile::OpFacts op_facts(const OpEnd& op, const Match* match, bool inputs) {
    dumpfile::OpFacts facts;
    facts.source = op.source;
    // Without a kernel nobody read the status: an op of another framework, or one that it helped
    // out with.
    if (!op.kernels.empty() || op.status.bits != 0) {
        facts.kernels.assign(op.kernels.begin(), op.kernels.end());
        facts.status = op.status;
        facts.overflow = op.status.overflow();
    }
    if (match != nullptr) {
        facts.golden = match->golden.path();
        facts.by_alias = match->by_alias;
    }
    if (inputs) add_strides(op.inputs, facts);
    return facts;
}

void keep_statistics(dumpfile::OpRecord& record) {
    auto& rows = record.facts.statistics.emplace();
    const auto add = [&](const NamedValues& values, const std::string& direction) {
        for_each_tensor(values, [&](const std::string& name, const Tensor& tensor) {
            rows.push_back(
                {direction + "/" + name, {tensor.dtype(), tensor.shape(), statistics_of(tensor)}});
        });
    };
    if (record.write_inputs) add(record.inputs, "input");
    add(record.outputs, "output");
    drop_tensors(record.inputs);
    drop_tensors(record.outputs);
}

}  // namespace npuscope::dumper
