#include <cstring>
#include <span>

#include "core/dtype/bools.h"
#include "core/h5/h5.h"
#include "core/h5/object_facts.h"
#include "core/h5/state.h"
#include "core/h5/types.h"

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

/// Called through C: nothing may be thrown.
herr_t collect_value(hid_t object, const char* name, const H5A_info_t*, void* target) noexcept {
    auto& found = *static_cast<DatasetDescription*>(target);
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) return 0;
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    if (!type.valid()) return 0;
    if (H5Tget_class(type.get()) == H5T_INTEGER) {
        if (auto values = integers_of(attribute.get()))
            found.attributes.emplace_back(name, std::move(*values));
    } else if (H5Tget_class(type.get()) == H5T_STRING) {
        found.attributes.emplace_back(name, text_of(attribute.get(), type.get()));
    }
    return 0;
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

Reader::Reader(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::filesystem::path& Reader::path() const {
    return state_->path();
}

bool Reader::exists(const std::string& path) const {
    const LibraryLock lock;
    return path_exists(state_->library().file.get(), path);
}

ObjectKind Reader::kind(const std::string& path) const {
    const LibraryLock lock;
    return kind_of(open_object(state_->library(), path).get());
}

std::vector<std::string> Reader::children(const std::string& group) const {
    std::vector<std::string> names;
    for (auto& [name, kind] : typed_children(group))
        names.push_back(std::move(name));
    return names;
}

std::vector<std::pair<std::string, ObjectKind>> Reader::typed_children(
    const std::string& group) const {
    const LibraryLock lock;
    const Handle object = open_object(state_->library(), group);
    if (kind_of(object.get()) != ObjectKind::kGroup)
        throw Error(ErrorKind::kFormat, state_->name(group) + " is not a group");
    std::vector<std::string> names;
    hsize_t position = 0;
    check(H5Literate(object.get(),
                     h5py_index(object.get(), group == "/"),
                     H5_ITER_INC,
                     &position,
                     collect_name,
                     &names),
          "cannot list the group " + state_->name(group),
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

DatasetInfo Reader::dataset(const std::string& path) const {
    const LibraryLock lock;
    return info_of(open_dataset(state_->library(), path).get(), state_->name(path));
}

DatasetDescription Reader::describe(const std::string& path) const {
    const LibraryLock lock;
    const Handle dataset = open_dataset(state_->library(), path);
    DatasetDescription found{info_of(dataset.get(), state_->name(path)), {}};
    check(H5Aiterate2(dataset.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect_value, &found),
          "cannot list the attributes of " + state_->name(path),
          ErrorKind::kFormat);
    return found;
}

std::optional<int64_t> DatasetDescription::integer(const std::string& name) const {
    for (const auto& [attribute, value] : attributes) {
        if (attribute != name) continue;
        const auto* list = std::get_if<std::vector<int64_t>>(&value);
        if (list != nullptr && list->size() == 1) return list->front();
    }
    return std::nullopt;
}

std::string DatasetDescription::text(const std::string& name) const {
    for (const auto& [attribute, value] : attributes)
        if (const auto* text = std::get_if<std::string>(&value); text && attribute == name)
            return *text;
    return {};
}

Tensor Reader::read(const std::string& path) const {
    const LibraryLock lock;
    const Handle dataset = open_dataset(state_->library(), path);
    const Handle type =
        checked(H5Dget_type(dataset.get()), H5Tclose, "no type of " + state_->name(path));
    const Handle space =
        checked(H5Dget_space(dataset.get()), H5Sclose, "no space of " + state_->name(path));
    const auto dtype = dtype_of(type.get());
    if (!dtype || H5Sget_simple_extent_type(space.get()) == H5S_NULL)
        throw Error(
            ErrorKind::kUnsupported,
            state_->name(path) + " holds " + numpy_name(type.get()) + ", which is no tensor dtype");
    Shape shape = shape_of(space.get(), state_->name(path));
    require_plausible_size(state_->library(), dataset.get(), path, shape, size_of(*dtype));
    Tensor tensor(*dtype, std::move(shape));
    if (tensor.numel() == 0) return tensor;
    const Handle memory = reading_type(*dtype, type.get());
    check(
        H5Dread(dataset.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.mutable_data()),
        "cannot read the dataset " + state_->name(path),
        ErrorKind::kFormat);
    if (*dtype == DType::kBool) make_bools({tensor.mutable_data(), tensor.nbytes()});
    return tensor;
}

std::string Reader::read_string(const std::string& path) const {
    const LibraryLock lock;
    const Handle dataset = open_dataset(state_->library(), path);
    const Handle type =
        checked(H5Dget_type(dataset.get()), H5Tclose, "no type of " + state_->name(path));
    if (H5Tget_class(type.get()) != H5T_STRING)
        throw Error(ErrorKind::kFormat, state_->name(path) + " is not a string");
    const Handle space(H5Dget_space(dataset.get()), H5Sclose);
    return read_text(
        type.get(), H5Sget_simple_extent_npoints(space.get()), [&](hid_t memory, void* target) {
            return H5Dread(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, target);
        });
}

int Reader::attribute_count(const std::string& path) const {
    const LibraryLock lock;
    const Handle object = open_object(state_->library(), path);
    // Listing the attributes would decode them all, and a damaged one can bring HDF5 1.10 down.
    H5O_info_t facts;
    check(H5Oget_info2(object.get(), &facts, H5O_INFO_NUM_ATTRS),
          "cannot count the attributes of " + state_->name(path),
          ErrorKind::kFormat);
    return static_cast<int>(facts.num_attrs);
}

std::vector<std::string> Reader::attribute_names(const std::string& path) const {
    const LibraryLock lock;
    const Handle object = open_object(state_->library(), path);
    std::vector<std::string> names;
    check(H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, collect_name, &names),
          "cannot list the attributes of " + state_->name(path),
          ErrorKind::kFormat);
    return names;
}

std::optional<int64_t> Reader::int_attribute(const std::string& path,
                                             const std::string& name) const {
    const auto list = int_list_attribute(path, name);
    if (!list || list->size() != 1) return std::nullopt;
    return list->front();
}

std::optional<std::vector<int64_t>> Reader::int_list_attribute(const std::string& path,
                                                               const std::string& name) const {
    const LibraryLock lock;
    const auto attribute = open_int_attribute(state_->library(), path, name);
    return attribute ? integers_of(attribute->get()) : std::nullopt;
}

std::optional<std::string> Reader::string_attribute(const std::string& path,
                                                    const std::string& name) const {
    const LibraryLock lock;
    const Handle object = open_object(state_->library(), path);
    if (H5Aexists(object.get(), name.c_str()) <= 0) return std::nullopt;
    const Handle attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) return std::nullopt;
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING) return std::nullopt;
    return text_of(attribute.get(), type.get());
}

}  // namespace npuscope::h5
