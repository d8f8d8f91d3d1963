#include "core/h5/library_reader.h"

#include "core/base/pending_file.h"
#include "core/dtype/bools.h"
#include "core/h5/library_dataset.h"
#include "core/h5/object_facts.h"
#include "core/h5/state.h"

namespace npuscope::h5 {

namespace {

Handle open_object(const OpenFile& file, const std::string& path) {
    return checked(H5Oopen(file.file.get(), path.c_str(), H5P_DEFAULT),
                   H5Oclose,
                   "there is no object " + file.name(path),
                   ErrorKind::kFormat);
}

Handle open_dataset(const OpenFile& file, const std::string& path) {
    return checked(H5Dopen2(file.file.get(), path.c_str(), H5P_DEFAULT),
                   H5Dclose,
                   "cannot open the dataset " + file.name(path),
                   ErrorKind::kFormat);
}

herr_t collect_name(hid_t, const char* name, const H5A_info_t*, void* target) {
    static_cast<std::vector<std::string>*>(target)->emplace_back(name);
    return 0;
}

/// The attribute when it exists and its type is integer.
std::optional<Handle> open_int_attribute(const OpenFile& file,
                                         const std::string& path,
                                         const std::string& name) {
    const Handle object = open_object(file, path);
    if (H5Aexists(object.get(), name.c_str()) <= 0) return std::nullopt;
    Handle attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) return std::nullopt;
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    if (!type.valid() || H5Tget_class(type.get()) != H5T_INTEGER) return std::nullopt;
    return attribute;
}

}  // namespace

bool path_exists(hid_t file, const std::string& path) {
    size_t from = 0;
    while (from < path.size()) {
        const size_t next = path.find('/', from + 1);
        const std::string prefix = path.substr(0, next);
        if (prefix != "/" && !prefix.empty()) {
            if (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0 ||
                H5Oexists_by_name(file, prefix.c_str(), H5P_DEFAULT) <= 0) {
                H5Eclear2(H5E_DEFAULT);
                return false;
            }
        }
        if (next == std::string::npos || next + 1 == path.size()) break;
        from = next;
    }
    return true;
}

LibraryReader::LibraryReader(const std::filesystem::path& path) {
    require_regular_file(path, "HDF5 file");
    const LibraryLock lock;
    file_ = std::make_unique<OpenFile>(open_trusted(-1, path));
}
LibraryReader::LibraryReader(OpenFile file) : file_(std::make_unique<OpenFile>(std::move(file))) {}
LibraryReader::~LibraryReader() {
    if (!file_) return;
    const LibraryLock lock;
    file_.reset();
}
LibraryReader::LibraryReader(LibraryReader&&) noexcept = default;
LibraryReader& LibraryReader::operator=(LibraryReader&&) noexcept = default;

bool LibraryReader::exists(const std::string& path) const {
    const LibraryLock lock;
    return path_exists(file_->file.get(), path);
}

ObjectKind LibraryReader::kind(const std::string& path) const {
    const LibraryLock lock;
    return kind_of(open_object(*file_, path).get());
}

std::vector<std::string> LibraryReader::children(const std::string& group) const {
    std::vector<std::string> names;
    for (auto& [name, kind] : typed_children(group))
        names.push_back(std::move(name));
    return names;
}

std::vector<std::pair<std::string, ObjectKind>> LibraryReader::typed_children(
    const std::string& group) const {
    const LibraryLock lock;
    const Handle object = open_object(*file_, group);
    if (kind_of(object.get()) != ObjectKind::kGroup)
        throw Error(ErrorKind::kFormat, file_->name(group) + " is not a group");
    std::vector<std::string> names;
    hsize_t position = 0;
    check(each_link(object.get(), h5py_index(object.get()), position, collect_name, &names),
          "cannot list the group " + file_->name(group),
          ErrorKind::kFormat);
    std::vector<std::pair<std::string, ObjectKind>> typed;
    typed.reserve(names.size());
    for (std::string& name : names) {
        const Handle child(H5Oopen(object.get(), name.c_str(), H5P_DEFAULT), H5Oclose);
        if (!child.valid()) {
            H5Eclear2(H5E_DEFAULT);
            continue;
        }
        typed.emplace_back(std::move(name), kind_of(child.get()));
    }
    return typed;
}

DatasetInfo LibraryReader::dataset(const std::string& path) const {
    const LibraryLock lock;
    return info_of(open_dataset(*file_, path).get(), file_->name(path));
}

Tensor LibraryReader::read(const std::string& path) const {
    const LibraryLock lock;
    LibraryDataset dataset(*file_, path, ElementPart::kWhole);
    Tensor tensor(dataset.dtype(), dataset.shape());
    dataset.read(0, tensor.numel(), tensor.mutable_data());
    if (tensor.dtype() == DType::kBool) make_bools({tensor.mutable_data(), tensor.nbytes()});
    return tensor;
}

std::string LibraryReader::read_string(const std::string& path) const {
    const LibraryLock lock;
    const Handle dataset = open_dataset(*file_, path);
    const Handle type =
        checked(H5Dget_type(dataset.get()), H5Tclose, "no type of " + file_->name(path));
    if (H5Tget_class(type.get()) != H5T_STRING)
        throw Error(ErrorKind::kFormat, file_->name(path) + " is not a string");
    require_contained(*file_, dataset.get(), file_->name(path));
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    return read_text(
        type.get(), H5Sget_simple_extent_npoints(space.get()), [&](hid_t memory, void* target) {
            return H5Dread(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, target);
        });
}

int LibraryReader::attribute_count(const std::string& path) const {
    const LibraryLock lock;
    const Handle object = open_object(*file_, path);
    // Listing the attributes would decode them all, and a damaged one can bring HDF5 1.10 down.
    const auto count = attribute_count_of(object.get());
    check(
        count ? 0 : -1, "cannot count the attributes of " + file_->name(path), ErrorKind::kFormat);
    return static_cast<int>(*count);
}

std::vector<std::string> LibraryReader::attribute_names(const std::string& path) const {
    const LibraryLock lock;
    const Handle object = open_object(*file_, path);
    std::vector<std::string> names;
    check(H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect_name, &names),
          "cannot list the attributes of " + file_->name(path),
          ErrorKind::kFormat);
    return names;
}

std::optional<int64_t> LibraryReader::int_attribute(const std::string& path,
                                                    const std::string& name) const {
    const auto list = int_list_attribute(path, name);
    if (!list || list->size() != 1) return std::nullopt;
    return list->front();
}

std::optional<std::vector<int64_t>> LibraryReader::int_list_attribute(
    const std::string& path, const std::string& name) const {
    const LibraryLock lock;
    const auto attribute = open_int_attribute(*file_, path, name);
    return attribute ? integers_of(attribute->get()) : std::nullopt;
}

std::optional<std::string> LibraryReader::string_attribute(const std::string& path,
                                                           const std::string& name) const {
    const LibraryLock lock;
    const Handle object = open_object(*file_, path);
    if (H5Aexists(object.get(), name.c_str()) <= 0) return std::nullopt;
    const Handle attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) return std::nullopt;
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING) return std::nullopt;
    return text_of(attribute.get(), type.get());
}

void LibraryReader::copy_to(Writer& target, const std::string& from, const std::string& to) const {
    const LibraryLock lock;
    check(H5Ocopy(file_->file.get(),
                  from.c_str(),
                  target.state_->file.get(),
                  to.c_str(),
                  H5P_DEFAULT,
                  target.state_->make_parents.get()),
          "cannot copy " + file_->name(from) + " to " + in_quotes(target.state_->path));
    target.state_->check_written();
}

}  // namespace npuscope::h5
