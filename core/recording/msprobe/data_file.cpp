#include "core/recording/msprobe/data_file.h"

#include <cstring>
#include <fcntl.h>

#include "core/base/error.h"
#include "core/base/owned_descriptor.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/h5/mapped_file.h"
#include "core/npz/tensor_files.h"

namespace npuscope::msprobe {

namespace {

namespace fs = std::filesystem;

/// A part of a mapped file as a tensor.
class MappedElements final : public ElementSource {
  public:
    MappedElements(std::shared_ptr<const h5::MappedFile> file,
                   uint64_t offset,
                   DType dtype,
                   Shape shape,
                   std::string what)
        : file_(std::move(file)),
          offset_(offset),
          dtype_(dtype),
          shape_(std::move(shape)),
          what_(std::move(what)) {}

    [[nodiscard]] DType dtype() const override { return dtype_; }
    [[nodiscard]] const Shape& shape() const override { return shape_; }
    [[nodiscard]] int64_t numel() const override { return numel_of(shape_); }
    [[nodiscard]] const std::byte* range(int64_t first,
                                         int64_t,
                                         std::vector<std::byte>&) const override {
        return file_->bytes().data() + offset_ + static_cast<size_t>(first) * size_of(dtype_);
    }
    [[nodiscard]] const std::byte* in_place() const override {
        return file_->bytes().data() + offset_;
    }
    void release(int64_t first, int64_t count) const override {
        file_->release(offset_ + static_cast<uint64_t>(first) * size_of(dtype_),
                       static_cast<uint64_t>(count) * size_of(dtype_));
    }
    void require_intact() const override {
        if (!file_->is_intact())
            throw Error(ErrorKind::kIo, what_ + " was cut short while it was read");
    }

  private:
    std::shared_ptr<const h5::MappedFile> file_;
    uint64_t offset_;
    DType dtype_;
    Shape shape_;
    std::string what_;
};

/// Inside the folder, after links.
void require_inside(const fs::path& folder, const fs::path& file) {
    std::error_code failure;
    if (!fs::is_symlink(file, failure)) return;
    const fs::path real = fs::canonical(file, failure);
    if (failure || real.parent_path() != fs::canonical(folder, failure))
        throw Error(ErrorKind::kFormat,
                    in_quotes(file) + " is a link that leads out of its folder");
}

std::unique_ptr<ElementSource> open_bare(const fs::path& path,
                                         const std::string& dtype_name,
                                         const Shape& shape) {
    const auto dtype = dtype_from_name(dtype_name);
    if (!dtype)
        throw Error(ErrorKind::kUnsupported,
                    in_quotes(path) + " holds " + printable(dtype_name) +
                        ", which is no dtype that can be compared");
    require_regular_file(path, "tensor file");
    const uint64_t wanted = static_cast<uint64_t>(numel_of(shape)) * size_of(*dtype);
    if (fs::file_size(path) != wanted)
        throw Error(ErrorKind::kFormat,
                    in_quotes(path) + " has " + std::to_string(fs::file_size(path)) +
                        " bytes; its tensor takes " + std::to_string(wanted));
    const OwnedDescriptor file(path, O_RDONLY);
    if (auto mapping = file.get() < 0 ? nullptr : h5::MappedFile::map(file.get());
        mapping && *dtype != DType::kBool)
        return std::make_unique<MappedElements>(
            std::move(mapping), 0, *dtype, shape, in_quotes(path));
    const std::string content = read_text_file(path);
    if (content.size() != wanted)
        throw Error(ErrorKind::kIo, in_quotes(path) + " changed while it was read");
    Tensor tensor(*dtype, shape);
    for (size_t i = 0; i < content.size(); ++i)
        tensor.mutable_data()[i] = *dtype == DType::kBool ? std::byte{content[i] != 0}
                                                          : static_cast<std::byte>(content[i]);
    return std::make_unique<TensorElements>(std::move(tensor));
}

std::unique_ptr<ElementSource> open_torch(const fs::path& path) {
    require_regular_file(path, "tensor file");
    const OwnedDescriptor file(path, O_RDONLY);
    if (auto mapping = file.get() < 0 ? nullptr : h5::MappedFile::map(file.get())) {
        const auto bytes = mapping->bytes();
        if (auto place = locate_torch_tensor(path, bytes)) {
            const auto offset = static_cast<uint64_t>(place->elements.data() - bytes.data());
            return std::make_unique<MappedElements>(
                std::move(mapping), offset, place->dtype, std::move(place->shape), in_quotes(path));
        }
    }
    NamedTensors all = read_torch_file(path);
    if (all.empty()) throw Error(ErrorKind::kFormat, in_quotes(path) + " holds no tensor");
    return std::make_unique<TensorElements>(std::move(all.front().second));
}

}  // namespace

void attach_data(const fs::path& folder, const std::string& name, SourceTensor& tensor) {
    // A name that leads out of the folder is not followed.
    const fs::path file = name;
    if (file != file.filename() || name == "." || name == ".." || name.find('\0') != name.npos) {
        tensor.problem = "its file " + in_quotes(name) + " is no plain name";
        return;
    }
    const std::string kind = file.extension().string();
    if (kind != ".npy" && kind != ".pt" && kind != ".bin") {
        tensor.problem = "its file " + in_quotes(name) + " is no .pt, .npy or .bin";
        return;
    }
    tensor.open = [folder, file, kind, dtype = tensor.dtype, shape = tensor.shape] {
        const fs::path path = folder / file;
        require_inside(folder, path);
        std::unique_ptr<ElementSource> elements;
        if (kind == ".bin") {
            elements = open_bare(path, dtype, shape);
        } else if (kind == ".npy") {
            elements = std::make_unique<TensorElements>(read_npy(path));
        } else {
            elements = open_torch(path);
        }
        if (elements->shape() != shape)
            throw Error(ErrorKind::kFormat,
                        in_quotes(path) + " holds a tensor of shape " +
                            to_string(elements->shape()) + "; dump.json says " + to_string(shape));
        return elements;
    };
}

}  // namespace npuscope::msprobe
