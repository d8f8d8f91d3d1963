#include "tests/npu_backend/op_cases.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "npu_backend/executor.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/ops/op.h"
#include "tests/support/support.h"

namespace npuscope::test {

namespace {

using nlohmann::json;

/// A recorded call, as text: one test reads few of a thousand.
struct Case {
    std::string op;
    std::string text;

    [[nodiscard]] json parsed() const { return json::parse(text); }
};

/// The files have a line for each, which begins with its op.
const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases = [] {
        const std::string head = R"({"op": ")";
        std::vector<Case> all;
        for (const char* name : {"op_cases.json", "training_cases.json", "core_cases.json"}) {
            std::ifstream stream(source_dir() / "data" / name);
            for (std::string line; std::getline(stream, line);) {
                if (!line.starts_with(head)) continue;
                if (line.ends_with(',')) line.pop_back();
                std::string op =
                    line.substr(head.size(), line.find('"', head.size()) - head.size());
                all.push_back({std::move(op), std::move(line)});
            }
        }
        return all;
    }();
    return cases;
}

Tensor decode_tensor(const json& node, DType float_dtype) {
    const Shape shape = node.at("shape").get<Shape>();
    const std::string kind = node.at("tensor");
    std::vector<double> values;
    for (const json& value : node.at("values")) {
        if (value.is_boolean())
            values.push_back(value.get<bool>() ? 1 : 0);
        else
            values.push_back(value.is_string() ? std::stod(value.get<std::string>())
                                               : value.get<double>());
    }
    const Tensor wide = Tensor::from<double>(shape, std::span<const double>(values));
    if (kind == "float") return wide.cast(float_dtype);
    if (kind == "uint8") return wide.cast(DType::kUInt8);
    return wide.cast(kind == "bool" ? DType::kBool : DType::kInt64);
}

Value decode(const json& node, DType float_dtype) {
    if (node.is_null()) return {};
    if (node.contains("tensor")) return decode_tensor(node, float_dtype);
    if (node.contains("tensors")) {
        TensorList list;
        for (const json& item : node.at("tensors"))
            list.push_back(item.is_null() ? Tensor() : decode_tensor(item, float_dtype));
        return list;
    }
    if (node.contains("bool")) return node.at("bool").get<bool>();
    if (node.contains("int")) return node.at("int").get<int64_t>();
    if (node.contains("real")) {
        const json& real = node.at("real");
        return real.is_string() ? std::stod(real.get<std::string>()) : real.get<double>();
    }
    if (node.contains("mask")) return BoolMask{node.at("mask").get<std::vector<bool>>()};
    if (node.contains("reals")) return node.at("reals").get<FloatList>();
    if (node.contains("text")) return node.at("text").get<std::string>();
    return node.at("ints").get<IntList>();
}

struct OpWatch : Observer {
    void op_end(const OpEnd& event) override {
        type = event.compute_type;
        status = event.status;
        kernels.assign(event.kernels.begin(), event.kernels.end());
    }
    ComputeType type = ComputeType::kNone;
    FloatStatus status;
    std::vector<std::string> kernels;
};

/// Conversions of dtypes and formats go without saying.
void expect_listed(const std::string& op, const std::vector<std::string>& kernels) {
    const backend::Op* row = backend::find_op(op);
    for (const std::string& kernel : kernels)
        EXPECT_TRUE(std::ranges::count(row->launches, kernel) != 0 ||
                    backend::find_kernel(kernel)->conversion)
            << op << " launches " << kernel << ", which is not in its row";
}

double tolerance_of(ComputeType type) {
    switch (type) {
        case ComputeType::kFloat64:
            return 1e-12;
        case ComputeType::kFloat32:
            return 1e-5;
        case ComputeType::kHFloat32:
            return 2e-3;
        case ComputeType::kFloat16:
            return 4e-3;
        case ComputeType::kBFloat16:
            return 3e-2;
        case ComputeType::kNone:
            return 0;
    }
    return 0;
}

void compare(const Tensor& target, const Tensor& golden, double tolerance) {
    ASSERT_EQ(target.shape(), golden.shape());
    if (is_float(golden.dtype())) {
        // The golden value is rounded to the target's dtype, which may move it by one unit.
        tolerance = std::max(tolerance, std::ldexp(1.0, 1 - info(target.dtype()).significand_bits));
    }
    const Tensor expected = golden.cast(target.dtype());
    double largest = 0;
    for (int64_t i = 0; i < expected.numel(); ++i)
        largest = std::max(largest, std::fabs(expected.at(i)));
    for (int64_t i = 0; i < expected.numel(); ++i)
        ASSERT_NEAR(
            target.at(i), expected.at(i), is_float(golden.dtype()) ? tolerance * largest : 0)
            << "element " << i;
}

void check_results(const Value& target, const json& golden, double tolerance) {
    if (const auto* list = std::get_if<TensorList>(&target)) {
        const json& expected = golden.at("tensors");
        ASSERT_EQ(list->size(), expected.size());
        for (size_t i = 0; i < list->size(); ++i)
            compare((*list)[i], decode_tensor(expected[i], DType::kFloat64), tolerance);
        return;
    }
    ASSERT_EQ(is_none(target), golden.is_null());
    if (is_none(target)) return;
    const auto& tensor = std::get<Tensor>(target);
    const Tensor expected = decode_tensor(golden, DType::kFloat64);
    if (!is_float(expected.dtype())) {
        ASSERT_EQ(tensor.dtype(), expected.dtype());
    }
    compare(tensor, expected, tolerance);
}

/// The results of the recorded call, its arguments in `dtype`.
Results run_case(const json& recorded, Executor& executor, DType dtype) {
    std::vector<Value> positional;
    for (const json& argument : recorded.at("positional"))
        positional.push_back(decode(argument, dtype));
    const std::string op = recorded.at("op");
    if (recorded.at("named").empty()) return executor.call(op, positional);
    // Named arguments follow the positional ones.
    NamedValues named;
    const auto names = Executor::argument_names(op);
    for (size_t i = 0; i < positional.size(); ++i)
        named.push_back({std::string(names[i]), positional[i]});
    for (const auto& [name, value] : recorded.at("named").items())
        named.push_back({name, decode(value, dtype)});
    return executor.call_named(op, std::move(named));
}

void check_case(const json& recorded, const Device& device, DType dtype, double chip_tolerance) {
    Executor executor(device);
    OpWatch observed;
    executor.attach(observed);
    const Results results = run_case(recorded, executor, dtype);
    EXPECT_FALSE(observed.status.overflow());
    expect_listed(recorded.at("op"), observed.kernels);
    ASSERT_EQ(results.size(), recorded.at("results").size());
    double tolerance = tolerance_of(observed.type);
    if (device.policy == Policy::kChip && chip_tolerance != 0)
        tolerance = std::max(tolerance, chip_tolerance);
    for (size_t i = 0; i < results.size(); ++i) {
        SCOPED_TRACE("result " + std::to_string(i));
        check_results(results.values()[i].value, recorded.at("results")[i], tolerance);
    }
}

}  // namespace

std::set<std::string> ops_with_cases() {
    std::set<std::string> names;
    for (const Case& recorded : all_cases())
        names.insert(recorded.op);
    return names;
}

std::set<std::string> kernels_of_cases() {
    std::set<std::string> types;
    for (const Case& recorded : all_cases()) {
        Executor executor(Device::npu(chip("910A")));
        OpWatch observed;
        executor.attach(observed);
        static_cast<void>(run_case(recorded.parsed(), executor, DType::kFloat32));
        types.insert(observed.kernels.begin(), observed.kernels.end());
    }
    return types;
}

void check_op(const std::string& op, double chip_tolerance) {
    struct Setting {
        Device device;
        DType dtype;
    };
    const Device npu_a = Device::npu(chip("910A"));
    const Device npu_b = Device::npu(chip("910B"));
    const std::vector<Setting> settings = {{Device::reference64(), DType::kFloat64},
                                           {Device::reference64(), DType::kFloat32},
                                           {Device::reference64(), DType::kFloat16},
                                           {Device::reference32(), DType::kFloat32},
                                           {Device::reference32(), DType::kFloat64},
                                           {npu_a, DType::kFloat32},
                                           {npu_a, DType::kFloat16},
                                           {npu_b, DType::kFloat64},
                                           {npu_b, DType::kFloat32},
                                           {npu_b, DType::kFloat16},
                                           {npu_b, DType::kBFloat16}};
    int64_t count = 0;
    for (size_t index = 0; index < all_cases().size(); ++index) {
        if (all_cases()[index].op != op) continue;
        ++count;
        const json recorded = all_cases()[index].parsed();
        for (const Setting& setting : settings) {
            SCOPED_TRACE(op + ", case " + std::to_string(index) + ", " +
                         setting.device.description() + ", " + std::string(name_of(setting.dtype)));
            check_case(recorded, setting.device, setting.dtype, chip_tolerance);
        }
    }
    EXPECT_GT(count, 0) << op << " has no case in data/*_cases.json";
}

}  // namespace npuscope::test
