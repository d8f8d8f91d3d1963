#include "msaccucmp/kernel_dumps/input_file.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/printable.h"
#include "core/cann_dump/data_type.h"
#include "core/layout/format.h"
#include "core/npz/npy.h"
#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

constexpr uintmax_t kLengthBytes = 8;
constexpr std::ptrdiff_t kNanoNameDots = 4;

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
    try {
        if (path.extension() == ".npy") {
            open_npy();
        } else {
            open_dump();
        }
    } catch (const CommandError&) {
        throw;
    } catch (const Error& problem) {
        throw CommandError(
            problem.kind() == ErrorKind::kIo ? kOpenFileError : exit_code_of(problem),
            problem.what());
    }
}

void InputFile::open_dump() {
    // The reference tool takes a file that has room for the length of a header only, or not even
    // that, as a dump of nothing.
    std::error_code failure;
    const uintmax_t size = std::filesystem::file_size(path_, failure);
    if (!failure && size > 0 && size <= kLengthBytes) return;
    reader_ = std::make_unique<cann_dump::DumpReader>(path_);
    dump_ = reader_->file();
    const std::string name = path_.filename().string();
    if (dump_.is_nano && std::count(name.begin(), name.end(), '.') < kNanoNameDots)
        throw CommandError(kInvalidDumpData,
                           in_quotes(path_) +
                               " is a nano dump whose name is not of the form "
                               "op_type.op_name.task_id.stream_id.timestamp");
}

void InputFile::open_npy() {
    if (std::filesystem::file_size(path_) == 0)
        throw CommandError(kInvalidDumpData, in_quotes(path_) + " is empty");
    array_ = read_npy(path_);
    cann_dump::DumpTensor& output = dump_.outputs.emplace_back();
    output.data_type = static_cast<int64_t>(cann_dump::data_type_of(array_->dtype()));
    output.format = static_cast<int64_t>(layout::Format::kRESERVED);
    output.shape = array_->shape();
    output.size = array_->nbytes();
}

void InputFile::read(uint64_t position, std::span<std::byte> target) const {
    if (target.empty()) return;
    if (array_) {
        std::memcpy(target.data(), array_->data() + position, target.size());
        return;
    }
    try {
        reader_->read(position, target);
    } catch (const Error& problem) {
        throw CommandError(kInvalidDumpData, problem.what());
    }
}

}  // namespace npuscope::msaccucmp
