// Dumps written by write_dump and by hand; damage at every place.
#include "core/cann_dump/reader.h"

#include <cstring>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gtest/gtest.h>

#include "core/cann_dump/header.h"
#include "core/cann_dump/writer.h"
#include "tests/support/mutator.h"
#include "tests/support/support.h"
#include "tests/support/values.h"

namespace npuscope::cann_dump {
namespace {

std::string le(uint64_t value, size_t nbytes) {
    std::string text;
    for (size_t i = 0; i < nbytes; ++i)
        text += static_cast<char>(value >> (8 * i) & 0xffu);
    return text;
}

using test::bytes_of;

std::string text_of(const Buffer<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const std::string kInput = "input!";
const std::string kOutput = "out";
const std::string kBuffer = "buf";
const std::string kSpace = "space";

DumpFile small_dump() {
    DumpFile dump;
    dump.op_name = "a/b";
    dump.inputs.emplace_back().bytes = bytes_of(kInput);
    dump.outputs.emplace_back().bytes = bytes_of(kOutput);
    dump.buffers.emplace_back().bytes = bytes_of(kBuffer);
    dump.spaces.emplace_back().bytes = bytes_of(kSpace);
    return dump;
}

std::string message_of(const std::filesystem::path& path) {
    try {
        static_cast<void>(read_dump(path));
    } catch (const Error& problem) {
        return problem.what();
    }
    return {};
}

TEST(Dump, is_laid_out_as_the_runtime_does) {
    const test::TempDir folder;
    write_dump(folder / "d", small_dump());
    const std::string header = format_header(small_dump());
    EXPECT_EQ(test::read_file(folder / "d"),
              le(header.size(), 8) + header + "input!" + "out" + "buf" + "space");
}

TEST(Dump, payloads_are_found) {
    const test::TempDir folder;
    write_dump(folder / "d", small_dump());
    const DumpReader reader(folder / "d");
    EXPECT_EQ(reader.file().op_name, "a/b");
    EXPECT_EQ(text_of(reader.read(reader.file().inputs.at(0))), "input!");
    EXPECT_EQ(text_of(reader.read(reader.file().outputs.at(0))), "out");
    std::string space(5, ' ');
    reader.read(reader.file().spaces.at(0).position, std::as_writable_bytes(std::span(space)));
    EXPECT_EQ(space, "space");
}

TEST(Dump, payloads_beyond_the_first_64_kilobytes_are_found) {
    const test::TempDir folder;
    std::string large(200000, '\0');
    for (size_t i = 0; i < large.size(); ++i)
        large[i] = static_cast<char>(i * 7 >> 3);
    DumpFile dump = small_dump();
    dump.inputs[0].bytes = bytes_of(large);
    write_dump(folder / "d", dump);
    const DumpReader reader(folder / "d");
    EXPECT_EQ(text_of(reader.read(reader.file().inputs.at(0))), large);
    EXPECT_EQ(text_of(reader.read(reader.file().outputs.at(0))), "out");
}

TEST(Dump, headers_beyond_the_first_64_kilobytes_are_read) {
    const test::TempDir folder;
    DumpFile dump = small_dump();
    dump.attributes.push_back({"slices", std::string(100000, 's')});
    write_dump(folder / "d", dump);
    const DumpReader reader(folder / "d");
    EXPECT_EQ(reader.file().attributes.at(0).value.size(), 100000u);
    EXPECT_EQ(text_of(reader.read(reader.file().outputs.at(0))), "out");
}

TEST(Dump, trailing_bytes_are_ignored) {
    const test::TempDir folder;
    write_dump(folder / "d", small_dump());
    test::write_file(folder / "d", test::read_file(folder / "d") + "more");
    EXPECT_EQ(message_of(folder / "d"), "");
}

TEST(Dump, goes_under_its_name_and_replaces_what_was_there) {
    const test::TempDir folder;
    const FileNameFields fields{.op_type = "Add",
                                .op_name = "a/b",
                                .task_id = 1,
                                .stream_id = 2,
                                .timestamp = 3,
                                .ffts = {}};
    test::write_file(folder / "Add.a_b.1.2.3", "old");
    EXPECT_EQ(write_dump(folder.path(), fields, small_dump()), folder / "Add.a_b.1.2.3");
    EXPECT_EQ(read_dump(folder / "Add.a_b.1.2.3").op_name, "a/b");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Dump, a_long_name_is_mapped) {
    const test::TempDir folder;
    for (const size_t length : {240u, 300u}) {
        const FileNameFields fields{
            .op_type = "Add", .op_name = std::string(length, 'n'), .timestamp = 3, .ffts = {}};
        const auto path = write_dump(folder.path(), fields, small_dump());
        EXPECT_EQ(read_dump(path).op_name, "a/b");
        const auto names = read_mapping(folder.path());
        EXPECT_EQ(names.size(), length == 240 ? 0u : 1u);
        if (length == 300) {
            EXPECT_EQ(names.at(path.filename().string()), file_name(fields));
        }
    }
}

TEST(Dump, rejects_files_that_are_no_dump) {
    const test::TempDir folder;
    EXPECT_NE(message_of(folder / "missing").find("No such file"), std::string::npos);
    EXPECT_NE(message_of(folder.path()).find("no regular file"), std::string::npos);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_NE(message_of(folder / "pipe").find("no regular file"), std::string::npos);
    test::write_file(folder / "short", "1234567");
    EXPECT_NE(message_of(folder / "short").find("it has 7 bytes"), std::string::npos);
    test::write_file(folder / "long", le(21, 8) + std::string(20, '\0'));
    EXPECT_NE(message_of(folder / "long").find("header of 21 bytes is longer than the file of 28"),
              std::string::npos);
    test::write_file(folder / "huge", le(~uint64_t{0}, 8) + std::string(20, '\0'));
    EXPECT_NE(message_of(folder / "huge").find("longer than the file"), std::string::npos);
    test::write_file(folder / "damaged", le(3, 8) + "\x1a\x09x");
    EXPECT_NE(message_of(folder / "damaged").find("its header is damaged"), std::string::npos);
}

TEST(Dump, rejects_sizes_that_the_file_does_not_have) {
    const test::TempDir folder;
    write_dump(folder / "d", small_dump());
    const std::string whole = test::read_file(folder / "d");
    test::write_file(folder / "cut", whole.substr(0, whole.size() - 1));
    EXPECT_NE(message_of(folder / "cut").find("space 0 has 5 bytes, 4 are left"),
              std::string::npos);
    // Two outputs of 2^63 bytes each: their sum is 0 modulo 2^64.
    const std::string half("\x1a\x0b\x30\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 13);
    test::write_file(folder / "wrap", le(26, 8) + half + half);
    EXPECT_NE(message_of(folder / "wrap").find("output 0 has 9223372036854775808 bytes"),
              std::string::npos);
}

TEST(Dump, a_large_header_is_refused_before_it_is_read) {
    const test::TempDir folder;
    test::write_file(folder / "d", le(uint64_t{1} << 33, 8));
    std::filesystem::resize_file(folder / "d", (uint64_t{1} << 33) + 8);  // a hole, no blocks
    EXPECT_NE(message_of(folder / "d").find("longer than 67108864"), std::string::npos);
}

/// One input and one output: 0 f32 and 1 f16 by AscendCL's codes.
std::string nano(const std::string& payload) {
    const std::string dims = le(0, 4) + le(16, 4) + le(2, 8) + le(3, 8);
    const std::string input = le(0, 4) + le(2, 4) + le(0, 4) + le(100, 8) + le(0, 8) + le(24, 8) +
                              le(dims.size(), 4) + dims;
    const std::string name = le(2, 4) + le(3, 4) + "abc";
    const std::string output = le(1, 4) + le(0, 4) + le(0, 4) + le(5, 4) + le(0, 4) + le(1, 4) +
                               le(200, 8) + le(0, 8) + le(4, 8) + le(name.size(), 4) + name;
    const auto list = [](uint32_t tag, const std::string& entry) {
        return le(tag, 4) + le(entry.size() + 4, 4) + le(1, 4) + entry;
    };
    const std::string head = le(0x5a5a5a5a, 4) + le(7, 4) + list(4, input) + list(5, output);
    return le(head.size(), 8) + head + payload;
}

TEST(NanoDump, is_read) {
    const test::TempDir folder;
    test::write_file(folder / "d", nano(std::string(24, 'i') + "oooo"));
    const DumpReader reader(folder / "d");
    const DumpFile& dump = reader.file();
    EXPECT_TRUE(dump.is_nano);
    EXPECT_EQ(dump.version, "7");
    ASSERT_EQ(dump.inputs.size(), 1u);
    EXPECT_EQ(dump.inputs[0].data_type, 1);
    EXPECT_EQ(dump.inputs[0].format, 2);
    EXPECT_EQ(dump.inputs[0].address, 100u);
    EXPECT_EQ(dump.inputs[0].shape, (std::vector<int64_t>{2, 3}));
    ASSERT_EQ(dump.outputs.size(), 1u);
    EXPECT_EQ(dump.outputs[0].data_type, 2);
    EXPECT_FALSE(dump.outputs[0].shape.has_value());
    EXPECT_EQ(dump.outputs[0].original_name, "abc");
    EXPECT_EQ(dump.outputs[0].original_output_index, 5u);
    EXPECT_EQ(text_of(reader.read(dump.outputs[0])), "oooo");
}

TEST(NanoDump, rejects_sizes_that_do_not_fill_the_file) {
    const test::TempDir folder;
    for (const size_t count : {27u, 29u}) {
        test::write_file(folder / "d", nano(std::string(count, 'x')));
        try {
            static_cast<void>(read_dump(folder / "d"));
            ADD_FAILURE() << count;
        } catch (const DumpError& problem) {
            EXPECT_EQ(problem.problem(), DumpProblem::kSizesDiffer) << problem.what();
        }
    }
}

/// Whatever the bytes are, the reader ends with an Error or a dump whose payloads lie in the file.
void expect_harmless(const std::filesystem::path& path, const std::string& content) {
    // A new file each time: cutting an old one in place is slow on ext4.
    std::filesystem::remove(path);
    test::write_file(path, content);
    try {
        const DumpReader reader(path);
        uint64_t end = 0;
        for (const auto* list : {&reader.file().inputs, &reader.file().outputs})
            for (const DumpTensor& tensor : *list) {
                ASSERT_LE(tensor.size, content.size());
                ASSERT_LE(tensor.position, content.size() - tensor.size);
                end = std::max(end, tensor.position + tensor.size);
                EXPECT_EQ(reader.read(tensor).size(), tensor.size);
            }
        EXPECT_LE(end, content.size());
    } catch (const Error&) {
    }
}

TEST(Dump, damaged_at_random_is_refused_or_read_within_its_bounds) {
    const test::TempDir folder;
    write_dump(folder / "d", small_dump());
    const std::string standard = test::read_file(folder / "d");
    const std::string small = nano(std::string(28, 'x'));
    test::Mutator mutate(20240517);
    for (int round = 0; round < 4000; ++round) {
        const std::string content = mutate.changed(round % 2 == 0 ? standard : small, 4, standard);
        expect_harmless(folder / "m", content);
    }
}

}  // namespace
}  // namespace npuscope::cann_dump
