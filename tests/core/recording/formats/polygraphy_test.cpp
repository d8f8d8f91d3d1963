#include <gtest/gtest.h>

#include "core/recording/formats/format.h"
#include "tests/core/recording/formats/open_problem.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

// What Polygraphy's encoders make: the class stands behind an object's members.
constexpr const char* kResults = R"(
import base64, io, json, sys, numpy as np
def array(values):
    image = io.BytesIO()
    np.save(image, values, allow_pickle=False)
    return {'values': {'array': base64.b64encode(image.getvalue()).decode(), 'polygraphy_class': 'ndarray'},
            'polygraphy_class': 'LazyArray'}
def iteration(shift):
    return {'outputs': {'y': array(np.arange(5, dtype='f4') + shift), 'a.output.0': array(np.ones((2, 2), 'f2'))},
            'runtime': float('nan'), 'runner_name': 'trt-runner-N0', 'polygraphy_class': 'IterationResult'}
runners = [['trt-runner-N0-01/02/25', [iteration(i) for i in range(int(sys.argv[2]))]]]
if sys.argv[3] == '2': runners.append(['onnxrt-runner', [iteration(9)]])
json.dump({'lst': runners, 'polygraphy_class': 'RunResults'}, open(sys.argv[1], 'w'), indent=4)
)";

std::vector<std::string> paths_of(const Source& source) {
    std::vector<std::string> paths;
    for (const SourceOp& op : source.ops)
        paths.push_back(op.path);
    return paths;
}

using Names = std::vector<std::string>;

TEST(PolygraphyFormat, gives_the_outputs_in_the_runners_order) {
    const test::TempDir folder;
    const std::string path = (folder / "out.json").string();
    ASSERT_EQ(test::run_python(kResults, {path, "1", "1"}).exit_code, 0);
    EXPECT_EQ(format_of(path), &k_polygraphy_format);
    const Source source = open_source(path);
    EXPECT_EQ(paths_of(source), (Names{"y", "a.output.0"}));
    const auto tensors = source.ops[0].load();
    EXPECT_EQ(tensors[0].dtype, "float32");
    EXPECT_EQ(tensors[0].open()->whole().at(4), 4);
    EXPECT_NE(source.remarks.at(0).find("was written by trt-runner-N0-01/02/25"),
              std::string::npos);
}

TEST(PolygraphyFormat, tells_iterations_and_runners_apart) {
    const test::TempDir folder;
    const std::string path = (folder / "out.json").string();
    ASSERT_EQ(test::run_python(kResults, {path, "2", "2"}).exit_code, 0);
    EXPECT_EQ(paths_of(open_source(path)),
              (Names{"runner0.iteration0.y",
                     "runner0.iteration0.a.output.0",
                     "runner0.iteration1.y",
                     "runner0.iteration1.a.output.0",
                     "runner1.y",
                     "runner1.a.output.0"}));
}

TEST(PolygraphyFormat, rejects_what_is_damaged_or_of_another_kind) {
    const test::TempDir folder;
    const auto with_array = [](const std::string& array) {
        return R"({"lst": [["r", [{"outputs": {"y": )" + array + "}}]]]}";
    };
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"{", "has no list 'lst'"},
        {std::string(100000, '['), "has no list 'lst'"},
        {R"({"lst": [3]})", "is no pair"},
        {R"({"lst": [["r", [1]]]})", "has no 'outputs'"},
        {with_array("1"), "'y' has no array"},
        {with_array(R"({"array": "AAA"})"), "'y' is no base64"},
        {with_array(R"({"array": "A*=="})"), "'y' is no base64"},
        {with_array(R"({"array": "AAAA"})"), "'y'"},
        {with_array(R"({"array": "AAAA", "polygraphy_class": "Tensor"})"), "no array of NumPy"}};
    for (const auto& [text, words] : cases) {
        test::write_file(folder / "a.json", text);
        const std::string problem = test::open_problem(folder / "a.json");
        EXPECT_NE(problem.find(words), std::string::npos) << problem;
    }
}

}  // namespace
}  // namespace npuscope
