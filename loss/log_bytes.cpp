#include "loss/log_bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/error.h"
#include "core/base/owned_descriptor.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"

namespace npuscope::loss {

namespace {

constexpr size_t kProbed = 4096;

// Pipes and special files, to their end.
std::string whole_stream(int descriptor, const std::string& path) {
    std::string bytes;
    std::array<char, 65536> block{};
    for (;;) {
        const ssize_t count = ::read(descriptor, block.data(), block.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw system_error("cannot read " + in_quotes(path), errno);
        if (count == 0) return bytes;
        bytes.append(block.data(), static_cast<size_t>(count));
        if (bytes.size() > LogBytes::kLargestUnpacked / 4)
            throw Error(ErrorKind::kFormat,
                        in_quotes(path) + " does not end within 1 GiB; give a file");
    }
}

void append_utf8(std::string& text, uint32_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0 | code >> 12);
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        text += static_cast<char>(0xF0 | code >> 18);
        text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    }
}

// Unpaired halves of a pair become U+FFFD.
std::string from_utf16(std::string_view bytes, bool little) {
    const auto unit = [&](size_t i) {
        const auto a = static_cast<uint8_t>(bytes[i]);
        const auto b = static_cast<uint8_t>(bytes[i + 1]);
        return static_cast<uint32_t>(little ? a | b << 8 : b | a << 8);
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const uint32_t code = unit(i);
        if (code < 0xD800 || code > 0xDFFF) {
            append_utf8(text, code);
        } else if (code < 0xDC00 && i + 3 < bytes.size() && (unit(i + 2) & 0xFC00) == 0xDC00) {
            append_utf8(text, 0x10000 + ((code - 0xD800) << 10) + (unit(i + 2) - 0xDC00));
            i += 2;
        } else {
            append_utf8(text, 0xFFFD);
        }
    }
    return text;
}

// 'l', 'b' or 0: by the mark, or by the zeros beside ASCII letters.
char utf16_order(std::string_view text) {
    if (text.starts_with("\xFF\xFE")) return 'l';
    if (text.starts_with("\xFE\xFF")) return 'b';
    const std::string_view probe = text.substr(0, std::min(text.size(), kProbed) & ~size_t{1});
    size_t even = 0;
    size_t odd = 0;
    for (size_t i = 0; i < probe.size(); i += 2) {
        even += probe[i] == '\0' ? 1 : 0;
        odd += probe[i + 1] == '\0' ? 1 : 0;
    }
    const size_t most = probe.size() / 2 * 9 / 10;
    if (probe.size() >= 8 && odd > most && even * 20 < odd) return 'l';
    if (probe.size() >= 8 && even > most && odd * 20 < even) return 'b';
    return 0;
}

}  // namespace

LogBytes::LogBytes(const std::filesystem::path& path) : path_(path.string()) {
    const OwnedDescriptor file(path, O_RDONLY);
    if (file.get() < 0) throw system_error("cannot open " + in_quotes(path), errno);
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0)
        throw system_error("cannot read " + in_quotes(path), errno);
    if (S_ISDIR(facts.st_mode))
        throw Error(ErrorKind::kFormat,
                    in_quotes(path) + " is a folder; give the file of a training log");
    if (S_ISREG(facts.st_mode)) mapped_ = h5::MappedFile::map(file.get());
    if (mapped_ != nullptr) {
        text_ = {reinterpret_cast<const char*>(mapped_->bytes().data()), mapped_->bytes().size()};
    } else {
        own_ = whole_stream(file.get(), path_);
        text_ = own_;
    }
    if (text_.empty()) throw Error(ErrorKind::kFormat, in_quotes(path) + " is empty");
    if (text_.starts_with("\x1F\x8B")) unpack();
    decode();
}

void LogBytes::unpack() {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
        throw Error(ErrorKind::kInternal, "zlib refuses to start");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, inflateEnd);
    std::string unpacked;
    std::array<char, 262144> block{};
    size_t given = 0;
    int state = Z_OK;
    for (;;) {
        if (stream.avail_in == 0) {
            const size_t next = std::min<size_t>(text_.size() - given, size_t{1} << 24);
            // zlib takes its input as no const.
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text_.data() + given));
            stream.avail_in = static_cast<uInt>(next);
            given += next;
        }
        stream.next_out = reinterpret_cast<Bytef*>(block.data());
        stream.avail_out = static_cast<uInt>(block.size());
        state = inflate(&stream, Z_NO_FLUSH);
        unpacked.append(block.data(), block.size() - stream.avail_out);
        if (unpacked.size() > kLargestUnpacked)
            throw Error(ErrorKind::kFormat, in_quotes(path_) + " unpacks to more than 4 GiB");
        if (state == Z_STREAM_END) {
            if (stream.avail_in == 0 && given == text_.size()) break;
            if (inflateReset(&stream) != Z_OK) break;  // gzip files one behind another
        } else if (state != Z_OK) {
            break;
        }
    }
    if (unpacked.empty()) throw Error(ErrorKind::kFormat, in_quotes(path_) + " is damaged gzip");
    if (state != Z_STREAM_END)
        remarks_.emplace_back("the gzip file is cut off or damaged; what comes before is read");
    own_ = std::move(unpacked);
    text_ = own_;
    mapped_.reset();
}

void LogBytes::decode() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (const char order = utf16_order(text_); order != 0) {
        std::string decoded = from_utf16(text_, order == 'l');
        if (decoded.starts_with("\xEF\xBB\xBF")) decoded.erase(0, 3);
        own_ = std::move(decoded);
        text_ = own_;
        mapped_.reset();
    }
    const std::string_view probe = text_.substr(0, kProbed);
    if (text_.empty()) throw Error(ErrorKind::kFormat, in_quotes(path_) + " is empty");
    if (probe.find('\0') != std::string_view::npos)
        throw Error(ErrorKind::kFormat, in_quotes(path_) + " is binary, no training log");
}

}  // namespace npuscope::loss
