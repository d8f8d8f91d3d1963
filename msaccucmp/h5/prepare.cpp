#include "msaccucmp/h5/prepare.h"

#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/dumpfile/layout.h"
#include "msaccucmp/columns/algorithm_set.h"
#include "msaccucmp/numpy/float_source.h"

namespace npuscope::msaccucmp {

namespace {

struct DataTypeName {
    int64_t code;
    std::string_view name;
};
constexpr auto kDataTypes = std::to_array<DataTypeName>({{1, "Float"},
                                                         {2, "Byte"},
                                                         {3, "Char"},
                                                         {5, "Short"},
                                                         {6, "Int"},
                                                         {7, "Long"},
                                                         {9, "Bool"},
                                                         {10, "Half"},
                                                         {11, "Double"}});

std::string_view name_of_code(int64_t code) {
    for (const DataTypeName& row : kDataTypes)
        if (row.code == code) return row.name;
    return {};
}

std::string_view data_type(const OpenDump& dump, const Dataset& dataset) {
    const auto code = dump.index.integer(dataset.node, "DataType");
    if (!code)
        throw Error(ErrorKind::kFormat, dataset.path + " has no integer attribute DataType.");
    const std::string_view name = name_of_code(*code);
    if (name.empty())
        throw Error(ErrorKind::kFormat,
                    "The DataType " + std::to_string(*code) + " of " + dataset.path +
                        " is not one of the dump format's.");
    return name;
}

bool are_compatible(std::string_view a, std::string_view b) {
    const auto both = [&](std::string_view one, std::string_view other) {
        return (a == one && b == other) || (a == other && b == one);
    };
    return both("Int", "Long") || both("Float", "Half");
}

void check_data_types(std::string_view my,
                      std::string_view golden,
                      const std::string& path,
                      LogLines& log) {
    if (my == golden) return;
    const std::string types = "(" + std::string(my) + "," + std::string(golden) + ")";
    if (!are_compatible(my, golden))
        throw Error(ErrorKind::kUnsupported,
                    "The DataTypes of the two sides differ: " + types + " at " + path + ".");
    log.emplace_back(
        Level::kInfo,
        "The DataTypes of the two sides are compatible: " + types + " at " + path + ".");
}

/// make(h5::Elements or Tensor): the dataset's elements, the real part of complex ones.
template <class Make>
std::unique_ptr<FloatSource> read_dataset(const OpenDump& dump,
                                          const Dataset& dataset,
                                          const Make& make) {
    try {
        return make(dump.reader.elements(dump.index, dataset.node));
    } catch (const Error& failure) {
        if (dump.index.dataset(dataset.node).numpy_name.starts_with("complex"))
            return make(dump.reader.read_real_part(dump.index.path(dataset.node)));
        throw Error(failure.kind(), std::string("Cannot read it: ") + failure.what());
    }
}

std::unique_ptr<FloatSource> as_stored(const OpenDump& dump, const Dataset& dataset) {
    return read_dataset(dump, dataset, [](auto&& data) {
        return stored_order(std::forward<decltype(data)>(data));
    });
}

std::string tuple(std::span<const int64_t> values) {
    std::string text = "(";
    for (size_t i = 0; i < values.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
    return text + (values.size() == 1 ? ",)" : ")");
}

/// Golden data of a CPU or GPU was dumped as it lay in memory, with the strides beside it.
std::unique_ptr<FloatSource> in_logical_order(const OpenDump& golden,
                                              const Dataset& dataset,
                                              LogLines& log) {
    const auto device = golden.index.integer(dataset.node, "DeviceType");
    if (device != dumpfile::kDeviceCpu && device != dumpfile::kDeviceCuda)
        return as_stored(golden, dataset);
    const auto strides = golden.index.integers(dataset.node, "Stride");
    if (!strides)
        throw Error(ErrorKind::kFormat,
                    "The golden tensor " + dataset.path + " has no attribute Stride.");
    const auto dims = golden.index.shape(dataset.node);
    const Shape shape(dims.begin(), dims.end());
    if (strides_fit(shape, *strides))
        return read_dataset(golden, dataset, [&](auto&& data) {
            return through_strides(std::forward<decltype(data)>(data),
                                   {strides->begin(), strides->end()});
        });
    log.emplace_back(Level::kWarning,
                     "[" + dataset.path + "]:shape=" + tuple(shape) + ",stride=" + tuple(*strides) +
                         ",stride is invalid");
    return as_stored(golden, dataset);
}

}  // namespace

Pair prepare_pair(const OpenDump& my,
                  const Dataset& my_dataset,
                  const OpenDump& golden,
                  const Dataset& golden_dataset,
                  LogLines& log) {
    check_data_types(
        data_type(my, my_dataset), data_type(golden, golden_dataset), my_dataset.path, log);
    Pair pair;
    const h5::DatasetInfo stored = my.index.dataset(my_dataset.node);
    // h5py gives a rank-0 dataset as a NumPy scalar, and those have native byte order.
    const bool is_native = stored.shape.empty() && stored.dtype;
    pair.dtype = is_native ? std::string(name_of(*stored.dtype)) : stored.numpy_name;
    pair.x = as_stored(my, my_dataset);
    pair.y = in_logical_order(golden, golden_dataset, log);
    pair.shape = stored.shape;
    if (pair.x->count() != pair.y->count())
        throw Error(ErrorKind::kUnsupported,
                    "The shapes of the two sides differ: my side has " +
                        std::to_string(pair.x->count()) + " elements, the golden side " +
                        std::to_string(pair.y->count()) + ".");
    pair.is_scalar = is_scalar_shape(pair.shape);
    pair.are_bools =
        stored.dtype == DType::kBool && golden.index[golden_dataset.node].dtype == DType::kBool;
    return pair;
}

}  // namespace npuscope::msaccucmp
