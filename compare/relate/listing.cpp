#include "compare/relate/listing.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "core/base/error.h"
#include "core/naming/in_place.h"
#include "core/naming/unread.h"
#include "core/naming/unspecified.h"
#include "core/parallel/parallel_for.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Bytes read before the pages of a mapped file are given back.
constexpr uint64_t kResident = uint64_t{64} << 20;

struct ReadTensor {
    ListedTensor tensor;
    bool has_elements = false;
};

/// Sketches by what tensors of one source share.
class SharedSketches {
  public:
    [[nodiscard]] std::optional<Sketch> find(const SourceTensor& tensor) {
        if (!tensor.storage) return std::nullopt;
        const std::lock_guard guard(mutex_);
        const auto found = known_.find(key_of(tensor));
        return found == known_.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const SourceTensor& tensor, const Sketch& sketch) {
        if (!tensor.storage) return;
        const std::lock_guard guard(mutex_);
        known_.emplace(key_of(tensor), sketch);
    }

  private:
    static std::string key_of(const SourceTensor& tensor) {
        return std::to_string(*tensor.storage) + tensor.dtype + to_string(tensor.shape);
    }
    std::mutex mutex_;
    std::unordered_map<std::string, Sketch> known_;
};

ReadTensor read(const SourceTensor& tensor, size_t op, size_t number, SharedSketches& shared) {
    ReadTensor result;
    result.tensor = {.op = op,
                     .number = number,
                     .direction = tensor.direction,
                     .argument = tensor.argument,
                     .path = tensor.path,
                     .shape = tensor.shape};
    if (!tensor.open) return result;
    try {
        if (const auto known = shared.find(tensor)) {
            result.tensor.sketch = *known;
        } else {
            const auto elements = tensor.open();
            if (elements->numel() == 0) return result;
            result.tensor.sketch = sketch_of(*elements);
            shared.keep(tensor, result.tensor.sketch);
        }
        result.tensor.is_float = is_float(dtype_from_name(tensor.dtype).value_or(DType::kFloat32));
        result.has_elements = result.tensor.sketch.numel > 0;
    } catch (const Error&) {
        // What cannot be read is told where it is compared.
    }
    return result;
}

/// Whether the op's definition says what it holds.
bool is_told(const std::string& op, const SourceTensor& tensor) {
    return tensor.direction == Direction::kOutput ? !is_unspecified(op, tensor.argument, true)
                                                  : !is_unread(op, tensor.argument);
}

std::vector<std::vector<ReadTensor>> read_all(const Source& source, int threads) {
    std::vector<std::vector<ReadTensor>> all(source.ops.size());
    SharedSketches shared;
    std::mutex mutex;
    uint64_t unreleased = 0;
    parallel_for(static_cast<int64_t>(source.ops.size()), threads, [&](int64_t index) {
        const auto op = static_cast<size_t>(index);
        try {
            const std::vector<SourceTensor> tensors = source.ops[op].load();
            for (size_t i = 0; i < tensors.size(); ++i)
                if (is_told(source.ops[op].id.op, tensors[i]))
                    all[op].push_back(read(tensors[i], op, i, shared));
        } catch (const Error&) {
            all[op].clear();
        }
        if (!source.release) return;
        const std::lock_guard guard(mutex);
        unreleased += source.ops[op].mapped_bytes;
        if (unreleased < kResident) return;
        source.release();
        unreleased = 0;
    });
    return all;
}

/// Latest tensors by what they hold.
class Contents {
  public:
    /// The tensor that holds these elements, in their order first; kNoTensor without one.
    [[nodiscard]] size_t find(const Sketch& sketch) const {
        if (const auto found = by_order_.find(key(sketch, sketch.sequence));
            found != by_order_.end())
            return found->second;
        if (!sketch.told) return kNoTensor;
        const auto found = by_bag_.find(key(sketch, sketch.bag));
        return found == by_bag_.end() ? kNoTensor : found->second;
    }
    /// The first one that asked with these elements in this order.
    size_t first(const Sketch& sketch, size_t tensor) {
        return first_.emplace(key(sketch, sketch.sequence), tensor).first->second;
    }
    void add(const Sketch& sketch, size_t tensor) {
        by_order_[key(sketch, sketch.sequence)] = tensor;
        by_bag_[key(sketch, sketch.bag)] = tensor;
    }

  private:
    static uint64_t key(const Sketch& sketch, uint64_t hash) {
        return hash ^ (static_cast<uint64_t>(sketch.numel) * 0xD6E8FEB86659FD93U);
    }
    std::unordered_map<uint64_t, size_t> by_order_;
    std::unordered_map<uint64_t, size_t> by_bag_;
    std::unordered_map<uint64_t, size_t> first_;
};

}  // namespace

Listing list_tensors(const Source& source, int threads) {
    std::vector<std::vector<ReadTensor>> all = read_all(source, threads);
    Listing listing{.tensors = {},
                    .uses = {},
                    .in = std::vector<std::vector<size_t>>(all.size()),
                    .out = std::vector<std::vector<size_t>>(all.size())};
    Contents contents;
    for (size_t op = 0; op < all.size(); ++op) {
        for (ReadTensor& each : all[op]) {
            if (!each.has_elements) continue;
            const bool is_input = each.tensor.is_given();
            size_t tensor = is_input ? contents.find(each.tensor.sketch) : kNoTensor;
            const std::string& argument = each.tensor.argument;
            TensorUse use{.op = op,
                          .number = each.tensor.number,
                          .argument = argument,
                          .path = each.tensor.path,
                          .shape = each.tensor.shape,
                          .in_place = writes_over(source.ops[op].id.op, argument, argument)};
            if (tensor == kNoTensor) {
                tensor = listing.tensors.size();
                each.tensor.twin = contents.first(each.tensor.sketch, tensor);
                contents.add(each.tensor.sketch, tensor);
                listing.tensors.push_back(std::move(each.tensor));
            }
            if (is_input) {
                use.tensor = tensor;
                listing.uses.push_back(std::move(use));
                auto& users = listing.tensors[tensor].users;
                if (users.empty() || users.back() != op) users.push_back(op);
            }
            (is_input ? listing.in : listing.out)[op].push_back(tensor);
        }
    }
    return listing;
}

bool are_readings(const Listing& side, size_t one, size_t other) {
    if (one == kNoTensor || one == other) return false;
    const ListedTensor& mine = side.tensors[one];
    return mine.form != RankForm::kAlone && mine.op == side.tensors[other].op &&
           mine.path == side.tensors[other].path;
}

std::unique_ptr<ElementSource> open_listed(const Source& source, const ListedTensor& tensor) {
    const std::vector<SourceTensor> tensors = source.ops[tensor.op].load();
    if (tensor.number >= tensors.size() || !tensors[tensor.number].open)
        throw Error(ErrorKind::kIo, tensor.path + ": its elements are not there any more");
    auto elements = tensors[tensor.number].open();
    if (!tensor.kept) return elements;
    return std::make_unique<TensorElements>(apply(*tensor.kept, elements->whole()));
}

std::unique_ptr<ElementSource> open_listed_for_many(const Source& source,
                                                    const ListedTensor& tensor) {
    constexpr int64_t kLarge = int64_t{1} << 20;
    auto elements = open_listed(source, tensor);
    if (elements->numel() >= kLarge) return elements;
    return std::make_unique<TensorElements>(elements->whole());
}

}  // namespace npuscope::compare
