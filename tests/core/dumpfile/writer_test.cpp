#include "core/dumpfile/writer.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "tests/support/support.h"

namespace npuscope::dumpfile {
namespace {

using test::TempDir;

// Prints every object of argv[1]: path, dtype, shape, values, attributes in creation order.
constexpr const char* kDescribe = R"py(
import sys, h5py, numpy as np
def text(value):
    if isinstance(value, bytes): return value.decode()
    if isinstance(value, np.ndarray): return str(value.dtype) + str(value.tolist()).replace(' ', '')
    return str(value)
def show(group, path):
    for name in group:
        item = group[name]
        here = path + '/' + name
        if isinstance(item, h5py.Group):
            if len(item) == 0: print(here + '/')
            show(item, here)
            continue
        # Attributes in an object header are stored in the order of their creation.
        names = [h5py.h5a.open(item.id, index=i, index_type=h5py.h5.INDEX_NAME,
                               order=h5py.h5.ITER_NATIVE).name.decode()
                 for i in range(h5py.h5a.get_num_attrs(item.id))]
        attributes = ' '.join(n + '=' + text(item.attrs[n]) for n in names)
        kind = 'string' if item.dtype.kind in 'SO' else item.dtype.name
        value = item[()]
        if isinstance(value, bytes): value = value.decode()
        elif isinstance(value, np.ndarray): value = value.tolist()
        print(here, kind, str(item.shape).replace(' ', ''), str(value).replace(' ', ''), attributes)
with h5py.File(sys.argv[1], 'r') as f:
    show(f, '')
)py";

std::string described(const std::filesystem::path& path) {
    const auto result = test::run_python(kDescribe, {path.string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
}

OpRecord record_of(std::string name, int64_t seqid, NamedValues inputs, NamedValues outputs) {
    OpRecord record;
    record.id = {std::move(name), seqid};
    record.inputs = std::move(inputs);
    record.outputs = std::move(outputs);
    return record;
}

std::filesystem::path written(const TempDir& folder,
                              const OpRecord& record,
                              WriterOptions options = {}) {
    const auto path = folder / "dump.h5";
    Writer writer(path, std::move(options));
    writer.write(record);
    writer.close();
    return path;
}

TEST(DumpWriter, writes_every_tensor_dtype_with_its_codes) {
    const TempDir folder;
    const NamedValues inputs = {{"f32", Tensor::from<float>({2}, {1.5F, -2})},
                                {"f64", Tensor::from<double>({1}, {0.1})},
                                {"f16", Tensor::from<Float16>({1}, {to_float16(65504.0F)})},
                                {"bf16", Tensor::from<BFloat16>({1}, {to_bfloat16(3.0F)})},
                                {"i8", Tensor::from<int8_t>({1}, {-3})},
                                {"i16", Tensor::from<int16_t>({1}, {-300})},
                                {"i32", Tensor::from<int32_t>({1}, {70000})},
                                {"i64", Tensor::from<int64_t>({1}, {int64_t{1} << 40})},
                                {"u8", Tensor::from<uint8_t>({2}, {200, 7})},
                                {"u16", Tensor::from<uint16_t>({1}, {65535})},
                                {"u32", Tensor::from<uint32_t>({1}, {4294967295U})},
                                {"u64", Tensor::from<uint64_t>({1}, {18446744073709551615U})},
                                {"b", Tensor::from<bool>({2}, {true, false})}};
    const std::string text =
        described(written(folder, record_of("x", 1, inputs, {}), {.device_code = kDeviceNpu}));
    const auto has = [&](const std::string& line) {
        EXPECT_NE(text.find("/x/1/input/" + line + "\n"), std::string::npos) << line << "\n"
                                                                             << text;
    };
    const auto codes = [](int data_type, int type = 0) {
        return " DeviceType=10 DataType=" + std::to_string(data_type) +
               " FormatType=0 Type=" + std::to_string(type) + " Stride=int64[1]";
    };
    has("f32 float32 (2,) [1.5,-2.0]" + codes(1));
    has("f64 float64 (1,) [0.1]" + codes(11));
    has("f16 float32 (1,) [65504.0]" + codes(10));
    has("bf16 float32 (1,) [3.0]" + codes(1) + " StoredFrom=bfloat16");
    has("i8 int8 (1,) [-3]" + codes(3));
    has("i16 int16 (1,) [-300]" + codes(5));
    has("i32 int32 (1,) [70000]" + codes(6));
    has("i64 int64 (1,) [1099511627776]" + codes(7));
    has("u8 int8 (2,) [-56,7]" + codes(2));
    has("u16 uint16 (1,) [65535]" + codes(-1, 101));
    has("u32 uint32 (1,) [4294967295]" + codes(-1, 101));
    has("u64 uint64 (1,) [18446744073709551615]" + codes(-1, 101));
    has("b int8 (2,) [1,0]" + codes(9));
}

TEST(DumpWriter, writes_other_values_with_their_codes) {
    const TempDir folder;
    const NamedValues inputs = {{"none", std::monostate{}},
                                {"text", std::string("mean")},
                                {"i", int64_t{-7}},
                                {"f", 0.5},
                                {"t", true},
                                {"si", Scalar{int64_t{3}}},
                                {"sf", Scalar{2.5}},
                                {"sb", Scalar{false}},
                                {"ints", IntList{1, -2}},
                                {"no_ints", IntList{}},
                                {"dtype", DType::kFloat16},
                                {"odd_dtype", DType::kBFloat16},
                                {"mask", BoolMask{{true, false, true}}}};
    EXPECT_EQ(described(written(folder, record_of("x", 1, inputs, {}))),
              "/x/1/input/dtype int32 () 10 Type=14\n"
              "/x/1/input/f float64 () 0.5 Type=5\n"
              "/x/1/input/i int64 () -7 Type=3\n"
              "/x/1/input/ints int64 (2,) [1,-2] Type=16\n"
              "/x/1/input/mask int8 (3,) [1,0,1] Type=102\n"
              "/x/1/input/no_ints int64 (0,) [] Type=16\n"
              "/x/1/input/odd_dtype int32 () -1 Type=14\n"
              "/x/1/input/sb int8 () 0 Type=7\n"
              "/x/1/input/sf float64 () 2.5 Type=7\n"
              "/x/1/input/si int64 () 3 Type=7\n"
              "/x/1/input/t int8 () 1 Type=4\n");
}

TEST(DumpWriter, numbers_list_elements_and_leaves_nothing_for_an_empty_list) {
    const TempDir folder;
    const Tensor a = Tensor::from<float>({1, 2}, {1, 2});
    const Tensor b = Tensor::scalar(3.0F);
    const NamedValues inputs = {{"tensors", TensorList{a, b}}, {"empty", TensorList{}}};
    EXPECT_EQ(described(written(folder, record_of("cat", 4, inputs, {}))),
              "/cat/4/input/tensors/tensors_0 float32 (1,2) [[1.0,2.0]] DeviceType=0 DataType=1 "
              "FormatType=0 Type=0 Stride=int64[2,1]\n"
              "/cat/4/input/tensors/tensors_1 float32 () 3.0 DeviceType=0 DataType=1 FormatType=0 "
              "Type=0 Stride=int64[]\n");
}

TEST(DumpWriter, marks_the_compute_type_of_float_outputs_only_and_keeps_the_facts) {
    const TempDir folder;
    OpRecord record = record_of(
        "relu",
        1,
        {{"self", Tensor::from<float>({1}, {1})}},
        {{"result", Tensor::from<float>({1}, {2})}, {"indices", Tensor::from<int64_t>({1}, {0})}});
    record.compute_type = ComputeType::kFloat16;
    record.facts.source.node = "Relu_0";
    EXPECT_EQ(described(written(folder, record)),
              "/relu/1/input/self float32 (1,) [1.0] DeviceType=0 DataType=1 FormatType=0 Type=0 "
              "Stride=int64[1]\n"
              "/relu/1/npuscope string () {\"node\":\"Relu_0\"} Type=100\n"
              "/relu/1/output/indices int64 (1,) [0] DeviceType=0 DataType=7 FormatType=0 Type=0 "
              "Stride=int64[1]\n"
              "/relu/1/output/result float32 (1,) [2.0] DeviceType=0 DataType=1 FormatType=0 "
              "Type=0 Stride=int64[1] ComputeType=float16\n");
}

TEST(DumpWriter, stores_halves_natively_on_demand) {
    const TempDir folder;
    const NamedValues outputs = {{"r", Tensor::from<Float16>({1}, {{0x3c01}})}};
    const auto path = written(folder, record_of("x", 1, {}, outputs), {.half_as_float32 = false});
    EXPECT_EQ(described(path),
              "/x/1/output/r float16 (1,) [1.0009765625] DeviceType=0 DataType=10 FormatType=0 "
              "Type=0 Stride=int64[1]\n");
    const Reader reader(path);
    EXPECT_EQ(reader.read(reader.ops()[0].entries[0]).as<Float16>()[0].bits, 0x3c01);
}

TEST(DumpWriter, links_tensors_that_are_equal_in_all_and_no_others) {
    const TempDir folder;
    const auto path = folder / "dump.h5";
    const Tensor ones = Tensor::from<float>({4}, {1, 1, 1, 1});
    Writer writer(path, {});
    OpRecord record = record_of("x", 1, {{"a", ones}, {"b", Tensor::copy_of(ones.view())}}, {});
    record.inputs.push_back({"shape", ones.reshaped({2, 2})});
    record.inputs.push_back({"dtype", ones.cast(DType::kFloat16)});
    record.inputs.push_back({"value", Tensor::from<float>({4}, {1, 1, 1, -1})});
    record.outputs = {{"same", ones}};
    writer.write(record);
    OpRecord computed = record_of("x", 2, {}, {{"r", ones}});
    computed.compute_type = ComputeType::kFloat16;
    writer.write(computed);
    writer.close();
    const auto shown = test::run_python(R"py(
import sys, h5py
with h5py.File(sys.argv[1]) as f:
    a = f['x/1/input/a']
    print([n for n in ('x/1/input/b', 'x/1/input/shape', 'x/1/input/dtype', 'x/1/input/value',
                       'x/1/output/same', 'x/2/output/r') if f[n] == a])
)py",
                                        {path.string()});
    EXPECT_EQ(shown.out, "['x/1/input/b', 'x/1/output/same']\n") << shown.err;
}

TEST(DumpWriter, a_repeated_weight_takes_its_place_once) {
    const TempDir folder;
    const Tensor weight = Tensor::from<float>({65536}, std::vector<float>(65536, 0.5F));
    Writer writer(folder / "dump.h5", {});
    for (int64_t i = 1; i <= 20; ++i)
        writer.write(record_of("mm", i, {{"weight", Tensor::copy_of(weight.view())}}, {}));
    writer.close();
    EXPECT_LT(std::filesystem::file_size(folder / "dump.h5"), 2 * weight.nbytes());
}

/// Large tensors are told apart and linked as small ones are, whatever part of them differs.
TEST(DumpWriter, links_large_tensors_that_are_equal_and_no_others) {
    const TempDir folder;
    for (const size_t elements : {size_t{20000}, size_t{700001}}) {
        const auto path = folder / (std::to_string(elements) + ".h5");
        std::vector<float> values(elements, 0.25F);
        Writer writer(path, {});
        int64_t seqid = 0;
        const auto write = [&] {
            const Tensor tensor = Tensor::from<float>({static_cast<int64_t>(elements)},
                                                      std::span<const float>(values));
            writer.write(record_of("x", ++seqid, {}, {{"r", tensor}}));
        };
        write();
        write();
        for (size_t place = 7; place < elements; place += elements / 5) {
            values[place] += 1;
            write();  // 3, 5, 7, 9, 11
            write();
        }
        values.assign(elements, 0.25F);
        write();
        writer.close();
        const Reader reader(path);
        std::vector<uint64_t> offsets;
        for (const OpEntry& op : reader.ops())
            offsets.push_back(*op.entries.at(0).stored.offset);
        ASSERT_EQ(offsets.size(), 13U);
        for (size_t i = 0; i < 12; i += 2) {
            EXPECT_EQ(offsets[i], offsets[i + 1]) << i;
            for (size_t k = i + 2; k < 12; ++k)
                EXPECT_NE(offsets[i], offsets[k]) << i << " " << k;
        }
        EXPECT_EQ(offsets[0], offsets[12]);
    }
}

/// What a commit leaves behind is tables that the next one replaced.
TEST(DumpWriter, a_commit_after_each_op_wastes_less_than_two_percent) {
    const TempDir folder;
    std::vector<float> values(8192);
    const auto size_of_dump = [&](const char* name, std::chrono::milliseconds interval) {
        Writer writer(folder / name, {.commit_interval = interval});
        for (int64_t seqid = 1; seqid <= 600; ++seqid) {
            NamedValues tensors;
            for (const char* argument : {"self", "weight", "bias"}) {
                values[0] += 1;
                tensors.push_back(
                    {argument, Tensor::from<float>({8192}, std::span<const float>(values))});
            }
            writer.write(
                record_of("op" + std::to_string(seqid % 20), seqid, tensors, {tensors[0]}));
        }
        writer.close();
        return static_cast<double>(std::filesystem::file_size(folder / name));
    };
    const double once = size_of_dump("once.h5", std::chrono::hours(1));
    EXPECT_LT(size_of_dump("each.h5", std::chrono::milliseconds(0)), 1.02 * once);
    EXPECT_LT(once, 1.02 * 600 * 3 * 4 * 8192);
}

TEST(DumpWriter, h5dump_reads_the_file_without_a_complaint) {
    const TempDir folder;
    const NamedValues values = {{"none", Tensor(DType::kFloat32, {0, 3})},
                                {"a/b", Tensor::scalar(1.0F)},
                                {"ints", IntList{}}};
    const auto path = written(folder, record_of("odd/op name", 3, values, values));
    const auto dumped = test::run({"h5dump", path.string()});
    EXPECT_EQ(dumped.exit_code, 0);
    EXPECT_EQ((dumped.out + dumped.err).find("HDF5-DIAG"), std::string::npos);
    EXPECT_NE(dumped.out.find("GROUP \"odd_op name\""), std::string::npos);
    EXPECT_NE(dumped.out.find("DATASET \"a_b\""), std::string::npos);
}

TEST(DumpWriter, writes_the_facts_of_the_run_and_whether_it_is_complete) {
    const TempDir folder;
    const auto path = folder / "dump.h5";
    Writer writer(path, {.run_facts = {{"Chip", "910A"}, {"Long", std::string(200000, 'x')}}});
    writer.write(record_of("x", 1, {}, {{"r", Tensor::scalar(1.0F)}}));
    writer.close(false, "cut");
    const Reader reader(path);
    EXPECT_EQ(reader.run_fact("FormatVersion"), "1.0");
    EXPECT_EQ(reader.run_fact("Chip"), "910A");
    EXPECT_EQ(reader.run_fact("Complete"), "no");
    EXPECT_EQ(reader.run_fact("Note"), "cut");
    EXPECT_EQ(reader.run_fact("Long").size(), 60000U + 6);
}

TEST(DumpWriter, the_file_appears_at_close_only_and_not_without_ops) {
    const TempDir folder;
    const auto path = folder / "dump.h5";
    {
        Writer writer(path, {});
        writer.write(record_of("x", 1, {}, {{"r", Tensor::scalar(1.0F)}}));
        EXPECT_FALSE(std::filesystem::exists(path));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    Writer nothing(path, {});
    EXPECT_EQ(nothing.size(), 0U);
    nothing.close();
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DumpWriter, rejects_a_run_written_twice_and_then_everything_else) {
    const TempDir folder;
    Writer writer(folder / "dump.h5", {});
    const OpRecord record = record_of("x", 1, {}, {{"r", Tensor::scalar(1.0F)}});
    writer.write(record);
    EXPECT_THROW(writer.write(record), Error);
    EXPECT_THROW(writer.write(record_of("y", 2, {}, {})), Error);
    EXPECT_THROW(writer.close(), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "dump.h5"));
    EXPECT_EQ(Reader(folder / "dump.h5.part.h5").ops().size(), 1U);
}

TEST(DumpWriter, rejects_use_after_close) {
    const TempDir folder;
    Writer writer(folder / "dump.h5", {});
    writer.close();
    EXPECT_THROW(writer.write(record_of("x", 1, {}, {})), Error);
    EXPECT_THROW(writer.close(), Error);
}

}  // namespace
}  // namespace npuscope::dumpfile
