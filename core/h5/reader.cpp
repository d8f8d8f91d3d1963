#include "core/dtype/bools.h"
#include "core/h5/elements.h"
#include "core/h5/h5.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

namespace {

Tensor whole(LibraryAccess& library, const std::string& path, bool real_part) {
    LibraryAccess::Dataset dataset = library.open_dataset(path, real_part);
    Tensor tensor(dataset.dtype, dataset.shape);
    library.read(dataset, 0, tensor.numel(), tensor.mutable_data());
    library.close(dataset);
    if (tensor.dtype() == DType::kBool) make_bools({tensor.mutable_data(), tensor.nbytes()});
    return tensor;
}

}  // namespace

Reader::Reader(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::filesystem::path& Reader::path() const {
    return state_->path();
}

Tensor Reader::read(const std::string& path) const {
    return whole(state_->library(), path, false);
}

Tensor Reader::read_real_part(const std::string& path) const {
    return whole(state_->library(), path, true);
}

std::string Reader::read_string(const std::string& path) const {
    return state_->library().read_text(path);
}

std::string Reader::copy_to(const std::filesystem::path& target,
                            bool exists,
                            std::span<const Attribute> root_attributes,
                            std::span<const std::pair<std::string, std::string>> paths) const {
    return state_->library().copy(target, exists, root_attributes, paths);
}

}  // namespace npuscope::h5
