#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/dtype/bools.h"
#include "core/npz/pickle.h"
#include "core/npz/stored_entry.h"
#include "core/npz/tensor_files.h"
#include "core/npz/torch_storages.h"
#include "core/npz/zip_archive.h"

namespace npuscope {

namespace {

using npz::Pickle;
using npz::PickleValue;
using Kind = PickleValue::Kind;

/// Elements that an expanded tensor may have beyond those that are stored.
constexpr int64_t kMostExpanded = int64_t{1} << 28;
constexpr size_t kDeepest = 64;
constexpr size_t kMostVisited = size_t{1} << 20;
constexpr uint64_t kMostShared = 64;
constexpr uint64_t kMostCopied = uint64_t{1} << 30;

std::optional<DType> dtype_of_storage(const std::string& name) {
    constexpr std::string_view kModule = "torch.";
    if (!name.starts_with(kModule)) return std::nullopt;
    for (const npz::Storage& storage : npz::kStorages)
        if (storage.name == std::string_view(name).substr(kModule.size()))
            return dtype_from_name(storage.dtype);
    return std::nullopt;
}

class TorchFile {
  public:
    explicit TorchFile(const std::filesystem::path& path) : what_(in_quotes(path)) {
        require_regular_file(path, "tensor file");
        file_size_ = std::filesystem::file_size(path);
        unclaimed_ = file_size_;
        int code = 0;
        archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
        if (!archive_)
            throw Error(
                ErrorKind::kUnsupported,
                what_ + " is no file of torch.save from PyTorch 1.6 or later; save it anew there");
        find_prefix();
        const auto image = entry(prefix_ + "data.pkl");
        pickle_ = npz::parse_pickle(image, what_);
    }

    std::optional<TorchPlace> place(std::span<const std::byte> file) {
        const PickleValue& value = pickle_[pickle_.root];
        if (value.kind != Kind::kTensor) return std::nullopt;
        const PickleValue& stored = pickle_[value.items[0]];
        if (stored.kind != Kind::kStorage) return std::nullopt;
        const auto dtype = dtype_of_storage(pickle_[stored.items[0]].text);
        if (!dtype || *dtype == DType::kBool) return std::nullopt;
        const auto bytes =
            npz::stored_entry(file, prefix_ + "data/" + pickle_[stored.items[1]].text);
        const Shape shape = integers(value.items[2]);
        int64_t product = 1;
        for (const int64_t dim : shape)
            if (dim < 0 || __builtin_mul_overflow(product, std::max<int64_t>(dim, 1), &product))
                return std::nullopt;
        if (!bytes || integers(value.items[3]) != contiguous_strides(shape)) return std::nullopt;
        const auto all = static_cast<int64_t>(bytes->size() / size_of(*dtype));
        const int64_t offset = pickle_[value.items[1]].integer;
        const int64_t numel = elements_of(shape);
        if (offset < 0 || offset > all || numel > all - offset) return std::nullopt;
        return TorchPlace{*dtype,
                          shape,
                          bytes->subspan(static_cast<size_t>(offset) * size_of(*dtype),
                                         static_cast<size_t>(numel) * size_of(*dtype))};
    }

    TorchContent content() {
        add(pickle_.root, "", 0);
        return std::move(content_);
    }

  private:
    [[nodiscard]] int64_t elements_of(const Shape& shape) const {
        try {
            return numel_of(shape);
        } catch (const Error& error) {
            damaged(error.what());
        }
    }
    [[noreturn]] void damaged(const std::string& problem) const {
        throw Error(ErrorKind::kFormat, what_ + " is damaged: " + problem);
    }

    void find_prefix() {
        constexpr std::string_view kName = "/data.pkl";
        const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
        for (zip_int64_t i = 0; i < count; ++i) {
            const char* name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
            const std::string text = name == nullptr ? "" : name;
            if (!text.ends_with(kName)) continue;
            prefix_ = text.substr(0, text.size() - kName.size() + 1);
            return;
        }
        damaged("it has no data.pkl");
    }

    std::vector<std::byte> entry(const std::string& name) {
        zip_stat_t facts;
        if (zip_stat(archive_.get(), name.c_str(), 0, &facts) != 0)
            damaged("it has no entry " + in_quotes(name));
        // torch.save packs nothing, so that no entry is larger than the file.
        if (facts.comp_method != ZIP_CM_STORE || facts.size > unclaimed_)
            damaged("its entries claim more bytes than it has");
        unclaimed_ -= facts.size;
        const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
            zip_fopen(archive_.get(), name.c_str(), 0), zip_fclose);
        std::vector<std::byte> bytes(static_cast<size_t>(facts.size));
        if (!file || zip_fread(file.get(), bytes.data(), bytes.size()) !=
                         static_cast<zip_int64_t>(bytes.size()))
            damaged("entry " + in_quotes(name) + " cannot be read");
        return bytes;
    }

    void add(size_t index, const std::string& name, size_t depth) {
        if (depth > kDeepest) damaged("its containers are nested too deep");
        // Containers may hold each other many times over.
        if (++visited_ > kMostVisited) damaged("its containers hold too many values");
        const PickleValue& value = pickle_[index];
        if (value.kind == Kind::kTensor) {
            content_.tensors.emplace_back(name.empty() ? "tensor" : name, tensor_of(value));
            return;
        }
        const auto joined = [&](const std::string& part) {
            return name.empty() ? part : name + "." + part;
        };
        if (value.kind == Kind::kOpaque && !value.text.empty())
            content_.passed_over.push_back((name.empty() ? "the whole" : name) + " (" + value.text +
                                           ")");
        if (value.kind == Kind::kSequence)
            for (size_t i = 0; i < value.items.size(); ++i)
                add(value.items[i], joined(std::to_string(i)), depth + 1);
        if (value.kind == Kind::kDict)
            for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
                const PickleValue& key = pickle_[value.items[i]];
                add(value.items[i + 1],
                    joined(key.kind == Kind::kInteger ? std::to_string(key.integer) : key.text),
                    depth + 1);
            }
    }

    Shape integers(size_t index) const {
        Shape shape;
        for (const size_t item : pickle_[index].items)
            shape.push_back(pickle_[item].integer);
        return shape;
    }

    const std::vector<std::byte>& storage(const std::string& key) {
        const auto [at, is_new] = storages_.try_emplace(key);
        if (is_new) at->second = entry(prefix_ + "data/" + key);
        return at->second;
    }

    Tensor tensor_of(const PickleValue& value) {
        const PickleValue& stored = pickle_[value.items[0]];
        if (stored.kind != Kind::kStorage) damaged("a tensor has no storage");
        const std::string& type = pickle_[stored.items[0]].text;
        const auto dtype = dtype_of_storage(type);
        if (!dtype)
            throw Error(ErrorKind::kUnsupported,
                        what_ + " has a tensor of " + printable(type) +
                            ", which is no dtype that can be compared");
        const auto& bytes = storage(pickle_[stored.items[1]].text);
        const int64_t offset = pickle_[value.items[1]].integer;
        const Shape shape = integers(value.items[2]);
        const Shape strides = integers(value.items[3]);
        return gathered(bytes, *dtype, offset, shape, strides);
    }

    Tensor gathered(const std::vector<std::byte>& bytes,
                    DType dtype,
                    int64_t offset,
                    const Shape& shape,
                    const Shape& strides) {
        const size_t size = size_of(dtype);
        const auto stored = static_cast<int64_t>(bytes.size() / size);
        const int64_t numel = elements_of(shape);
        if (shape.size() != strides.size()) damaged("a tensor has other strides than dims");
        if (numel > stored) {
            // expand() repeats elements; many such tensors must not fill the memory.
            expanded_ += numel - stored;
            if (numel > kMostExpanded || expanded_ > kMostExpanded)
                damaged("a tensor has more elements than are stored");
        }
        int64_t last = offset;
        for (size_t i = 0; i < shape.size() && numel > 0; ++i) {
            int64_t step = 0;
            if (strides[i] < 0 || __builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
                __builtin_add_overflow(last, step, &last))
                damaged("a tensor's strides lead out of its storage");
        }
        if (offset < 0 || (numel > 0 && last >= stored))
            damaged("a tensor lies outside its storage");
        // Tensors may share a storage, but not so many that a small file fills the memory.
        copied_ += static_cast<uint64_t>(numel) * size;
        if (copied_ > kMostCopied + kMostShared * file_size_)
            damaged("its tensors share more bytes than any model's");
        Tensor tensor(dtype, shape);
        std::byte* out = tensor.mutable_data();
        if (strides == contiguous_strides(shape)) {
            if (numel > 0)
                std::memcpy(
                    out, bytes.data() + static_cast<size_t>(offset) * size, tensor.nbytes());
        } else {
            copy_strided(bytes, offset, shape, strides, size, out);
        }
        if (dtype == DType::kBool) make_bools({out, tensor.nbytes()});
        return tensor;
    }

    static void copy_strided(const std::vector<std::byte>& bytes,
                             int64_t offset,
                             const Shape& shape,
                             const Shape& strides,
                             size_t size,
                             std::byte* out) {
        std::vector<int64_t> index(shape.size(), 0);
        for (int64_t i = numel_of(shape); i > 0; --i) {
            std::memcpy(out, bytes.data() + static_cast<size_t>(offset) * size, size);
            out += size;
            for (size_t axis = shape.size(); axis-- > 0;) {
                offset += strides[axis];
                if (++index[axis] < shape[axis]) break;
                offset -= strides[axis] * shape[axis];
                index[axis] = 0;
            }
        }
    }

    std::string what_;
    npz::Archive archive_;
    uint64_t file_size_ = 0;
    uint64_t unclaimed_ = 0;
    uint64_t copied_ = 0;
    std::string prefix_;
    Pickle pickle_;
    std::map<std::string, std::vector<std::byte>> storages_;
    int64_t expanded_ = 0;
    size_t visited_ = 0;
    TorchContent content_;
};

}  // namespace

std::optional<TorchPlace> locate_torch_tensor(const std::filesystem::path& path,
                                              std::span<const std::byte> file) {
    return TorchFile(path).place(file);
}

NamedTensors read_torch_file(const std::filesystem::path& path) {
    return read_torch_content(path).tensors;
}

TorchContent read_torch_content(const std::filesystem::path& path) {
    return TorchFile(path).content();
}

}  // namespace npuscope
