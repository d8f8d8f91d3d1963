#include "core/cann_dump/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/base/printable.h"
#include "core/base/read_at.h"
#include "core/cann_dump/header.h"
#include "core/cann_dump/nano.h"
#include "core/cann_dump/wire.h"

namespace npuscope::cann_dump {

namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kHeadBytes = 1 << 16;
constexpr uint64_t kMostHeaderBytes = 64 << 20;

}  // namespace

DumpReader::DumpReader(const std::filesystem::path& path) : path_(path) {
    const auto fail = [&](const std::string& reason) {
        throw Error(ErrorKind::kIo, "cannot read dump " + in_quotes(path) + ": " + reason);
    };
    // Without O_NONBLOCK a pipe of that name would be waited for.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) fail(std::generic_category().message(errno));
    try {
        struct stat facts = {};
        if (::fstat(descriptor_, &facts) != 0) fail(std::generic_category().message(errno));
        if (!S_ISREG(facts.st_mode)) fail("it is no regular file");
        parse(static_cast<uint64_t>(facts.st_size));
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

DumpReader::~DumpReader() {
    ::close(descriptor_);
}

void DumpReader::parse(uint64_t file_size) {
    const auto damaged = [&](const std::string& reason) {
        throw DumpError(in_quotes(path_) + " is no valid dump: " + reason);
    };
    if (file_size < kLengthBytes)
        damaged("it has " + std::to_string(file_size) +
                " bytes, fewer than the length of a header");
    std::vector<std::byte> head(static_cast<size_t>(std::min(file_size, kHeadBytes)));
    read(0, head);
    head_ = std::move(head);
    const uint64_t length = little_endian(std::span(head_).first(kLengthBytes));
    if (length > file_size - kLengthBytes)
        damaged("its header of " + std::to_string(length) + " bytes is longer than the file of " +
                std::to_string(file_size));
    if (length > kMostHeaderBytes)
        damaged("its header of " + std::to_string(length) + " bytes is longer than " +
                std::to_string(kMostHeaderBytes));
    std::vector<std::byte> rest;
    std::span<const std::byte> header(head_);
    if (kLengthBytes + length > head_.size()) {
        rest.resize(static_cast<size_t>(length));
        read(kLengthBytes, rest);
        header = rest;
    } else {
        header = header.subspan(kLengthBytes, static_cast<size_t>(length));
    }
    const bool is_nano = file_size > kLengthBytes + 4 && head_.size() > kLengthBytes + 4 &&
                         little_endian(std::span(head_).subspan(kLengthBytes, 4)) == kNanoMagic;
    try {
        file_ = is_nano ? parse_nano_head(header) : parse_header(header);
    } catch (const Error& problem) {
        damaged(std::string("its header is damaged: ") + problem.what());
    }
    place(kLengthBytes + length, file_size);
}

void DumpReader::place(uint64_t position, uint64_t file_size) {
    const auto misfit = file_.is_nano ? DumpProblem::kSizesDiffer : DumpProblem::kDamaged;
    const auto next = [&](const char* what, size_t index, auto& entry) {
        if (entry.size > file_size - position)
            throw DumpError(in_quotes(path_) + " is no valid dump: " + what + " " +
                                std::to_string(index) + " has " + std::to_string(entry.size) +
                                " bytes, " + std::to_string(file_size - position) +
                                " are left in the file",
                            misfit);
        entry.position = position;
        position += entry.size;
    };
    const auto all = [&](const char* what, auto& entries) {
        for (size_t i = 0; i < entries.size(); ++i)
            next(what, i, entries[i]);
    };
    all("input", file_.inputs);
    all("output", file_.outputs);
    all("buffer", file_.buffers);
    all("space", file_.spaces);
    if (file_.is_nano && position != file_size)
        throw DumpError(in_quotes(path_) + " is no valid dump: " +
                            std::to_string(file_size - position) + " bytes belong to no tensor",
                        misfit);
}

void DumpReader::read(uint64_t position, std::span<std::byte> target) const {
    if (position < head_.size()) {
        const size_t known = std::min(target.size(), head_.size() - static_cast<size_t>(position));
        if (known > 0) std::memcpy(target.data(), head_.data() + position, known);
        target = target.subspan(known);
        position += known;
    }
    const BytesRead read = read_at(descriptor_, position, target);
    if (read.count < target.size())
        throw Error(ErrorKind::kIo,
                    "cannot read dump " + in_quotes(path_) + ": " +
                        (read.code == 0 ? "it became shorter while it was read"
                                        : std::generic_category().message(read.code)));
}

Buffer<std::byte> DumpReader::read(const DumpTensor& tensor) const {
    Buffer<std::byte> bytes(static_cast<size_t>(tensor.size));
    read(tensor.position, bytes.span());
    return bytes;
}

DumpFile read_dump(const std::filesystem::path& path) {
    return DumpReader(path).file();
}

}  // namespace npuscope::cann_dump
