// Tensors in files beside the model.
#include <cstdlib>

#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(ExternalDataCases, "external_data")

namespace npuscope::test {
namespace {

namespace fs = std::filesystem;
using onnx_model::Model;

class RefusedExternalData : public testing::TestWithParam<Bad> {};

TEST_P(RefusedExternalData, rejects_with_one_clear_line) {
    expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Onnx,
    RefusedExternalData,
    testing::Values(
        Bad{"external_missing",
            ErrorKind::kIo,
            "initializer 'w' keeps its data in the file 'no.such.data', which cannot be read: No "
            "such file or directory"},
        Bad{"external_short",
            ErrorKind::kFormat,
            "initializer 'w' of shape [4,1048576] and dtype float32 begins at byte 0 of the file "
            "'external.data', which has only 65 bytes; the file is cut short or belongs to"},
        Bad{"external_end", ErrorKind::kFormat, "begins at byte 48 of the file 'external.data'"},
        Bad{"external_offset", ErrorKind::kFormat, "begins at byte 18446744073709551608 of"},
        Bad{"external_offset_text", ErrorKind::kFormat, "has the offset '8 bytes', which is no"},
        Bad{"external_offset_huge",
            ErrorKind::kFormat,
            "has the offset '18446744073709551616', which is no number of bytes below 2^64"},
        Bad{"external_length",
            ErrorKind::kFormat,
            "initializer 'w' of shape [2,3] and dtype float32 has 20 bytes of external data, not "
            "24"},
        Bad{"external_size", ErrorKind::kFormat, "which has only 65 bytes"},
        Bad{"external_parent",
            ErrorKind::kUsage,
            "'../onnx_cases/external.data', which lies outside the model's folder and is not read"},
        Bad{"external_inner_parent", ErrorKind::kUsage, "lies outside the model's folder"},
        Bad{"external_absolute",
            ErrorKind::kUsage,
            "'/etc/passwd', which lies outside the model's folder and is not read; move it beside "
            "the model and name it by a relative path"},
        Bad{"external_zero", ErrorKind::kUsage, "'external.data\\x00.png', which lies outside"},
        Bad{"external_folder", ErrorKind::kIo, "it is a directory"},
        Bad{"external_key", ErrorKind::kUnsupported, "has the key 'compression', which is not"},
        Bad{"external_type", ErrorKind::kUnsupported, "element type STRING"},
        Bad{"external_alias", ErrorKind::kFormat, "'.//external.data' overlap and add up to more"},
        Bad{"external_overlap",
            ErrorKind::kFormat,
            "initializer 'v': the tensors in the file 'external.data' overlap and add up to more "
            "than its 65 bytes"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ExternalDataInMemory, rejects_data_in_another_file) {
    const std::string content = read_file(onnx_case_path("external_data"));
    const std::string message = message_of(ErrorKind::kUnsupported, [&] {
        static_cast<void>(Model::from_bytes(std::as_bytes(std::span(content))));
    });
    EXPECT_NE(message.find("initializer 'first' keeps its data in another file, but the model is "
                           "no file itself"),
              std::string::npos)
        << message;
}

/// The model in a folder of its own, whose data file the test makes.
class ExternalDataFile : public testing::Test {
  protected:
    void SetUp() override {
        fs::create_directory(folder_ / "models");
        fs::copy_file(onnx_case_path("external_data"), model_);
    }
    [[nodiscard]] std::string refusal(ErrorKind kind) const {
        return message_of(kind, [&] { static_cast<void>(Model::load(model_)); });
    }

    TempDir folder_;
    fs::path model_ = folder_ / "models/model.onnx";
    fs::path data_ = folder_ / "models/external.data";
    fs::path original_ = source_dir() / "data/onnx_cases/external.data";
};

TEST_F(ExternalDataFile, rejects_a_file_that_is_cut_short) {
    write_file(data_, read_file(original_).substr(0, 40));
    EXPECT_NE(refusal(ErrorKind::kFormat).find("which has only 40 bytes"), std::string::npos);
}

TEST_F(ExternalDataFile, rejects_symbolic_links_that_leave_the_folder) {
    fs::copy_file(original_, folder_ / "outside.data");
    fs::create_symlink(folder_ / "outside.data", data_);
    EXPECT_NE(refusal(ErrorKind::kUsage).find("a symbolic link to a place outside the model's"),
              std::string::npos);
    // A folder whose name begins like the model's is another one.
    fs::remove(data_);
    fs::create_directory(folder_ / "models2");
    fs::copy_file(original_, folder_ / "models2/external.data");
    fs::create_symlink("../models2/external.data", data_);
    EXPECT_NE(refusal(ErrorKind::kUsage).find("a symbolic link to a place outside the model's"),
              std::string::npos);
}

TEST_F(ExternalDataFile, follows_symbolic_links_that_stay) {
    fs::create_directory(folder_ / "models/blobs");
    fs::copy_file(original_, folder_ / "models/blobs/1");
    fs::create_symlink("blobs/1", data_);
    EXPECT_NO_THROW(static_cast<void>(Model::load(model_)));
}

TEST_F(ExternalDataFile, rejects_what_is_no_regular_file) {
    fs::create_symlink("/dev/zero", data_);
    static_cast<void>(refusal(ErrorKind::kUsage));
    fs::remove(data_);
    ASSERT_EQ(std::system(("mkfifo '" + data_.string() + "'").c_str()), 0);
    EXPECT_NE(refusal(ErrorKind::kIo).find("external.data"), std::string::npos);
}

TEST_F(ExternalDataFile, is_found_from_a_relative_path) {
    fs::copy_file(original_, data_);
    const fs::path before = fs::current_path();
    fs::current_path(model_.parent_path());
    EXPECT_NO_THROW(static_cast<void>(Model::load("model.onnx")));
    fs::current_path(before);
}

}  // namespace
}  // namespace npuscope::test
