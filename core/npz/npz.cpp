#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/npz/byte_source.h"
#include "core/npz/npy.h"
#include "core/npz/zip_archive.h"

namespace npuscope {

namespace {

constexpr std::string_view kExtension = ".npy";
// Deflate encodes at most 258 bytes in 2 bits. Source: RFC 1951, section 3.2.5.
constexpr uint64_t kDeflateLimit = 1032;
// An archive that unpacks to more than this, and to far more than its own size, is refused before
// anything is allocated: arrays of measured numbers pack to a tenth, not to a thousandth.
constexpr uint64_t kUnquestionedBytes = uint64_t{1} << 30;
constexpr uint64_t kPlausibleRatio = 200;

std::string reason_of(int zip_code) {
    zip_error_t error;
    zip_error_init_with_code(&error, zip_code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

class EntrySource : public npz::ByteSource {
  public:
    EntrySource(zip_t* archive, const zip_stat_t& entry, const std::string& what)
        : file_(zip_fopen_index(archive, entry.index, 0), zip_fclose),
          remaining_(entry.size),
          what_(what) {
        if (!file_)
            throw Error(ErrorKind::kFormat, "cannot open " + what + ": " + zip_strerror(archive));
    }
    void read(std::byte* target, size_t count) override {
        if (count > remaining_) cut_short();
        remaining_ -= count;
        while (count > 0) {
            const zip_int64_t got = zip_fread(file_.get(), target, count);
            if (got <= 0) cut_short();
            target += got;
            count -= static_cast<size_t>(got);
        }
    }
    [[nodiscard]] uint64_t remaining() const override { return remaining_; }

    /// Reads what is left, so that the archive's checksum is verified.
    void finish() {
        std::byte scratch[4096];
        while (remaining_ > 0)
            read(scratch, std::min<uint64_t>(remaining_, sizeof scratch));
        const zip_int64_t beyond = zip_fread(file_.get(), scratch, 1);
        if (beyond > 0)
            throw Error(ErrorKind::kFormat, what_ + " holds more data than the archive says");
        if (beyond < 0)
            throw Error(
                ErrorKind::kFormat,
                what_ + " is damaged: " + zip_error_strerror(zip_file_get_error(file_.get())));
    }

  private:
    [[noreturn]] void cut_short() const {
        const std::string reason = zip_error_strerror(zip_file_get_error(file_.get()));
        throw Error(ErrorKind::kFormat, what_ + " is damaged or cut short: " + reason);
    }
    std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file_;
    uint64_t remaining_;
    const std::string& what_;
};

Tensor read_entry(zip_t* archive, const zip_stat_t& entry, const std::string& what) {
    if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE)
        throw Error(ErrorKind::kUnsupported,
                    what + " is packed with method " + std::to_string(entry.comp_method) +
                        "; numpy.savez and numpy.savez_compressed write methods 0 and 8");
    const uint64_t most = entry.comp_method == ZIP_CM_STORE
                              ? entry.comp_size
                              : entry.comp_size * kDeflateLimit + kDeflateLimit;
    if (entry.size > most)
        throw Error(ErrorKind::kFormat,
                    what + " claims " + std::to_string(entry.size) + " bytes, more than its " +
                        std::to_string(entry.comp_size) + " packed bytes can hold");
    EntrySource source(archive, entry, what);
    Tensor tensor = npz::parse_npy(source, what);
    source.finish();
    return tensor;
}

/// Refuses an archive that would fill the memory from next to nothing.
void require_plausible_size(zip_t* archive, const std::filesystem::path& path) {
    const uint64_t packed = std::filesystem::file_size(path);
    uint64_t unpacked = 0;
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        zip_stat_t entry;
        if (zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &entry) != 0) continue;
        if (__builtin_add_overflow(unpacked, entry.size, &unpacked)) unpacked = UINT64_MAX;
        if (unpacked <= kUnquestionedBytes || unpacked / kPlausibleRatio <= packed) continue;
        throw Error(ErrorKind::kFormat,
                    in_quotes(path) + " would unpack its " + std::to_string(packed) + " bytes to " +
                        std::to_string(unpacked) +
                        " or more; if that is right, write it with numpy.savez, unpacked");
    }
}

npz::Archive opened(const std::filesystem::path& path) {
    require_regular_file(path, "array archive");
    int code = 0;
    npz::Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!archive)
        throw Error(
            code == ZIP_ER_OPEN || code == ZIP_ER_READ ? ErrorKind::kIo : ErrorKind::kFormat,
            in_quotes(path) + " is not a readable .npz archive: " + reason_of(code));
    return archive;
}

}  // namespace

ArrayHistories read_npz_histories(const std::filesystem::path& path) {
    const npz::Archive archive = opened(path);
    const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
    ArrayHistories histories;
    for (zip_uint64_t i = 0; i < count; ++i) {
        zip_uint32_t length = 0;
        const char* name = zip_get_name(archive.get(), i, 0);
        const char* text = zip_file_get_comment(archive.get(), i, &length, 0);
        if (name == nullptr || text == nullptr) continue;
        const std::string_view array(name);
        if (!array.ends_with(kExtension)) continue;
        if (ArrayHistory history = history_from_comment({text, length}); history != ArrayHistory{})
            histories.emplace(array.substr(0, array.size() - kExtension.size()),
                              std::move(history));
    }
    return histories;
}

NamedTensors read_npz(const std::filesystem::path& path) {
    const npz::Archive archive = opened(path);
    require_plausible_size(archive.get(), path);
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    // Entries that share packed bytes would let a small file unpack without bound.
    uint64_t unclaimed = std::filesystem::file_size(path);
    NamedTensors arrays;
    for (zip_int64_t i = 0; i < count; ++i) {
        zip_stat_t entry;
        if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(i), 0, &entry) != 0)
            throw Error(ErrorKind::kFormat,
                        "cannot read entry " + std::to_string(i) + " of " + in_quotes(path));
        std::string name = entry.name;
        if (name.ends_with('/')) continue;
        const std::string what = in_quotes(name) + " in " + in_quotes(path);
        if (!name.ends_with(kExtension))
            throw Error(ErrorKind::kFormat,
                        what + " is no .npy array; an .npz archive holds nothing else");
        name.resize(name.size() - kExtension.size());
        if (entry.comp_size > unclaimed)
            throw Error(ErrorKind::kFormat,
                        in_quotes(path) + " is damaged: its entries claim more bytes than it has");
        unclaimed -= entry.comp_size;
        arrays.emplace_back(std::move(name), read_entry(archive.get(), entry, what));
    }
    return arrays;
}

void write_npz(const std::filesystem::path& path,
               const NamedTensors& arrays,
               const ArrayHistories& histories) {
    PendingFile pending(path);
    const auto fail = [&](const std::string& reason) {
        throw Error(ErrorKind::kIo, "cannot write " + in_quotes(path) + ": " + reason);
    };
    int code = 0;
    npz::Archive archive(zip_open(pending.part_path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) fail(reason_of(code));
    // libzip reads the fragments when it closes the archive.
    std::vector<Tensor> tensors;
    std::vector<std::string> headers;
    tensors.reserve(arrays.size());
    headers.reserve(arrays.size());
    for (const auto& [name, array] : arrays) {
        const Tensor& tensor = tensors.emplace_back(
            array.dtype() == DType::kBFloat16 ? array.cast(DType::kFloat32) : array);
        std::string& header = headers.emplace_back(npz::npy_header(tensor.dtype(), tensor.shape()));
        // libzip never writes into what it is given to read.
        zip_buffer_fragment_t fragments[] = {
            {reinterpret_cast<zip_uint8_t*>(header.data()), header.size()},
            {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(tensor.data())),
             tensor.nbytes()}};
        zip_source_t* source =
            zip_source_buffer_fragment(archive.get(), fragments, tensor.nbytes() == 0 ? 1 : 2, 0);
        if (source == nullptr) fail(zip_strerror(archive.get()));
        const zip_int64_t index = zip_file_add(
            archive.get(), (name + std::string(kExtension)).c_str(), source, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            const std::string reason = zip_strerror(archive.get());
            zip_source_free(source);
            fail("array " + in_quotes(name) + ": " + reason);
        }
        const auto position = static_cast<zip_uint64_t>(index);
        zip_set_file_compression(archive.get(), position, ZIP_CM_STORE, 0);
        // One date for all, so that equal arrays give equal files: 1980-01-01, where ZIP begins.
        zip_file_set_dostime(archive.get(), position, 0, 0x21, 0);
        const auto known = histories.find(name);
        if (known == histories.end() || known->second == ArrayHistory{}) continue;
        const std::string comment = to_comment(known->second);
        if (zip_file_set_comment(archive.get(),
                                 position,
                                 comment.c_str(),
                                 static_cast<zip_uint16_t>(comment.size()),
                                 ZIP_FL_ENC_UTF_8) != 0)
            fail("array " + in_quotes(name) + ": " + zip_strerror(archive.get()));
    }
    if (arrays.empty()) {
        // libzip writes no file for an empty archive; this is one: the end record alone.
        archive.reset();
        write_text_file(path, std::string("PK\x05\x06", 4) + std::string(18, '\0'));
        return;
    }
    if (zip_close(archive.get()) != 0) fail(zip_strerror(archive.get()));
    static_cast<void>(archive.release());  // zip_close() has freed it
    pending.commit();
}

}  // namespace npuscope
