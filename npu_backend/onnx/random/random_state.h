// The uniform numbers that NumPy's RandomState draws from a seed.
#pragma once

#include <cstdint>
#include <random>

namespace npuscope::onnx_model {

/// Source: NumPy, Legacy Random Generation: MT19937 seeded with a 32-bit number; random_sample()
/// takes 53 bits of two draws.
class RandomState {
  public:
    explicit RandomState(uint32_t seed) : generator_(seed) {}

    /// In [0, 1).
    double uniform() {
        const auto high = static_cast<double>(generator_() >> 5);
        const auto low = static_cast<double>(generator_() >> 6);
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }

  private:
    std::mt19937 generator_;
};

}  // namespace npuscope::onnx_model
