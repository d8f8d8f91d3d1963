#include "core/tensor/byte_hash.h"

#include <vector>

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(ByteHash, is_xxh3_of_128_bits) {
    // As xxh128sum prints them.
    EXPECT_EQ(ByteHash().text(), "99aa06d3014798d86001c324468d497f");
    EXPECT_EQ(hash_of(Tensor(DType::kFloat32, {0})), "99aa06d3014798d86001c324468d497f");
}

TEST(ByteHash, does_not_depend_on_the_pieces) {
    Tensor tensor(DType::kFloat32, {3 << 19});
    float next = 0;
    for (float& value : tensor.mutable_as<float>())
        value = next++;
    EXPECT_EQ(hash_of(TensorElements(tensor)), hash_of(tensor));
    ByteHash hash;
    hash.add({tensor.data(), 5});
    hash.add({tensor.data() + 5, tensor.nbytes() - 5});
    EXPECT_EQ(hash.text(), hash_of(tensor));
}

TEST(ByteHash, knows_one_bit) {
    const Tensor zero = Tensor::from<float>({2}, {0.0F, 1.0F});
    const Tensor minus = Tensor::from<float>({2}, {-0.0F, 1.0F});
    EXPECT_NE(hash_of(zero), hash_of(minus));
    EXPECT_EQ(hash_of(zero).size(), 32U);
}

}  // namespace
}  // namespace npuscope
