#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::TempDir;

class Report : public ::testing::Test {
  protected:
    test::RunResult npuscope(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), test::program("npuscope"));
        return test::run(arguments);
    }
    /// What Python's gzip and base64 find in a page.
    test::RunResult read(const std::string& page, const std::string& expression) {
        return test::run_python(R"(
import base64, gzip, json, re, sys
text = open(sys.argv[1], encoding='utf-8').read()
packed = re.search(r'<script id="data"[^>]*>\n(.*?)\n</script>', text, re.S).group(1)
data = json.loads(gzip.decompress(base64.b64decode(packed)))
document = data['document']
print()" + expression + ")\n",
                                {page});
    }
    TempDir folder_;
    std::string recordings_ = (test::source_dir() / "data" / "recordings").string();
    std::string dump_ = recordings_ + "/gpu_step_fp32.h5";
    std::string page_ = (folder_.path() / "page.html").string();
    std::string json_ = (folder_.path() / "result.json").string();
};

TEST_F(Report, shows_what_a_command_printed) {
    const auto compared = npuscope({"compare", "-m", dump_, "-g", dump_, "--json"});
    test::write_file(json_, compared.out);
    const auto made = npuscope({"report", json_});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string page = (folder_.path() / "result.html").string();
    EXPECT_EQ(made.out, page + "\n");
    EXPECT_EQ(read(page, "data['kind'], len(document['ops']), data['details']").out,
              "compare 7 None\n");
    // Without a script, too.
    EXPECT_NE(test::read_file(page).find("<span class=\"word\">"), std::string::npos);
}

TEST_F(Report, is_written_by_the_commands_with_the_command_that_repeats_them) {
    for (const char* command : {"recompute", "overflow"}) {
        const auto made = npuscope({command, dump_, "--html", page_});
        EXPECT_LE(made.exit_code, 1) << made.err;
        EXPECT_EQ(read(page_, "data['kind'], data['command']").out,
                  std::string(command) + " npuscope " + command + " " + dump_ + " --html " + page_ +
                      "\n");
    }
}

TEST_F(Report, holds_pictures_of_the_tensors_at_fault) {
    const auto changed = test::run_python(R"(
import h5py, shutil, sys
shutil.copy(sys.argv[1], sys.argv[2])
with h5py.File(sys.argv[2], 'r+') as f:
    tensor = f['_log_softmax/41/output/result']
    values = tensor[()]
    values[0, 1] += 2
    tensor[...] = values
    print(tensor.name, *values.shape)
)",
                                          {dump_, (folder_.path() / "b.h5").string()});
    ASSERT_EQ(changed.exit_code, 0) << changed.err;
    const std::string other = (folder_.path() / "b.h5").string();
    EXPECT_EQ(npuscope({"compare", "-m", other, "-g", dump_, "--html", page_}).exit_code, 1);
    const std::string tensor = changed.out.substr(0, changed.out.find(' '));
    const auto found = read(page_,
                            "*[(p['worst'][0]['place'], sum(p['errors']['counts']), "
                            "p['axes'][1]['top'][0]['at'], sum(p['values']['target'])) for p in "
                            "[data['details']['tensors']['" +
                                tensor + "']]]");
    ASSERT_EQ(found.exit_code, 0) << found.err;
    const auto elements = test::run_python(
        "import sys\na, b = map(int, sys.argv[1].split()[1:])\nprint(a * b)\n", {changed.out});
    EXPECT_EQ(found.out,
              "('[0,1]', 1, 1, " + elements.out.substr(0, elements.out.size() - 1) + ")\n");
}

TEST_F(Report, names_from_files_stay_text) {
    const auto compared = npuscope({"compare", "-m", dump_, "-g", dump_, "--json"});
    std::string hostile = compared.out;
    const std::string target = "\"target\": \"" + dump_;
    ASSERT_NE(hostile.find(target), std::string::npos);
    hostile.replace(hostile.find(target), target.size(), "\"target\": \"</script><b>\\u202e");
    test::write_file(json_, hostile);
    ASSERT_EQ(npuscope({"report", json_, "-o", page_}).exit_code, 0);
    const std::string page = test::read_file(page_);
    EXPECT_EQ(page.find("</script><b>"), std::string::npos);
    EXPECT_NE(page.find("&lt;/script&gt;&lt;b&gt;"), std::string::npos);
    EXPECT_EQ(page.find("\u202e"), std::string::npos);
}

TEST_F(Report, asks_the_network_for_nothing) {
    ASSERT_LE(npuscope({"overflow", dump_, "--html", page_}).exit_code, 1);
    const std::string page = test::read_file(page_);
    for (const char* outside : {"<script src", "<link", "<img", "@import", "url(http", "fetch("})
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST_F(Report, says_what_it_cannot_show) {
    test::write_file(json_, "{\"version\": 1");
    auto refused = npuscope({"report", json_});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("result.json': a result that is no JSON"), std::string::npos)
        << refused.err;
    test::write_file(json_, "{\"version\": 1}");
    refused = npuscope({"report", json_});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("this is none of it"), std::string::npos) << refused.err;
    EXPECT_EQ(npuscope({"report", folder_.path().string()}).exit_code, 2);
    EXPECT_EQ(npuscope({"report", "/nowhere.json"}).exit_code, 2);
}

TEST_F(Report, a_page_that_cannot_be_written_is_told) {
    const auto refused = npuscope({"overflow", dump_, "--html", "/dev/full"});
    EXPECT_EQ(refused.exit_code, 2) << refused.out;
    EXPECT_FALSE(refused.err.empty());
    EXPECT_EQ(npuscope({"overflow", dump_, "--html", "/nowhere/page.html"}).exit_code, 2);
}

}  // namespace
}  // namespace npuscope
