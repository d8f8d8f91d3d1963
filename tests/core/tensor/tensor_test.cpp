#include "core/tensor/tensor.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

void expect_kind(ErrorKind kind, const std::function<void()>& call) {
    try {
        call();
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    }
}

TEST(Shape, has_a_product_strides_and_a_text) {
    EXPECT_EQ(numel_of(Shape{}), 1);
    EXPECT_EQ(numel_of(Shape{2, 0, 3}), 0);
    EXPECT_EQ(numel_of(Shape{2, 3, 4}), 24);
    EXPECT_EQ(contiguous_strides(Shape{2, 3, 4}), (Shape{12, 4, 1}));
    EXPECT_EQ(contiguous_strides(Shape{}), Shape{});
    EXPECT_EQ(contiguous_strides(Shape{2, 0, 3}), (Shape{3, 3, 1}));
    EXPECT_EQ(to_string(Shape{2, 3}), "[2,3]");
    EXPECT_EQ(to_string(Shape{}), "[]");
}

TEST(Shape, rejects_negative_and_overflowing_products) {
    expect_kind(ErrorKind::kFormat, [] { static_cast<void>(numel_of(Shape{-1})); });
    expect_kind(ErrorKind::kFormat, [] { static_cast<void>(numel_of(Shape{kHuge, 2})); });
    expect_kind(ErrorKind::kFormat, [] { const Tensor t(DType::kFloat64, {kHuge / 2}); });
}

TEST(Tensor, default_has_no_elements) {
    const Tensor tensor;
    EXPECT_EQ(tensor.numel(), 0);
    EXPECT_EQ(tensor.ndim(), 1);
    EXPECT_EQ(tensor.dtype(), DType::kFloat32);
}

TEST(Tensor, copies_share_elements_until_one_is_written) {
    Tensor a = Tensor::from<float>({2}, {1, 2});
    Tensor b = a;
    EXPECT_EQ(a.storage_id(), b.storage_id());
    EXPECT_EQ(a.data(), b.data());
    b.mutable_as<float>()[0] = 9;
    EXPECT_EQ(a.at(0), 1);
    EXPECT_EQ(b.at(0), 9);
    EXPECT_NE(a.storage_id(), b.storage_id());
    const std::byte* alone = b.data();
    b.mutable_as<float>()[0] = 8;
    EXPECT_EQ(b.data(), alone);
}

TEST(Tensor, elements_are_aligned_for_vector_instructions) {
    for (int64_t n : {1, 3, 100})
        EXPECT_EQ(reinterpret_cast<uintptr_t>(Tensor(DType::kInt8, {n}).data()) % 64, 0U);
}

TEST(Tensor, reshapes_without_copying_and_infers_one_dimension) {
    const Tensor tensor = Tensor::zeros(DType::kInt16, {2, 6});
    const Tensor changed = tensor.reshaped({3, -1});
    EXPECT_EQ(changed.shape(), (Shape{3, 4}));
    EXPECT_EQ(changed.data(), tensor.data());
    EXPECT_EQ(Tensor::zeros(DType::kInt16, {0}).reshaped({0, 5}).shape(), (Shape{0, 5}));
    for (const Shape& wrong : {Shape{5, -1}, Shape{13}, Shape{-1, -1}, Shape{-2, 6}})
        expect_kind(ErrorKind::kUsage, [&] { static_cast<void>(tensor.reshaped(wrong)); });
}

TEST(Tensor, casts_as_numpy_does) {
    const Tensor tensor = Tensor::from<float>({3}, {1.9F, -1.9F, 300});
    const Tensor bytes = tensor.cast(DType::kInt16);
    EXPECT_EQ(bytes.at(0), 1);
    EXPECT_EQ(bytes.at(1), -1);
    EXPECT_EQ(bytes.at(2), 300);
    EXPECT_EQ(tensor.cast(DType::kFloat32).data(), tensor.data());
}

TEST(Tensor, counts_axes_from_the_end_too) {
    const Tensor tensor = Tensor::zeros(DType::kBool, {2, 3});
    EXPECT_EQ(tensor.dim(-1), 3);
    EXPECT_EQ(tensor.dim(0), 2);
    expect_kind(ErrorKind::kUsage, [&] { static_cast<void>(tensor.dim(2)); });
    expect_kind(ErrorKind::kUsage, [&] { static_cast<void>(tensor.dim(-3)); });
}

TEST(Tensor, rejects_another_element_type_and_a_wrong_number_of_values) {
    const Tensor tensor = Tensor::zeros(DType::kFloat32, {1});
    expect_kind(ErrorKind::kInternal, [&] { static_cast<void>(tensor.as<double>()); });
    expect_kind(ErrorKind::kInternal, [] { static_cast<void>(Tensor::from<float>({3}, {1, 2})); });
}

TEST(Tensor, begins_at_a_cache_line) {
    for (const int64_t numel : {1, 7, 1000, 4000000})
        EXPECT_EQ(reinterpret_cast<uintptr_t>(Tensor(DType::kInt8, {numel}).data()) % 64, 0U);
}

TEST(Tensor, rejects_more_bytes_than_an_address_counts) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    EXPECT_THROW(Tensor(DType::kFloat16, {kMost}), Error);
    EXPECT_THROW(Tensor(DType::kFloat64, {kMost}), Error);
}

TEST(Tensor, identical_means_dtype_shape_and_bytes) {
    const Tensor a = Tensor::from<float>({2}, {0.0F, 1});
    EXPECT_TRUE(identical(a, Tensor::from<float>({2}, {0.0F, 1})));
    EXPECT_FALSE(identical(a, Tensor::from<float>({2}, {-0.0F, 1})));
    EXPECT_FALSE(identical(a, a.reshaped({2, 1})));
    EXPECT_FALSE(identical(Tensor::zeros(DType::kInt32, {1}), Tensor::zeros(DType::kFloat32, {1})));
}

TEST(Tensor, a_view_describes_the_elements) {
    const Tensor tensor = Tensor::from<int32_t>({2, 2}, {1, 2, 3, 4});
    const TensorView view = tensor.view();
    EXPECT_EQ(view.numel(), 4);
    EXPECT_EQ(view.nbytes(), 16U);
    EXPECT_EQ(view.as<int32_t>()[3], 4);
    EXPECT_EQ(view.storage_id, tensor.storage_id());
    EXPECT_TRUE(identical(Tensor::copy_of(view), tensor));
}

}  // namespace
}  // namespace npuscope
