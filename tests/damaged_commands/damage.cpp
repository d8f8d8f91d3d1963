#include "tests/damaged_commands/damage.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace npuscope::damage {

std::string damaged(std::string bytes, std::mt19937_64& random) {
    const auto below = [&](size_t end) { return end == 0 ? 0 : random() % end; };
    for (size_t changes = 1 + below(2) * below(7); changes > 0 && !bytes.empty(); --changes) {
        const size_t at = below(bytes.size());
        const size_t count = std::min(bytes.size() - at, size_t{1} << below(8));
        switch (below(9)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(random());
                break;
            case 2: {  // a number that lengths and offsets fear
                constexpr std::array<uint64_t, 8> kFeared = {
                    0, 1, 0x7f, 0xff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, ~uint64_t{0}};
                const uint64_t number = kFeared[below(kFeared.size())];
                std::memcpy(&bytes[at], &number, std::min<size_t>(bytes.size() - at, 8));
                break;
            }
            case 3:
                bytes.resize(at);
                break;
            case 4:
                bytes.erase(at, count);
                break;
            case 5:
                bytes.insert(at, bytes.substr(below(bytes.size()), count));
                break;
            case 6:
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, '\0');
                break;
            case 7: {  // text
                constexpr std::array<const char*, 8> kWords = {
                    "[", "{\"", "-1", "1e999", "\x1b[2J", "\xff", "../../x", "4611686018427387904"};
                bytes.insert(at, kWords[below(kWords.size())]);
                break;
            }
            default:
                bytes.replace(at, count, bytes.substr(below(bytes.size()), count));
        }
    }
    return bytes;
}

}  // namespace npuscope::damage
