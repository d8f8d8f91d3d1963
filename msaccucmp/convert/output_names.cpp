#include "msaccucmp/convert/output_names.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "core/base/printable.h"
#include "core/layout/format.h"
#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

constexpr size_t kLongName = 255;
constexpr size_t kFieldsWithStream = 5;

using Words = std::array<uint32_t, 4>;

// RFC 1321: the integer part of 2^32 * abs(sin(i)), and the shifts of each round.
constexpr std::array<uint32_t, 64> kSines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> kShifts{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

void digest_block(const unsigned char* block, Words& state) {
    std::array<uint32_t, 16> words{};
    for (size_t i = 0; i < words.size(); ++i)
        for (size_t byte = 4; byte-- > 0;)
            words[i] = words[i] << 8 | block[4 * i + byte];
    auto [a, b, c, d] = state;
    for (size_t i = 0; i < kSines.size(); ++i) {
        uint32_t mixed = c ^ (b | ~d);
        size_t word = 7 * i % 16;
        if (i < 16) {
            mixed = (b & c) | (~b & d);
            word = i;
        } else if (i < 32) {
            mixed = (d & b) | (~d & c);
            word = (5 * i + 1) % 16;
        } else if (i < 48) {
            mixed = b ^ c ^ d;
            word = (3 * i + 5) % 16;
        }
        const uint32_t turned =
            std::rotl(a + mixed + kSines[i] + words[word], kShifts[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b += turned;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

std::array<unsigned char, 16> md5_of(std::string text) {
    const uint64_t bits = uint64_t{text.size()} * 8;
    text += '\x80';
    text.append((120 - text.size() % 64) % 64, '\0');
    for (size_t i = 0; i < 8; ++i)
        text += static_cast<char>(bits >> (8 * i) & 0xffu);
    Words state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (size_t at = 0; at < text.size(); at += 64)
        digest_block(reinterpret_cast<const unsigned char*>(text.data()) + at, state);
    std::array<unsigned char, 16> digest{};
    for (size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<unsigned char>(state[i / 4] >> (8 * (i % 4)) & 0xffu);
    return digest;
}

}  // namespace

std::string uuid3_of(std::string_view name) {
    // 6ba7b810-9dad-11d1-80b4-00c04fd430c8, the name space of domain names.
    std::string text("\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8", 16);
    text += name;
    auto digest = md5_of(std::move(text));
    digest[6] = static_cast<unsigned char>((digest[6] & 0x0fu) | 0x30u);
    digest[8] = static_cast<unsigned char>((digest[8] & 0x3fu) | 0x80u);
    std::string digits;
    for (const unsigned char byte : digest)
        for (const unsigned nibble : {unsigned{byte} >> 4u, unsigned{byte} & 15u})
            digits += "0123456789abcdef"[nibble];
    return digits;
}

std::filesystem::path OutputNames::path_of(const std::string& name, std::string_view suffix) {
    if (name.size() < kLongName) return folder_ / name;
    const std::string stored = uuid3_of(name) + std::string(suffix);
    const std::lock_guard guard(mutex_);
    append_line(folder_ / "mapping.csv", stored + "," + name);
    return folder_ / stored;
}

void append_line(const std::filesystem::path& path, const std::string& line) {
    const std::string text = line + "\n";
    // A link under that name would lead out of the folder.
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool is_written =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int problem = errno;
    if (file >= 0) ::close(file);
    if (!is_written)
        throw CommandError(kWriteFileError,
                           "Failed to write \"'" + path.string() +
                               "'\": " + std::generic_category().message(problem));
}

std::string name_with_op(const std::string& base, const std::string& op_name) {
    const auto dots = static_cast<size_t>(std::count(base.begin(), base.end(), '.'));
    if (dots + 1 != kFieldsWithStream || op_name.empty()) return base;
    std::string own = op_name.substr(op_name.rfind('/') + 1);
    std::replace_if(
        own.begin(),
        own.end(),
        [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return byte < 0x20 || byte == 0x7f;
        },
        '_');
    const size_t first = base.find('.') + 1;
    return base.substr(0, first) + own + base.substr(base.find('.', first));
}

std::string format_name(int64_t format) {
    const auto known = layout::format_from_code(format);
    if (known)
        for (const layout::FormatInfo& row : layout::all_formats())
            if (row.format == *known && row.known_to_msaccucmp) return std::string(row.name);
    throw CommandError(kInvalidFormat, "format " + std::to_string(format) + " has no name");
}

}  // namespace npuscope::msaccucmp
