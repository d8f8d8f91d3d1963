#include "core/cann_dump/writer.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "core/base/printable.h"
#include "core/base/system_error.h"
#include "core/cann_dump/header.h"

namespace npuscope::cann_dump {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw system_error("cannot write dump " + in_quotes(path), errno);
}

/// An open file that is written in order.
class Output {
  public:
    Output(std::filesystem::path path, int flags)
        : path_(std::move(path)),
          descriptor_(::open(path_.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0640)) {
        if (descriptor_ < 0) fail(path_);
    }
    ~Output() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail(path_);
            bytes = bytes.subspan(static_cast<size_t>(count));
        }
    }
    void close() {
        if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_);
    }

  private:
    std::filesystem::path path_;
    int descriptor_;
};

/// A dump's name may be as long as names can be, so that the unfinished file cannot be called after
/// it: its name is made of the name's digits.
class PartName {
  public:
    explicit PartName(const std::filesystem::path& path)
        : path_(path.parent_path() / ("." + name_digits(path.filename().string()) + ".part")) {
        ::unlink(path_.c_str());
    }
    ~PartName() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    PartName(const PartName&) = delete;
    PartName& operator=(const PartName&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    void become(const std::filesystem::path& final_path) {
        if (::rename(path_.c_str(), final_path.c_str()) != 0) fail(final_path);
        path_.clear();
    }

  private:
    std::filesystem::path path_;
};

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

void write_dump(const std::filesystem::path& path, const DumpFile& dump) {
    PartName part(path);
    const std::string header = format_header(dump);
    std::array<std::byte, 8> length{};
    for (size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<std::byte>(uint64_t{header.size()} >> (8 * i) & 0xffu);
    Output output(part.path(), O_EXCL);
    output.write(length);
    output.write(bytes_of(header));
    for (const DumpTensor& tensor : dump.inputs)
        output.write(tensor.bytes);
    for (const DumpTensor& tensor : dump.outputs)
        output.write(tensor.bytes);
    for (const DumpBlob& blob : dump.buffers)
        output.write(blob.bytes);
    for (const DumpBlob& blob : dump.spaces)
        output.write(blob.bytes);
    output.close();
    part.become(path);
}

std::filesystem::path write_dump(const std::filesystem::path& folder,
                                 const FileNameFields& fields,
                                 const DumpFile& dump) {
    const std::string name = file_name(fields);
    const std::string stored = stored_name(name);
    if (stored != name) {
        Output mapping(folder / kMappingName, O_APPEND);
        mapping.write(bytes_of(stored + "," + name + "\n"));
        mapping.close();
    }
    write_dump(folder / stored, dump);
    return folder / stored;
}

}  // namespace npuscope::cann_dump
