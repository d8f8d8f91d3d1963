// What h5py writes every day is read without the HDF5 library, and so without the process that it
// runs in: this program is linked without it.
#include <gtest/gtest.h>

#include "core/h5/elements.h"
#include "core/h5/h5.h"
#include "core/h5/index.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

constexpr const char* kOrdinary = R"(
import h5py, sys, numpy as np
f = h5py.File(sys.argv[1], 'w')
a = (np.arange(6000) % 97 - 40).reshape(20, 15, 20)
for name in ['int8', 'int32', 'int64', 'uint8', 'float16', 'float32', 'float64', 'bool']:
    b = a.astype(name)
    g = f.create_group(name)
    g['plain'] = b
    g.create_dataset('pieces', data=b, chunks=(7, 4, 9))
    g.create_dataset('auto', data=b, chunks=True)
    g.create_dataset('gzip', data=b, compression='gzip')
    g.create_dataset('best', data=b, compression='gzip', compression_opts=9, shuffle=True)
    g.create_dataset('checked', data=b, fletcher32=True)
    g.create_dataset('all', data=b, compression='gzip', shuffle=True, fletcher32=True)
    g.create_dataset('rows', data=b, chunks=(1, 15, 20), compression='gzip')
    g.create_dataset('growing', data=b, maxshape=(None, 15, 20), compression='gzip')
    d = g.create_dataset('shrunk', data=np.concatenate([b, b]), chunks=(3, 15, 20), maxshape=(None, 15, 20))
    d.resize((20, 15, 20))
    if name != 'bool':
        g['big'] = b.astype(np.dtype(name).newbyteorder('>'))
        g.create_dataset('big_gzip', data=g['big'][()], dtype=g['big'].dtype, compression='gzip')
f.create_dataset('unwritten', (5,), 'f4', fillvalue=2.5)
f.create_dataset('unwritten_pieces', (5,), 'f4', chunks=(2,), fillvalue=2.5)
d = f.create_dataset('partly', (6,), 'f4', chunks=(2,), fillvalue=2.5, compression='gzip')
d[2:4] = 7
f['text'] = 'any length'
f['texts'] = ['a', 'bcd']
f['complex'] = np.array([1 + 2j])
f.attrs['text'] = 'gr\u00fc\u00df'
f.attrs['empty'] = ''
f['text'].attrs['list'] = ['x', 'y']
f['text'].attrs['number'] = 4.5
)";

Tensor whole(const Reader& file, const Index& index, const std::string& path) {
    return file.elements(index, index.find(path)).whole();
}

TEST(OrdinaryFile, is_read_without_the_library) {
    const test::TempDir folder;
    const auto path = folder / "f.h5";
    const test::RunResult made = test::run_python(kOrdinary, {path.string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Reader file(path);
    const Index index = file.index();
    EXPECT_TRUE(index.from_mapping());
    EXPECT_TRUE(index.warnings().empty()) << index.warnings().front();
    int compared = 0;
    for (int32_t group = index[0].first_child; group >= 0; group = index[group].next_sibling) {
        if (index[group].kind != ObjectKind::kGroup) continue;
        const std::string name = index.path(group);
        const Tensor plain = whole(file, index, name + "/plain");
        EXPECT_EQ(plain.at(5999), name == "/bool" ? 1 : name == "/uint8" ? 42 : 42) << name;
        for (int32_t at = index[group].first_child; at >= 0;
             at = index[at].next_sibling, ++compared)
            EXPECT_TRUE(identical(whole(file, index, index.path(at)), plain)) << index.path(at);
    }
    EXPECT_EQ(compared, 8 * 10 + 7 * 2);
    for (const char* name : {"/unwritten", "/unwritten_pieces"})
        EXPECT_TRUE(identical(whole(file, index, name),
                              Tensor::from<float>({5}, {2.5F, 2.5F, 2.5F, 2.5F, 2.5F})));
    EXPECT_TRUE(identical(whole(file, index, "/partly"),
                          Tensor::from<float>({6}, {2.5F, 2.5F, 7, 7, 2.5F, 2.5F})));
    EXPECT_EQ(index.stored_text(index.find("/text")), "any length");
    EXPECT_EQ(index.text(0, "text"), "gr\u00fc\u00df");
    EXPECT_EQ(index.text(0, "empty"), "");
    EXPECT_EQ(index.dataset(index.find("/texts")).numpy_name, "object");
    EXPECT_EQ(index.dataset(index.find("/complex")).numpy_name, "complex128");
}

}  // namespace
}  // namespace npuscope::h5
