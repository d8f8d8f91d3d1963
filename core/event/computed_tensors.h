// Which tensors of a program its ops computed; the others were given to it.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "core/ir/value.h"

namespace npuscope {

/// Follows storage: a view of a computed tensor is computed, too. Eight bytes a tensor. Threads:
/// one.
class ComputedTensors {
  public:
    /// After an op. A view or a rearrangement (`recorded` is false) of what was given is given,
    /// too.
    void take(const NamedValues& inputs, const NamedValues& outputs, bool recorded) {
        bool computed = recorded;
        for_each_tensor(inputs, [&](const std::string&, const Tensor& tensor) {
            computed = computed || holds(tensor);
        });
        if (computed) add(outputs);
    }
    void add(const NamedValues& values) {
        for_each_tensor(values, [&](const std::string&, const Tensor& tensor) {
            storages_.insert(tensor.storage_id());
        });
    }
    [[nodiscard]] bool holds(const Tensor& tensor) const {
        return storages_.contains(tensor.storage_id());
    }

  private:
    std::unordered_set<uint64_t> storages_;
};

}  // namespace npuscope
