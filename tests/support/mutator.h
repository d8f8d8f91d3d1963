// Damages files at random, reproducibly: what a broken disk, a cut transfer or an attacker leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace npuscope::test {

class Mutator {
  public:
    explicit Mutator(uint32_t seed) : random_(seed) {}

    [[nodiscard]] size_t below(size_t count) { return random_() % count; }

    /// One change within the first `reach` bytes: a byte or a bit, a stretch overwritten with one
    /// value, removed, repeated or taken from `donor`, a small number put at a multiple of 8, or
    /// (rarely) the end cut off. Empty content stays empty.
    void change(std::string& content,
                const std::string& donor,
                size_t reach = std::numeric_limits<size_t>::max()) {
        if (content.empty()) return;
        const size_t at = below(std::min(reach, content.size()));
        const size_t count = std::min(1 + below(8), content.size() - at);
        switch (below(9)) {
            case 0:
                content[at] = static_cast<char>(below(256));
                break;
            case 1:
                content[at] = static_cast<char>(content[at] ^ 1 << below(8));
                break;
            case 2:
                content.replace(at, count, count, likely());
                break;
            case 3:
                content[at] = likely();
                break;
            case 4:
                content.erase(at, count);
                break;
            case 5:
                content.insert(at, content.substr(at, count));
                break;
            case 6:
                if (!donor.empty())
                    content.replace(at, count, donor.substr(below(donor.size()), count));
                break;
            case 7:
                put_number(content, at / 8 * 8);
                break;
            default:
                if (below(4) == 0)
                    content.resize(at);
                else
                    content.insert(at, count, likely());
        }
    }

    /// 1 to `most` changes.
    [[nodiscard]] std::string changed(std::string content, size_t most, const std::string& donor) {
        for (size_t count = 1 + below(most); count > 0; --count)
            change(content, donor);
        return content;
    }

  private:
    char likely() {
        constexpr unsigned char kValues[] = {0, 1, 2, 8, 0x7f, 0x80, 0xfe, 0xff};
        return static_cast<char>(kValues[below(std::size(kValues))]);
    }

    /// An offset into the file, or a size that it cannot have.
    void put_number(std::string& content, size_t at) {
        uint64_t value =
            below(4) == 0 ? uint64_t{random_()} << below(33) : below(content.size()) / 8 * 8;
        for (size_t i = 0; i < 8 && at + i < content.size(); ++i, value >>= 8)
            content[at + i] = static_cast<char>(value & 0xff);
    }

    std::mt19937 random_;
};

}  // namespace npuscope::test
