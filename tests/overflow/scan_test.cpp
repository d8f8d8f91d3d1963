#include "overflow/scan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "overflow/scan_report.h"
#include "tests/support/support.h"

namespace npuscope::overflow {
namespace {

// A small writer of dumps in the original's layout, with h5py. A tensor is (values, numpy dtype,
// DataType); halves are stored as float32.
constexpr const char* kWriter = R"(
import sys, json
import h5py, numpy as np
inf, nan = np.inf, np.nan
CODES = {'float16': 10, 'float32': 1, 'float64': 11, 'int64': 7}
f = h5py.File(sys.argv[1], 'w')

def tensor(group, name, values, dtype, compute=None, shape=None, **how):
    array = np.array(values, dtype=dtype)
    if shape is not None: array = array.reshape(shape)
    stored = array.astype('float32') if dtype == 'float16' else array
    d = group.create_dataset(name, data=stored, **how)
    d.attrs.create('DeviceType', 10, dtype='i4')
    d.attrs.create('DataType', CODES[dtype], dtype='i4')
    d.attrs.create('FormatType', 2, dtype='i4')
    d.attrs.create('Type', 0, dtype='i4')
    if compute: d.attrs['ComputeType'] = compute

def scalar(group, name, value):
    d = group.create_dataset(name, data=np.float64(value))
    d.attrs.create('Type', 7, dtype='i4')

def op(name, seqid, inputs, outputs, facts=None, dtype='float16', **how):
    g = f.create_group(f'{name}/{seqid}')
    for where, values in (('input', inputs), ('output', outputs)):
        for key, value in (values or {}).items():
            h = g.require_group(where)
            if isinstance(value, float): scalar(h, key, value)
            else: tensor(h, key, value, dtype, **how)
    if facts is not None:
        d = g.create_dataset('npuscope', data=json.dumps(facts), dtype=h5py.string_dtype('utf-8', 512))
        d.attrs.create('Type', 100, dtype='i4')

def status(overflow, bits=None, node='', kernels=()):
    bits = (32 if overflow else 0) if bits is None else bits
    return {'node': node, 'kernels': list(kernels), 'status': {'bits': bits, 'overflow': overflow}}
)";

class ScanDump : public ::testing::Test {
  protected:
    ScanReport scan(const std::string& ops, const ScanOptions& options = {}) {
        const test::RunResult written = test::run_python(kWriter + ops + "\nf.close()", {path()});
        EXPECT_EQ(written.exit_code, 0) << written.err;
        return scan_dump(path(), options);
    }
    [[nodiscard]] std::string path() const { return (folder_ / "dump.h5").string(); }

  private:
    test::TempDir folder_;
};

TEST_F(ScanDump, names_the_producer_and_follows_the_damage) {
    const ScanReport report = scan(R"(
op('relu', 1, {'self': [1, 2, 3, 4]}, {'result': [1, 2, 3, 4]})
op('mul_Tensor', 2, {'self': [1, 2, 3, 4], 'other': [9, 9, 9, 60000]}, {'result': [9, 18, 27, inf]})
op('neg', 3, {'self': [9, 18, 27, inf]}, {'result': [-9, -18, -27, -inf]})
op('exp', 4, {'self': [-9, -18, -27, -inf]}, {'result': [0.1, 0.2, 0.3, 0]})
)");
    ASSERT_EQ(report.damaged.size(), 2U);
    EXPECT_TRUE(report.found());
    EXPECT_EQ(report.first(), &report.damaged[0]);
    const ScannedOp& producer = report.damaged[0];
    EXPECT_EQ(producer.record.path(), "/mul_Tensor/2");
    EXPECT_EQ(producer.record.kind, OverflowKind::kIntroduced);
    EXPECT_FALSE(producer.by_status);
    ASSERT_EQ(producer.tensors.size(), 1U);
    EXPECT_EQ(producer.tensors[0].path, "output/result");
    EXPECT_EQ(producer.tensors[0].dtype, DType::kFloat16);
    EXPECT_EQ(producer.tensors[0].subject.census.inf, 1);
    const ScannedOp& receiver = report.damaged[1];
    EXPECT_EQ(receiver.record.path(), "/neg/3");
    EXPECT_EQ(receiver.record.kind, OverflowKind::kReceived);
    EXPECT_EQ(receiver.record.via, "self");
    EXPECT_EQ(receiver.record.from, "/mul_Tensor/2");
    EXPECT_EQ(receiver.record.origin, "/mul_Tensor/2");
    EXPECT_EQ(report.ops, 4);
    EXPECT_EQ(report.tensors, 9);
}

TEST_F(ScanDump, finds_the_producer_of_a_transposed_or_widened_tensor) {
    const ScanReport report = scan(R"(
op('mm', 1, {'self': [1, 2, 3, 4]}, {'result': [[1, inf, 3], [4, 5, nan]]})
op('relu', 2, {'self': [[1, 4], [inf, 5], [3, nan]]}, {'result': [inf]})
op('neg', 3, {'self': [1, inf, 3, 4, 5, nan]}, {'result': [nan]}, dtype='float32')
)");
    ASSERT_EQ(report.damaged.size(), 3U);
    EXPECT_EQ(report.damaged[1].record.from, "/mm/1");
    EXPECT_EQ(report.damaged[2].record.from, "/mm/1");
}

TEST_F(ScanDump, seqid_orders_the_ops_not_their_names) {
    const ScanReport report = scan(R"(
op('zeta', 2, {'self': [1]}, {'result': [inf]})
op('alpha', 10, {'self': [inf]}, {'result': [inf]})
)");
    ASSERT_EQ(report.damaged.size(), 2U);
    EXPECT_EQ(report.damaged[0].record.path(), "/zeta/2");
    EXPECT_EQ(report.damaged[1].record.from, "/zeta/2");
}

TEST_F(ScanDump, by_values_a_half_at_65504_is_saturated) {
    const ScanReport report = scan(R"(
op('mul_Tensor', 1, {'self': [1, 300]}, {'result': [1, -65504]})
op('relu', 2, {'self': [1, -65504]}, {'result': [1, 0]})
)");
    ASSERT_EQ(report.damaged.size(), 1U);
    EXPECT_EQ(report.damaged[0].record.kind, OverflowKind::kIntroduced);
    EXPECT_EQ(report.damaged[0].tensors[0].findings[0].detector->name, "saturated");
}

TEST_F(ScanDump, by_status_an_exact_65504_is_no_finding) {
    const ScanReport report = scan(R"(
op('add_Tensor', 1, {'self': [32752]}, {'result': [65504]}, status(False))
op('relu', 2, {'self': [65504]}, {'result': [65504]}, status(False))
)");
    EXPECT_TRUE(report.damaged.empty());
    EXPECT_FALSE(report.found());
    EXPECT_EQ(report.ops_with_status, 2);
}

TEST_F(ScanDump, by_status_an_overflow_behind_finite_outputs_counts_and_is_followed) {
    const ScanReport report = scan(R"(
op('norm', 1, {'self': [300, 200, 1, 2]}, {'result': [255.875, 1, 2, 3]}, status(True, 1024, 'n1', ['Square', 'Sqrt']))
op('relu', 2, {'self': [255.875, 1, 2, 3]}, {'result': [255.875, 1, 2, 3]}, status(False))
op('mul_Tensor', 3, {'self': [255.875, 1, 2, 3]}, {'result': [inf, 1, 2, 3]}, status(True))
op('exp', 4, {'self': [11, 11, 11, 12]}, {'result': [59904, 59904, 59904, inf]}, status(True))
)");
    ASSERT_EQ(report.damaged.size(), 3U);
    const OverflowRecord& first = report.damaged[0].record;
    EXPECT_EQ(first.kind, OverflowKind::kIntroduced);
    EXPECT_EQ(first.source.node, "n1");
    EXPECT_EQ(first.kernels, (std::vector<std::string>{"Square", "Sqrt"}));
    EXPECT_EQ(first.status.bits, FloatStatus::kCubeOverflow);
    const OverflowRecord& again = report.damaged[1].record;
    EXPECT_EQ(again.kind, OverflowKind::kReceived);
    EXPECT_TRUE(again.also_raised());
    EXPECT_EQ(again.evidence, Evidence::kDataFlow);
    EXPECT_EQ(again.origin, "/norm/1");
    EXPECT_EQ(report.damaged[2].record.kind, OverflowKind::kIntroduced);
}

TEST_F(ScanDump, by_status_inf_without_overflow_is_told_apart) {
    const ScanReport report = scan(R"(
op('reciprocal', 1, {'self': [0.0, 1]}, {'result': [inf, 1]}, status(False))
op('neg', 2, {'self': [inf, 1]}, {'result': [-inf, -1]}, status(False))
)");
    ASSERT_EQ(report.damaged.size(), 2U);
    EXPECT_EQ(report.damaged[0].record.kind, OverflowKind::kNonFiniteWithoutOverflow);
    EXPECT_EQ(report.damaged[1].record.kind, OverflowKind::kReceived);
    EXPECT_TRUE(report.found());
}

TEST_F(ScanDump, inf_of_a_models_input_or_of_an_argument_is_no_finding) {
    const ScanReport report = scan(R"(
op('masked_fill_Scalar', 1, {'self': [1, 2], 'value': -inf}, {'result': [1, -inf]})
op('add_Tensor', 2, {'self': [1, -inf], 'other': [1, 1]}, {'result': [2, -inf]})
op('_softmax', 3, {'self': [2, -inf]}, {'result': [1, 0]})
)");
    ASSERT_EQ(report.damaged.size(), 2U);
    EXPECT_EQ(report.damaged[0].record.kind, OverflowKind::kInheritedFromInput);
    EXPECT_EQ(report.damaged[0].record.via, "value");
    EXPECT_EQ(report.damaged[1].record.kind, OverflowKind::kInheritedFromInput);
    EXPECT_EQ(report.damaged[1].record.from, "/masked_fill_Scalar/1");
    EXPECT_FALSE(report.found());
}

// An NVIDIA H100 fills it up with infinity beyond the last token.
TEST_F(ScanDump, inf_in_what_a_kernel_keeps_for_its_gradient_is_no_finding) {
    const std::string attention = R"(
op('_scaled_dot_product_efficient_attention', 1, {'query': [1, 2]},
   {'output': [1, OUTPUT], 'log_sumexp': [1, inf]}, dtype='float32')
op('_scaled_dot_product_efficient_attention_backward', 2, {'logsumexp': [1, inf]},
   {'result0': [1, 2]}, dtype='float32')
)";
    EXPECT_TRUE(scan("OUTPUT = 2" + attention).damaged.empty());
    const ScanReport report = scan("OUTPUT = inf" + attention);
    ASSERT_EQ(report.damaged.size(), 1U);
    EXPECT_EQ(report.damaged[0].tensors.size(), 1U);
}

TEST_F(ScanDump, nan_that_reaches_outputs_is_a_finding_wherever_it_came_from) {
    const ScanReport report = scan(R"(
op('relu', 1, {'self': [1, nan]}, {'result': [1, nan]})
)");
    ASSERT_EQ(report.damaged.size(), 1U);
    EXPECT_EQ(report.damaged[0].record.kind, OverflowKind::kInheritedFromInput);
    EXPECT_TRUE(report.found());
}

TEST_F(ScanDump, without_inputs_the_origin_is_undetermined) {
    const ScanReport report = scan(R"(
op('relu', 1, None, {'result': [1, 2]})
op('mul_Tensor', 2, None, {'result': [1, inf]})
)");
    ASSERT_EQ(report.damaged.size(), 1U);
    EXPECT_EQ(report.damaged[0].record.kind, OverflowKind::kUndetermined);
    EXPECT_FALSE(report.has_inputs);
    EXPECT_TRUE(report.found());
}

TEST_F(ScanDump, float32_computed_in_float16_has_the_limits_of_float16) {
    const ScanReport report = scan(R"(
op('mm', 1, {'self': [1, 2]}, {'result': [1, 65504]}, dtype='float32', compute='float16')
op('mm', 2, {'self': [1, 2]}, {'result': [1, 40000]}, dtype='float32', compute='float16')
op('mm', 3, {'self': [1, 2]}, {'result': [1, 65504]}, dtype='float32')
)");
    ASSERT_EQ(report.damaged.size(), 1U);
    EXPECT_EQ(report.damaged[0].record.path(), "/mm/1");
    ASSERT_EQ(report.remarks.size(), 1U);
    EXPECT_EQ(report.remarks[0].record.path(), "/mm/2");
    EXPECT_EQ(report.remarks[0].tensors[0].findings[0].detector->name, "headroom");
}

TEST_F(ScanDump, remarks_on_latent_overflow_subnormals_and_zeros_are_no_finding) {
    const ScanReport report = scan(R"(
op('a', 1, {'self': [1.0]}, {'result': [20000]})
op('b', 2, {'self': [1.0]}, {'result': [1e-7]})
op('c', 3, {'self': [1.0]}, {'result': [0, 0]})
op('d', 4, {'self': [1.0]}, {'result': [9000]})
)",
                                   {.latent_binades = 3});
    EXPECT_FALSE(report.found());
    ASSERT_EQ(report.remarks.size(), 4U);
    EXPECT_NEAR(report.remarks[0].tensors[0].findings[0].value, 1.7116, 1e-4);
    EXPECT_EQ(report.remarks[1].tensors[0].findings[0].detector->name, "subnormal");
    EXPECT_EQ(report.remarks[2].tensors[0].findings[0].detector->name, "all_zero");
}

TEST_F(ScanDump, reads_chunked_compressed_big_endian_and_native_half_data) {
    const ScanReport report = scan(R"(
op('a', 1, {'self': [1.0]}, {'result': [1, inf]}, chunks=(1,), compression='gzip')
g = f.create_group('b/2/output')
d = g.create_dataset('result', data=np.array([1, nan], dtype='>f4'))
d.attrs.create('Type', 0, dtype='i4'); d.attrs.create('DataType', 1, dtype='i4')
d = g.create_dataset('native', data=np.array([65504, 1], dtype='<f2'))
d.attrs.create('Type', 0, dtype='i4'); d.attrs.create('DataType', 10, dtype='i4')
d = g.create_dataset('empty', data=np.zeros((0, 3), dtype='<f4'))
d.attrs.create('Type', 0, dtype='i4'); d.attrs.create('DataType', 1, dtype='i4')
)");
    ASSERT_EQ(report.damaged.size(), 2U);
    EXPECT_EQ(report.damaged[0].tensors[0].subject.census.inf, 1);
    ASSERT_EQ(report.damaged[1].tensors.size(), 2U);
    EXPECT_EQ(report.damaged[1].tensors[0].subject.census.at_limit, 1);
    EXPECT_EQ(report.damaged[1].tensors[1].subject.census.nan, 1);
}

TEST_F(ScanDump, facts_of_another_shape_are_no_status) {
    const ScanReport report = scan(R"(
op('a', 1, {'self': [1.0]}, {'result': [inf]}, {'status': 'fine'})
op('b', 2, {'self': [1.0]}, {'result': [inf]}, [1, 2])
)");
    EXPECT_EQ(report.ops_with_status, 0);
    EXPECT_EQ(report.damaged.size(), 2U);
}

TEST_F(ScanDump, tells_progress_by_op) {
    std::vector<std::string> seen;
    ScanOptions options;
    options.on_op = [&](int64_t done, int64_t total, const std::string& op) {
        seen.push_back(std::to_string(done) + "/" + std::to_string(total) + " " + op);
    };
    scan("op('a', 1, None, {'result': [1.0]})\nop('b', 2, None, {'result': [1.0]})", options);
    EXPECT_EQ(seen, (std::vector<std::string>{"1/2 /a/1", "2/2 /b/2"}));
}

TEST_F(ScanDump, ends_with_an_error_when_the_file_is_cut_short_meanwhile) {
    ScanOptions options;
    options.on_op = [&](int64_t done, int64_t, const std::string&) {
        if (done == 1) std::filesystem::resize_file(path(), 1 << 16);
    };
    try {
        scan(R"(
op('a', 1, None, {'result': np.ones(1 << 20)})
op('b', 2, None, {'result': np.ones(1 << 20)})
)",
             options);
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kIo));
        EXPECT_NE(std::string(error.what()).find("was cut short while it was read"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(ScanDump, leaves_out_a_tensor_whose_bytes_wrap_64_bits) {
    // 2^61 + 13 numbers of 8 bytes are 13 of them in arithmetic of 64 bits.
    const ScanReport report = scan(R"(
op('a', 1, None, {'result': range(13)}, dtype='float64')
op('b', 2, None, {'result': [1.0, 2.0]})
f.close()
image = bytearray(open(sys.argv[1], 'rb').read())
at = image.index((13).to_bytes(8, 'little') * 2)  # the shape, then the largest shape
image[at + 7] = image[at + 15] = 0x20
open(sys.argv[1], 'wb').write(image)
)");
    EXPECT_EQ(report.tensors, 1);
    EXPECT_EQ(report.unreadable, 1);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_NE(report.warnings[0].find("/a/1/output/result"), std::string::npos)
        << report.warnings[0];
}

TEST(ScanDumpFile, rejects_what_is_no_dump) {
    const test::TempDir folder;
    test::write_file(folder / "text.h5", "no HDF5");
    EXPECT_THROW(static_cast<void>(scan_dump(folder / "text.h5")), Error);
    EXPECT_THROW(static_cast<void>(scan_dump(folder / "missing.h5")), Error);
}

TEST_F(ScanDump, the_text_tells_where_it_began_and_how_it_was_judged) {
    ScanReport report = scan(R"(
op('relu', 1, {'self': [1, 2]}, {'result': [1, 2]})
op('mul_Tensor', 2, {'self': [1, 2]}, {'result': [inf, 65504]})
op('neg', 3, {'self': [inf, 65504]}, {'result': [-inf, -65504]})
op('mean', 4, {'self': [1, 2]}, {'result': [30000, 0]})
)");
    report.dump = "dump.h5";
    EXPECT_EQ(to_text(report),
              "dump.h5: 4 ops, 8 floating-point tensors, 0.1 kB scanned\n"
              "Judged by values, since the dump has no float status: an exact 65504 cannot be\n"
              "  told from saturation there, nor 1/0 from overflow.\n"
              "First: /mul_Tensor/2\n"
              "Flow: 1 birth\n"
              "  /mul_Tensor/2 born\n"
              "    carried by 1 op: /neg/3\n"
              "    still there in results that no recorded op reads: /neg/3\n"
              "Damaged: 2 ops\n"
              "  /mul_Tensor/2\n"
              "    its recorded inputs are clean: it began here\n"
              "    output/result float16 [2]: 1 inf, 1 saturated\n"
              "  /neg/3\n"
              "    received: input 'self' with inf or nan from /mul_Tensor/2\n"
              "    output/result float16 [2]: 1 inf, 1 saturated\n"
              "    input/self float16 [2]: 1 inf, 1 saturated\n"
              "Latent overflow (within 2 binades of the largest finite value): 1 tensor\n"
              "  /mean/4 output/result float16 [2]: headroom 1.13 binades\n");
}

TEST_F(ScanDump, the_json_is_one_object) {
    ScanReport report =
        scan("op('exp', 1, {'self': [12.0]}, {'result': [inf]}, status(True, 32, 'e', ['Exp']))");
    report.dump = "dump.h5";
    EXPECT_EQ(to_json(report), R"({
  "version": 1,
  "dump": "dump.h5",
  "ops": 1,
  "ops_with_status": 1,
  "tensors": 2,
  "by_statistics": 0,
  "complete": true,
  "has_inputs": true,
  "latent_binades": 2.0,
  "unreadable": 0,
  "found": true,
  "first": "/exp/1",
  "overflow": [
    {
      "path": "/exp/1",
      "node": "e",
      "kind": "introduced",
      "also_raised": false,
      "judged_by": "status",
      "via": null,
      "evidence": "none",
      "from": null,
      "origin": null,
      "kernels": [
        "Exp"
      ],
      "bits": 32,
      "tensors": [
        {
          "tensor": "output/result",
          "dtype": "float16",
          "shape": [
            1
          ],
          "max_finite": 0.0,
          "counted": true,
          "detectors": {
            "inf": 1.0,
            "nan": 0.0,
            "saturated": 0.0,
            "subnormal": 0.0,
            "all_zero": 0.0
          }
        }
      ]
    }
  ],
  "flows": [
    {
      "birth": "/exp/1",
      "node": "e",
      "kind": "introduced",
      "non_finite": true,
      "saturated": false,
      "silent": false,
      "carried_count": 0,
      "carried": [],
      "killed_count": 0,
      "killed": [],
      "unread_count": 1,
      "unread": [
        "/exp/1"
      ]
    }
  ],
  "latent": [],
  "subnormal": [],
  "all_zero": [],
  "notes": [],
  "warnings": []
}
)");
}

}  // namespace
}  // namespace npuscope::overflow
