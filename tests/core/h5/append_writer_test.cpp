// Files of the append-only writer against files of the HDF5 library with the same content: h5diff,
// h5dump and h5py see no difference, and the mapped index agrees with the library's.
#include "core/h5/append_writer.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/index.h"
#include "core/h5/library_reader.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

std::vector<Attribute> five(int32_t code, const Shape& shape) {
    return {{"DeviceType", int32_t{10}},
            {"DataType", code},
            {"FormatType", int32_t{0}},
            {"Type", int32_t{-1}},
            {"Stride", contiguous_strides(shape)}};
}

Tensor counting(DType dtype, const Shape& shape) {
    Tensor tensor = Tensor::zeros(dtype, shape);
    auto* bytes = tensor.mutable_data();
    for (size_t i = 0; i < tensor.nbytes(); ++i)
        bytes[i] = static_cast<std::byte>(i * 37 % 251 & 0x3f);
    return tensor;
}

/// What both writers can do, so that one function fills a file of each.
struct EitherWriter {
    std::function<void(const std::string&, const TensorView&, std::span<const Attribute>)> dataset;
    std::function<void(const std::string&, const std::string&)> text;
    std::function<void(const std::string&, const std::string&)> link;
    std::function<void(const std::string&)> group;
    std::function<void(const Attribute&)> root;
    std::function<void(const std::string&)> finish;  ///< the library needs none
    std::function<void()> commit;
};

using Fill = std::function<void(EitherWriter&)>;

class AppendWriterFile : public ::testing::Test {
  protected:
    void write_both(const Fill& fill) {
        {
            Writer writer(library_);
            EitherWriter either{
                [&](const auto& path, const auto& view, auto attributes) {
                    writer.write_dataset(path, view, attributes);
                },
                [&](const auto& path, const auto& text) { writer.write_string(path, text, {}); },
                [&](const auto& from, const auto& to) { writer.link(from, to); },
                [&](const auto& path) { writer.create_group(path); },
                [&](const auto& attribute) { writer.write_root_attribute(attribute); },
                [](const auto&) {},
                [] {}};
            fill(either);
            writer.close();
        }
        AppendWriter writer(appended_);
        std::map<std::string, AppendWriter::Address> addresses;
        EitherWriter either{
            [&](const auto& path, const auto& view, auto attributes) {
                addresses[path] = writer.write_dataset(path, view, attributes);
            },
            [&](const auto& path, const auto& text) { writer.write_string(path, text, {}); },
            [&](const auto& from, const auto& to) { writer.link(addresses.at(from), to); },
            [&](const auto& path) { writer.create_group(path); },
            [&](const auto& attribute) { writer.set_root_attribute(attribute); },
            [&](const auto& path) { writer.finish_group(path); },
            [&] { writer.commit(); }};
        fill(either);
        writer.close();
    }

    /// h5diff compares attributes and elements, h5dump shows types and layouts (not addresses).
    void expect_same_for_the_library() {
        const auto difference = test::run({"h5diff", "-v", library_.string(), appended_.string()});
        EXPECT_EQ(difference.exit_code, 0) << difference.out << difference.err;
        const auto text_of = [](const fs::path& path) {
            const auto dumped = test::run({"h5dump", path.string()});
            EXPECT_EQ(dumped.exit_code, 0) << dumped.err;
            EXPECT_EQ(dumped.err, "");
            return dumped.out.substr(dumped.out.find('\n'));  // the first line has the name
        };
        EXPECT_EQ(text_of(library_), text_of(appended_));
    }

    void expect_same_index() {
        const Reader file(appended_);
        const Index mapped = file.index();
        const Index asked = file.index(IndexSource::kLibrary);
        EXPECT_TRUE(mapped.from_mapping());
        EXPECT_TRUE(mapped.warnings().empty()) << mapped.warnings().front();
        ASSERT_EQ(mapped.nodes().size(), asked.nodes().size());
        for (int32_t i = 0; i < static_cast<int32_t>(mapped.nodes().size()); ++i) {
            ASSERT_EQ(mapped.path(i), asked.path(i));
            EXPECT_EQ(mapped[i].kind, asked[i].kind);
            if (mapped[i].kind != ObjectKind::kDataset) continue;
            EXPECT_EQ(mapped.dataset(i).offset, asked.dataset(i).offset) << mapped.path(i);
            EXPECT_EQ(mapped.dataset(i).shape, asked.dataset(i).shape);
            EXPECT_EQ(mapped.dataset(i).numpy_name, asked.dataset(i).numpy_name);
            EXPECT_EQ(mapped.attribute_count(i), asked.attribute_count(i));
            EXPECT_EQ(mapped.attribute_names(i), asked.attribute_names(i));
        }
    }

    void expect_same(const Fill& fill) {
        write_both(fill);
        expect_same_for_the_library();
        expect_same_index();
    }

    std::string h5py_shows(const std::string& code) {
        const auto shown =
            test::run_python("import sys, h5py, numpy as np\n" + code, {appended_.string()});
        EXPECT_EQ(shown.exit_code, 0) << shown.err;
        return shown.out;
    }

    TempDir folder_;
    fs::path library_ = folder_ / "library.h5";
    fs::path appended_ = folder_ / "appended.h5";
};

TEST_F(AppendWriterFile, without_content_is_an_empty_hdf5_file) {
    expect_same([](EitherWriter&) {});
    EXPECT_LT(fs::file_size(appended_), 200U);
}

TEST_F(AppendWriterFile, has_every_dtype_and_shape_as_the_library_writes_it) {
    expect_same([](EitherWriter& out) {
        for (const DType dtype : {DType::kFloat16,
                                  DType::kFloat32,
                                  DType::kFloat64,
                                  DType::kInt8,
                                  DType::kInt16,
                                  DType::kInt32,
                                  DType::kInt64,
                                  DType::kUInt8,
                                  DType::kUInt16,
                                  DType::kUInt32,
                                  DType::kUInt64,
                                  DType::kBool})
            for (const Shape& shape :
                 {Shape{}, Shape{0}, Shape{5}, Shape{2, 0, 3}, Shape{3, 4}, Shape{2, 1, 3, 1, 2}}) {
                const Tensor tensor = counting(dtype, shape);
                const std::string path = "/" + std::string(name_of(dtype)) + "/" +
                                         std::to_string(shape.size()) + "_" +
                                         std::to_string(tensor.numel());
                out.dataset(path, tensor.view(), five(3, shape));
            }
    });
}

TEST_F(AppendWriterFile, has_texts_links_groups_and_attributes_as_the_library_writes_them) {
    expect_same([](EitherWriter& out) {
        out.root({"Note", std::string("first \xc3\xa4 note")});
        out.root({"Nothing", std::string()});
        out.root({"Long", std::string(60000, 'x')});
        out.root({"List", std::vector<int64_t>{1, -2, 3}});
        out.group("/empty/below");
        out.text("/a/1/npuscope", "{\"node\": \"n\"}");
        out.text("/a/1/nothing", "");
        const Tensor tensor = counting(DType::kFloat32, {7});
        out.dataset("/a/1/input/self", tensor.view(), five(1, {7}));
        out.link("/a/1/input/self", "/a/1/output/result");
        out.link("/a/1/input/self", "/\xc3\xa4/2/input/with space");
        out.dataset("/plain", tensor.view(), {});
    });
    const std::string shown = h5py_shows(
        "f = h5py.File(sys.argv[1])\n"
        "print(f['a/1/input/self'] == f['a/1/output/result'], list(f['a/1/input/self'].attrs),"
        " f['a/1/input/self'].attrs['Stride'], f.attrs['Note'], f['a/1/npuscope'][()])\n");
    EXPECT_EQ(shown,
              "True ['DataType', 'DeviceType', 'FormatType', 'Stride', 'Type'] [1] "
              "b'first \\xc3\\xa4 note' b'{\"node\": \"n\"}'\n");
}

TEST_F(AppendWriterFile, has_groups_that_grow_over_many_commits) {
    const Tensor tensor = counting(DType::kInt32, {3});
    expect_same([&](EitherWriter& out) {
        for (int i = 1; i <= 1500; ++i) {
            const std::string run = (i % 3 == 0 ? "/relu/" : "/addmm/") + std::to_string(i);
            out.dataset(run + "/input/self", tensor.view(), five(i, {3}));
            out.dataset(run + "/output/result", tensor.view(), five(i, {3}));
            out.finish(run);
            if (i % 7 == 0) out.commit();
        }
    });
    const std::string shown = h5py_shows(
        "f = h5py.File(sys.argv[1])\n"
        "print(len(f['relu']), len(f['addmm']), '1200' in f['relu'], '1200' in f['addmm'],"
        " f['addmm/1499/output/result'].attrs['DataType'], list(f['relu'])[:3])\n");
    EXPECT_EQ(shown, "500 1000 True False 1499 ['1002', '1005', '1008']\n");
}

TEST_F(AppendWriterFile, has_a_group_of_thousands_in_any_order) {
    std::vector<int> order(5000);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(3);
    std::shuffle(order.begin(), order.end(), random);
    const Tensor tensor = counting(DType::kInt8, {1});
    expect_same([&](EitherWriter& out) {
        for (const int i : order)
            out.dataset("/cat/1/input/tensors/t_" + std::to_string(i), tensor.view(), {});
        out.finish("/cat/1");
        for (int i = 4000; i > 0; --i)
            out.dataset("/down/" + std::to_string(i), tensor.view(), {});
    });
}

TEST_F(AppendWriterFile, has_large_tensors_on_pages) {
    const Tensor large = counting(DType::kFloat32, {600, 1024});
    const Tensor medium = counting(DType::kFloat32, {5000});
    expect_same([&](EitherWriter& out) {
        out.dataset("/a/1/x", counting(DType::kInt8, {3}).view(), {});
        out.dataset("/a/1/y", large.view(), five(1, {600, 1024}));
        out.dataset("/a/1/z", medium.view(), five(1, {5000}));
    });
    const LibraryReader file(appended_);
    EXPECT_EQ(*file.dataset("/a/1/y").offset % 4096, 0U);
    EXPECT_EQ(*file.dataset("/a/1/z").offset % 64, 0U);
    EXPECT_TRUE(identical(file.read("/a/1/y"), large));
}

/// The library decompresses; its own files do not matter here.
TEST_F(AppendWriterFile, compresses_so_that_the_library_reads_the_same_elements) {
    AppendWriter writer(appended_);
    std::vector<Tensor> tensors;
    for (const DType dtype : {DType::kInt8, DType::kFloat16, DType::kFloat32, DType::kInt64})
        for (const Shape& shape : {Shape{20000},
                                   Shape{700, 800},
                                   Shape{3, 5, 40, 30},
                                   Shape{2, 3, 500, 333},
                                   Shape{1, 9000001},
                                   Shape{70, 1, 300000},
                                   Shape{5}}) {
            Tensor tensor = Tensor::zeros(dtype, shape);
            std::byte* bytes = tensor.mutable_data();
            for (size_t i = 0; i < tensor.nbytes(); i += 1 + i % 97)
                bytes[i] = static_cast<std::byte>(i % 60);
            if (dtype == DType::kInt64 && tensor.numel() > 1000000) continue;  // takes long
            writer.write_dataset("/t/" + std::to_string(tensors.size()),
                                 tensor.view(),
                                 five(1, shape),
                                 1 + static_cast<int>(tensors.size() % 9));
            tensors.push_back(tensor);
        }
    writer.close();
    const LibraryReader file(appended_);
    uint64_t raw = 0;
    for (size_t i = 0; i < tensors.size(); ++i) {
        const std::string path = "/t/" + std::to_string(i);
        EXPECT_TRUE(identical(file.read(path), tensors[i])) << i;
        EXPECT_EQ(file.int_attribute(path, "DataType"), 1);
        raw += tensors[i].nbytes();
    }
    EXPECT_LT(fs::file_size(appended_), raw / 4);
    const auto header = test::run({"h5dump", "-H", "-p", "-d", "/t/1", appended_.string()}).out;
    EXPECT_NE(header.find("PREPROCESSING SHUFFLE"), std::string::npos) << header;
    EXPECT_NE(header.find("COMPRESSION DEFLATE { LEVEL 2 }"), std::string::npos) << header;
    EXPECT_EQ(h5py_shows("f = h5py.File(sys.argv[1])\n"
                         "print(f['t/1'].chunks, f['t/5'].chunks, f['t/4'].chunks,"
                         " f['t/6'].chunks)\n"),
              "(700, 800) (3, 1, 300000) (1, 1048576) None\n");
}

TEST_F(AppendWriterFile, stores_what_hardly_shrinks_as_it_is) {
    std::mt19937 random(4);
    std::vector<int32_t> noise(100000);
    std::generate(noise.begin(), noise.end(), random);
    AppendWriter writer(appended_);
    const Tensor tensor = Tensor::from<int32_t>({100000}, std::span<const int32_t>(noise));
    writer.write_dataset("/noise", tensor.view(), {}, 9);
    std::vector<int32_t> mixed(800000, 5);  // pieces that shrink, then pieces that do not
    std::generate(mixed.begin() + 400000, mixed.end(), random);
    const Tensor half = Tensor::from<int32_t>({800000}, std::span<const int32_t>(mixed));
    writer.write_dataset("/half", half.view(), {}, 1);
    writer.close();
    const LibraryReader file(appended_);
    EXPECT_TRUE(file.dataset("/noise").offset.has_value());
    EXPECT_TRUE(identical(file.read("/noise"), tensor));
    EXPECT_FALSE(file.dataset("/half").offset.has_value());
    EXPECT_TRUE(identical(file.read("/half"), half));
}

TEST_F(AppendWriterFile, can_be_changed_by_the_library_afterwards) {
    const Tensor tensor = counting(DType::kFloat32, {4});
    write_both([&](EitherWriter& out) {
        for (int i = 1; i <= 500; ++i)
            out.dataset("/relu/" + std::to_string(i) + "/x", tensor.view(), five(1, {4}));
        for (int i = 1; i <= 20; ++i)
            out.link("/relu/1/x", "/same/" + std::to_string(i));
    });
    h5py_shows(
        "f = h5py.File(sys.argv[1], 'r+')\n"
        "for i in range(501, 900): f[f'relu/{i}/x'] = np.full(9, i)\n"
        "for i in range(1, 400): del f[f'relu/{i}']\n"
        "for i in range(1, 20): del f[f'same/{i}']\n"
        "f['relu/450/x'].attrs['more'] = 'text'\n"
        "for i in range(40): f[f'new{i}/y'] = np.full(1000, -1)\n"
        "f.close()\n");
    EXPECT_EQ(
        h5py_shows("f = h5py.File(sys.argv[1])\n"
                   "print(len(f['relu']), f['relu/899/x'][0], f['relu/450/x'].attrs['more'],"
                   " len(f['relu/450/x'].attrs), len(f), bytes(f['same/20'][()]).hex())\n"),
        "500 899 text 6 42 " +
            [&] {
                std::string hex;
                for (size_t i = 0; i < tensor.nbytes(); ++i) {
                    char digits[3];
                    std::snprintf(
                        digits, sizeof digits, "%02x", std::to_integer<unsigned>(tensor.data()[i]));
                    hex += digits;
                }
                return hex;
            }() +
            "\n");
}

TEST_F(AppendWriterFile, shows_the_last_commit_while_it_is_written) {
    const Tensor tensor = counting(DType::kFloat32, {4});
    AppendWriter writer(appended_, {.root_attributes = {{"Complete", std::string("no")}}});
    EXPECT_EQ(h5py_shows("f = h5py.File(sys.argv[1]); print(f.attrs['Complete'], len(f))"),
              "b'no' 0\n");
    writer.write_dataset("/a/1/x", tensor.view(), five(1, {4}));
    writer.commit();
    writer.write_dataset("/a/2/x", tensor.view(), five(1, {4}));
    EXPECT_EQ(h5py_shows("f = h5py.File(sys.argv[1]); print(list(f['a']))"), "['1']\n");
    writer.set_root_attribute({"Complete", std::string("yes")});
    writer.close();
    EXPECT_EQ(h5py_shows("f = h5py.File(sys.argv[1]); print(f.attrs['Complete'], list(f['a']))"),
              "b'yes' ['1', '2']\n");
}

TEST_F(AppendWriterFile, is_not_larger_than_it_says_beforehand) {
    const Tensor tensor = counting(DType::kFloat32, {100});
    AppendWriter writer(appended_);
    for (int i = 1; i <= 2000; ++i) {
        writer.write_dataset("/a/" + std::to_string(i) + "/x", tensor.view(), five(1, {100}));
        writer.finish_group("/a/" + std::to_string(i));
        if (i % 500 == 0) writer.commit();
    }
    const uint64_t bound = writer.size();
    writer.close();
    EXPECT_LE(fs::file_size(appended_), bound);
    EXPECT_GT(fs::file_size(appended_), bound * 9 / 10);
}

TEST_F(AppendWriterFile, rejects_a_name_that_is_taken) {
    const Tensor tensor = counting(DType::kFloat32, {4});
    AppendWriter writer(appended_);
    const auto dataset = writer.write_dataset("/a/1/x", tensor.view(), {});
    const auto refused = [&](const std::string& path) {
        try {
            writer.link(dataset, path);
            return std::string("no error");
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(refused("/a/1/x"), "'/a/1/x' is in the file already");
    EXPECT_EQ(refused("/a/1"), "'/a/1' is in the file already");
    EXPECT_EQ(refused("/a/1/x/y"), "'/a/1/x' is in the file already");
    writer.finish_group("/a/1");
    EXPECT_EQ(refused("/a/1/y"), "'/a/1' is in the file already");
}

TEST_F(AppendWriterFile, rejects_an_attribute_longer_than_hdf5_stores) {
    EXPECT_THROW(AppendWriter(appended_, {.root_attributes = {{"A", std::string(70000, 'x')}}}),
                 Error);
}

TEST_F(AppendWriterFile, names_the_file_when_its_folder_is_missing) {
    try {
        const AppendWriter writer(folder_ / "none" / "a.h5");
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo);
        EXPECT_NE(std::string(error.what()).find("none/a.h5"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace npuscope::h5
