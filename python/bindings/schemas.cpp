// The ops' signatures, for stubs and for tools.
#include <pybind11/pybind11.h>

#include "core/base/error.h"
#include "npu_backend/ops/op.h"
#include "python/bindings/parts.h"

namespace npuscope::python {

namespace py = pybind11;

namespace {

const char* name_of(backend::ArgumentKind kind) {
    using backend::ArgumentKind;
    switch (kind) {
        case ArgumentKind::kTensor:
            return "tensor";
        case ArgumentKind::kTensorList:
            return "tensors";
        case ArgumentKind::kInt:
            return "int";
        case ArgumentKind::kFloat:
            return "float";
        case ArgumentKind::kBool:
            return "bool";
        case ArgumentKind::kScalar:
            return "scalar";
        case ArgumentKind::kIntList:
            return "ints";
        case ArgumentKind::kFloatList:
            return "floats";
        case ArgumentKind::kBoolMask:
            return "mask";
        case ArgumentKind::kDType:
            return "dtype";
        case ArgumentKind::kString:
            return "str";
        case ArgumentKind::kIgnored:
            return "ignored";
    }
    return "";
}

/// (name, kind, may be None, may be left out)
py::list rows_of(const std::vector<backend::Argument>& arguments) {
    py::list rows;
    for (const backend::Argument& argument : arguments)
        rows.append(py::make_tuple(argument.name,
                                   name_of(argument.kind),
                                   argument.optional,
                                   argument.has_default || argument.optional));
    return rows;
}

}  // namespace

void register_schemas(py::module_& module) {
    module.def(
        "schema",
        [](const std::string& name) {
            const backend::Op* op = backend::find_op(name);
            if (op == nullptr)
                throw Error(ErrorKind::kUnsupported,
                            "there is no op '" + name + "'; the nearest name is '" +
                                backend::nearest_op_name(name) + "'");
            return py::make_tuple(rows_of(op->schema.arguments), rows_of(op->schema.results));
        },
        py::arg("op"));
}

}  // namespace npuscope::python
