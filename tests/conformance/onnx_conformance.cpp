// Runs the models of Debian's libonnx-testdata in the fp32 reference and holds the outcome against
// the two committed lists: onnx_cases.txt (must pass) and onnx_missing.txt (cannot yet, and why).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <onnx/onnx_pb.h>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/npz/npy.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"
#include "npu_backend/onnx/read_tensor.h"

namespace npuscope {
namespace {

namespace fs = std::filesystem;

constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-7;

std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Tensor stored_tensor(const fs::path& path) {
    onnx::TensorProto proto;
    if (!proto.ParseFromString(content_of(path)))
        throw Error(ErrorKind::kUnsupported, path.filename().string() + " holds no tensor");
    if (proto.data_type() == onnx::TensorProto_DataType_UNDEFINED)
        throw Error(ErrorKind::kUnsupported, path.filename().string() + " is a sequence");
    return onnx_model::read_tensor(proto, path.filename().string());
}

/// prefix_0.pb, prefix_1.pb, … in that order.
std::vector<Tensor> stored_tensors(const fs::path& folder, const std::string& prefix) {
    std::vector<Tensor> tensors;
    for (int i = 0;; ++i) {
        const fs::path path = folder / (prefix + "_" + std::to_string(i) + ".pb");
        if (!fs::exists(path)) return tensors;
        tensors.push_back(stored_tensor(path));
    }
}

/// The data sets store bfloat16 as the bits of uint16.
Tensor as_declared(const Tensor& stored, DType dtype) {
    if (stored.dtype() != DType::kUInt16 || dtype != DType::kBFloat16) return stored;
    return Tensor::copy_of(dtype, stored.shape(), stored.data());
}

/// What differs, or "".
std::string difference(const Tensor& actual, const Tensor& expected) {
    if (actual.dtype() != expected.dtype())
        return std::string(name_of(actual.dtype())) + " instead of " +
               std::string(name_of(expected.dtype()));
    if (actual.shape() != expected.shape())
        return "shape " + to_string(actual.shape()) + " instead of " + to_string(expected.shape());
    if (!is_float(actual.dtype()))
        return actual.numel() == 0 || identical(actual, expected) ? "" : "integers differ";
    for (int64_t i = 0; i < actual.numel(); ++i) {
        const double a = actual.at(i);
        const double e = expected.at(i);
        if (a == e || (std::isnan(a) && std::isnan(e))) continue;
        if (!(std::abs(a - e) <= kAbsolute + kRelative * std::abs(e)))
            return "element " + std::to_string(i) + " is " + std::to_string(a) + " instead of " +
                   std::to_string(e);
    }
    return "";
}

/// "" for a pass, else why not.
std::string run_case(const fs::path& folder) {
    try {
        const auto model = onnx_model::Model::load(folder / "model.onnx");
        int sets = 0;
        for (;; ++sets) {
            const fs::path data = folder / ("test_data_set_" + std::to_string(sets));
            if (!fs::exists(data)) break;
            const std::vector<Tensor> given = stored_tensors(data, "input");
            const std::vector<Tensor> expected = stored_tensors(data, "output");
            NamedTensors inputs;
            for (size_t i = 0; i < std::min(given.size(), model.inputs().size()); ++i)
                inputs.emplace_back(model.inputs()[i].name,
                                    as_declared(given[i], model.inputs()[i].dtype));
            Executor executor(Device::reference32());
            const NamedTensors actual = model.run(executor, inputs);
            if (actual.size() != expected.size()) return "WRONG number of outputs";
            for (size_t i = 0; i < actual.size(); ++i)
                if (const std::string why = difference(
                        actual[i].second, as_declared(expected[i], actual[i].second.dtype()));
                    !why.empty())
                    return "WRONG output " + std::to_string(i) + ": " + why;
        }
        return sets > 0 ? "" : "no data sets";
    } catch (const Error& error) {
        const std::string message = error.what();
        const size_t cut = message.find("': ");
        return cut == std::string::npos ? message : message.substr(cut + 3);
    } catch (const std::exception& error) {
        return std::string("CRASH ") + error.what();
    }
}

/// First word of each line -> the rest of it.
std::map<std::string, std::string> read_list(const fs::path& path) {
    std::map<std::string, std::string> rows;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        const size_t blank = std::min(line.find(' '), line.size());
        rows[line.substr(0, blank)] = line.substr(std::min(blank + 1, line.size()));
    }
    return rows;
}

/// "node/test_abs" -> its folder, sorted.
std::map<std::string, fs::path> all_cases(const fs::path& root) {
    std::map<std::string, fs::path> cases;
    for (const auto& family : fs::directory_iterator(root))
        for (const auto& entry : fs::directory_iterator(family))
            if (fs::exists(entry.path() / "model.onnx"))
                cases[family.path().filename().string() + "/" + entry.path().filename().string()] =
                    entry.path();
    return cases;
}

struct Lists {
    std::map<std::string, std::string> passing;
    std::map<std::string, std::string> missing;
};

/// What is wrong with a case in view of the lists, or "".
std::string verdict(const std::string& name, const std::string& why_not, const Lists& lists) {
    const bool listed = lists.passing.contains(name);
    if (listed && lists.missing.contains(name)) return "is in both lists";
    if (listed) return why_not.empty() ? "" : "fails: " + why_not;
    if (!lists.missing.contains(name))
        return why_not.empty() ? "passes but is in no list" : "is in no list: " + why_not;
    return why_not.empty() ? "passes but is listed as missing" : "";
}

/// Rewrites both lists; reasons that are known stay.
void write_lists(const fs::path& folder,
                 const std::map<std::string, std::string>& outcomes,
                 const Lists& lists) {
    std::ofstream passing(folder / "onnx_cases.txt");
    std::ofstream missing(folder / "onnx_missing.txt");
    passing << "# Cases of libonnx-testdata that pass in the fp32 reference.\n";
    missing << "# Cases of libonnx-testdata that do not pass, each with its reason.\n";
    for (const auto& [name, why_not] : outcomes) {
        if (why_not.empty()) {
            passing << name << "\n";
            continue;
        }
        const auto known = lists.missing.find(name);
        missing << name << ' '
                << (known != lists.missing.end() && !known->second.starts_with("not yet")
                        ? known->second
                        : "not yet: " + why_not.substr(0, why_not.find('\n')))
                << "\n";
    }
}

int run(const fs::path& root, const fs::path& folder, const std::string& option) {
    const auto begin = std::chrono::steady_clock::now();
    const std::map<std::string, fs::path> cases = all_cases(root);
    if (cases.empty()) {
        std::cerr << "no cases in " << root << "; install libonnx-testdata\n";
        return 2;
    }
    const Lists lists{read_list(folder / "onnx_cases.txt"), read_list(folder / "onnx_missing.txt")};
    std::map<std::string, std::string> outcomes;
    int problems = 0;
    for (const auto& [name, path] : cases) {
        if (option.starts_with("--only=") && name.find(option.substr(7)) == std::string::npos)
            continue;
        const auto start = std::chrono::steady_clock::now();
        const std::string& why_not = outcomes[name] = run_case(path);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (took.count() > 2) std::cout << name << " took " << took.count() << " s\n";
        const std::string problem = verdict(name, why_not, lists);
        if (option.starts_with("--only=")) std::cout << name << ": " << why_not << "\n";
        if (problem.empty() || option == "--update") continue;
        ++problems;
        std::cout << name << ' ' << problem << "\n";
    }
    for (const auto* list : {&lists.passing, &lists.missing})
        for (const auto& [name, reason] : *list)
            if (!cases.contains(name) && option.empty()) {
                ++problems;
                std::cout << name << " is listed but there is no such case\n";
            }
    if (option == "--update") write_lists(folder, outcomes, lists);
    const auto passed =
        std::ranges::count_if(outcomes, [](const auto& o) { return o.second.empty(); });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << passed << " of " << outcomes.size() << " cases pass, " << problems
              << " disagree with the lists, " << took.count() << " s\n";
    return problems == 0 ? 0 : 1;
}

}  // namespace
}  // namespace npuscope

/// onnx_conformance CASES LISTS [--update | --only=PART]
int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: onnx_conformance CASES LISTS [--update | --only=PART]\n";
        return 2;
    }
    return npuscope::run(argv[1], argv[2], argc > 3 ? argv[3] : "");
}
