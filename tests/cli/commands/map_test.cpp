#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::RunResult;

RunResult map(std::vector<std::string> arguments, const std::filesystem::path& folder = {}) {
    arguments.insert(arguments.begin(), {test::program("npuscope"), "map"});
    return test::run(arguments, folder);
}

TEST(MapCommand, shows_the_kernels_of_each_op) {
    const RunResult result = map({test::recording(), "-q", "--op", "/convolution_backward/85"});
    EXPECT_NE(result.out.find("/convolution_backward/85: "), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("TransData"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("Conv2DBackpropFilter"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("\n1 op, "), std::string::npos) << result.out;
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_EQ(result.err, "");
}

TEST(MapCommand, writes_files_and_a_mapping_that_another_parser_reads) {
    const test::TempDir folder;
    const RunResult result = map({test::recording(), "-q", "-o", "out", "--json"}, folder.path());
    const RunResult parsed = test::run_python(R"(
import json, os, sys
shown = json.loads(sys.argv[1])
written = json.load(open(os.path.join(sys.argv[2], 'out/mapping.json')))
assert shown == written and written['version'] == 1
files = [f for op in written['ops'] for k in op['kernels'] for f in k['files']]
folder = os.path.join(sys.argv[2], written['folder'])
assert files and sorted(files) == sorted(os.listdir(folder)), (files, os.listdir(folder))
for op in written['ops']:
    for kernel in op['kernels']:
        kind, name, task, stream, time = kernel['files'][0].split('.')
        assert kind == kernel['type'] and int(task) == kernel['task_id'], kernel['files']
        assert name == '%s_%d' % (op['path'][1:].replace('/', '_'), kernel['position']), name
print('good')
)",
                                              {result.out, folder.path().string()});
    EXPECT_EQ(parsed.out, "good\n") << parsed.err << result.err;
}

TEST(MapCommand, follows_acl_json) {
    const test::TempDir folder;
    test::write_file(folder / "acl.json",
                     R"({"dump": {"dump_path": "here", "dump_mode": "output", "dump_data": "stats",
                         "dump_op_switch": "on", "dump_list": []}})");
    const RunResult result = map(
        {test::recording(), "-q", "--acl", "acl.json", "--op", "/_log_softmax/41"}, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const RunResult listed = test::run_python(R"(
import glob, sys
for path in glob.glob(sys.argv[1] + '/here/*/0/*'):
    text = open(path).read()
    print(path.split('/')[-1].split('.')[0], path.split('.')[-1], text.split('\n')[0])
    assert 'Input,' not in text and '\nOutput,0,' in text, text
)",
                                              {folder.path().string()});
    EXPECT_EQ(listed.out,
              "LogSoftmaxV2 csv Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min "
              "Value,Avg Value,Count,Nan Count,Negative Inf Count,Positive Inf Count\n")
        << listed.err;
}

TEST(MapCommand, rejects_the_guides_acl_json_and_shows_it_mended) {
    const test::TempDir folder;
    test::write_file(folder / "acl.json",
                     "{\n \"dump\":\n {\n \"dump_list\":[]\n \"dump_path\":\"./out\"# path\n "
                     "\"dump_mode\":\"all\"\n \"dump_op_switch\":\"on\"\n }\n}\n");
    const RunResult result = map({test::recording(), "-q", "--acl", "acl.json"}, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(
        result.err,
        "npuscope: error: 'acl.json' is no JSON near line 5 (JSON knows no comments and wants "
        "a comma between two fields); write: {\"dump\":{\"dump_list\":[],\"dump_path\":"
        "\"./out\",\"dump_mode\":\"all\",\"dump_op_switch\":\"on\"}}\n");
}

TEST(MapCommand, rejects_what_it_cannot_do) {
    const test::TempDir folder;
    test::write_file(folder / "off.json", R"({"dump": {"dump_path": "out"}})");
    const RunResult off = map({test::recording(), "-q", "--acl", "off.json"}, folder.path());
    EXPECT_EQ(off.exit_code, 2);
    EXPECT_EQ(off.err,
              "npuscope: error: 'off.json': dump_op_switch is off, so that no single operator is "
              "dumped; set \"dump_op_switch\": \"on\"\n");
    const RunResult nothing = map({test::recording(), "-q", "--op", "/addmm/1"});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_NE(nothing.err.find("/addmm/1"), std::string::npos) << nothing.err;
    EXPECT_EQ(map({"missing.h5"}, folder.path()).exit_code, 2);
    EXPECT_EQ(map({test::recording(), "-o", "a/b/c"}, folder.path()).exit_code, 2);
}

}  // namespace
}  // namespace npuscope
