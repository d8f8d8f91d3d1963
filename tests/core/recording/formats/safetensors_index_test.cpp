#include <gtest/gtest.h>

#include "core/recording/formats/format.h"
#include "tests/core/recording/formats/open_problem.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

// Two shards in the format's own layout: length of the header, the header, the data.
constexpr const char* kShards = R"(
import json, struct, sys, numpy as np
def shard(name, **arrays):
    header, data = {}, b''
    for key, array in arrays.items():
        header[key.replace('_', '.')] = {'dtype': 'F32', 'shape': list(array.shape),
                                         'data_offsets': [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    open(sys.argv[1] + '/' + name, 'wb').write(struct.pack('<Q', len(text)) + text + data)
shard('m-00001-of-00002.safetensors', b_weight=np.arange(4, dtype='f4'), unlisted=np.ones(1, 'f4'))
shard('m-00002-of-00002.safetensors', a_output_weight=np.full((2, 2), 3, 'f4'))
)";

class SafetensorsIndex : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto written = test::run_python(kShards, {folder_.path().string()});
        ASSERT_EQ(written.exit_code, 0) << written.err;
    }
    std::filesystem::path index(const std::string& weights) {
        test::write_file(path(),
                         R"({"metadata": {"total_size": 32}, "weight_map": )" + weights + "}");
        return path();
    }
    std::string problem(const std::string& weights) { return test::open_problem(index(weights)); }
    [[nodiscard]] std::filesystem::path path() const {
        return folder_ / "model.safetensors.index.json";
    }

  private:
    test::TempDir folder_;
};

TEST_F(SafetensorsIndex, is_one_checkpoint_of_all_files) {
    const Source source = open_source(index(R"({"b.weight": "m-00001-of-00002.safetensors",
                              "a.output.weight": "m-00002-of-00002.safetensors"})"));
    EXPECT_EQ(format_of(path()), &k_safetensors_index_format);
    EXPECT_TRUE(is_array_file(path()));
    ASSERT_EQ(source.ops.size(), 2u);
    EXPECT_EQ(source.ops[0].path, "a.output.weight");
    EXPECT_EQ(source.ops[1].path, "b.weight");
    const auto tensors = source.ops[1].load();
    ASSERT_EQ(tensors.size(), 1u);
    EXPECT_EQ(tensors[0].open()->whole().at(3), 3);
}

TEST_F(SafetensorsIndex, rejects_files_that_lead_out_of_the_folder) {
    for (const char* file : {"../m.safetensors", "/etc/passwd", "..", "", "a/b.safetensors"})
        EXPECT_NE(problem(R"({"w": ")" + std::string(file) + "\"}").find("is no plain name"),
                  std::string::npos)
            << file;
}

TEST_F(SafetensorsIndex, rejects_what_is_missing) {
    EXPECT_NE(problem(R"({"w": "m-00003.safetensors"})").find("m-00003.safetensors"),
              std::string::npos);
    EXPECT_NE(problem(R"({"w": "m-00001-of-00002.safetensors"})").find("'w' is not in"),
              std::string::npos);
    EXPECT_NE(problem("[]").find("has no object 'weight_map'"), std::string::npos);
    EXPECT_NE(problem(R"({"w": 1})").find("'w' has no file"), std::string::npos);
    EXPECT_NE(problem(std::string(5000, '[')).find("has no object"), std::string::npos);
}

}  // namespace
}  // namespace npuscope
