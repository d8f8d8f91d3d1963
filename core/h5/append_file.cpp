#include "core/h5/append_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/h5/byte_builder.h"
#include "core/h5/checksum.h"
#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

namespace {

// Small enough to be still in the cache when the system copies it: 256 KB took twice the time.
constexpr size_t kBufferBytes = size_t{64} << 10;
// From here on a copy into the buffer costs more than a call of its own.
constexpr size_t kDirectBytes = size_t{32} << 10;

ByteBuilder superblock(uint64_t end_of_file, uint64_t root) {
    constexpr uint8_t kVersion = 2;
    constexpr uint8_t kAddressSize = 8;
    ByteBuilder out;
    out.text("\x89HDF\r\n\x1a\n");
    out.u8(kVersion);
    out.u8(kAddressSize);
    out.u8(kAddressSize);        // of lengths
    out.u8(0);                   // flags
    out.u64(0);                  // base address
    out.u64(kUndefinedAddress);  // no extension
    out.u64(end_of_file);
    out.u64(root);
    out.u32(checksum(out.bytes()));
    return out;
}

}  // namespace

AppendFile::AppendFile(std::unique_ptr<OutputFile> file, bool sync)
    : file_(std::move(file)), sync_(sync) {
    buffer_.reserve(kBufferBytes);
    buffer_.resize(kSuperblockBytes);
}

AppendFile::~AppendFile() {
    if (published_ && !closed_) file_->cut(shown_end_);
}

void AppendFile::align(uint64_t alignment) {
    buffer_.resize(buffer_.size() + ((alignment - end() % alignment) % alignment));
}

uint64_t AppendFile::append(std::span<const std::byte> bytes, uint64_t alignment) {
    if (buffer_.size() + alignment + bytes.size() > kBufferBytes) flush();
    align(alignment);
    const uint64_t address = end();
    if (bytes.size() < kDirectBytes) {
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
        return address;
    }
    flush();
    if (published_) {
        file_->write(flushed_, bytes);
        flushed_ += bytes.size();
    } else {
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
    return address;
}

uint64_t AppendFile::reserve(uint64_t count, uint64_t alignment) {
    const std::vector<std::byte> zeros(count);
    return append(zeros, alignment);
}

void AppendFile::write_reserved(uint64_t address, std::span<const std::byte> bytes) {
    if (address >= flushed_) {
        std::memcpy(buffer_.data() + (address - flushed_), bytes.data(), bytes.size());
        return;
    }
    if (address + bytes.size() > flushed_) flush();
    file_->write(address, bytes);
}

void AppendFile::read(uint64_t address, std::span<std::byte> bytes) {
    if (address + bytes.size() > end())
        throw Error(ErrorKind::kInternal, "bytes are read back that were not written");
    const uint64_t in_file =
        std::min<uint64_t>(bytes.size(), flushed_ - std::min(flushed_, address));
    if (in_file > 0) file_->read(address, bytes.first(in_file));
    if (in_file < bytes.size())
        std::memcpy(bytes.data() + in_file,
                    buffer_.data() + (address + in_file - flushed_),
                    bytes.size() - in_file);
}

void AppendFile::drop_partial_write() noexcept {
    if (published_) file_->cut(flushed_);
}

/// Before the first switch everything stays in memory: the file gets its name with a first state.
void AppendFile::flush() {
    if (!published_ || buffer_.empty()) return;
    file_->write(flushed_, buffer_);
    flushed_ += buffer_.size();
    buffer_.clear();
}

void AppendFile::switch_to(uint64_t root) {
    align(8);
    const ByteBuilder block = superblock(end(), root);
    if (!std::exchange(published_, true)) {
        std::copy(block.bytes().begin(), block.bytes().end(), buffer_.begin());
        shown_end_ = end();
        flush();
        if (sync_) file_->sync();
        file_->publish();
        return;
    }
    flush();
    if (sync_) file_->sync();
    shown_end_ = end();
    file_->write(0, block.bytes());
    if (sync_) file_->sync();
}

void AppendFile::close() {
    closed_ = true;
    file_->close();
}

}  // namespace npuscope::h5
