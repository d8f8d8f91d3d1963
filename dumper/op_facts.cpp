#include "dumper/op_facts.h"

#include "core/tensor/byte_hash.h"

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

void add_words(const NamedValues& values, dumpfile::OpFacts& facts) {
    for (const NamedValue& item : values)
        if (const auto* word = std::get_if<std::string>(&item.value); word && !word->empty())
            facts.words.emplace(item.name, *word);
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
    add_words(op.inputs, facts);
    return facts;
}

namespace {

/// `add(path, tensor)` takes down what is kept of each tensor; the elements go.
template <class Add>
void keep_instead(dumpfile::OpRecord& record, Add&& add) {
    const auto each = [&](const NamedValues& values, const std::string& direction) {
        for_each_tensor(values, [&](const std::string& name, const Tensor& tensor) {
            add(direction + "/" + name, tensor);
        });
    };
    if (record.write_inputs) each(record.inputs, "input");
    each(record.outputs, "output");
    drop_tensors(record.inputs);
    drop_tensors(record.outputs);
}

}  // namespace

void keep_statistics(dumpfile::OpRecord& record) {
    auto& rows = record.facts.statistics.emplace();
    keep_instead(record, [&](const std::string& path, const Tensor& tensor) {
        rows.push_back({path, {tensor.dtype(), tensor.shape(), statistics_of(tensor)}});
    });
}

void keep_hashes(dumpfile::OpRecord& record) {
    auto& rows = record.facts.hashes.emplace();
    keep_instead(record, [&](const std::string& path, const Tensor& tensor) {
        rows.push_back({path, {tensor.dtype(), tensor.shape(), hash_of(tensor)}});
    });
}

}  // namespace npuscope::dumper
