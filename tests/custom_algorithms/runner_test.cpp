#include "custom_algorithms/runner.h"

#include <array>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope::custom_algorithms {
namespace {

using test::TempDir;
using test::write_file;

const Shape kShape = {2, 2};
constexpr std::array<float, 4> kTarget = {1, 2, 3, 4};
constexpr std::array<float, 4> kGolden = {1, 2, 3, 6};

class CustomRunner : public testing::Test {
  protected:
    CustomRunner() { std::filesystem::create_directories(folder_ / "algorithm"); }
    ~CustomRunner() override {
        // No child is left behind, dead or alive.
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    }

    void script(const std::string& name, const std::string& text) const {
        write_file(folder_ / ("algorithm/alg_" + name + ".py"), text);
    }
    /// compare(my, golden, params) with this body.
    void body(const std::string& name, const std::string& lines) const {
        script(name, "import os, sys, time\ndef compare(my, golden, params):\n    " + lines + "\n");
    }
    static Request request() {
        return {.target = kTarget,
                .golden = kGolden,
                .shape = kShape,
                .target_name = "/mul/1/output/out",
                .golden_name = "/mul/2/output/out"};
    }
    [[nodiscard]] std::vector<Outcome> outcomes(RunnerOptions options = {}) const {
        return Runner(folder_.path(), std::move(options)).compare(request());
    }
    [[nodiscard]] std::string start_problem(ErrorKind kind = ErrorKind::kUsage,
                                            RunnerOptions options = {}) const {
        try {
            const Runner runner(folder_.path(), std::move(options));
        } catch (const Error& failure) {
            EXPECT_EQ(failure.kind(), kind);
            return failure.what();
        }
        return "started";
    }
    /// The message of compare()'s Error(kIo), which comes again at the next call.
    [[nodiscard]] std::string run_problem(RunnerOptions options = {}) const {
        Runner runner(folder_.path(), std::move(options));
        std::string first;
        for (int i = 0; i < 2; ++i) {
            try {
                static_cast<void>(runner.compare(request()));
                return "no error";
            } catch (const Error& failure) {
                EXPECT_EQ(failure.kind(), ErrorKind::kIo);
                if (i == 0) first = failure.what();
                EXPECT_EQ(first, failure.what());
            }
        }
        return first;
    }

    TempDir folder_;
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(CustomRunner, hands_over_both_sides_and_the_parameters) {
    body("Facts",
         "return (f'{my.dtype} {my.tolist()} {golden.tolist()} {params.my_output_dump_file} '\n"
         "        f'{params.ground_truth_dump_file} {params.shape_type.name} {params.limit}', '')");
    const auto found = outcomes({.parameters = {{"Facts", {{"limit", "5"}}}}});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].value,
              "float32 [1.0, 2.0, 3.0, 4.0] [1.0, 2.0, 3.0, 6.0] /mul/1/output/out "
              "/mul/2/output/out Tensor 5");
    EXPECT_EQ(found[0].reason, "");
}

TEST_F(CustomRunner, runs_no_module_of_the_current_folder) {
    const TempDir elsewhere;
    for (const char* module : {"json", "enum", "importlib", "os", "numpy"})
        write_file(elsewhere / (std::string(module) + ".py"),
                   "open('" + (elsewhere / "was_run").string() + "', 'w')\n");
    body("Sum", "import numpy\n    return str(numpy.sum(my)), ''");
    const struct Return {
        std::filesystem::path path = std::filesystem::current_path();
        ~Return() { std::filesystem::current_path(path); }
    } back;
    std::filesystem::current_path(elsewhere.path());
    EXPECT_EQ(outcomes().at(0).value, "10.0");
    EXPECT_FALSE(std::filesystem::exists(elsewhere / "was_run"));
}

TEST_F(CustomRunner, finds_modules_where_the_users_python_finds_them) {
    const TempDir elsewhere;
    write_file(elsewhere / "mine.py", "WORD = 'found'\n");
    body("Mine", "import mine\n    return mine.WORD, ''");
    ASSERT_EQ(setenv("PYTHONPATH", elsewhere.path().c_str(), 1), 0);
    const auto found = outcomes();
    unsetenv("PYTHONPATH");
    EXPECT_EQ(found.at(0).value, "found");
}

TEST_F(CustomRunner, runs_all_scripts_in_one_process_in_the_order_of_names) {
    body("B", "return str(os.getpid()), ''");
    body("A", "return str(os.getpid()), 'because'");
    Runner runner(folder_.path());
    EXPECT_EQ(runner.names(), (std::vector<std::string>{"A", "B"}));
    const auto first = runner.compare(request());
    const auto second = runner.compare(request());
    EXPECT_EQ(first[0].value, first[1].value);
    EXPECT_EQ(first[0].value, second[1].value);
    EXPECT_EQ(first[0].reason, "because");
}

TEST_F(CustomRunner, carries_large_and_empty_tensors) {
    body("Size", "return '%d %.1f' % (my.size, my.sum(dtype='f8')), ''");
    const std::vector<float> ones(3'000'001, 1);
    Runner runner(folder_.path());
    Request large = request();
    large.target = large.golden = ones;
    EXPECT_EQ(runner.compare(large)[0].value, "3000001 3000001.0");
    Request empty = request();
    empty.target = empty.golden = {};
    EXPECT_EQ(runner.compare(empty)[0].value, "0 0.0");
}

TEST_F(CustomRunner, casts_tensors_to_float32) {
    body("Sum", "return '%s %g' % (my.dtype, my.sum() + golden.sum()), ''");
    const std::array<int64_t, 3> integers = {1, 2, 3};
    const std::array<double, 3> doubles = {0.5, 0.5, 0.5};
    Runner runner(folder_.path());
    EXPECT_EQ(runner
                  .compare(Tensor::from<int64_t>({3}, integers),
                           Tensor::from<double>({3}, doubles),
                           "a",
                           "b")[0]
                  .value,
              "float32 7.5");
}

TEST_F(CustomRunner, gives_every_script_its_own_copy) {
    body("A", "my[:] = 9; return '', ''");
    body("B", "return str(my[0]), ''");
    EXPECT_EQ(outcomes()[1].value, "1.0");
}

TEST_F(CustomRunner, turns_a_failing_script_into_a_reason_and_goes_on) {
    body("Divides", "return str(1 // 0), ''");
    body("Exits", "sys.exit(3)");
    body("Fine", "return '1', ''");
    body("Number", "return 1.5, ''");
    body("One", "return 'x'");
    const auto found = outcomes();
    EXPECT_EQ(found[0].value, "NaN");
    EXPECT_TRUE(has(found[0].reason, "ZeroDivisionError")) << found[0].reason;
    EXPECT_TRUE(has(found[1].reason, "SystemExit: 3")) << found[1].reason;
    EXPECT_EQ(found[2].value, "1");
    EXPECT_EQ(found[2].reason, "");
    EXPECT_TRUE(has(found[3].reason, "two strings")) << found[3].reason;
    EXPECT_TRUE(has(found[4].reason, "two strings")) << found[4].reason;
}

TEST_F(CustomRunner, keeps_what_scripts_print_away_from_the_answers) {
    script("Prints",
           "import os, sys\nprint('{\"error\": \"loading\"}')\n"
           "def compare(my, golden, params):\n"
           "    print('{\"results\": []}'); os.write(1, b'x\\n'); sys.stdout.flush()\n"
           "    return 'caf\\u00e9 \\udc80 \\n', input.__name__\n");
    const auto found = outcomes();
    EXPECT_EQ(found[0].value, "caf\u00e9 ? \n");
    EXPECT_EQ(found[0].reason, "input");
}

TEST_F(CustomRunner, has_no_input_to_wait_for) {
    body("Asks", "return input(), ''");
    const std::string reason = outcomes()[0].reason;
    EXPECT_TRUE(has(reason, "EOFError")) << reason;
}

TEST_F(CustomRunner, finds_code_that_scripts_share) {
    write_file(folder_ / "algorithm/shared.py", "limit = '7'\n");
    script("Uses",
           "from algorithm.shared import limit\ndef compare(a, b, c):\n    return limit, ''\n");
    EXPECT_EQ(outcomes()[0].value, "7");
}

TEST_F(CustomRunner, rejects_scripts_that_cannot_be_loaded) {
    script("Bad", "def compare(:\n");
    EXPECT_TRUE(has(start_problem(), "alg_Bad: cannot be loaded (SyntaxError"));
    script("Bad", "raise RuntimeError('no card')\n");
    EXPECT_TRUE(has(start_problem(), "RuntimeError: no card"));
    script("Bad", "import sys\nsys.exit(0)\n");
    EXPECT_TRUE(has(start_problem(), "SystemExit"));
    script("Bad", "x = 1\n");
    EXPECT_TRUE(has(start_problem(), "has no function compare"));
    script("Bad", "compare = 5\n");
    EXPECT_TRUE(has(start_problem(), "has no function compare"));
    script("Bad", "def compare(my, golden):\n    return '', ''\n");
    EXPECT_TRUE(has(start_problem(), "takes 2 arguments"));
}

TEST_F(CustomRunner, rejects_a_process_that_dies_with_how_it_died) {
    body("Dies", "os._exit(9)");
    EXPECT_TRUE(has(run_problem(), "ended with exit code 9")) << run_problem();
    body("Dies", "os.kill(os.getpid(), 11)");
    EXPECT_TRUE(has(run_problem(), "ended by signal 11")) << run_problem();
    EXPECT_TRUE(has(run_problem(), "/mul/1/output/out"));
}

TEST_F(CustomRunner, stops_a_process_that_hangs) {
    body("Hangs", "time.sleep(1000)");
    EXPECT_TRUE(has(run_problem({.patience = std::chrono::milliseconds(1500)}), "in time"));
    script("Hangs", "import time\ntime.sleep(1000)\n");
    EXPECT_TRUE(has(start_problem(ErrorKind::kIo, {.patience = std::chrono::milliseconds(300)}),
                    "in time"));
}

TEST_F(CustomRunner, rejects_scripts_that_tamper_with_the_channel) {
    body("Writes", "os.write(3, b'nonsense\\n'); return '', ''");
    EXPECT_TRUE(has(run_problem(), "no proper answer"));
    body("Writes", "os.close(3); return '', ''");
    EXPECT_TRUE(has(run_problem(), "ended with exit code 1")) << run_problem();
}

TEST_F(CustomRunner, rejects_a_missing_python) {
    body("Fine", "return '', ''");
    const std::string problem =
        start_problem(ErrorKind::kIo, {.python = "/nowhere/python3", .parameters = {}});
    EXPECT_TRUE(has(problem, "need /nowhere/python3")) << problem;
    EXPECT_TRUE(has(problem, "cannot be run")) << problem;
}

TEST_F(CustomRunner, rejects_sides_of_different_size) {
    body("Fine", "return '', ''");
    Runner runner(folder_.path());
    Request bad = request();
    bad.golden = bad.golden.first(3);
    EXPECT_THROW(static_cast<void>(runner.compare(bad)), Error);
}

}  // namespace
}  // namespace npuscope::custom_algorithms
