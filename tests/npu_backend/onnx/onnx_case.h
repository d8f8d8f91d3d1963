// Models of data/onnx_cases and data/models, run on the references and held against other
// libraries' results.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/npz/npy.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"
#include "tests/support/support.h"

namespace npuscope::test {

inline std::filesystem::path onnx_case_path(const std::string& name) {
    return source_dir() / "data" / "onnx_cases" / (name + ".onnx");
}

/// The arrays of a .npz whose names begin with `prefix`, without it.
inline NamedTensors arrays_of(const std::filesystem::path& path, const std::string& prefix) {
    NamedTensors chosen;
    for (auto& [name, tensor] : read_npz(path))
        if (name.starts_with(prefix)) chosen.emplace_back(name.substr(prefix.size()), tensor);
    return chosen;
}

inline std::filesystem::path io_path(std::filesystem::path model) {
    return model.replace_extension(".io.npz");
}

/// Largest |actual - expected| over the largest finite |expected|; infinite where one is nan and
/// the other is not.
inline double largest_error(const Tensor& actual, const Tensor& expected) {
    double error = 0;
    double scale = 0;
    for (int64_t i = 0; i < expected.numel(); ++i) {
        const double a = actual.at(i);
        const double e = expected.at(i);
        scale = std::max(scale, std::abs(e));
        if (a == e || (std::isnan(a) && std::isnan(e))) continue;
        error = std::isfinite(a - e) ? std::max(error, std::abs(a - e))
                                     : std::numeric_limits<double>::infinity();
    }
    return scale > 0 ? error / scale : error;
}

inline constexpr double kTolerance = 1e-5;  ///< of the largest output

/// Largest error over all outputs; dtypes, shapes and names must agree.
inline double error_on(const std::filesystem::path& path, const Device& device) {
    const auto model = onnx_model::Model::load(path);
    Executor executor(device);
    const NamedTensors actual = model.run(executor, arrays_of(io_path(path), "in_"));
    const NamedTensors expected = arrays_of(io_path(path), "out_");
    EXPECT_EQ(actual.size(), expected.size());
    double error = 0;
    for (const auto& [name, tensor] : expected) {
        const auto found = std::ranges::find(actual, name, &NamedTensors::value_type::first);
        if (found == actual.end()) {
            ADD_FAILURE() << "no output " << name;
            continue;
        }
        EXPECT_EQ(found->second.dtype(), tensor.dtype()) << name;
        EXPECT_EQ(found->second.shape(), tensor.shape()) << name;
        if (found->second.shape() == tensor.shape())
            error = std::max(error, largest_error(found->second, tensor));
    }
    return error;
}

class OnnxCase : public testing::TestWithParam<const char*> {};

inline void expect_case_agrees(const std::string& name) {
    EXPECT_LE(error_on(onnx_case_path(name), Device::reference64()), kTolerance) << name;
    EXPECT_LE(error_on(onnx_case_path(name), Device::reference32()), kTolerance) << name;
}

/// The message of the Error that `call` throws; "" and a failure when it throws none.
template <class Call>
std::string message_of(ErrorKind kind, Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

/// A model that cannot be loaded, and what is said about it.
struct Bad {
    const char* name;
    ErrorKind kind;
    const char* message;  ///< a part of it
};

/// gtest prints parameters byte by byte otherwise.
inline void PrintTo(const Bad& bad, std::ostream* stream) {
    *stream << bad.name;
}

/// One line that names the file.
inline void expect_refused(const Bad& bad) {
    const auto path = onnx_case_path(std::string("bad_") + bad.name);
    const std::string message =
        message_of(bad.kind, [&] { static_cast<void>(onnx_model::Model::load(path)); });
    EXPECT_NE(message.find(bad.message), std::string::npos) << message;
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

}  // namespace npuscope::test

/// One test per named case of data/onnx_cases: both references agree with torch or NumPy.
#define NPUSCOPE_ONNX_CASES(Family, ...)                                                        \
    namespace npuscope::test {                                                                  \
    class Family : public OnnxCase {};                                                          \
    TEST_P(Family, agrees_with_torch_and_numpy) {                                               \
        expect_case_agrees(GetParam());                                                         \
    }                                                                                           \
    INSTANTIATE_TEST_SUITE_P(Onnx, Family, testing::Values(__VA_ARGS__), [](const auto& test) { \
        return std::string(test.param);                                                         \
    });                                                                                         \
    }
