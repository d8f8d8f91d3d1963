// Runs the models of Debian's libonnx-testdata in the fp32 reference and holds the outcome against
// the two committed lists: passing.txt (must pass) and missing.txt (do not, and why). On a
// chip it runs those that pass; each must keep the tolerance of the precision that it computes in.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "npu_backend/executor.h"
#include "npu_backend/onnx/model.h"
#include "tests/conformance/onnx_chip_judge.h"
#include "tests/conformance/onnx_data.h"

namespace npuscope {
namespace {

namespace fs = std::filesystem;

constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-7;

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
std::string compare(const NamedTensors& actual, const NamedTensors& expected) {
    if (actual.size() != expected.size()) return "WRONG number of outputs";
    for (size_t i = 0; i < actual.size(); ++i) {
        if (actual[i].first != expected[i].first) return "WRONG output " + actual[i].first;
        const std::string why = difference(actual[i].second, expected[i].second);
        if (!why.empty()) return "WRONG output " + actual[i].first + ": " + why;
    }
    return "";
}

/// With `device` as judge_on_chip().
std::string run_case(const fs::path& folder, const std::optional<Device>& device) {
    try {
        const auto model = onnx_model::Model::load(folder / "model.onnx");
        const std::vector<test::OnnxDataSet> sets = test::onnx_data_sets(folder, model);
        for (const test::OnnxDataSet& set : sets) {
            std::string why;
            if (device) {
                why = test::judge_on_chip(model, set, *device);
            } else {
                Executor executor(Device::reference32());
                why = compare(model.run(executor, set.inputs), set.expected);
            }
            if (!why.empty()) return why;
        }
        return sets.empty() ? "no data sets" : "";
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
    std::ofstream passing(folder / "passing.txt");
    std::ofstream missing(folder / "missing.txt");
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

struct Options {
    fs::path root;
    fs::path lists;
    std::string chip;  ///< "" for the reference
    std::string only;
    bool update = false;
};

using Outcomes = std::map<std::string, std::string>;

Outcomes run_all(const std::map<std::string, fs::path>& cases, const Options& options) {
    const std::optional<Device> device =
        options.chip.empty() ? std::nullopt : std::optional(Device::npu(chip(options.chip)));
    Outcomes outcomes;
    for (const auto& [name, path] : cases) {
        if (name.find(options.only) == std::string::npos) continue;
        const auto start = std::chrono::steady_clock::now();
        const std::string& why_not = outcomes[name] = run_case(path, device);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (took.count() > 2) std::cout << name << " took " << took.count() << " s\n";
        if (!options.only.empty()) std::cout << name << ": " << why_not << "\n";
    }
    return outcomes;
}

int on_reference(const std::map<std::string, fs::path>& cases, const Options& options) {
    const Lists lists{read_list(options.lists / "passing.txt"),
                      read_list(options.lists / "missing.txt")};
    const Outcomes outcomes = run_all(cases, options);
    int problems = 0;
    for (const auto& [name, why_not] : outcomes) {
        const std::string problem = verdict(name, why_not, lists);
        if (problem.empty() || options.update) continue;
        ++problems;
        std::cout << name << ' ' << problem << "\n";
    }
    for (const auto* list : {&lists.passing, &lists.missing})
        for (const auto& [name, reason] : *list)
            if (!cases.contains(name) && !options.update) {
                ++problems;
                std::cout << name << " is listed but there is no such case\n";
            }
    if (options.update) write_lists(options.lists, outcomes, lists);
    const auto passed =
        std::ranges::count_if(outcomes, [](const auto& o) { return o.second.empty(); });
    std::cout << passed << " of " << outcomes.size() << " cases pass, " << problems
              << " disagree with the lists\n";
    return problems == 0 ? 0 : 1;
}

/// Only cases that pass in the reference are run.
int on_chip(std::map<std::string, fs::path> cases, const Options& options) {
    const auto passing = read_list(options.lists / "passing.txt");
    std::erase_if(cases, [&](const auto& entry) { return !passing.contains(entry.first); });
    const Outcomes outcomes = run_all(cases, options);
    int problems = 0;
    for (const auto& [name, why] : outcomes) {
        if (why.empty()) continue;
        ++problems;
        std::cout << name << " fails: " << why << "\n";
    }
    std::cout << problems << " of " << outcomes.size()
              << " cases are beyond the tolerance of their precision\n";
    return problems == 0 && !outcomes.empty() ? 0 : 1;
}

int run(const Options& options) {
    const std::map<std::string, fs::path> cases = test::onnx_suite(options.root);
    if (cases.empty()) {
        std::cerr << "no cases in " << options.root << "; install libonnx-testdata\n";
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    const int code = options.chip.empty() ? on_reference(cases, options) : on_chip(cases, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << took.count() << " s\n";
    return code;
}

}  // namespace
}  // namespace npuscope

/// onnx_conformance CASES LISTS [--device=CHIP] [--update] [--only=PART]
int main(int argc, char** argv) {
    npuscope::Options options;
    bool understood = argc >= 3;
    for (int i = 3; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--update") {
            options.update = true;
        } else if (argument.starts_with("--only=")) {
            options.only = argument.substr(7);
        } else if (argument.starts_with("--device=")) {
            options.chip = argument.substr(9);
        } else {
            understood = false;
        }
    }
    if (!understood) {
        std::cerr << "usage: onnx_conformance CASES LISTS [--device=CHIP] [--update] "
                     "[--only=PART]\n";
        return 2;
    }
    options.root = argv[1];
    options.lists = argv[2];
    return npuscope::run(options);
}
