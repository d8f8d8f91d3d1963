#include "dumper/golden.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "dumper/dump_scope.h"
#include "tests/dumper/fake_source.h"
#include "tests/support/support.h"

namespace npuscope::dumper {
namespace {

namespace fs = std::filesystem;
using test::FakeSource;
using test::TempDir;

// The golden files are written by h5py as the original dumper would: op(name, seqid) with inputs
// and outputs; arrays become tensors, everything else a value with its Type.
constexpr const char* kMaker = R"py(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w')
CODES = {'float32': 1, 'uint8': 2, 'int8': 3, 'int16': 5, 'int32': 6, 'int64': 7, 'bool': 9,
         'float16': 10, 'float64': 11}
class S(float): pass
class SI(int): pass
def put(path, v):
    def attrs(d, **kw):
        for k, x in kw.items(): d.attrs.create(k, x, dtype='<i4')
    if isinstance(v, list) and v and isinstance(v[0], np.ndarray):
        for i, x in enumerate(v): put(f"{path}/{path.split('/')[-1]}_{i}", x)
    elif isinstance(v, np.ndarray):
        stored = {'float16': 'float32', 'uint8': 'int8', 'bool': 'int8'}.get(v.dtype.name, v.dtype.name)
        d = f.create_dataset(path, data=v.astype(stored))
        attrs(d, DeviceType=1, DataType=CODES[v.dtype.name], FormatType=0, Type=0)
    elif isinstance(v, SI): attrs(f.create_dataset(path, data=np.int64(v)), Type=7)
    elif isinstance(v, S): attrs(f.create_dataset(path, data=np.float64(v)), Type=7)
    elif isinstance(v, bool): attrs(f.create_dataset(path, data=np.int8(v)), Type=4)
    elif isinstance(v, int): attrs(f.create_dataset(path, data=np.int64(v)), Type=3)
    elif isinstance(v, float): attrs(f.create_dataset(path, data=np.float64(v)), Type=5)
    elif isinstance(v, str): attrs(f.create_dataset(path, data=np.int32(CODES[v])), Type=14)
    elif isinstance(v, tuple): attrs(f.create_dataset(path, data=np.array(v, 'i8')), Type=15)
    else: attrs(f.create_dataset(path, data=np.array(v, 'i8')), Type=16)
def op(name, seqid, **inputs):
    f.require_group(f'{name}/{seqid}/input')
    for k, v in inputs.items(): put(f'{name}/{seqid}/input/{k}', v)
    put(f'{name}/{seqid}/output/result', np.float32([seqid]))
def full(value, *shape, dtype='float32'): return np.full(shape, value, dtype)
)py";

class Load : public ::testing::Test {
  protected:
    void make_golden(const std::string& code) {
        const auto made = test::run_python(kMaker + code, {golden_.string()});
        ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    /// One scope over `body`; the dump lies at out_.
    template <class Body>
    DumpSummary load(Body&& body, bool dump_inputs = false) {
        DumpScope scope(npu_,
                        {.use_load = true,
                         .dump_path = out_,
                         .load_file_path = golden_,
                         .dump_inputs = dump_inputs});
        body();
        return scope.close();
    }
    /// Runs an op and returns the first input's first element after loading.
    double first(const std::string& name, NamedValues inputs) {
        const NamedValues seen = npu_.run(name, std::move(inputs), {{"result", full(0, {1})}});
        return std::get<Tensor>(seen[0].value).at(0);
    }
    static Tensor full(float value, Shape shape) {
        const auto count = static_cast<size_t>(numel_of(shape));
        return Tensor::from<float>(std::move(shape), std::vector<float>(count, value));
    }
    std::vector<OpId> dumped() {
        std::vector<OpId> ids;
        const dumpfile::Reader reader(out_);
        for (const auto& op : reader.ops())
            ids.push_back(op.id);
        return ids;
    }

    TempDir folder_;
    fs::path golden_ = folder_ / "golden.h5";
    fs::path out_ = folder_ / "out.h5";
    FakeSource npu_;
};

TEST_F(Load, replaces_inputs_whatever_the_order_and_the_numbers) {
    make_golden("op('relu', 7, self=full(7, 2)); op('tanh', 9, self=full(9, 2))");
    const DumpSummary summary = load([&] {
        EXPECT_EQ(first("tanh", {{"self", full(0, {2})}}), 9);
        EXPECT_EQ(first("relu", {{"self", full(0, {2})}}), 7);
    });
    EXPECT_EQ(summary.unmatched, 0);
    EXPECT_EQ(summary.replaced_tensors, 2);
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"relu", 7}, {"tanh", 9}}));
}

TEST_F(Load, writes_outputs_only_and_says_which_run_it_took) {
    make_golden("op('relu', 7, self=full(7, 2))");
    static_cast<void>(load([&] { first("relu", {{"self", full(0, {2})}}); }));
    const auto shown = test::run_python(
        "import sys, h5py\n"
        "with h5py.File(sys.argv[1]) as f:\n"
        "    print(list(f['relu/7']), f['relu/7/npuscope'][()].decode(), f.attrs['Mode'].decode())",
        {out_.string()});
    EXPECT_EQ(shown.out,
              "['npuscope', 'output'] {"
              "\"golden\":\"/relu/7\"} load\n")
        << shown.err;
}

TEST_F(Load, use_dump_with_a_load_file_means_load) {
    make_golden("op('relu', 7, self=full(7, 2))");
    DumpScope scope(npu_, {.use_dump = true, .dump_path = out_, .load_file_path = golden_});
    EXPECT_EQ(first("relu", {{"self", full(0, {2})}}), 7);
    static_cast<void>(scope.close());
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"relu", 7}}));
}

TEST_F(Load, tries_the_runs_of_one_name_and_shape_in_number_order) {
    make_golden("for i in range(1, 14): op('relu', i, self=full(i, 2))");
    const DumpSummary summary = load([&] {
        for (int i = 1; i <= 13; ++i)
            EXPECT_EQ(first("relu", {{"self", full(0, {2})}}), i);
        EXPECT_EQ(first("relu", {{"self", full(-1, {2})}}), -1);
    });
    EXPECT_EQ(summary.unmatched, 1);
    EXPECT_EQ(summary.first_unmatched[0], "/relu/14: all 13 runs of the golden are taken");
}

TEST_F(Load, two_ops_of_one_name_are_told_apart_by_shape) {
    make_golden("op('relu', 1, self=full(1, 2)); op('relu', 2, self=full(2, 3))");
    load([&] {
        EXPECT_EQ(first("relu", {{"self", full(0, {3})}}), 2);
        EXPECT_EQ(first("relu", {{"self", full(0, {2})}}), 1);
    });
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"relu", 1}, {"relu", 2}}));
}

TEST_F(Load, int32_and_int64_are_interchangeable_and_keep_the_running_dtype) {
    make_golden(
        "op('nll', 1, target=full(5, 2, dtype='int64')); op('nll', 2, target=full(6, 2, "
        "dtype='int32'))");
    load([&] {
        const auto seen = npu_.run("nll", {{"target", Tensor::zeros(DType::kInt32, {2})}}, {});
        EXPECT_EQ(std::get<Tensor>(seen[0].value).as<int32_t>()[1], 5);
        const auto next = npu_.run("nll", {{"target", Tensor::zeros(DType::kInt64, {2})}}, {});
        EXPECT_EQ(std::get<Tensor>(next[0].value).as<int64_t>()[1], 6);
    });
}

TEST_F(Load, a_half_comes_from_its_float32_data) {
    make_golden("op('relu', 1, self=np.float16([65504, 6e-8]))");
    load([&] {
        const auto seen = npu_.run("relu", {{"self", Tensor::zeros(DType::kFloat16, {2})}}, {});
        const auto values = std::get<Tensor>(seen[0].value).as<Float16>();
        EXPECT_EQ(values[0].bits, 0x7bff);
        EXPECT_EQ(values[1].bits, 0x0001);
    });
}

TEST_F(Load, unsigned_bytes_and_bools_come_from_signed_bytes) {
    make_golden("op('where', 1, a=full(200, 1, dtype='uint8'), b=full(True, 1, dtype='bool'))");
    load([&] {
        const auto seen = npu_.run(
            "where",
            {{"a", Tensor::zeros(DType::kUInt8, {1})}, {"b", Tensor::zeros(DType::kBool, {1})}},
            {});
        EXPECT_EQ(std::get<Tensor>(seen[0].value).at(0), 200);
        EXPECT_EQ(std::get<Tensor>(seen[1].value).at(0), 1);
    });
}

TEST_F(Load, loads_scalars_whatever_their_value) {
    make_golden("op('add', 1, alpha=S(0.25), beta=SI(2**60 + 1))");
    load([&] {
        const auto seen =
            npu_.run("add", {{"alpha", Scalar{1.0}}, {"beta", Scalar{int64_t{0}}}}, {});
        EXPECT_EQ(std::get<Scalar>(seen[0].value), Scalar{0.25});
        EXPECT_EQ(std::get<Scalar>(seen[1].value), Scalar{(int64_t{1} << 60) + 1});
    });
    EXPECT_EQ(dumped().size(), 1U);
}

TEST_F(Load, compares_plain_values_exactly) {
    make_golden("op('x', 1, i=3, b=True, f=0.1, ints=[1, 2], dtype='float16', pair=(0, 5))");
    const NamedValues fitting = {{"i", int64_t{3}},
                                 {"b", true},
                                 {"f", 0.1},
                                 {"ints", IntList{1, 2}},
                                 {"dtype", DType::kFloat16},
                                 {"pair", IntList{0, 5}},
                                 {"text", std::string("ignored")},
                                 {"mask", BoolMask{{true}}},
                                 {"none", std::monostate{}}};
    const std::vector<NamedValue> changes = {{"i", int64_t{4}},
                                             {"i", Scalar{3.0}},
                                             {"b", false},
                                             {"f", 0.1F},
                                             {"ints", IntList{1, 3}},
                                             {"ints", IntList{1}},
                                             {"dtype", DType::kFloat32},
                                             {"pair", IntList{0, 6}},
                                             {"absent", int64_t{0}}};
    const DumpSummary summary = load([&] {
        for (const NamedValue& change : changes) {
            NamedValues inputs = fitting;
            bool replaced = false;
            for (NamedValue& item : inputs) {
                if (item.name != change.name) continue;
                item.value = change.value;
                replaced = true;
            }
            if (!replaced) inputs.push_back(change);
            npu_.run("x", inputs, {});
        }
        npu_.run("x", fitting, {});
    });
    EXPECT_EQ(summary.unmatched, static_cast<int64_t>(changes.size()));
    EXPECT_EQ(summary.ops_written, 1);
    EXPECT_EQ(summary.first_unmatched[4],
              "/x/5: no run that is left fits; the first, /x/1, differs in argument 'ints': "
              "another value in the golden");
}

TEST_F(Load, a_dtype_argument_that_the_golden_left_out_is_not_compared) {
    make_golden("op('x', 1, a=full(1, 2))\nop('x', 2, a=full(2, 2), dtype='float16')");
    const DumpSummary summary = load([&] {
        for (int i = 0; i < 2; ++i)
            npu_.run("x", {{"a", Tensor(DType::kFloat32, {2})}, {"dtype", DType::kFloat32}}, {});
    });
    EXPECT_EQ(summary.ops_written, 1);
    EXPECT_EQ(summary.unmatched, 1);
}

TEST_F(Load, a_list_matches_a_list_of_the_same_length) {
    make_golden(
        "op('cat', 1, tensors=[full(1, 2), full(2, 3), full(3, 4)], dim=0)\n"
        "op('cat', 2, tensors=[full(4, 2), full(5, 3)], dim=0)");
    load([&] {
        const auto seen = npu_.run(
            "cat", {{"tensors", TensorList{full(0, {2}), full(0, {3})}}, {"dim", int64_t{0}}}, {});
        const auto& list = std::get<TensorList>(seen[0].value);
        EXPECT_EQ(list[0].at(0), 4);
        EXPECT_EQ(list[1].at(2), 5);
    });
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"cat", 2}}));
}

TEST_F(Load, an_op_without_a_counterpart_runs_on_its_own_data_and_leaves_no_trace) {
    make_golden("op('relu', 3, self=full(3, 2)); op('relu', 4, self=full(4, 2))");
    const DumpSummary summary = load([&] {
        EXPECT_EQ(first("gelu", {{"self", full(-1, {2})}}), -1);
        EXPECT_EQ(first("relu", {{"self", full(-1, {5})}}), -1);
        EXPECT_EQ(first("relu", {{"self", Tensor::scalar(-1.0)}}), -1);
        EXPECT_EQ(first("relu", {{"self", full(-1, {2})}}), 3);
    });
    EXPECT_EQ(summary.unmatched, 3);
    EXPECT_EQ(summary.first_unmatched,
              (std::vector<std::string>{
                  "/gelu/1: the golden has no op of this name",
                  "/relu/2: no run that is left fits; the first, /relu/3, differs in argument "
                  "'self': float32 [5] here, float32 [2] in the golden",
                  "/relu/3: no run that is left fits; the first, /relu/3, differs in argument "
                  "'self': float64 [] here, float32 [2] in the golden"}));
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"relu", 3}}));
    EXPECT_EQ(dumpfile::Reader(out_).run_fact("Note"),
              "3 of 4 ops have no counterpart in the golden and are left out");
}

TEST_F(Load, names_the_first_ten_ops_without_a_counterpart) {
    make_golden("op('relu', 1, self=full(3, 2))");
    const DumpSummary summary = load([&] {
        for (int i = 0; i < 25; ++i)
            npu_.run("gelu", {{"self", full(1, {1})}}, {});
    });
    EXPECT_EQ(summary.unmatched, 25);
    EXPECT_EQ(summary.first_unmatched.size(), 10U);
    EXPECT_TRUE(summary.path.empty());
    EXPECT_FALSE(fs::exists(out_));
}

TEST_F(Load, an_op_that_failed_leaves_nothing_to_the_next_one) {
    make_golden("op('relu', 1, self=full(1, 2)); op('tanh', 2, self=full(2, 2))");
    const DumpSummary summary = load([&] {
        npu_.fail("relu", {{"self", full(0, {2})}});
        npu_.run("gelu", {{"self", full(0, {2})}}, {});
        first("tanh", {{"self", full(0, {2})}});
    });
    EXPECT_EQ(summary.unmatched, 1);
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"tanh", 2}}));
}

TEST_F(Load, an_op_without_arguments_matches_by_name) {
    make_golden("op('rand', 5); op('relu', 6, self=full(1, 2))");
    load([&] {
        first("relu", {{"self", full(0, {2})}});
        npu_.run("rand", {}, {{"result", full(1, {2})}});
    });
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"rand", 5}, {"relu", 6}}));
}

TEST_F(Load, another_name_of_the_op_matches_with_its_argument_names) {
    make_golden(
        "op('CudnnConvolutionBackward', 17, grads=[full(1, 1, 2, 3, 3)], self=full(2, 1, 4, 5, 5),"
        " weight=full(3, 2, 4, 3, 3), padding=[0, 0], stride=[1, 1], dilation=[1, 1], groups=1,"
        " benchmark=False, deterministic=False)");
    const DumpSummary summary = load([&] {
        const auto seen = npu_.run("convolution_backward",
                                   {{"grad_output", full(0, {1, 2, 3, 3})},
                                    {"input", full(0, {1, 4, 5, 5})},
                                    {"weight", full(0, {2, 4, 3, 3})},
                                    {"bias_sizes", IntList{2}},
                                    {"stride", IntList{1, 1}},
                                    {"padding", IntList{0, 0}},
                                    {"transposed", false},
                                    {"groups", int64_t{1}},
                                    {"output_mask", BoolMask{{true, true, false}}}},
                                   {{"result0", full(0, {1})}});
        for (size_t i = 0; i < 3; ++i)
            EXPECT_EQ(std::get<Tensor>(seen[i].value).at(0), static_cast<double>(i + 1));
    });
    EXPECT_EQ(summary.unmatched, 0);
    EXPECT_EQ(dumped(), (std::vector<OpId>{{"convolution_backward", 17}}));
    const dumpfile::Reader reader(out_);
    EXPECT_NE(
        reader.ops()[0].facts_json.find(R"("golden":"/CudnnConvolutionBackward/17","alias":true)"),
        std::string::npos);
}

TEST_F(Load, another_name_of_the_op_still_needs_equal_values) {
    make_golden(
        "op('NpuConvolutionBackward', 2, grads=[full(1, 1, 2, 3, 3)], input=full(2, 1, 4, 5, 5),"
        " weight=full(3, 2, 4, 3, 3), stride=[2, 2])");
    const DumpSummary summary = load([&] {
        npu_.run("CudnnConvolutionBackward",
                 {{"grads", TensorList{full(0, {1, 2, 3, 3})}},
                  {"self", full(0, {1, 4, 5, 5})},
                  {"weight", full(0, {2, 4, 3, 3})},
                  {"stride", IntList{1, 1}}},
                 {});
    });
    EXPECT_EQ(summary.unmatched, 1);
    EXPECT_NE(summary.first_unmatched[0].find("'stride'"), std::string::npos);
}

TEST_F(Load, a_name_of_its_own_comes_before_other_names) {
    make_golden("op('conv2d', 1, input=full(1, 2)); op('convolution', 2, input=full(2, 2))");
    load([&] {
        EXPECT_EQ(first("convolution", {{"input", full(0, {2})}}), 2);
        EXPECT_EQ(first("convolution", {{"input", full(0, {2})}}), 0);
    });
}

TEST_F(Load, keeps_the_replaced_inputs_on_demand) {
    make_golden("op('relu', 7, self=full(7, 2))");
    const DumpSummary summary = load([&] { first("relu", {{"self", full(0, {2})}}); }, true);
    EXPECT_EQ(summary.inputs_path, folder_ / "out_inputs.h5");
    const dumpfile::Reader reader(summary.inputs_path);
    ASSERT_EQ(reader.ops().size(), 1U);
    ASSERT_EQ(reader.ops()[0].entries.size(), 1U);
    EXPECT_EQ(reader.ops()[0].entries[0].path, "/relu/7/input/self");
    EXPECT_EQ(reader.read(reader.ops()[0].entries[0]).at(0), 7);
    EXPECT_FALSE(dumpfile::Reader(out_).has_inputs());
}

TEST_F(Load, gives_the_strides_that_the_golden_was_recorded_with) {
    {
        DumpScope scope(npu_, {.use_dump = true, .dump_path = golden_});
        const Tensor square = full(1, {2, 2});
        npu_.run("mm", {{"self", square, {{1, 2}}}, {"mat2", square}}, {{"result", square}});
        npu_.run("cat",
                 {{"tensors", TensorList{square, square}, {{}, {1, 2}}}, {"dim", int64_t{0}}},
                 {{"result", square}});
        npu_.run("relu", {{"self", full(1, {0, 2}), {{1, 1}}}}, {{"result", full(1, {0, 2})}});
        static_cast<void>(scope.close());
    }
    const dumpfile::Reader golden(golden_);
    EXPECT_EQ(golden.ops()[0].facts_json, R"({"strides":{"input/self":[1,2]}})");
    EXPECT_EQ(golden.ops()[1].facts_json, R"({"strides":{"input/tensors/tensors_1":[1,2]}})");
    static_cast<void>(load(
        [&] {
            const Tensor other = full(0, {2, 2});
            const NamedValues mm =
                npu_.run("mm", {{"self", other}, {"mat2", other, {{1, 2}}}}, {{"result", other}});
            EXPECT_EQ(mm[0].strides, (std::vector<std::vector<int64_t>>{{1, 2}}));
            EXPECT_EQ(mm[1].strides, (std::vector<std::vector<int64_t>>{{}}));
            const NamedValues cat =
                npu_.run("cat",
                         {{"tensors", TensorList{other, other}}, {"dim", int64_t{0}}},
                         {{"result", other}});
            EXPECT_EQ(cat[0].strides, (std::vector<std::vector<int64_t>>{{}, {1, 2}}));
        },
        true));
    const dumpfile::Reader without(out_);
    EXPECT_EQ(without.ops()[0].facts_json, R"({"golden":"/mm/1","strides":{"input/self":[1,2]}})");
}

TEST_F(Load, takes_no_strides_of_another_rank_and_tells_none_without_inputs) {
    make_golden(
        "op('relu', 7, self=full(7, 2))\n"
        "f.create_dataset('relu/7/npuscope', dtype='S64',\n"
        "    data=b'{\"strides\": {\"input/self\": [1, 2]}}').attrs.create('Type', 100, "
        "dtype='<i4')");
    static_cast<void>(load([&] {
        const NamedValues seen =
            npu_.run("relu", {{"self", full(0, {2}), {{2}}}}, {{"result", full(0, {2})}});
        EXPECT_EQ(std::get<Tensor>(seen[0].value).at(0), 7);
        EXPECT_EQ(seen[0].strides, (std::vector<std::vector<int64_t>>{{}}));
    }));
    EXPECT_EQ(dumpfile::Reader(out_).ops()[0].facts_json, R"({"golden":"/relu/7"})");
}

TEST_F(Load, a_second_scope_starts_with_the_whole_golden_again) {
    make_golden("op('relu', 7, self=full(7, 2))");
    for (const char* name : {"1.h5", "2.h5"}) {
        out_ = folder_ / name;
        load([&] { EXPECT_EQ(first("relu", {{"self", full(0, {2})}}), 7); });
    }
}

TEST_F(Load, a_damaged_golden_tensor_leaves_the_op_on_its_own_data) {
    make_golden(
        "d = f.create_dataset('relu/1/input/self', data=full(1, 4096), chunks=(4096,), "
        "compression='gzip')\n"
        "for k, v in dict(DeviceType=1, DataType=1, FormatType=0, Type=0).items(): d.attrs[k] = v\n"
        "info = d.id.get_chunk_info(0); f.close()\n"
        "b = bytearray(open(sys.argv[1], 'rb').read())\n"
        "b[info.byte_offset:info.byte_offset + info.size] = bytes(info.size)\n"
        "open(sys.argv[1], 'wb').write(b)");
    const DumpSummary summary = load([&] {
        EXPECT_EQ(first("relu", {{"self", full(-1, {4096})}}), -1);
    });
    EXPECT_EQ(summary.unmatched, 1);
    EXPECT_NE(summary.first_unmatched[0].find("cannot read"), std::string::npos)
        << summary.first_unmatched[0];
}

TEST_F(Load, rejects_missing_and_wrong_load_files) {
    const auto refused = [&](const fs::path& path, ErrorKind kind) {
        try {
            const DumpScope scope(npu_,
                                  {.use_load = true, .dump_path = out_, .load_file_path = path});
            ADD_FAILURE() << path;
        } catch (const Error& error) {
            EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
        }
    };
    test::write_file(folder_ / "text.h5", "no HDF5");
    refused("", ErrorKind::kUsage);
    refused(folder_ / "golden.npz", ErrorKind::kUsage);
    refused(folder_ / "none.h5", ErrorKind::kIo);
    refused(folder_.path(), ErrorKind::kUsage);
    refused(folder_ / "text.h5", ErrorKind::kFormat);
    EXPECT_FALSE(npu_.has_observers());
}

TEST_F(Load, rejects_one_file_as_golden_and_dump) {
    make_golden("op('relu', 7, self=full(7, 2))");
    fs::create_symlink(golden_, folder_ / "link.h5");
    fs::copy_file(golden_, folder_ / "out_inputs.h5");
    const auto refuses = [&](const fs::path& path, const fs::path& load, bool dump_inputs) {
        EXPECT_THROW(DumpScope(npu_,
                               {.use_load = true,
                                .dump_path = path,
                                .load_file_path = load,
                                .dump_inputs = dump_inputs}),
                     Error)
            << path;
    };
    refuses(golden_, golden_, false);
    refuses(folder_ / "link.h5", golden_, false);
    refuses(out_, folder_ / "out_inputs.h5", true);
}

TEST_F(Load, rejects_a_second_golden_on_one_executor) {
    make_golden("op('relu', 7, self=full(7, 2))");
    const DumpScope first_scope(npu_,
                                {.use_load = true, .dump_path = out_, .load_file_path = golden_});
    EXPECT_THROW(
        DumpScope(npu_,
                  {.use_load = true, .dump_path = folder_ / "b.h5", .load_file_path = golden_}),
        Error);
    EXPECT_EQ(first("relu", {{"self", full(0, {2})}}), 7);
}

}  // namespace
}  // namespace npuscope::dumper
