// Tensors whose elements stay where another object keeps them.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/tensor/element_source.h"
#include "core/tensor/tensor.h"

namespace npuscope {
namespace {

/// What a source was asked for.
struct Asked {
    std::vector<std::pair<int64_t, int64_t>> released;
    bool is_cut_short = false;
};

class Kept final : public ElementSource {
  public:
    Kept(DType dtype, Shape shape, const std::byte* elements, Asked& asked)
        : dtype_(dtype), shape_(std::move(shape)), elements_(elements), asked_(asked) {}

    [[nodiscard]] DType dtype() const override { return dtype_; }
    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] int64_t numel() const override { return numel_of(shape_); }
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t,
                                         std::vector<std::byte>&) const override {
        return elements_ + static_cast<size_t>(first) * size_of(dtype_);
    }
    [[nodiscard]] const std::byte* in_place() const override { return elements_; }
    void release(int64_t first, int64_t count) const override {
        asked_.released.emplace_back(first, count);
    }
    void require_intact() const override {
        if (asked_.is_cut_short) throw Error(ErrorKind::kIo, "cut short");
    }

  private:
    DType dtype_;
    Shape shape_;
    const std::byte* elements_;
    Asked& asked_;
};

class LentElements : public testing::Test {
  protected:
    [[nodiscard]] Tensor lent(DType dtype, const Shape& shape, size_t offset = 0) {
        const auto* bytes = reinterpret_cast<const std::byte*>(numbers_.data());
        return Tensor::lent_by(std::make_shared<const Kept>(dtype, shape, bytes + offset, asked_));
    }
    [[nodiscard]] const void* kept() const { return numbers_.data(); }

    std::vector<float> numbers_ = {1, 2, 3, 4, 5, 6};
    Asked asked_;
};

TEST_F(LentElements, stay_where_they_are_until_the_last_tensor_goes) {
    {
        const Tensor tensor = lent(DType::kFloat32, {2, 3});
        EXPECT_EQ(static_cast<const void*>(tensor.data()), kept());
        const Tensor reshaped = tensor.reshaped({6});
        EXPECT_EQ(static_cast<const void*>(reshaped.data()), kept());
        EXPECT_EQ(reshaped.storage_id(), tensor.storage_id());
        tensor.release(1, 2);
        EXPECT_EQ(asked_.released, (std::vector<std::pair<int64_t, int64_t>>{{1, 2}}));
    }
    EXPECT_EQ(asked_.released, (std::vector<std::pair<int64_t, int64_t>>{{1, 2}, {0, 6}}));
}

TEST_F(LentElements, are_copied_before_they_are_changed) {
    Tensor tensor = lent(DType::kFloat32, {6});
    tensor.mutable_as<float>()[0] = 7;
    EXPECT_EQ(numbers_[0], 1);
    EXPECT_EQ(tensor.at(0), 7);
    EXPECT_EQ(tensor.at(5), 6);
}

TEST_F(LentElements, are_copied_where_they_are_indices_or_not_aligned) {
    const Tensor indices = lent(DType::kInt32, {6});
    EXPECT_NE(static_cast<const void*>(indices.data()), kept());
    EXPECT_EQ(std::memcmp(indices.data(), kept(), indices.nbytes()), 0);
    const Tensor halves = lent(DType::kFloat16, {4}, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(halves.data()) % 2, 0U);
    const Tensor in_memory =
        Tensor::lent_by(std::make_shared<const TensorElements>(Tensor::from<float>({1}, {3.0F})));
    EXPECT_EQ(in_memory.at(0), 3);
}

TEST_F(LentElements, tell_when_their_file_was_cut_short) {
    const Tensor tensor = lent(DType::kFloat32, {6});
    EXPECT_NO_THROW(tensor.require_intact());
    asked_.is_cut_short = true;
    EXPECT_THROW(tensor.require_intact(), Error);
    EXPECT_NO_THROW(Tensor::from<float>({1}, {1.0F}).require_intact());
}

}  // namespace
}  // namespace npuscope
