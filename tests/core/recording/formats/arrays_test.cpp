#include <gtest/gtest.h>

#include "core/npz/tensor_files.h"
#include "core/recording/formats/format.h"
#include "tests/core/recording/formats/open_problem.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

TEST(ArraysFormat, is_told_by_its_extension) {
    for (const char* name : {"a.npz", "a.npy", "a.pt", "a.pth", "a.safetensors"}) {
        EXPECT_EQ(format_of(name), &k_arrays_format) << name;
        EXPECT_TRUE(is_array_file(name)) << name;
    }
}

// torch.save of what training scripts keep: dicts in lists, options, random states, an enum, a
// class of the script itself.
constexpr const char* kCheckpoint = R"(
import argparse, collections, enum, random, sys, types
import numpy as np, torch
module = types.ModuleType('script')
class Config: pass
class Kind(enum.Enum): A = 1
for each in (Config, Kind):
    each.__module__ = 'script'
    each.__qualname__ = each.__name__
    setattr(module, each.__name__, each)
sys.modules['script'] = module
config = Config(); config.width = 3
state = {
    'args': argparse.Namespace(lr=0.5, name='x'),
    'config': config,
    'kind': Kind.A,
    'model': collections.OrderedDict(weight=torch.arange(6.).reshape(2, 3), bias=torch.ones(2).half()),
    'optimizer': {'state': {0: {'exp_avg': torch.full((2,), 7.), 'step': 12}}, 'param_groups': [{'lr': 1e-3, 'params': [0]}]},
    'rng_state': [{'np': np.random.RandomState(1).get_state(), 'random': random.getstate(), 'torch': torch.get_rng_state()}],
    'big': 2 ** 100,
    'list': [[torch.tensor([1, 2])], (torch.zeros(1), 'text')],
}
torch.save(state, sys.argv[1])
)";

TEST(ArraysFormat, reads_nested_dicts_and_names_what_it_passes_over) {
    const test::TempDir folder;
    const auto written = test::run_python(kCheckpoint, {(folder / "a.pt").string()});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const TorchContent content = read_torch_content(folder / "a.pt");
    std::vector<std::string> names;
    for (const auto& [name, tensor] : content.tensors)
        names.push_back(name + " " + std::string(name_of(tensor.dtype())));
    EXPECT_EQ(names,
              (std::vector<std::string>{"model.weight float32",
                                        "model.bias float16",
                                        "optimizer.state.0.exp_avg float32",
                                        "rng_state.0.torch uint8",
                                        "list.0.0 int64",
                                        "list.1.0 float32"}));
    EXPECT_EQ(content.tensors[0].second.at(5), 5);
    EXPECT_EQ(content.passed_over,
              (std::vector<std::string>{"args (argparse.Namespace)",
                                        "config (script.Config)",
                                        "kind (script.Kind)",
                                        "rng_state.0.np.1 (numpy.ndarray)"}));
    const Source source = open_source(folder / "a.pt");
    ASSERT_EQ(source.remarks.size(), 1u);
    EXPECT_NE(source.remarks[0].find("args (argparse.Namespace), config (script.Config), kind "
                                     "(script.Kind) and 1 more: passed over, nothing in the file "
                                     "is run"),
              std::string::npos)
        << source.remarks[0];
}

// A pickle that calls os.system where it is loaded by Python.
TEST(ArraysFormat, runs_nothing) {
    const test::TempDir folder;
    const std::string mark = (folder / "ran").string();
    const auto written = test::run_python(R"(
import os, sys, torch
class Evil:
    def __reduce__(self): return (os.system, ('touch ' + sys.argv[2],))
torch.save({'a': torch.ones(2), 'evil': Evil()}, sys.argv[1])
)",
                                          {(folder / "a.pt").string(), mark});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const TorchContent content = read_torch_content(folder / "a.pt");
    EXPECT_EQ(content.tensors.size(), 1u);
    EXPECT_EQ(content.passed_over, std::vector<std::string>{"evil (posix.system)"});
    EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(ArraysFormat, rejects_containers_that_hold_each_other_over_and_over) {
    const test::TempDir folder;
    const auto written = test::run_python(R"(
import sys, torch
level = [torch.ones(1)]
for _ in range(12): level = [level] * 8
torch.save(level, sys.argv[1])
own = {}
own['own'] = own
torch.save(own, sys.argv[2])
)",
                                          {(folder / "a.pt").string(), (folder / "b.pt").string()});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    EXPECT_NE(test::open_problem(folder / "a.pt").find("is damaged: its "), std::string::npos);
    EXPECT_NE(test::open_problem(folder / "b.pt").find("nested too deep"), std::string::npos);
}

TEST(ArraysFormat, names_the_file_of_a_shape_that_is_none) {
    const test::TempDir folder;
    const auto written =
        test::run_python(R"(
import sys, zipfile, numpy as np, torch
def written(path, tensor, old, new):
    torch.save(tensor, path)
    entries = {n: zipfile.ZipFile(path).read(n) for n in zipfile.ZipFile(path).namelist()}
    with zipfile.ZipFile(path, 'w') as file:
        for name, data in entries.items():
            assert not name.endswith('data.pkl') or old in data
            file.writestr(name, data.replace(old, new) if name.endswith('data.pkl') else data)
written(sys.argv[1], torch.zeros(4), b'K\x04\x85', b'J\xfc\xff\xff\xff\x85')
np.save(sys.argv[2], np.zeros((3, 4), np.float32))
data = open(sys.argv[2], 'rb').read()
wide = data.replace(b'(3, 4), }' + b' ' * 40, b'(4611686018427387904, 4), }'.ljust(49))
assert len(wide) == len(data) != 0 and wide != data
open(sys.argv[2], 'wb').write(wide)
)",
                         {(folder / "neg.pt").string(), (folder / "big.npy").string()});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const std::string negative = test::open_problem(folder / "neg.pt");
    EXPECT_NE(negative.find("neg.pt' is damaged: shape [-4] has a negative"), std::string::npos)
        << negative;
    const std::string large = test::open_problem(folder / "big.npy");
    EXPECT_NE(large.find("big.npy' is a damaged .npy array: it has more elements than can be"),
              std::string::npos)
        << large;
}

}  // namespace
}  // namespace npuscope
