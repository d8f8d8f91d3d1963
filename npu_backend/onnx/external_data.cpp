#include "npu_backend/onnx/external_data.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <onnx/onnx_pb.h>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/dtype/bools.h"
#include "npu_backend/onnx/proto_names.h"

namespace npuscope::onnx_model {

namespace fs = std::filesystem;

namespace {

struct FilePart {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
};

uint64_t number(const std::string& text, const std::string& key, const std::string& what) {
    uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        throw Error(ErrorKind::kFormat,
                    what + ": its external data has the " + key + " " + in_quotes(text) +
                        ", which is no number of bytes below 2^64");
    return value;
}

FilePart read_keys(const onnx::TensorProto& proto, const std::string& what) {
    FilePart range;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location") {
            range.location = entry.value();
        } else if (entry.key() == "offset") {
            range.offset = number(entry.value(), "offset", what);
        } else if (entry.key() == "length") {
            range.length = number(entry.value(), "length", what);
        } else if (entry.key() != "checksum") {
            throw Error(ErrorKind::kUnsupported,
                        what + ": its external data has the key " + in_quotes(entry.key()) +
                            ", which is not supported");
        }
    }
    if (range.location.empty())
        throw Error(ErrorKind::kFormat, what + " keeps its data in another file but names none");
    return range;
}

/// The file's real path, below `folder`.
fs::path resolved(const fs::path& folder, const std::string& location, const std::string& what) {
    const std::string where = what + " keeps its data in the file " + in_quotes(location);
    const fs::path given(location);
    const bool climbs = std::ranges::count(given, fs::path("..")) != 0;
    if (given.is_absolute() || climbs || location.find('\0') != std::string::npos)
        throw Error(ErrorKind::kUsage,
                    where + ", which lies outside the model's folder and is not read; move it " +
                        "beside the model and name it by a relative path");
    std::error_code failure;
    const fs::path root = fs::canonical(folder, failure);
    fs::path path = failure ? fs::path() : fs::canonical(root / given, failure);
    if (failure)
        throw Error(ErrorKind::kIo, where + ", which cannot be read: " + failure.message());
    const auto [end, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    if (end != root.end())
        throw Error(ErrorKind::kUsage,
                    where + ", a symbolic link to a place outside the model's folder, and is not " +
                        "read; put the file itself beside the model");
    return path;
}

void read_bytes(const fs::path& path, uint64_t offset, Tensor& tensor) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                               std::fclose);
    const size_t count = tensor.nbytes();
    if (!file || fseeko(file.get(), static_cast<off_t>(offset), SEEK_SET) != 0 ||
        std::fread(tensor.mutable_data(), 1, count, file.get()) != count)
        throw Error(ErrorKind::kIo,
                    "cannot read " + in_quotes(path.string()) + ": " +
                        std::generic_category().message(errno));
}

}  // namespace

ExternalData::File& ExternalData::open(const fs::path& path, const std::string& what) {
    const auto known = files_.find(path);
    if (known != files_.end()) return known->second;
    try {
        require_regular_file(path, "external data");
    } catch (const Error& error) {
        throw error.with_context(what);
    }
    const uint64_t size = fs::file_size(path);
    return files_.emplace(path, File{size, size}).first->second;
}

Tensor ExternalData::read(const onnx::TensorProto& proto,
                          DType dtype,
                          Shape shape,
                          const std::string& what) {
    const FilePart range = read_keys(proto, what);
    if (folder_.empty())
        throw Error(ErrorKind::kUnsupported,
                    what + " keeps its data in another file, but the model is no file itself");
    const fs::path path = resolved(folder_, range.location, what);
    File& file = open(path, what);
    const int64_t numel = numel_of(shape);
    const auto count = static_cast<uint64_t>(numel);
    const auto within = [&](uint64_t bytes) {
        return range.offset <= file.size && bytes <= file.size - range.offset;
    };
    // Division first: the number of bytes may not fit 64 bits.
    const bool fits = count <= file.size / size_of(dtype) && within(count * size_of(dtype));
    if (range.length && fits && *range.length != count * size_of(dtype))
        throw Error(ErrorKind::kFormat,
                    what + " of shape " + to_string(shape) + " and dtype " +
                        std::string(name_of(dtype)) + " has " + std::to_string(*range.length) +
                        " bytes of external data, not " + std::to_string(count * size_of(dtype)));
    if (!fits)
        throw Error(ErrorKind::kFormat,
                    what + " of shape " + to_string(shape) + " and dtype " +
                        std::string(name_of(dtype)) + " begins at byte " +
                        std::to_string(range.offset) + " of the file " + in_quotes(range.location) +
                        ", which has only " + std::to_string(file.size) +
                        " bytes; the file is cut short or belongs to another model");
    const auto key = std::tuple{path, range.offset, dtype, numel};
    const auto known = ranges_.find(key);
    if (known != ranges_.end()) return known->second.reshaped(std::move(shape));
    const uint64_t bytes = count * size_of(dtype);
    if (bytes > file.unclaimed)
        throw Error(ErrorKind::kFormat,
                    what + ": the tensors in the file " + in_quotes(range.location) +
                        " overlap and add up to more than its " + std::to_string(file.size) +
                        " bytes");
    file.unclaimed -= bytes;
    Tensor tensor(dtype, std::move(shape));
    if (bytes != 0) read_bytes(path, range.offset, tensor);
    if (dtype == DType::kBool) make_bools({tensor.mutable_data(), tensor.nbytes()});
    ranges_.emplace(key, tensor);
    return tensor;
}

}  // namespace npuscope::onnx_model
