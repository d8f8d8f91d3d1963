// Dump files as Python reads them: an index at once, elements on demand.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "core/base/error.h"
#include "core/dumpfile/extract.h"
#include "core/dumpfile/paths.h"
#include "core/dumpfile/reader.h"
#include "core/h5/trust.h"
#include "python/bindings/parts.h"
#include "python/bindings/values.h"

namespace npuscope::python {

namespace {

using dumpfile::Entry;
using dumpfile::OpEntry;
using dumpfile::Reader;

const OpEntry& op_at(const Reader& reader, size_t index) {
    if (index >= reader.ops().size()) throw py::index_error("the dump has no such op");
    return reader.ops()[index];
}

py::list entries(const Reader& reader, size_t index) {
    py::list rows;
    for (const Entry& entry : op_at(reader, index).entries) {
        const auto dtype = entry.dtype();
        rows.append(py::make_tuple(std::string(dumpfile::name_of(entry.direction)),
                                   entry.argument,
                                   entry.is_tensor(),
                                   dtype ? std::string(name_of(*dtype)) : std::string(),
                                   py::tuple(py::cast(entry.stored.shape)),
                                   std::string(name_of(entry.compute_type)),
                                   entry.path));
    }
    return rows;
}

/// The array borrows the tensor, which lives as long; it is read-only.
py::object read_only_array(Tensor tensor) {
    if (tensor.dtype() == DType::kBFloat16) return py::cast(std::move(tensor));
    auto* held = new Tensor(std::move(tensor));
    const py::capsule owner(held, [](void* pointer) { delete static_cast<Tensor*>(pointer); });
    py::array array(py::dtype(std::string(info(held->dtype()).numpy_descr)),
                    std::vector<py::ssize_t>(held->shape().begin(), held->shape().end()),
                    held->data(),
                    owner);
    array.attr("flags").attr("writeable") = false;
    return array;
}

py::object plain_value(const Tensor& stored, SaveType type) {
    switch (type) {
        case SaveType::kBool:
            return py::bool_(stored.at(0) != 0);
        case SaveType::kBoolMask: {
            py::list bits;
            for (int64_t i = 0; i < stored.numel(); ++i)
                bits.append(stored.at(i) != 0);
            return bits;
        }
        default:
            break;
    }
    const py::object list = to_array(stored).attr("tolist")();
    const bool flag =
        type == SaveType::kScalar && size_of(stored.dtype()) == 1 && stored.ndim() == 0;
    return flag ? py::object(py::bool_(stored.at(0) != 0)) : list;
}

py::object read(const Reader& reader, size_t op, size_t entry_index) {
    const OpEntry& run = op_at(reader, op);
    if (entry_index >= run.entries.size()) throw py::index_error("the op has no such entry");
    const Entry& entry = run.entries[entry_index];
    Tensor tensor;
    {
        const py::gil_scoped_release released;
        tensor = entry.is_tensor() ? reader.read(entry) : reader.read_stored(entry);
    }
    if (entry.is_tensor()) return read_only_array(std::move(tensor));
    return plain_value(tensor, static_cast<SaveType>(entry.save_type.value_or(0)));
}

}  // namespace

void register_dumps(py::module_& module) {
    py::class_<Reader, std::shared_ptr<Reader>>(module, "DumpReader")
        .def(py::init([](const std::filesystem::path& path) {
                 const py::gil_scoped_release released;
                 return std::make_shared<Reader>(path);
             }),
             py::arg("path"))
        .def_property_readonly("path", [](const Reader& reader) { return reader.path().string(); })
        .def_property_readonly("complete", &Reader::complete)
        .def_property_readonly("warnings", &Reader::warnings)
        .def("facts",
             [](const Reader& reader) {
                 py::dict row;
                 for (const auto& [name, text] : reader.run_facts())
                     row[py::str(name)] = text;
                 return row;
             })
        .def("__len__", [](const Reader& reader) { return reader.ops().size(); })
        .def("op",
             [](const Reader& reader, size_t index) {
                 const OpEntry& op = op_at(reader, index);
                 return py::make_tuple(op.id.op, op.id.seqid, op.facts_json);
             })
        .def("index_of",
             [](const Reader& reader, const std::string& path) -> std::optional<size_t> {
                 const auto id = dumpfile::parse_op_path(dumpfile::normalised_path(path));
                 const OpEntry* found = id ? reader.find(*id) : nullptr;
                 if (found == nullptr) return std::nullopt;
                 return static_cast<size_t>(found - reader.ops().data());
             })
        .def("nearest",
             [](const Reader& reader, const std::string& path) {
                 return dumpfile::nearest_paths(reader.index(), dumpfile::normalised_path(path));
             })
        .def("entries", &entries)
        .def("read", &read);

    module.def("trust_files", &h5::trust_files, py::arg("trusted"));
    module.def(
        "extract",
        [](const std::filesystem::path& input,
           const std::filesystem::path& output,
           const std::vector<std::pair<std::string, std::string>>& copies) {
            std::vector<dumpfile::Copy> wanted;
            wanted.reserve(copies.size());
            for (const auto& [from, to] : copies)
                wanted.push_back({from, to});
            const py::gil_scoped_release released;
            return dumpfile::extract(input, output, wanted);
        },
        py::arg("input"),
        py::arg("output"),
        py::arg("copies"));
    module.def(
        "failed_ops",
        [](const std::filesystem::path& verdicts) {
            std::vector<std::string> paths;
            for (const dumpfile::Copy& copy : dumpfile::failed_ops(verdicts))
                paths.push_back(copy.from);
            return paths;
        },
        py::arg("verdicts"));
}

}  // namespace npuscope::python
