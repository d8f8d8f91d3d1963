#include "core/npz/stored_entry.h"

#include <cstring>

#include <gtest/gtest.h>

#include "core/npz/tensor_files.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string text_of(std::optional<std::span<const std::byte>> bytes) {
    if (!bytes) return "nothing";
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

/// What Python's zipfile writes, with a large entry's fields in `large`.
std::string archive(const test::TempDir& folder, const std::string& large) {
    const test::RunResult made = test::run_python(
        "import sys, zipfile\n"
        "with zipfile.ZipFile(sys.argv[1], 'w') as z:\n"
        "    z.writestr('first', 'abc')\n"
        "    with z.open('a/data', 'w', force_zip64=sys.argv[2] == 'large') as f: "
        "f.write(b'elements')\n"
        "    z.writestr('packed', 'x' * 1000, zipfile.ZIP_DEFLATED)\n"
        "    z.comment = b'PK'\n",
        {(folder / "a.zip").string(), large});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return test::read_file(folder / "a.zip");
}

TEST(StoredEntry, finds_what_zipfile_stored_and_nothing_that_is_packed) {
    const test::TempDir folder;
    for (const std::string large : {"small", "large"}) {
        const std::string file = archive(folder, large);
        EXPECT_EQ(text_of(npz::stored_entry(bytes_of(file), "a/data")), "elements");
        EXPECT_EQ(text_of(npz::stored_entry(bytes_of(file), "first")), "abc");
        EXPECT_EQ(text_of(npz::stored_entry(bytes_of(file), "packed")), "nothing");
        EXPECT_EQ(text_of(npz::stored_entry(bytes_of(file), "missing")), "nothing");
    }
}

TEST(StoredEntry, stays_inside_whatever_byte_is_changed_or_cut) {
    const test::TempDir folder;
    const std::string whole = archive(folder, "large");
    for (size_t i = 0; i < whole.size(); ++i) {
        static_cast<void>(npz::stored_entry(bytes_of(whole.substr(0, i)), "a/data"));
        for (const char value : {'\x00', '\x7f', '\xff'}) {
            std::string damaged = whole;
            damaged[i] = value;
            const auto found = npz::stored_entry(bytes_of(damaged), "a/data");
            if (!found) continue;
            EXPECT_GE(reinterpret_cast<const char*>(found->data()), damaged.data());
            EXPECT_LE(reinterpret_cast<const char*>(found->data() + found->size()),
                      damaged.data() + damaged.size());
        }
    }
}

TEST(LocateTorchTensor, finds_the_elements_that_torch_saved_in_order) {
    const test::TempDir folder;
    const test::RunResult made = test::run_python(
        "import sys, torch\n"
        "x = torch.arange(12, dtype=torch.float32).reshape(3, 4)\n"
        "for name, value in (('plain', x), ('part', x[1:]), ('turned', x.t()), ('bools', x > 1), "
        "('dict', {'x': x})):\n"
        "    torch.save(value, sys.argv[1] + '/' + name + '.pt')\n",
        {folder.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto located = [&](const std::string& name, auto&& look) {
        const std::string file = test::read_file(folder / (name + ".pt"));
        return look(locate_torch_tensor(folder / (name + ".pt"), bytes_of(file)));
    };
    for (const auto& [name, first] : {std::pair("plain", 0.0F), {"part", 4.0F}})
        located(name, [&, expected = first](const std::optional<TorchPlace>& place) {
            ASSERT_TRUE(place);
            EXPECT_EQ(place->dtype, DType::kFloat32);
            float value = -1;
            std::memcpy(&value, place->elements.data(), sizeof(value));
            EXPECT_EQ(value, expected);
            EXPECT_EQ(place->elements.size(), static_cast<size_t>(numel_of(place->shape)) * 4);
        });
    for (const std::string name : {"turned", "bools", "dict"})
        located(name, [&](const std::optional<TorchPlace>& place) { EXPECT_FALSE(place) << name; });
}

}  // namespace
}  // namespace npuscope
