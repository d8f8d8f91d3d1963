#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/dtype/bools.h"
#include "core/npz/tensor_files.h"

namespace npuscope {

namespace {

using nlohmann::json;

/// The format's own limit.
constexpr uint64_t kMostHeaderBytes = 100000000;

std::optional<DType> dtype_named(const std::string& name) {
    static constexpr auto kNames = std::to_array<std::pair<std::string_view, DType>>({
        {"F16", DType::kFloat16},
        {"BF16", DType::kBFloat16},
        {"F32", DType::kFloat32},
        {"F64", DType::kFloat64},
        {"I8", DType::kInt8},
        {"I16", DType::kInt16},
        {"I32", DType::kInt32},
        {"I64", DType::kInt64},
        {"U8", DType::kUInt8},
        {"U16", DType::kUInt16},
        {"U32", DType::kUInt32},
        {"U64", DType::kUInt64},
        {"BOOL", DType::kBool},
    });
    for (const auto& [known, dtype] : kNames)
        if (known == name) return dtype;
    return std::nullopt;
}

class SafetensorsFile {
  public:
    explicit SafetensorsFile(const std::filesystem::path& path) : what_(in_quotes(path)) {
        require_regular_file(path, "tensor file");
        size_ = std::filesystem::file_size(path);
        file_.open(path, std::ios::binary);
    }

    NamedTensors tensors() {
        std::array<unsigned char, 8> length{};
        read(0, reinterpret_cast<char*>(length.data()), length.size());
        uint64_t header_size = 0;
        for (size_t i = length.size(); i-- > 0;)
            header_size = header_size << 8 | length[i];
        if (header_size > kMostHeaderBytes || header_size > size_ - length.size())
            damaged("its header is longer than the file");
        std::string text(static_cast<size_t>(header_size), '\0');
        read(length.size(), text.data(), text.size());
        const json header = parse_json<json>(text);
        if (!header.is_object()) damaged("its header is no JSON object");
        NamedTensors tensors;
        for (const auto& [name, entry] : header.items())
            if (name != "__metadata__")
                tensors.emplace_back(name, tensor_of(name, entry, length.size() + header_size));
        return tensors;
    }

  private:
    [[noreturn]] void damaged(const std::string& problem) const {
        throw Error(ErrorKind::kFormat, what_ + " is no valid safetensors file: " + problem);
    }
    void read(uint64_t position, char* target, size_t count) {
        file_.seekg(static_cast<std::streamoff>(position));
        file_.read(target, static_cast<std::streamsize>(count));
        if (!file_) damaged("it is cut short");
    }

    Tensor tensor_of(const std::string& name, const json& entry, uint64_t data) {
        std::string dtype_name;
        Shape shape;
        std::vector<uint64_t> offsets;
        try {
            dtype_name = entry.at("dtype").get<std::string>();
            shape = entry.at("shape").get<Shape>();
            offsets = entry.at("data_offsets").get<std::vector<uint64_t>>();
        } catch (const json::exception&) {
            damaged("its header does not describe " + in_quotes(name));
        }
        const auto dtype = dtype_named(dtype_name);
        if (!dtype)
            throw Error(ErrorKind::kUnsupported,
                        what_ + " holds " + in_quotes(name) + " in dtype " + printable(dtype_name) +
                            ", which cannot be compared");
        const uint64_t room = size_ - data;
        const bool in_file = offsets.size() == 2 && offsets[0] <= offsets[1] && offsets[1] <= room;
        const auto numel = static_cast<uint64_t>(numel_of(shape));
        if (!in_file || numel > room || numel * size_of(*dtype) != offsets[1] - offsets[0])
            damaged("the data of " + in_quotes(name) + " does not fit its shape or the file");
        // Tensors never share bytes, so that together they are no larger than the file.
        claimed_ += offsets[1] - offsets[0];
        if (claimed_ > room) damaged("its tensors overlap");
        Tensor tensor(*dtype, shape);
        std::byte* out = tensor.mutable_data();
        if (tensor.nbytes() > 0)
            read(data + offsets[0], reinterpret_cast<char*>(out), tensor.nbytes());
        if (*dtype == DType::kBool) make_bools({out, tensor.nbytes()});
        return tensor;
    }

    std::string what_;
    uint64_t size_ = 0;
    uint64_t claimed_ = 0;
    std::ifstream file_;
};

}  // namespace

NamedTensors read_safetensors(const std::filesystem::path& path) {
    return SafetensorsFile(path).tensors();
}

}  // namespace npuscope
