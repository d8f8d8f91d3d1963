#include "page/packed.h"

#include <array>
#include <cstdint>
#include <zlib.h>

#include "core/base/error.h"

namespace npuscope::page {

namespace {

std::string gzipped(std::string_view bytes) {
    z_stream stream{};
    constexpr int kGzip = 16 + MAX_WBITS;
    // The fast level: a page of 50 000 tensors should not wait for its last percents.
    if (deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error(ErrorKind::kInternal, "cannot start to compress a page");
    std::string out;
    std::array<char, 1 << 16> piece;
    constexpr size_t kStep = size_t{1} << 30;
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        if (stream.avail_in == 0 && !bytes.empty()) {
            const std::string_view step = bytes.substr(0, kStep);
            // zlib does not write to its input.
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(step.data()));
            stream.avail_in = static_cast<uInt>(step.size());
            bytes.remove_prefix(step.size());
        }
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = piece.size();
        state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
        if (state == Z_STREAM_ERROR) {
            deflateEnd(&stream);
            throw Error(ErrorKind::kInternal, "cannot compress a page");
        }
        out.append(piece.data(), piece.size() - stream.avail_out);
    }
    deflateEnd(&stream);
    return out;
}

std::string in_base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view three = bytes.substr(at, 3);
        uint32_t bits = 0;
        for (size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < three.size() ? static_cast<uint8_t>(three[i]) : 0);
        for (size_t i = 0; i < 4; ++i)
            out += i > three.size() ? '=' : kDigits[bits >> (18 - 6 * i) & 63];
    }
    return out;
}

}  // namespace

std::string packed(std::string_view bytes) {
    return in_base64(gzipped(bytes));
}

}  // namespace npuscope::page
