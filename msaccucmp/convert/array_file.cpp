#include "msaccucmp/convert/array_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "core/npz/npy.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/result_file.h"
#include "msaccucmp/convert/output_names.h"

namespace npuscope::msaccucmp {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kWrittenAtOnce = 1 << 20;

std::string header_of(ArrayFileType type, const ArrayFacts& facts) {
    return type == ArrayFileType::kBin ? std::string() : npy_header(facts.descr, facts.shape);
}

[[noreturn]] void fail(const fs::path& path, int problem) {
    throw CommandError(
        kWriteFileError,
        "Failed to write \"'" + path.string() + "'\": " + std::generic_category().message(problem));
}

void write_plain(const fs::path& path,
                 ArrayFileType type,
                 const ArrayFacts& facts,
                 const ByteProducer& produce) {
    ::unlink(path.c_str());
    ResultFile file(path);
    // What is small goes out in one piece with its header.
    std::string buffer = header_of(type, facts);
    uint64_t rest = facts.nbytes();
    do {
        const size_t used = buffer.size();
        const auto count = static_cast<size_t>(std::min(rest, kWrittenAtOnce));
        buffer.resize(used + count);
        if (count > 0) produce({reinterpret_cast<std::byte*>(buffer.data()) + used, count});
        file.write(buffer);
        buffer.clear();
        rest -= count;
    } while (rest > 0);
    file.close();
}

/// libzip makes its own temporary file beside a name; a short one, for the final name may be as
/// long as names can be.
void write_torch(const fs::path& path, const ArrayFacts& facts, const ByteProducer& produce) {
    if (!torch_has_dtype(facts.dtype_name))
        throw CommandError(kInvalidDataType,
                           "PyTorch has no dtype " + std::string(facts.dtype_name) +
                               "; convert it with -t npy or -t bin");
    const fs::path part = path.parent_path() / ("." + uuid3_of(path.filename().string()) + ".pt");
    write_torch_tensor(part, facts.dtype_name, facts.shape, produce);
    ::chmod(part.c_str(), 0600);
    if (::rename(part.c_str(), path.c_str()) != 0) {
        const int problem = errno;
        ::unlink(part.c_str());
        fail(path, problem);
    }
}

}  // namespace

uint64_t ArrayFacts::nbytes() const {
    uint64_t count = item_size;
    for (const int64_t dim : shape)
        count *= static_cast<uint64_t>(dim);
    return count;
}

void write_array_file(const fs::path& path,
                      ArrayFileType type,
                      const ArrayFacts& facts,
                      const ByteProducer& produce) {
    if (type == ArrayFileType::kPt) {
        try {
            write_torch(path, facts, produce);
        } catch (const CommandError&) {
            throw;
        } catch (const Error& problem) {
            throw CommandError(kWriteFileError, problem.what());
        }
        return;
    }
    try {
        write_plain(path, type, facts, produce);
    } catch (...) {
        ::unlink(path.c_str());
        throw;
    }
}

MappedArrayFile::MappedArrayFile(const fs::path& path, ArrayFileType type, const ArrayFacts& facts)
    : path_(path) {
    const std::string header = header_of(type, facts);
    header_ = header.size();
    size_ = header_ + static_cast<size_t>(facts.nbytes());
    ::unlink(path.c_str());
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        throw CommandError(kOpenFileError,
                           "Failed to open \"'" + path.string() +
                               "'\": " + std::generic_category().message(errno));
    // All blocks now: a full disk would otherwise be a signal in the middle of the work.
    int problem = ::posix_fallocate(file, 0, static_cast<off_t>(size_));
    void* data = MAP_FAILED;
    if (problem == 0) {
        data = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (data == MAP_FAILED) problem = errno;
    }
    ::close(file);
    if (problem != 0) {
        ::unlink(path.c_str());
        fail(path, problem);
    }
    data_ = static_cast<std::byte*>(data);
    std::memcpy(data_, header.data(), header.size());
}

MappedArrayFile::~MappedArrayFile() {
    ::munmap(data_, size_);
    if (!is_finished_) ::unlink(path_.c_str());
}

void MappedArrayFile::release() {
    ::madvise(data_, size_, MADV_DONTNEED);
}

void MappedArrayFile::finish() {
    is_finished_ = true;
}

}  // namespace npuscope::msaccucmp
