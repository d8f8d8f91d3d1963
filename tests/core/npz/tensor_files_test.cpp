#include "core/npz/tensor_files.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/npz/pickle.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

npz::Pickle parse(const std::string& image) {
    return npz::parse_pickle(std::as_bytes(std::span(image)), "x");
}

TEST(Pickle, reads_what_python_writes) {
    const test::TempDir temp;
    for (const char* protocol : {"2", "3", "4", "5"}) {
        const auto run = test::run_python(
            "import pickle, sys\n"
            "open(sys.argv[1], 'wb').write(pickle.dumps({'a': [1, -2, 300, 70000, 2**40, -2**63],"
            " 'b': (None, True, 1.5), 3: 'text'}, protocol=int(sys.argv[2])))",
            {(temp / "p").string(), protocol});
        ASSERT_EQ(run.exit_code, 0) << run.err;
        const npz::Pickle pickle = parse(test::read_file(temp / "p"));
        const auto& root = pickle[pickle.root];
        ASSERT_EQ(root.items.size(), 6u);
        EXPECT_EQ(pickle[root.items[0]].text, "a");
        const auto& numbers = pickle[root.items[1]].items;
        ASSERT_EQ(numbers.size(), 6u);
        EXPECT_EQ(pickle[numbers[1]].integer, -2);
        EXPECT_EQ(pickle[numbers[3]].integer, 70000);
        EXPECT_EQ(pickle[numbers[4]].integer, int64_t{1} << 40);
        EXPECT_EQ(pickle[numbers[5]].integer, std::numeric_limits<int64_t>::min());
        EXPECT_EQ(pickle[pickle[root.items[3]].items[2]].number, 1.5);
        EXPECT_EQ(pickle[root.items[4]].integer, 3);
    }
}

TEST(Pickle, rejects_damage) {
    for (const std::string image :
         {"", "\x80", "K", "t.", "h\x05.", "X\xff\xff\xff\xff", ".", "]a."})
        EXPECT_THROW(static_cast<void>(parse(image)), Error);
    EXPECT_THROW(static_cast<void>(parse("\x99.")), Error);
}

// Arguments of a call: [function, type, arguments of that function].
const std::string kFromType = "ctorch._tensor\n_rebuild_from_type_v2\n";

TEST(Pickle, unwraps_a_tensor_of_a_subclass) {
    const npz::Pickle pickle = parse(kFromType + "(ctorch._utils\n_rebuild_tensor_v2\nN(NNNNttR.");
    EXPECT_EQ(pickle[pickle.root].kind, npz::PickleValue::Kind::kTensor);
}

TEST(Pickle, rejects_a_call_whose_arguments_contain_themselves) {
    const std::string kept = kFromType + std::string("q\0", 2);
    const std::string recalled("h\0", 2);
    EXPECT_THROW(static_cast<void>(parse(kept + "]q\x01(" + recalled + "Nh\x01" + "eR.")), Error);
    std::string chain = kept + ")q\x01";
    for (int i = 0; i < 200'000; ++i)
        chain += "0(" + recalled + "Nh\x01tq\x01";
    EXPECT_THROW(static_cast<void>(parse(chain + "R.")), Error);
}

TEST(Pickle, rejects_a_name_that_doubles_with_each_step) {
    std::string image = "X\x01" + std::string(3, '\0') + "a";
    for (int i = 0; i < 40; ++i)
        image += "2\x93";
    EXPECT_THROW(static_cast<void>(parse(image + ".")), Error);
}

TEST(RealArray, is_the_real_part_of_complex_elements) {
    const test::TempDir temp;
    const auto run = test::run_python(
        "import numpy as np, sys\n"
        "a = np.arange(6).reshape(2, 3) * (1 + 2j)\n"
        "np.save(sys.argv[1] + '/c8.npy', a.astype('c8'))\n"
        "np.save(sys.argv[1] + '/fortran.npy', np.asfortranarray(a))\n"
        "np.save(sys.argv[1] + '/big.npy', a.astype('>c16'))\n"
        "np.save(sys.argv[1] + '/plain.npy', np.arange(6, dtype='i2').reshape(2, 3))",
        {temp.path().string()});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    for (const auto& [name, dtype] : {std::pair("c8", "complex64"),
                                      {"fortran", "complex128"},
                                      {"big", "complex128"},
                                      {"plain", "int16"}}) {
        const RealArray array = read_npy_real(temp / (std::string(name) + ".npy"));
        EXPECT_EQ(array.dtype, dtype);
        ASSERT_EQ(array.values.shape(), (Shape{2, 3})) << name;
        for (int64_t i = 0; i < 6; ++i)
            EXPECT_EQ(array.values.at(i), static_cast<double>(i)) << name;
    }
    EXPECT_THROW(static_cast<void>(read_npy(temp / "c8.npy")), Error);
}

}  // namespace
}  // namespace npuscope
