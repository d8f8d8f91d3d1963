// A dumped tensor as an element source, straight from the file.
#pragma once

#include "core/dumpfile/reader.h"
#include "core/h5/elements.h"
#include "core/tensor/element_source.h"

namespace npuscope {

/// Elements in the tensor's own dtype, as dumpfile::Reader::read() gives them. Borrows the reader.
class DumpElements : public ElementSource {
  public:
    /// Errors: those of dumpfile::Reader::elements().
    DumpElements(const dumpfile::Reader& reader, const dumpfile::Entry& entry);

    [[nodiscard]] DType dtype() const override { return dtype_; }
    [[nodiscard]] int64_t numel() const override { return elements_.numel(); }
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t count,
                                         std::vector<std::byte>& buffer) const override;
    [[nodiscard]] const std::byte* in_place() const override {
        return dtype_ == elements_.dtype() ? elements_.in_place() : nullptr;
    }
    [[nodiscard]] Tensor whole() const override;
    [[nodiscard]] const ElementSource& stored() const override { return elements_; }
    void release(int64_t first, int64_t count) const override { elements_.release(first, count); }
    void require_intact() const override { elements_.require_intact(); }
    [[nodiscard]] const Shape& shape() const override { return elements_.shape(); }

  private:
    h5::Elements elements_;
    DType dtype_;
};

}  // namespace npuscope
