// Headers against protoc, which knows the format from dump_data.proto.
#include "core/cann_dump/header.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"
#include "tests/support/values.h"

namespace npuscope::cann_dump {
namespace {

using test::bytes_of;

/// protoc --encode or --decode through files, since the tests run programs without a shell.
std::string protoc(const std::string& mode, const std::string& input) {
    const test::TempDir folder;
    test::write_file(folder / "in", input);
    const auto result = test::run_python(
        "import subprocess, sys\n"
        "mode, folder, source = sys.argv[1:]\n"
        "with open(source, 'rb') as f:\n"
        "    sys.exit(subprocess.run(['protoc', '--proto_path=' + folder,\n"
        "        mode + '=toolkit.dumpdata.DumpData', 'dump_data.proto'], stdin=f).returncode)\n",
        {mode, (test::source_dir() / "tests/core/cann_dump").string(), (folder / "in").string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
}

constexpr const char* kText = R"(version: "1.0"
dump_time: 1700000000000001
output {
  data_type: 2
  format: 3
  shape {
    dim: 2
    dim: 1
    dim: 4
    dim: 4
    dim: 16
  }
  original_op {
    name: "conv1"
    output_index: 1
    data_type: 1
    format: 1
  }
  size: 5
  original_shape {
    dim: 2
    dim: 5
    dim: 4
    dim: 300
  }
  sub_format: 2
  address: 18446744073709551615
  dim_range {
    dim_start: 3
    dim_end: 9
  }
  dim_range {
  }
  offset: 7
  arg_index: 8
}
output {
  shape {
  }
}
input {
  data_type: 1
  format: 2
  shape {
    dim: 0
    dim: 3
  }
  size: 2
  sub_format: -1
  address: 12
  offset: 13
  arg_index: 14
  input_type: 15
}
buffer {
  buffer_type: 1
  size: 3
}
op_name: "scope/conv1"
attr {
  name: "ffts"
  value: "{\"threadMode\": 1}"
}
space {
  size: 1
}
dfx_message: "none"
)";

DumpFile example() {
    static const std::string payload = "abcde";
    const auto bytes = [](size_t count) { return bytes_of(payload).first(count); };
    DumpFile dump;
    dump.version = "1.0";
    dump.dump_time = 1700000000000001;
    dump.op_name = "scope/conv1";
    DumpTensor output;
    output.data_type = 2;
    output.format = 3;
    output.shape = {2, 1, 4, 4, 16};
    output.original_name = "conv1";
    output.original_output_index = 1;
    output.original_data_type = 1;
    output.original_format = 1;
    output.bytes = bytes(5);
    output.original_shape = {2, 5, 4, 300};
    output.sub_format = 2;
    output.address = ~uint64_t{0};
    output.dim_ranges = {{3, 9}, {0, 0}};
    output.offset = 7;
    output.arg_index = 8;
    dump.outputs.push_back(output);
    dump.outputs.emplace_back().shape.emplace();
    DumpTensor input;
    input.data_type = 1;
    input.format = 2;
    input.shape = {0, 3};
    input.bytes = bytes(2);
    input.sub_format = -1;
    input.address = 12;
    input.offset = 13;
    input.arg_index = 14;
    input.input_type = 15;
    dump.inputs.push_back(input);
    dump.buffers.push_back({.type = 1, .bytes = bytes(3)});
    dump.attributes.push_back({"ffts", R"({"threadMode": 1})"});
    dump.spaces.push_back({.bytes = bytes(1)});
    dump.dfx_message = "none";
    return dump;
}

TEST(Header, is_written_as_protoc_reads_it) {
    EXPECT_EQ(protoc("--decode", format_header(example())), kText);
}

TEST(Header, is_read_as_protoc_writes_it) {
    const std::string message = protoc("--encode", kText);
    const DumpFile dump = parse_header(bytes_of(message));
    ASSERT_EQ(dump.outputs.size(), 2u);
    const DumpTensor& output = dump.outputs[0];
    EXPECT_EQ(dump.version, "1.0");
    EXPECT_EQ(dump.dump_time, 1700000000000001u);
    EXPECT_EQ(dump.op_name, "scope/conv1");
    EXPECT_EQ(output.shape, (std::vector<int64_t>{2, 1, 4, 4, 16}));
    EXPECT_EQ(output.original_shape, (std::vector<int64_t>{2, 5, 4, 300}));
    EXPECT_EQ(output.original_name, "conv1");
    EXPECT_EQ(output.original_format, 1);
    EXPECT_EQ(output.size, 5u);
    EXPECT_EQ(output.address, ~uint64_t{0});
    ASSERT_EQ(output.dim_ranges.size(), 2u);
    EXPECT_EQ(output.dim_ranges[0].end, 9u);
    EXPECT_TRUE(dump.outputs[1].shape.has_value());
    EXPECT_TRUE(dump.outputs[1].shape->empty());
    EXPECT_FALSE(dump.outputs[1].original_shape.has_value());
    ASSERT_EQ(dump.inputs.size(), 1u);
    EXPECT_EQ(dump.inputs[0].sub_format, -1);
    EXPECT_EQ(dump.inputs[0].input_type, 15u);
    EXPECT_EQ(dump.buffers.at(0).type, 1);
    EXPECT_EQ(dump.buffers.at(0).size, 3u);
    EXPECT_EQ(dump.spaces.at(0).size, 1u);
    EXPECT_EQ(dump.attributes.at(0).value, R"({"threadMode": 1})");
    EXPECT_EQ(dump.dfx_message, "none");
    EXPECT_FALSE(dump.is_nano);
}

TEST(Header, takes_dims_that_are_not_packed_and_skips_unknown_fields) {
    // output { shape { dim: 2 dim: 3 } } with a tag before each, then field 99 of every type.
    const std::string message(
        "\x1a\x06\x1a\x04\x08\x02\x08\x03"
        "\x98\x06\x05"
        "\x99\x06"
        "12345678"
        "\x9a\x06\x01x"
        "\x9d\x06"
        "1234",
        31);
    const DumpFile dump = parse_header(bytes_of(message));
    ASSERT_EQ(dump.outputs.size(), 1u);
    EXPECT_EQ(dump.outputs[0].shape, (std::vector<int64_t>{2, 3}));
}

TEST(Header, rejects_damage) {
    const auto rejected = [](const std::string& message) {
        try {
            static_cast<void>(parse_header(bytes_of(message)));
        } catch (const Error& problem) {
            return std::string(problem.what());
        }
        return std::string();
    };
    EXPECT_NE(rejected(std::string("\x1a\x05\x08\x01", 4)).find("longer than"), std::string::npos);
    EXPECT_NE(rejected("\x1a").find("cut short"), std::string::npos);
    EXPECT_NE(rejected(std::string(11, '\xff')).find("10 bytes"), std::string::npos);
    EXPECT_NE(rejected(std::string("\x03", 1)).find("no valid number"), std::string::npos);
    EXPECT_NE(rejected("\x0b").find("no valid type"), std::string::npos);
    // A length of 2^64 - 1.
    EXPECT_NE(rejected("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").find("longer than"),
              std::string::npos);
    // A dim of 2^64 - 1.
    EXPECT_NE(rejected("\x1a\x0f\x1a\x0d\x0a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01")
                  .find("a dimension is 18446744073709551615"),
              std::string::npos);
}

TEST(Header, rejects_more_tensors_and_dims_than_any_op_has) {
    std::string many;
    for (size_t i = 0; i <= kMostEntries; ++i)
        many += std::string("\x1a\x00", 2);
    EXPECT_THROW(static_cast<void>(parse_header(bytes_of(many))), Error);
    many.resize(many.size() - 2);
    EXPECT_EQ(parse_header(bytes_of(many)).outputs.size(), kMostEntries);
    const std::string dims = "\x1a\x45\x1a\x43\x0a\x41" + std::string(65, '\x01');
    EXPECT_THROW(static_cast<void>(parse_header(bytes_of(dims))), Error);
}

}  // namespace
}  // namespace npuscope::cann_dump
