#include "tests/damaged_commands/seeds.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tests/damaged_commands/commands.h"
#include "tests/support/support.h"

namespace npuscope::damage {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestSeed = 65536;  ///< bytes
using Files = std::vector<std::pair<std::string, std::string>>;

/// Dumps as h5py writes them: old and new layout, pieces with every filter, attributes and texts of
/// any length, links, links to other files, virtual datasets, compounds, many attributes, …
constexpr const char* kFilesOfH5py = R"(
import h5py, sys, numpy as np
folder = sys.argv[1]
def tensor(g, name, data, **options):
    d = g.create_dataset(name, data=data, **options)
    for key, value in (('DeviceType', 0), ('DataType', 1), ('FormatType', 0), ('Type', 0)):
        d.attrs[key] = np.int32(value)
    d.attrs['Stride'] = np.array([s // data.itemsize for s in data.strides], 'i8')
    return d
def ops(f, **options):
    a = np.arange(64, dtype='f4').reshape(8, 8)
    tensor(f, 'relu/1/input/self', a - 30)
    tensor(f, 'relu/1/output/result', np.maximum(a - 30, 0), **options)
    tensor(f, 'add_Tensor/2/input/self', a)
    tensor(f, 'add_Tensor/2/input/other', a * 2)
    tensor(f, 'add_Tensor/2/output/result', a * 3, **options)
    f.attrs['Version'] = np.bytes_(b'1.0')
for name, layout in (('old', 'earliest'), ('new', 'latest')):
    with h5py.File(f'{folder}/{name}.h5', 'w', libver=layout) as f: ops(f)
    with h5py.File(f'{folder}/{name}_pieces.h5', 'w', libver=layout) as f:
        ops(f, chunks=(3, 5), compression='gzip', shuffle=True, fletcher32=True)
with h5py.File(f'{folder}/texts.h5', 'w') as f:
    ops(f)
    f['relu/1/npuscope'] = '{"node": "n"}'
    f['relu/1/npuscope'].attrs['Type'] = np.int32(100)
    f['relu/1/output/result'].attrs['ComputeType'] = 'float32'
    f.attrs['Device'] = 'cpu'
with h5py.File(f'{folder}/links.h5', 'w') as f:
    ops(f)
    f['neg/3/input/self'] = h5py.SoftLink('/relu/1/input/self')
    f['neg/3/output/result'] = h5py.ExternalLink('old.h5', '/relu/1/output/result')
    f['abs/4'] = h5py.ExternalLink('new.h5', '/relu/1')
with h5py.File(f'{folder}/odd.h5', 'w') as f:
    ops(f)
    f['odd/5/input/c'] = np.array([1 + 2j])
    f['odd/5/input/r'] = np.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')])
    t = f['t'] = np.dtype('f4')
    f.create_dataset('odd/5/input/committed', data=np.ones(3, 'f4'), dtype=f['t'])
    v = h5py.VirtualLayout((8, 8), 'f4'); v[:] = h5py.VirtualSource('old.h5', 'relu/1/input/self', (8, 8))
    f.create_virtual_dataset('odd/5/output/virtual', v)
    f.create_dataset('odd/5/output/so', data=np.arange(64), chunks=(16,), scaleoffset=0)
    f.create_dataset('odd/5/output/big', data=np.arange(8, dtype='>f4'))
    d = f.create_dataset('odd/5/output/many', data=np.ones(3, 'f4'), track_order=True)
    for i in range(20): d.attrs['a%d' % i] = i
)";

/// Statistics of msprobe, with what JSON of Python may hold.
constexpr const char* kTree =
    R"({"task": "statistics", "level": "mix", "data": {"Functional.relu.0.forward": {"input_args": )"
    R"([{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 3], "Max": 1.5, "Min": -2.5, )"
    R"("Mean": 0.5, "Norm": 3.5, "requires_grad": true, "data_name": "a.npy"}, {"type": "bool", )"
    R"("value": false}], "input_kwargs": {"inplace": {"type": "slice", "value": [0, null]}}, "output": )"
    R"([{"type": "torch.Tensor", "dtype": "torch.float16", "shape": [2, 3], "Max": Infinity, "Min": 0, )"
    R"("Mean": NaN, "Norm": null, "md5": "00ff"}], "is_nan": 0}, "Functional.relu.0.backward": )"
    R"({"input": [null], "output": [{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [], )"
    R"("Max": 1, "Min": 1, "Mean": 1, "Norm": 1}]}}})";

/// What other tools write: a checkpoint in pieces, outputs of Polygraphy, a checkpoint of Megatron,
/// CANN's dump files, with NumPy alone.
constexpr const char* kFilesOfOthers = R"(
import base64, io, json, os, pickle, struct, sys, numpy as np
folder = sys.argv[1]
def write(name, data):
    os.makedirs(os.path.dirname(f'{folder}/{name}'), exist_ok=True)
    open(f'{folder}/{name}', 'wb').write(data if isinstance(data, bytes) else json.dumps(data).encode())
def shard(name, **arrays):
    header, data = {}, b''
    for key, array in arrays.items():
        header[key] = {'dtype': 'F32', 'shape': list(array.shape), 'data_offsets': [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    write(name, struct.pack('<Q', len(text)) + text + data)
shard('index/m-1.safetensors', a=np.arange(4, dtype='f4'))
shard('index/m-2.safetensors', b=np.ones((2, 2), 'f4'))
write('index/m.safetensors.index.json', {'metadata': {'total_size': 32}, 'weight_map': {'a': 'm-1.safetensors', 'b': 'm-2.safetensors'}})
image = io.BytesIO()
np.save(image, np.arange(5, dtype='f4'))
y = {'values': {'array': base64.b64encode(image.getvalue()).decode(), 'polygraphy_class': 'ndarray'}, 'polygraphy_class': 'LazyArray'}
write('polygraphy/out.json', {'lst': [['trt', [{'outputs': {'y': y}, 'runtime': float('nan')}]]], 'polygraphy_class': 'RunResults'})
np.savez(f'{folder}/polygraphy/out.npz', y=np.arange(6, dtype='f4').reshape(2, 3), z=np.float16(3))
np.savez_compressed(f'{folder}/polygraphy/packed.npz', y=np.zeros((20, 3), 'f8'))
)";

constexpr const char* kActivations =
    "Total captured activations: 2\nExcluded ops dispatched: detach, "
    "view\n\n[layers.0.wq/op_0_mm]\n"
    "  Shape: torch.Size([2, 3]), Dtype: torch.bfloat16\n  L2 norm: 2.000000e+00\n"
    "  Min: -1.000000e+00\n  Max: 1.500000e+00\n  Mean: 2.500000e-01\n  Output hash: 4.000000e+00\n"
    "  Input hashes: 9.000000e+00, 8.000000e+00\n  Location: models/llama.py:12\n\n"
    "[layers.0.wq/op_1_exp]\n  Shape: torch.Size([]), Dtype: torch.float32\n  L2 norm: inf\n  Min: "
    "inf\n"
    "  Max: inf\n  Mean: inf\n  Output hash: inf\n  Input hashes: 4.000000e+00\n"
    "  Input producers: layers.0.wq/op_0_mm; \n\n";

constexpr const char* kCalls =
    "  [nn.Mod] Net\n    # File: net.py:12 in forward, code: return x @ w\n"
    "      aten::mm(dt$0: f32[8, 8]| S(0), dt$1: f32[8, 32]| S(0))  ->  t$5: f32[1, 32]\n"
    "      aten::add.Tensor(t: bf16[4], t: bf16[4], alpha=2)  ->  t: bf16[4]  # {'hash': 12.5, "
    "'input_hash': ((3.0, nan), {'alpha': None})}\n"
    "    aten::cat(['t: f32[2]', 't: f32[0]'], 1)  ->  ('t: f32[2]', 't: i64[]')\n";

const Files kLogs = {
    {"lines.jsonl",
     "{\"current_steps\": 5, \"total_steps\": 15, \"loss\": 2.5, \"lr\": 1e-4, \"epoch\": 0.1}\n"
     "{\"current_steps\": 10, \"total_steps\": 15, \"loss\": NaN, \"lr\": 5e-5}\n"},
    {"state.json",
     R"({"log_history": [{"grad_norm": 3.25, "learning_rate": 4.5e-05, "loss": 2.5, "step": 10},
         {"eval_loss": 9.5, "step": 10}, {"grad_norm": NaN, "loss": NaN, "step": 20}], "max_steps": 30})"},
    {"curves.json",
     R"({"lm loss": {"start_step": 1, "end_step": 10, "step_interval": 5, "values": {"1": "nan", "10": 9.5}},
         "lm loss margin": 0.02, "grad norm": [3.5, 2.5], "num-zeros": {"values": {"1": 3, "5": 4}}})"},
    {"table.csv", "step,loss,grad_norm\n1,2.5,1\n2,2.25,nan\n3,,1e999\n"},
    {"text.log",
     "step 1 loss 2.5 lr 1e-4\nepoch 0 step: 2, loss: 2.25, grad_norm: 3\nstep 3 loss nan\n"}};

/// A comparison's own files; settings are given together with the first seed of h5.
const Files kSettings = {
    {"waivers.json",
     R"({"waivers": [{"op": "^/softmax/", "module": "attention", "reason": "fp16 by design", "owner": "kim",
         "expires": "2027-03-31"}, {"op": "^/mul_Tensor/1$", "kind": "argument", "detail": "^beta$",
         "reason": "fused", "owner": "lee", "expires": "2026-12-01"}]})"},
    {"tolerances.json",
     R"({"tolerances": [{"tensor": "^/softmax/", "dtype": "float16", "tolerance": 0.01},
         {"tensor": "/running_", "tolerance": 0.1}]})"},
    {"noise.json",
     R"({"version": 1, "runs": 1, "noise": {"/elu/2/input/self": 0.5, "/elu/2/output/result": 0.0}})"}};

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.file_size() <= kLargestSeed)
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::vector<Seed> single_files(const std::string& kind, const Files& files) {
    std::vector<Seed> seeds;
    for (const auto& [name, bytes] : files)
        seeds.push_back({kind, name, bytes, {}});
    return seeds;
}

Files read_files(const fs::path& folder) {
    Files files;
    for (const fs::path& file : files_below(folder))
        files.emplace_back(fs::relative(file, folder).string(), test::read_file(file));
    return files;
}

/// Each file of the folder once, with the others beside it.
std::vector<Seed> together(const std::string& kind, const fs::path& folder, bool is_folder) {
    const Files files = read_files(folder);
    std::vector<Seed> seeds;
    for (const auto& [name, bytes] : files) {
        seeds.push_back({kind, name, bytes, {}, is_folder});
        std::ranges::copy_if(files, std::back_inserter(seeds.back().beside), [&](const auto& file) {
            return file.first != seeds.back().name;
        });
    }
    return seeds;
}

void append(std::vector<Seed>& all, std::vector<Seed> more) {
    std::ranges::move(more, std::back_inserter(all));
}

bool python_writes(const char* code, const fs::path& folder) {
    const auto python = test::run_python(code, {folder.string()});
    if (python.exit_code != 0) std::fprintf(stderr, "%s", python.err.c_str());
    return python.exit_code == 0;
}

/// Statistics, and our own export with a file for each tensor.
std::vector<Seed> trees(const fs::path& data) {
    std::vector<Seed> seeds = {{"trees", "dump.json", kTree, {}, true}};
    const test::TempDir made;
    const fs::path tree = made / "tree";
    if (run_command({"export", data / "fuzz/h5/ours_two_ops.h5", "-o", tree, "-q"}) != 0) return {};
    append(seeds, together("trees", tree, true));
    return seeds;
}

std::vector<Seed> onnx(const fs::path& data) {
    Files models = read_files(data / "onnx_cases");
    std::erase_if(models, [](const auto& file) {
        return !file.first.ends_with(".onnx") || file.first.find("growth") != std::string::npos;
    });
    return single_files("onnx", models);
}

/// CANN's dump files, in a folder and under names as a device gives them.
std::vector<Seed> binary(const fs::path& data) {
    const std::string one = test::read_file(data / "fuzz/binary/one_input");
    const std::string two = test::read_file(data / "fuzz/binary/two_inputs");
    const std::string names[] = {"Relu.relu.1.3.1640000000000001", "Add.add.2.3.1640000000000002"};
    return {{"binary", names[0], one, {{names[1], two}}, true},
            {"binary", names[1], two, {{names[0], one}}, true},
            {"binary", names[0], one, {}},
            {"binary", names[1], two, {}}};
}

std::vector<Seed> texts() {
    const test::TempDir made;
    if (!python_writes(kFilesOfOthers, made.path())) return {};
    std::vector<Seed> seeds = {{"texts", "rank_0_activations.log", kActivations, {}},
                               {"texts", "calls.log", kCalls, {}}};
    append(seeds, single_files("texts", read_files(made / "polygraphy")));
    append(seeds, together("texts", made / "index", false));
    return seeds;
}

}  // namespace

const std::vector<std::string>& seed_kinds() {
    static const std::vector<std::string> kinds = {
        "h5", "h5py", "arrays", "trees", "onnx", "binary", "logs", "texts", "settings"};
    return kinds;
}

std::vector<Seed> seeds_of(const std::string& kind) {
    const fs::path data = test::source_dir() / "data";
    if (kind == "h5") return single_files(kind, read_files(data / "fuzz/h5"));
    if (kind == "arrays") return single_files(kind, read_files(data / "fuzz/arrays"));
    if (kind == "trees") return trees(data);
    if (kind == "onnx") return onnx(data);
    if (kind == "binary") return binary(data);
    if (kind == "texts") return texts();
    if (kind == "logs") {
        std::vector<Seed> seeds = single_files(kind, kLogs);
        append(seeds, single_files(kind, read_files(data / "loss")));
        return seeds;
    }
    if (kind == "settings") {
        std::vector<Seed> seeds = single_files(kind, kSettings);
        for (Seed& seed : seeds)
            seed.beside = {{"dump.h5", test::read_file(data / "fuzz/h5/ours_two_ops.h5")}};
        return seeds;
    }
    const test::TempDir made;
    if (kind != "h5py" || !python_writes(kFilesOfH5py, made.path())) return {};
    return together(kind, made.path(), false);
}

}  // namespace npuscope::damage
