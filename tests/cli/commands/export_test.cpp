#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::TempDir;

class Export : public ::testing::Test {
  protected:
    test::RunResult npuscope(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), test::program("npuscope"));
        return test::run(arguments);
    }
    TempDir folder_;
    std::string dump_ = (test::source_dir() / "data" / "recordings" / "gpu_step_fp32.h5").string();
    std::string tree_ = (folder_.path() / "tree").string();
};

TEST_F(Export, writes_what_pytorch_reads_with_the_statistics_of_its_elements) {
    const auto made = npuscope({"export", dump_, "-o", tree_});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_NE(made.out.find("wrote 7 records"), std::string::npos) << made.out;
    const auto read = test::run_python(R"py(
import sys, json, os, h5py, numpy as np, torch
folder, dump = sys.argv[1:]
root = json.load(open(folder + '/dump.json'))
assert (root['task'], root['framework'], root['level']) == ('tensor', 'pytorch', 'mix'), root
files = set(os.listdir(folder + '/dump_tensor_data'))
tensors = 0
with h5py.File(dump) as recorded:
    order = sorted((int(run), op) for op in recorded for run in recorded[op])
    assert len(order) == len(root['data'])
    for (run, op), (name, record) in zip(order, root['data'].items()):
        assert name.startswith(f'Aten.{op}.') and name.endswith('.forward'), name
        for way, key in (('input', 'input_kwargs'), ('output', 'output')):
            for argument, value in record[key].items():
                if not isinstance(value, dict) or 'shape' not in value:
                    continue
                expected = recorded[op][str(run)][way][argument][()]
                assert value['shape'] == list(expected.shape), (name, argument)
                file = value['data_name']
                assert file == f'{name}.{way}.{argument}.pt', file
                tensor = torch.load(f'{folder}/dump_tensor_data/{file}')
                assert str(tensor.dtype) == value['dtype']
                assert np.array_equal(tensor.numpy(), expected, equal_nan=True), file
                files.remove(file)
                tensors += 1
                if tensor.is_floating_point() and tensor.numel():
                    wide = tensor.double()
                    for key2, own in (('Max', wide.max()), ('Min', wide.min()), ('Mean', wide.mean()), ('Norm', wide.norm())):
                        assert abs(value[key2] - own.item()) <= 1e-12 * max(1, abs(own.item())), (file, key2)
assert not files, files
stack = json.load(open(folder + '/stack.json'))
assert [names for names, frames in (stack[str(i)] for i in range(len(stack)))] == [[n] for n in root['data']]
construct = json.load(open(folder + '/construct.json'))
assert set(root['data']) <= set(construct)
print(tensors)
)py",
                                       {tree_, dump_});
    ASSERT_EQ(read.exit_code, 0) << read.err;
    EXPECT_GT(std::stoi(read.out), 20);
}

/// Each op's results with their errors, a line each.
constexpr const char* kResults = R"py(
import sys, json
for op in json.load(open(sys.argv[1]))['ops']:
    print(op['skipped'], [(r['name'], r['relative_error'], r['introduced'], r['within']) for r in op['results']])
)py";

TEST_F(Export, round_trip_gives_the_verdicts_of_the_dump) {
    for (const char* name : {"gpu_step_fp32.h5", "gpu_step_amp.h5"}) {
        const std::string dump = (test::source_dir() / "data" / "recordings" / name).string();
        const std::string tree = tree_ + "_" + name;
        ASSERT_EQ(npuscope({"export", dump, "-o", tree, "-q"}).exit_code, 0);
        std::vector<std::string> lines;
        for (const std::string& source : {dump, tree}) {
            const auto found = npuscope({"recompute", source, "--chip", "910A", "--json"});
            EXPECT_EQ(found.exit_code, 0) << found.err;
            const std::string file = tree + ".json";
            std::ofstream(file) << found.out;
            lines.push_back(test::run_python(kResults, {file}).out);
        }
        EXPECT_GT(lines[0].size(), 100u);
        EXPECT_EQ(lines[0], lines[1]);
    }
}

/// The verdict, the ops of one side alone, and each pair of ops.
constexpr const char* kPairs = R"py(
import sys, json
found = json.load(open(sys.argv[1]))
print(found['verdict'], found['counts']['only_target'], found['counts']['only_golden'], len(found['ops']))
for op in found['ops']:
    print(op['path'].strip('/').split('/')[0], op['golden'].strip('/').split('/')[0], op['match'])
)py";

TEST_F(Export, a_tree_pairs_with_the_dump_that_it_was_made_of) {
    ASSERT_EQ(npuscope({"export", dump_, "-o", tree_, "-q"}).exit_code, 0);
    for (const bool is_target : {true, false}) {
        const std::string& target = is_target ? tree_ : dump_;
        const std::string& golden = is_target ? dump_ : tree_;
        const auto found = npuscope({"compare", "-m", target, "-g", golden, "--json"});
        EXPECT_EQ(found.exit_code, 0) << found.err;
        EXPECT_EQ(found.err.find("no partner"), std::string::npos) << found.err;
        test::write_file(tree_ + ".json", found.out);
        const std::string pairs = test::run_python(kPairs, {tree_ + ".json"}).out;
        EXPECT_TRUE(pairs.starts_with("pass 0 0 7\n")) << pairs;
        const std::string first = is_target ? "Aten._log_softmax.0.forward _log_softmax name"
                                            : "_log_softmax Aten._log_softmax.0.forward name";
        EXPECT_NE(pairs.find(first), std::string::npos) << pairs;
    }
}

TEST_F(Export, an_op_that_the_tree_lacks_is_told_and_shifts_no_other) {
    ASSERT_EQ(npuscope({"export", dump_, "-o", tree_, "-q"}).exit_code, 0);
    const auto cut = test::run_python(R"py(
import sys, json
path = sys.argv[1] + '/dump.json'
root = json.load(open(path))
name = next(n for n in root['data'] if n.startswith('Aten.') and n.endswith('.0.forward'))
del root['data'][name]
json.dump(root, open(path, 'w'))
print(name)
)py",
                                      {tree_});
    ASSERT_EQ(cut.exit_code, 0) << cut.err;
    const auto found = npuscope({"compare", "-m", dump_, "-g", tree_, "--json"});
    EXPECT_EQ(found.exit_code, 1) << found.err;
    test::write_file(tree_ + ".json", found.out);
    const std::string pairs = test::run_python(kPairs, {tree_ + ".json"}).out;
    EXPECT_TRUE(pairs.starts_with("fail 1 0 7\n")) << pairs;
}

/// The verdict, the options, and each op's verdict with its rule. By tolerances alone, the scale of
/// a sum that cancels is known of dumps only.
constexpr const char* kVerdicts = R"py(
import sys, json
found = json.load(open(sys.argv[1]))
print(found['verdict'], bool(found['first_culprit']), sorted(found['options'].items()))
for op in found['ops']:
    print(op['verdict'], [(t['verdict'], t['rule'].replace(' sum|x| ', ' max|g| ')) for t in op['tensors']])
)py";

TEST_F(Export, round_trip_of_an_emulated_chip_keeps_what_it_computed_in) {
    const std::string model = test::models() + "/digits_resnet.onnx";
    const auto dump_on = [&](const std::string& name, const std::vector<std::string>& device) {
        std::vector<std::string> words = {"run", model, "--dump", tree_ + name + ".h5", "-q"};
        words.insert(words.end(), device.begin(), device.end());
        EXPECT_EQ(npuscope(words).exit_code, 0);
        EXPECT_EQ(npuscope({"export", tree_ + name + ".h5", "-o", tree_ + name, "-q"}).exit_code,
                  0);
    };
    dump_on("golden", {"--device", "cpu"});
    dump_on("910B", {"--chip", "910B"});
    for (const char* judge : {"exact", "off"}) {
        std::vector<std::string> verdicts;
        for (const std::string& kind : {std::string(".h5"), std::string()}) {
            const auto found = npuscope({"compare",
                                         "-m",
                                         tree_ + "910B" + kind,
                                         "-g",
                                         tree_ + "golden" + kind,
                                         "--judge",
                                         judge,
                                         "--json"});
            std::ofstream(tree_ + ".json") << found.out;
            verdicts.push_back(test::run_python(kVerdicts, {tree_ + ".json"}).out);
        }
        EXPECT_NE(verdicts[0].find("hf32"), std::string::npos);
        EXPECT_EQ(verdicts[0], verdicts[1]);
    }
}

TEST_F(Export, round_trip_of_a_program_keeps_modules_and_lines) {
    const auto made = test::run_python(R"py(
import sys, json, h5py, numpy as np
with h5py.File(sys.argv[1], 'w') as f:
    for i, (name, module, autograd) in enumerate((('relu', 'net.0', ''), ('relu', 'net.1', ''),
                                                  ('threshold_backward', 'net.1', 'ReluBackward0'))):
        run = f.create_group(f'{name}/{i + 1}')
        for way, argument in (('input', 'self'), ('output', 'result')):
            data = run.create_dataset(f'{way}/{argument}', data=np.float32([1, np.nan, np.inf]))
            data.attrs['Type'], data.attrs['DataType'] = np.int32(0), np.int32(1)
        facts = run.create_dataset('npuscope', data=json.dumps(
            {'module': module, 'line': 'train.py:12', 'autograd': autograd}))
        facts.attrs['Type'] = np.int32(100)
)py",
                                       {tree_ + ".h5"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    ASSERT_EQ(npuscope({"export", tree_ + ".h5", "-o", tree_}).exit_code, 0);
    const auto read = test::run_python(R"py(
import sys, json
construct = json.load(open(sys.argv[1] + '/construct.json'))
stack = json.load(open(sys.argv[1] + '/stack.json'))
data = json.load(open(sys.argv[1] + '/dump.json'))['data']
for name in data:
    print(name, construct[name])
print(construct['Module.net.0.Module.forward.0'], construct['Module.net.Module.forward.0'])
print(repr(stack['0'][1][0]))
print(data['Aten.relu.0.forward']['output']['result']['Max'], data['Aten.relu.0.forward']['output']['result']['Norm'])
)py",
                                       {tree_});
    EXPECT_EQ(read.out,
              "Aten.relu.0.forward Module.net.0.Module.forward.0\n"
              "Aten.relu.1.forward Module.net.1.Module.forward.0\n"
              "Aten.threshold_backward.0.forward Module.net.1.Module.backward.0\n"
              "Module.net.Module.forward.0 None\n"
              "'File train.py, line 12, in net.0, \\n '\n"
              "inf nan\n")
        << read.err;
}

TEST_F(Export, rejects_a_folder_that_is_there) {
    std::filesystem::create_directory(tree_);
    const auto done = npuscope({"export", dump_, "-o", tree_});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.err.find("is there already"), std::string::npos) << done.err;
    EXPECT_TRUE(std::filesystem::is_empty(tree_));
}

// Neither a folder below a file nor one in /proc can be made, whoever runs this.
TEST_F(Export, rejects_a_folder_that_cannot_be_made) {
    test::write_file(folder_ / "file", "x");
    for (const std::string& tree : {(folder_ / "file/tree").string(), std::string("/proc/tree")}) {
        const auto done = npuscope({"export", dump_, "-o", tree});
        EXPECT_EQ(done.exit_code, 2);
        EXPECT_NE(done.err.find("cannot make the folder '" + tree), std::string::npos) << done.err;
        EXPECT_EQ(std::ranges::count(done.err, '\n'), 1) << done.err;
        EXPECT_EQ(done.out, "");
    }
}

TEST_F(Export, rejects_what_is_no_dump) {
    EXPECT_EQ(npuscope({"export", "/no/such.h5", "-o", tree_}).exit_code, 2);
    std::ofstream(tree_ + ".npz") << "";
    EXPECT_EQ(npuscope({"export", tree_ + ".npz", "-o", tree_}).exit_code, 2);
    EXPECT_EQ(npuscope({"export", dump_, "-o", tree_, "--format", "other"}).exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(tree_));
}

/// One line that names the folder, and nothing left behind.
void expect_refused(const test::RunResult& done, const std::filesystem::path& parent) {
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_NE(done.err.find("tree"), std::string::npos) << done.err;
    EXPECT_TRUE(!std::filesystem::exists(parent) || std::filesystem::is_empty(parent));
}

TEST_F(Export, rejects_a_place_that_cannot_be_written) {
    const auto parent = folder_.path() / "missing";
    expect_refused(npuscope({"export", dump_, "-o", (parent / "tree").string(), "-q"}), parent);
    const auto full = folder_.path() / "full";
    std::filesystem::create_directory(full);
    const std::string line =
        test::program("npuscope") + " export " + dump_ + " -q -o " + (full / "tree").string();
    expect_refused(test::run({"bash", "-c", "trap '' XFSZ; ulimit -f 8; exec " + line}), full);
}

}  // namespace
}  // namespace npuscope
