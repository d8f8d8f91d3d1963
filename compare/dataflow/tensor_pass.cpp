#include "compare/dataflow/tensor_pass.h"

#include <mutex>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"

namespace npuscope::compare {

namespace {

/// Bytes read before a mapped file's pages are given back.
constexpr uint64_t kMostResident = uint64_t{8} << 20;

/// Gives pages back when enough of them were read. Threads: any.
class Pages {
  public:
    explicit Pages(const Source& source) : source_(source) {}

    void read(uint64_t bytes) {
        const std::lock_guard guard(mutex_);
        unreleased_ += bytes;
        if (unreleased_ < kMostResident) return;
        if (source_.release) source_.release();
        unreleased_ = 0;
    }

  private:
    const Source& source_;
    std::mutex mutex_;
    uint64_t unreleased_ = 0;
};

}  // namespace

void for_each_op(const Source& source, int threads, const std::function<void(size_t op)>& visit) {
    Pages pages(source);
    parallel_for(static_cast<int64_t>(source.ops.size()), threads, [&](int64_t index) {
        const auto op = static_cast<size_t>(index);
        visit(op);
        pages.read(source.ops[op].mapped_bytes);
    });
}

void for_each_traced(const Source& source,
                     const Dataflow& flow,
                     const std::vector<size_t>& tensors,
                     int threads,
                     const std::function<void(size_t at, const ElementSource& elements)>& visit) {
    Pages pages(source);
    parallel_for(static_cast<int64_t>(tensors.size()), threads, [&](int64_t index) {
        const auto at = static_cast<size_t>(index);
        try {
            const auto elements = open_traced(source, flow, tensors[at]);
            visit(at, *elements);
            elements->require_intact();
        } catch (const Error&) {
            return;
        }
        pages.read(source.ops[flow.tensors[tensors[at]].op].mapped_bytes);
    });
}

std::unique_ptr<ElementSource> open_traced(const Source& source,
                                           const Dataflow& flow,
                                           size_t tensor) {
    const size_t op = flow.tensors[tensor].op;
    const std::vector<SourceTensor> tensors = source.ops[op].load();
    const size_t place = tensor - flow.first[op];
    if (place >= tensors.size() || !tensors[place].open)
        throw Error(ErrorKind::kInternal, flow.tensors[tensor].path + " has no elements");
    return tensors[place].open();
}

}  // namespace npuscope::compare
