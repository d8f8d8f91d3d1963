#include "compare/msaccucmp/prepare.h"

#include <array>
#include <cstring>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/dumpfile/layout.h"

namespace npuscope::compare::msaccucmp {

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

std::string_view data_type(const h5::Reader& file, const Dataset& dataset) {
    const auto code = file.int_attribute(dataset.real_path, "DataType");
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

class FloatTensor : public FloatSource {
  public:
    explicit FloatTensor(const Tensor& tensor) : tensor_(tensor.cast(DType::kFloat32)) {}
    [[nodiscard]] size_t count() const override { return static_cast<size_t>(tensor_.numel()); }
    [[nodiscard]] const float* piece(size_t first, size_t, FloatBuffer&) const override {
        return tensor_.as<float>().data() + first;
    }
    void release(size_t, size_t) const override {}

  private:
    Tensor tensor_;
};

bool is_scalar(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{0}) ==
           static_cast<int64_t>(shape.size());
}

Tensor read_dataset(const h5::Reader& file, const Dataset& dataset) {
    try {
        return file.read(dataset.real_path);
    } catch (const Error& failure) {
        if (file.dataset(dataset.real_path).numpy_name.starts_with("complex"))
            return file.read_real_part(dataset.real_path);
        throw Error(failure.kind(), std::string("Cannot read it: ") + failure.what());
    }
}

std::string tuple(const std::vector<int64_t>& values) {
    std::string text = "(";
    for (size_t i = 0; i < values.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
    return text + (values.size() == 1 ? ",)" : ")");
}

/// Golden data of a CPU or GPU was dumped as it lay in memory, with the strides beside it.
Tensor in_logical_order(const h5::Reader& golden,
                        const Dataset& dataset,
                        Tensor data,
                        LogLines& log) {
    const auto device = golden.int_attribute(dataset.real_path, "DeviceType");
    if (device != dumpfile::kDeviceCpu && device != dumpfile::kDeviceCuda) return data;
    const auto strides = golden.int_list_attribute(dataset.real_path, "Stride");
    if (!strides)
        throw Error(ErrorKind::kFormat,
                    "The golden tensor " + dataset.path + " has no attribute Stride.");
    if (strides_fit(data.shape(), *strides)) return restrided(data, *strides);
    log.emplace_back(Level::kWarning,
                     "[" + dataset.path + "]:shape=" + tuple(data.shape()) +
                         ",stride=" + tuple(*strides) + ",stride is invalid");
    return data;
}

}  // namespace

bool strides_fit(const Shape& shape, const std::vector<int64_t>& strides) {
    if (shape.size() != strides.size()) return false;
    int64_t last = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
        int64_t step = 0;
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &step)) return false;
        if (__builtin_add_overflow(last, step, &last)) return false;
    }
    return last <= numel_of(shape);
}

Tensor restrided(const Tensor& data, const std::vector<int64_t>& strides) {
    if (strides == contiguous_strides(data.shape())) return data;
    Tensor result(data.dtype(), data.shape());
    const size_t size = size_of(data.dtype());
    const std::byte* from = data.data();
    std::byte* to = result.mutable_data();
    std::vector<int64_t> index(strides.size(), 0);
    int64_t offset = 0;
    for (int64_t i = 0; i < result.numel(); ++i) {
        if (offset < 0 || offset >= data.numel())
            throw Error(ErrorKind::kFormat, "The attribute Stride points outside the data.");
        std::memcpy(
            to + static_cast<size_t>(i) * size, from + static_cast<size_t>(offset) * size, size);
        for (size_t axis = strides.size(); axis-- > 0;) {
            offset += strides[axis];
            if (++index[axis] < data.shape()[axis]) break;
            offset -= strides[axis] * index[axis];
            index[axis] = 0;
        }
    }
    return result;
}

Pair prepare_pair(const h5::Reader& my,
                  const Dataset& my_dataset,
                  const h5::Reader& golden,
                  const Dataset& golden_dataset,
                  LogLines& log) {
    check_data_types(
        data_type(my, my_dataset), data_type(golden, golden_dataset), my_dataset.path, log);
    Pair pair;
    const h5::DatasetInfo stored = my.dataset(my_dataset.real_path);
    // h5py gives a rank-0 dataset as a NumPy scalar, and those have native byte order.
    const bool is_native = stored.shape.empty() && stored.dtype;
    pair.dtype = is_native ? std::string(name_of(*stored.dtype)) : stored.numpy_name;
    Tensor x = read_dataset(my, my_dataset);
    Tensor y = in_logical_order(golden, golden_dataset, read_dataset(golden, golden_dataset), log);
    pair.shape = x.shape();
    if (x.numel() != y.numel())
        throw Error(ErrorKind::kUnsupported,
                    "The shapes of the two sides differ: my side has " + std::to_string(x.numel()) +
                        " elements, the golden side " + std::to_string(y.numel()) + ".");
    pair.is_scalar = is_scalar(pair.shape);
    pair.are_bools = x.dtype() == DType::kBool && y.dtype() == DType::kBool;
    pair.x = std::make_unique<FloatTensor>(x);
    pair.y = std::make_unique<FloatTensor>(y);
    return pair;
}

}  // namespace npuscope::compare::msaccucmp
