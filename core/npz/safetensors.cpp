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
        if (header_size > kMostHeaderBytes) damaged("its header is longer than 100 MB");
        if (header_size > size_ - length.size()) damaged("its header is longer than the file");
        std::string text(static_cast<size_t>(header_size), '\0');
        read(length.size(), text.data(), text.size());
        const json header = parse_json<json>(text);
        if (!header.is_object() || !text.starts_with('{')) damaged("its header is no JSON object");
        if (repeats_a_key(text, header)) damaged("its header has a key twice");
        NamedTensors tensors;
        for (const auto& [name, entry] : header.items()) {
            if (name == "__metadata__")
                require_texts(entry);
            else
                tensors.emplace_back(name, tensor_of(name, entry, length.size() + header_size));
        }
        require_no_gaps(size_ - length.size() - header_size);
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

    void require_texts(const json& metadata) const {
        if (!metadata.is_object() ||
            !std::ranges::all_of(metadata, [](const json& value) { return value.is_string(); }))
            damaged("its __metadata__ is no object of texts");
    }

    /// Every byte behind the header belongs to one tensor. Empty ones lie between others.
    void require_no_gaps(uint64_t bytes) {
        std::ranges::sort(places_);
        uint64_t end = 0;
        for (const auto& [first, last] : places_) {
            if (first != end)
                damaged(first < end ? "its tensors overlap" : "no tensor has some of its bytes");
            end = last;
        }
        if (end != bytes) damaged("no tensor has some of its bytes");
    }

    /// Numbers as JSON has them: 4.5 is no size.
    [[nodiscard]] static std::vector<uint64_t> whole_numbers(const json& list) {
        std::vector<uint64_t> numbers;
        for (const json& each : list) {
            if (!each.is_number_unsigned()) return {};
            numbers.push_back(each.get<uint64_t>());
        }
        return numbers;
    }

    [[nodiscard]] uint64_t numel_in(const Shape& shape, const std::string& name) const {
        try {
            return static_cast<uint64_t>(numel_of(shape));
        } catch (const Error& error) {
            damaged(in_quotes(name) + ": " + error.what());
        }
    }

    Tensor tensor_of(const std::string& name, const json& entry, uint64_t data) {
        if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
            !entry.contains("shape") || !entry["shape"].is_array() ||
            !entry.contains("data_offsets") || !entry["data_offsets"].is_array())
            damaged("its header does not describe " + in_quotes(name));
        const std::string dtype_name = entry["dtype"];
        const std::vector<uint64_t> sizes = whole_numbers(entry["shape"]);
        const std::vector<uint64_t> offsets = whole_numbers(entry["data_offsets"]);
        const Shape shape(sizes.begin(), sizes.end());
        if (sizes.size() != entry["shape"].size())
            damaged("the shape of " + in_quotes(name) + " holds what is no size");
        const auto dtype = dtype_named(dtype_name);
        if (!dtype)
            throw Error(ErrorKind::kUnsupported,
                        what_ + " holds " + in_quotes(name) + " in dtype " + printable(dtype_name) +
                            ", which cannot be compared");
        const uint64_t room = size_ - data;
        const bool in_file = offsets.size() == 2 && offsets[0] <= offsets[1] && offsets[1] <= room;
        const uint64_t numel = numel_in(shape, name);
        if (!in_file || numel > room || numel * size_of(*dtype) != offsets[1] - offsets[0])
            damaged("the data of " + in_quotes(name) + " does not fit its shape or the file");
        // Tensors never share bytes, so that together they are no larger than the file.
        claimed_ += offsets[1] - offsets[0];
        if (claimed_ > room) damaged("its tensors overlap");
        places_.emplace_back(offsets[0], offsets[1]);
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
    std::vector<std::pair<uint64_t, uint64_t>> places_;  ///< where each begins and ends
    std::ifstream file_;
};

}  // namespace

NamedTensors read_safetensors(const std::filesystem::path& path) {
    return SafetensorsFile(path).tensors();
}

}  // namespace npuscope
