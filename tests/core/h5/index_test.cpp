// The index of a file, read from its bytes, against the library's: every answer must be the same.
#include "core/h5/index.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/h5/elements.h"
#include "core/h5/library_reader.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

using test::TempDir;

std::string printed(const DatasetInfo& info) {
    return info.numpy_name + to_string(info.shape) + (info.big_endian ? " big" : "") +
           (info.null_space ? " null" : "") + (info.dtype ? " known" : "") + " bytes " +
           std::to_string(info.storage_bytes) + " at " +
           (info.offset ? std::to_string(*info.offset) : "nowhere");
}

std::string attributes_of(const Index& index, int32_t node) {
    std::vector<std::string> lines;
    for (const std::string_view name : index.attribute_names(node)) {
        std::string line = std::string(name) + "=";
        if (const auto values = index.integers(node, name))
            line += to_string(*values);
        else if (const auto text = index.text(node, name))
            line += "'" + std::string(*text) + "'";
        lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    std::string all = std::to_string(index.attribute_count(node));
    for (const std::string& line : lines)
        all += " " + line;
    return all;
}

/// One line an object: everything that an index tells.
std::vector<std::string> lines_of(const Index& index) {
    std::vector<std::string> lines;
    for (int32_t node = 0; node < static_cast<int32_t>(index.nodes().size()); ++node) {
        const Node& of = index[node];
        lines.push_back(index.path(node) + " kind " + std::to_string(static_cast<int>(of.kind)) +
                        " tree " + std::to_string(of.parent) + " " +
                        std::to_string(of.first_child) + " " + std::to_string(of.next_sibling) +
                        (of.leads_back ? " leads back " : " ") +
                        (of.kind == ObjectKind::kDataset ? printed(index.dataset(node)) : "") +
                        " attributes " + attributes_of(index, node));
    }
    return lines;
}

void expect_same_elements(const Reader& file, const Elements& elements, const std::string& path) {
    const Tensor whole = LibraryReader(file.path()).read(path);
    ASSERT_EQ(elements.dtype(), whole.dtype()) << path;
    ASSERT_EQ(elements.shape(), whole.shape()) << path;
    const size_t size = size_of(whole.dtype());
    std::vector<std::byte> buffer;
    for (const int64_t step : {whole.numel(), int64_t{7}}) {
        for (int64_t first = 0; first < std::min<int64_t>(whole.numel(), 4000); first += step) {
            const int64_t count = std::min(step, whole.numel() - first);
            const std::byte* found = elements.range(first, count, buffer);
            ASSERT_EQ(std::memcmp(found,
                                  whole.data() + static_cast<size_t>(first) * size,
                                  static_cast<size_t>(count) * size),
                      0)
                << path << " from " << first;
        }
    }
    elements.release(0, elements.numel());
    elements.require_intact();
}

/// Builds the index both ways and compares everything, elements too.
void expect_same_both_ways(const Reader& file, size_t least_nodes) {
    const Index mapped = file.index();
    const Index by_library = file.index(IndexSource::kLibrary);
    EXPECT_TRUE(mapped.from_mapping());
    EXPECT_FALSE(by_library.from_mapping());
    const auto lines = lines_of(mapped);
    const auto expected = lines_of(by_library);
    ASSERT_EQ(lines.size(), expected.size());
    for (size_t i = 0; i < lines.size(); ++i)
        EXPECT_EQ(lines[i], expected[i]);
    EXPECT_EQ(mapped.warnings(), by_library.warnings());
    EXPECT_GE(mapped.nodes().size(), least_nodes);
    const LibraryReader library(file.path());
    for (int32_t node = 0; node < static_cast<int32_t>(mapped.nodes().size()); ++node) {
        const std::string path = mapped.path(node);
        EXPECT_EQ(mapped.find(path), node);
        if (mapped[node].kind != ObjectKind::kDataset) continue;
        EXPECT_EQ(printed(mapped.dataset(node)), printed(library.dataset(path))) << path;
        if (const auto text = mapped.stored_text(node)) {
            EXPECT_EQ(*text, library.read_string(path)) << path;
        }
        if (!mapped[node].dtype || mapped[node].null_space) continue;
        expect_same_elements(file, file.elements(mapped, node), path);
        expect_same_elements(file, file.elements(path), path);
    }
}

class FileIndex : public ::testing::Test {
  protected:
    std::filesystem::path written(const std::string& body) {
        const auto path = folder_ / "f.h5";
        const test::RunResult python = test::run_python(
            "import h5py,sys,numpy as np\npath=sys.argv[1]\n" + body, {path.string()});
        EXPECT_EQ(python.exit_code, 0) << python.err;
        return path;
    }
    TempDir folder_;
};

constexpr const char* kObjects = R"(
for name in ['int8','int16','int32','int64','uint8','uint16','uint32','uint64',
             'float16','float32','float64','bool']:
    a = (np.arange(60) % 50).reshape(3, 4, 5).astype(name)
    g = f.require_group('dtypes/' + name)
    g['plain'] = a
    if name != 'bool': g['big'] = a.astype(np.dtype(name).newbyteorder('>'))
    g.create_dataset('chunked', data=a, chunks=(2, 3, 2))
    g.create_dataset('packed', data=a, chunks=True, compression='gzip', shuffle=True)
    g['scalar'] = a[0, 0, 1]
    g['empty'] = a[:, :0]
    g.create_dataset('null', dtype=name, data=h5py.Empty(name))
    g.create_dataset('unwritten', shape=(2, 3), dtype=name)
    g.create_dataset('filled', shape=(2, 3), dtype=name, fillvalue=1)
    space = h5py.h5s.create_simple((5,))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE); plist.set_layout(h5py.h5d.COMPACT)
    d = h5py.h5d.create(g.id, b'compact', h5py.h5t.py_create(np.dtype(name), logical=True),
                        space, plist)
    h5py.Dataset(d)[...] = a.ravel()[:5]
f['text/fixed'] = np.bytes_(b'hello')
f['text/list'] = np.array([b'a', b'bcd'])
f['text/any'] = 'some text'
f['text/unicode'] = np.array('gr\u00fc\u00df'.encode(), dtype=h5py.string_dtype('utf-8', 12))
f['odd/complex'] = np.array([1 + 2j])
f['odd/record'] = np.array([(1, 2.0)], dtype=[('a', 'i4'), ('b', 'f8')])
f['odd/enum'] = np.zeros(3, dtype=h5py.enum_dtype({'RED': 0, 'BLUE': 1}, basetype='i1'))
f['odd/type'] = np.dtype('f4')
f.create_dataset('odd/committed', shape=(3,), dtype=f['odd/type'])
f['odd/array'] = np.zeros(2, dtype=[('x', 'f4', (3,))])
t = h5py.h5t.STD_I32LE.copy(); t.set_precision(20); t.set_offset(3)
h5py.h5d.create(f['odd'].id, b'bits', t, h5py.h5s.create_simple((2,)))
t = h5py.h5t.IEEE_F32LE.copy(); t.set_fields(15, 7, 8, 0, 7); t.set_size(2); t.set_ebias(127)
d = h5py.h5d.create(f['odd'].id, b'bfloat16', t, h5py.h5s.create_simple((3,)))
d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, -2, 3.5], 'f4'), h5py.h5t.IEEE_F32LE)
g = f.create_group('attributes')
d = g.create_dataset('few', data=np.arange(3))
for n, v in [('i8', np.int8(-3)), ('u64', np.uint64(2**64 - 1)), ('big', np.array(-5, '>i4')),
             ('list', np.arange(4)), ('none', np.zeros(0, 'i8')), ('grid', np.ones((2, 2), 'u2')),
             ('one', np.array([9])), ('f', 1.5), ('yes', True), ('text', np.bytes_(b'abc')),
             ('texts', np.array([b'a', b'b']))]:
    d.attrs[n] = v
g.create_dataset('null', data=1).attrs['null'] = h5py.Empty('i4')
g.create_dataset('any', data=1).attrs['text'] = 'of any length'
d = g.create_dataset('many', data=np.arange(3))
for i in range(40): d.attrs['a%d' % i] = np.int32(i)
d = g.create_dataset('resized', data=np.arange(3))
d.attrs['Type'] = np.int32(1); d.attrs['later'] = np.bytes_(b'x' * 500)
d.attrs['Type'] = np.arange(300); del d.attrs['later']; d.attrs['last'] = np.int32(7)
g.attrs['of group'] = np.int32(5)
f.attrs['of root'] = np.bytes_(b'1.0')
f['links/hard'] = f['text/fixed']
f['links/soft'] = h5py.SoftLink('/dtypes/int8')
f['links/soft dataset'] = h5py.SoftLink('/dtypes/int8/plain')
f['links/dangling'] = h5py.SoftLink('/nowhere')
f['links/up'] = h5py.SoftLink('/links')
f['links/top'] = f['/']
f['links/gone'] = h5py.ExternalLink('gone.h5', '/x')
f['links/external'] = h5py.ExternalLink(path + '.other', '/g')
f['links/external dataset'] = h5py.ExternalLink(path + '.other', '/g/d')
for i in range(3000): f.create_group('wide/%d' % ((i * 7919) % 3000))
f['wide/5/d'] = np.float32(1)
for track in (False, True):
    g = f.create_group('tracked%d' % track, track_order=track)
    for n in 'cab': g.create_group(n)
    g = f.create_group('dense%d' % track, track_order=track)
    for n in range(30, 0, -1): g['d%d' % n] = np.int32(n)
h = f
for i in range(40): h = h.create_group('deep')
h['end'] = np.arange(2)
)";

TEST_F(FileIndex, is_the_librarys_for_files_of_every_layout) {
    const std::string other =
        "with h5py.File(path + '.other', 'w') as o:\n"
        "  o['g/d'] = np.arange(4); o['g/d'].attrs['Type'] = 3\n"
        "  o['g/back'] = h5py.ExternalLink(path, '/links')\n";
    for (const std::string options : {"libver='earliest'",
                                      "libver='v108'",
                                      "libver='v110'",
                                      "libver='latest'",
                                      "track_order=True",
                                      "libver='latest',track_order=True",
                                      "userblock_size=1024",
                                      "libver='latest',userblock_size=2048"}) {
        SCOPED_TRACE(options);
        const auto path = written(other + "f=h5py.File(path,'w'," + options + ")\n" + kObjects);
        expect_same_both_ways(Reader(path), 3200);
    }
}

TEST_F(FileIndex, is_the_librarys_for_a_file_of_the_writer) {
    const auto path = folder_ / "own.h5";
    Writer writer(path);
    const Attribute attributes[] = {{"Type", int32_t{0}},
                                    {"Shape", std::vector<int64_t>{3, -1}},
                                    {"Empty", std::vector<int64_t>{}},
                                    {"Name", std::string("conv")},
                                    {"Nothing", std::string()}};
    for (int op = 0; op < 50; ++op)
        for (const char* side : {"input/x", "output/out"})
            writer.write_dataset("/conv/" + std::to_string(op) + "/" + side,
                                 Tensor::from<float>({2, 2}, {1, 2, 3, 4}).view(),
                                 attributes);
    writer.write_string("/conv/7/npuscope", "{\"a\": 1}", {});
    writer.link("/conv/7", "/conv/again");
    writer.write_root_attribute({"Version", std::string("1")});
    writer.close();
    const Reader file(path);
    expect_same_both_ways(file, 250);
    const Index index = file.index();
    const int32_t node = index.find("/conv/7/output/out");
    ASSERT_GE(node, 0);
    EXPECT_EQ(index.path(node), "/conv/7/output/out");
    EXPECT_EQ(index.integer(node, "Type"), 0);
    EXPECT_EQ(index.integers(node, "Shape")->back(), -1);
    EXPECT_EQ(index.text(node, "Name"), "conv");
    EXPECT_FALSE(index.integer(node, "Shape"));
    EXPECT_FALSE(index.text(node, "Type"));
    EXPECT_FALSE(index.integer(node, "absent"));
    EXPECT_EQ(index.stored_text(index.find("/conv/7/npuscope")), "{\"a\": 1}");
    EXPECT_EQ(index.find("/conv/70000"), -1);
    EXPECT_TRUE(file.elements(index, node).is_mapped());
}

TEST_F(FileIndex, elements_of_a_large_chunked_dataset_are_read_from_any_place) {
    const Reader file(
        written("f=h5py.File(path,'w')\n"
                "a=np.arange(30*300*301,dtype='f8').reshape(30,300,301)\n"
                "f.create_dataset('x',data=a,chunks=(7,50,60))\n"
                "f.create_dataset('y',data=a.astype('>f8'))\n"));
    for (const char* path : {"/x", "/y"}) {
        const Elements elements = file.elements(path);
        EXPECT_FALSE(elements.is_mapped());
        std::vector<std::byte> buffer;
        const int64_t last = elements.numel();
        for (const auto& [first, count] : {std::pair<int64_t, int64_t>{0, 1},
                                           {1, 300},
                                           {301, 301},
                                           {5, 200000},
                                           {90300, 90300},
                                           {90299, 180602},
                                           {last - 65537, 65537},
                                           {last, 0}}) {
            const std::byte* found = elements.range(first, count, buffer);
            for (int64_t i = 0; i < count; ++i) {
                double value = 0;
                std::memcpy(&value, found + 8 * i, sizeof value);
                ASSERT_EQ(value, static_cast<double>(first + i)) << path << " from " << first;
            }
        }
        EXPECT_LT(buffer.size(), size_t{2} << 20);
        EXPECT_THROW(static_cast<void>(elements.range(last, 1, buffer)), Error);
        EXPECT_THROW(static_cast<void>(elements.range(-1, 1, buffer)), Error);
    }
}

}  // namespace
}  // namespace npuscope::h5
