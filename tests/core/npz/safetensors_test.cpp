// Files that the format's reference refuses are refused here, so that no two readers see two
// tensors.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/npz/tensor_files.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

std::string file_of(const std::string& header, const std::string& data) {
    std::string length(8, '\0');
    for (size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
    return length + header + data;
}

std::string entry(const std::string& shape, int first, int last, const char* dtype = "U8") {
    return R"({"dtype":")" + std::string(dtype) + R"(","shape":)" + shape + R"(,"data_offsets":[)" +
           std::to_string(first) + "," + std::to_string(last) + "]}";
}

class Safetensors : public ::testing::Test {
  protected:
    NamedTensors read(const std::string& header, const std::string& data) {
        test::write_file(path_, file_of(header, data));
        return read_safetensors(path_);
    }
    /// The message; one line that names the file.
    std::string refused(const std::string& header, const std::string& data) {
        try {
            (void)read(header, data);
        } catch (const Error& error) {
            const std::string message = error.what();
            EXPECT_NE(message.find(path_.string()), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
            return message;
        }
        return "taken";
    }
    void expect_refused(const std::string& header,
                        const std::string& data,
                        const std::string& because) {
        const std::string message = refused(header, data);
        EXPECT_NE(message.find(because), std::string::npos) << header << ": " << message;
    }

    test::TempDir folder_;
    std::filesystem::path path_ = folder_ / "x.safetensors";
};

TEST_F(Safetensors, have_each_byte_in_one_tensor) {
    const std::string header = R"({"__metadata__":{"format":"pt"},"b":)" + entry("[2]", 3, 5) +
                               R"(,"a":)" + entry("[3]", 0, 3) + R"(,"none":)" +
                               entry("[0,4]", 3, 3) + "}  ";
    const NamedTensors tensors = read(header, "abcde");
    ASSERT_EQ(tensors.size(), 3U);
    EXPECT_EQ(tensors[1].second.at(1), 'e');
    EXPECT_EQ(tensors[2].second.shape(), (Shape{0, 4}));
}

TEST_F(Safetensors, reject_what_their_reference_rejects) {
    const std::string one = R"({"a":)" + entry("[3]", 0, 3) + "}";
    expect_refused(one, "abcd", "no tensor has some of its bytes");
    expect_refused(R"({"a":)" + entry("[3]", 1, 4) + "}", "abcd", "no tensor has some");
    expect_refused(R"({"a":)" + entry("[3]", 0, 3) + R"(,"b":)" + entry("[3]", 2, 5) + "}",
                   "abcdef",
                   "overlap");
    expect_refused(R"({"a":)" + entry("[3]", 0, 3) + R"(,"a":)" + entry("[3]", 0, 3) + "}",
                   "abc",
                   "a key twice");
    expect_refused(R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})",
                   "a",
                   "a key twice");
    expect_refused(R"({"a":)" + entry("[4.5]", 0, 4) + "}", "abcd", "holds what is no size");
    expect_refused(R"({"a":)" + entry("[-4]", 0, 4) + "}", "abcd", "holds what is no size");
    expect_refused(R"({"a":)" + entry("[true]", 0, 1) + "}", "a", "holds what is no size");
    expect_refused(R"({"a":)" + entry("[9223372036854775807,2]", 0, 1) + "}", "a", "too many");
    expect_refused(R"({"a":)" + entry("[18446744073709551615]", 0, 1) + "}", "a", "'a'");
    expect_refused(R"({"a":)" + entry("[1]", 0, 2) + "}", "ab", "does not fit its shape");
    expect_refused(" " + one, "abc", "no JSON object");
    expect_refused("[]", "", "no JSON object");
    expect_refused(std::string(200, '['), "", "no JSON object");
    expect_refused(R"({"__metadata__":{"a":1}})", "", "no object of texts");
    expect_refused(R"({"a":{"dtype":"U8","shape":[1]}})", "a", "does not describe 'a'");
}

TEST_F(Safetensors, reject_a_header_of_more_than_100_MB) {
    std::string file = file_of("", "");
    file[3] = 0x7f;
    test::write_file(path_, file + "{}");
    EXPECT_THROW((void)read_safetensors(path_), Error);
}

}  // namespace
}  // namespace npuscope
