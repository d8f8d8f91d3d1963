#include "core/npz/torch_file.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/npz/torch_storages.h"
#include "core/npz/zip_archive.h"

namespace npuscope {

namespace {

/// Opcodes of Python's pickle, protocol 2.
class PickleText {
  public:
    PickleText& op(std::string_view code) {
        text_ += code;
        return *this;
    }
    PickleText& global(std::string_view module, std::string_view name) {
        text_ += 'c';
        text_ += module;
        text_ += '\n';
        text_ += name;
        text_ += '\n';
        return *this;
    }
    PickleText& string(std::string_view value) {
        text_ += 'X';
        bytes(value.size(), 4);
        text_ += value;
        return *this;
    }
    /// LONG1 of 9 bytes: any non-negative 64-bit number keeps its sign.
    PickleText& number(uint64_t value) {
        text_ += '\x8a';
        text_ += '\x09';
        bytes(value, 8);
        text_ += '\0';
        return *this;
    }
    PickleText& tuple(const std::vector<int64_t>& values) {
        text_ += '(';
        for (const int64_t value : values)
            number(static_cast<uint64_t>(value));
        text_ += 't';
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    void bytes(uint64_t value, size_t count) {
        for (size_t i = 0; i < count; ++i)
            text_ += static_cast<char>(value >> (8 * i) & 0xffu);
    }
    std::string text_;
};

std::string pickled(const npz::Storage& storage, std::span<const int64_t> shape, uint64_t numel) {
    const std::vector<int64_t> dims(shape.begin(), shape.end());
    std::vector<int64_t> strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;)
        strides[i - 1] = strides[i] * std::max<int64_t>(dims[i], 1);
    PickleText pickle;
    pickle.op("\x80\x02").global("torch._utils", "_rebuild_tensor_v2").op("((").string("storage");
    pickle.global("torch", storage.name).string("0").string("cpu").number(numel).op("tQ");
    pickle.number(0).tuple(dims).tuple(strides).op("\x89");
    pickle.global("collections", "OrderedDict").op(")RtR.");
    return pickle.text();
}

/// What libzip asks for: the tensor's bytes, once and in order.
struct Source {
    const ByteProducer* produce = nullptr;
    uint64_t size = 0;
    uint64_t position = 0;
    std::exception_ptr failure;
};

zip_int64_t feed(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto& source = *static_cast<Source*>(user);
    switch (command) {
        case ZIP_SOURCE_OPEN:
        case ZIP_SOURCE_CLOSE:
        case ZIP_SOURCE_FREE:
            return 0;
        case ZIP_SOURCE_READ: {
            const uint64_t count = std::min<uint64_t>(length, source.size - source.position);
            try {
                (*source.produce)({static_cast<std::byte*>(data), static_cast<size_t>(count)});
            } catch (...) {
                source.failure = std::current_exception();
                return -1;
            }
            source.position += count;
            return static_cast<zip_int64_t>(count);
        }
        case ZIP_SOURCE_STAT: {
            auto* facts = static_cast<zip_stat_t*>(data);
            zip_stat_init(facts);
            facts->size = source.size;
            facts->valid = ZIP_STAT_SIZE;
            return sizeof(zip_stat_t);
        }
        case ZIP_SOURCE_ERROR: {
            auto* codes = static_cast<int*>(data);
            codes[0] = ZIP_ER_READ;
            codes[1] = 0;
            return 2 * sizeof(int);
        }
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN,
                                                  ZIP_SOURCE_READ,
                                                  ZIP_SOURCE_CLOSE,
                                                  ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_ERROR,
                                                  ZIP_SOURCE_FREE,
                                                  -1);
        default:
            return -1;
    }
}

}  // namespace

bool torch_has_dtype(std::string_view dtype_name) {
    return npz::storage_of_dtype(dtype_name) != nullptr;
}

void write_torch_tensor(const std::filesystem::path& path,
                        std::string_view dtype_name,
                        std::span<const int64_t> shape,
                        const ByteProducer& produce) {
    const npz::Storage* storage = npz::storage_of_dtype(dtype_name);
    if (storage == nullptr)
        throw Error(ErrorKind::kUnsupported,
                    "PyTorch has no dtype " + std::string(dtype_name) + "; write .npy instead");
    uint64_t numel = 1;
    for (const int64_t dim : shape)
        numel *= static_cast<uint64_t>(dim);
    PendingFile pending(path);
    const auto fail = [&](const std::string& reason) {
        throw Error(ErrorKind::kIo, "cannot write " + in_quotes(path) + ": " + reason);
    };
    int code = 0;
    npz::Archive archive(zip_open(pending.part_path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) fail("libzip cannot create it (code " + std::to_string(code) + ")");
    const std::string data = pickled(*storage, shape, numel);
    const std::string version = "3\n";
    Source source{&produce, numel * storage->item_size, 0, nullptr};
    const auto add = [&](const char* name, zip_source_t* entry) {
        if (entry == nullptr) fail(zip_strerror(archive.get()));
        const zip_int64_t index = zip_file_add(archive.get(), name, entry, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            zip_source_free(entry);
            fail(zip_strerror(archive.get()));
        }
        const auto position = static_cast<zip_uint64_t>(index);
        zip_set_file_compression(archive.get(), position, ZIP_CM_STORE, 0);
        // One date for all, so that equal tensors give equal files.
        zip_file_set_dostime(archive.get(), position, 0, 0x21, 0);
    };
    add("archive/data.pkl", zip_source_buffer(archive.get(), data.data(), data.size(), 0));
    add("archive/data/0", zip_source_function(archive.get(), feed, &source));
    add("archive/version", zip_source_buffer(archive.get(), version.data(), version.size(), 0));
    if (zip_close(archive.get()) != 0) {
        if (source.failure) std::rethrow_exception(source.failure);
        fail(zip_strerror(archive.get()));
    }
    static_cast<void>(archive.release());  // zip_close() has freed it
    pending.commit();
}

}  // namespace npuscope
