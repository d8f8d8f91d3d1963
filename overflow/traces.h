// Where each tensor of a run came from and what is wrong with it, by storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/tensor/tensor.h"
#include "overflow/origin.h"

namespace npuscope::overflow {

/// An op's run without a copy of its name, which belongs to a Traces. No op: name nullptr.
struct OpRef {
    const std::string* name = nullptr;
    int64_t seqid = 0;

    [[nodiscard]] std::string path() const {
        return name == nullptr ? std::string() : path_of({*name, seqid});
    }
};

struct Trace {
    OpRef producer;              ///< no name: a weight, a model's input
    OpRef origin;                ///< of the taint
    Taint taint = Taint::kNone;  ///< what is foreign was reported
    bool scanned = false;
    bool non_finite = false;
    bool at_limit = false;
};

/// At most `capacity` tensors; the oldest are forgotten first. Storage ids are never used twice, so
/// what is forgotten cannot be mistaken for another tensor.
class Traces {
  public:
    explicit Traces(size_t capacity) : capacity_(capacity > 0 ? capacity : 1) {}

    /// The tensor's trace, made (without a producer) when it is not known. References live until
    /// the next call of a member function that is not const.
    Trace& at(uint64_t storage_id);
    /// The same after one scan of the values; integers have none.
    Trace& scanned(const Tensor& tensor, int threads);
    void set(uint64_t storage_id, const Trace& trace);
    [[nodiscard]] OpRef op(std::string_view name, int64_t seqid);
    [[nodiscard]] size_t size() const { return traces_.size(); }

  private:
    size_t capacity_;
    std::unordered_map<uint64_t, Trace> traces_;
    std::deque<uint64_t> order_;
    std::set<std::string, std::less<>> names_;
};

}  // namespace npuscope::overflow
