// The program msaccucmp as a function, on recorded and on odd files.
#include "msaccucmp/h5/h5_compare.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "core/npz/npy.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/log.h"
#include "msaccucmp/msaccucmp.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

using compare::unary;
using compare::write_dump;
using test::read_file;
using test::run_python;
using test::source_dir;
using test::TempDir;

using Words = std::vector<std::string>;

struct Finished {
    int code = 0;
    std::string out;
    std::string err;
};

Finished run_words(const Words& words) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run(words, out, err);
    return {code, out.str(), err.str()};
}

std::filesystem::path recorded(const std::string& file) {
    return source_dir() / "tests/golden/msaccucmp" / file;
}

Finished compare_paths(const std::filesystem::path& my,
                       const std::filesystem::path& golden,
                       const std::filesystem::path& out,
                       const Words& more = {}) {
    Words words = {"compare", "-m", my.string(), "-g", golden.string(), "-out", out.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
}

std::filesystem::path only_result(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".csv") return entry.path();
    return {};
}

size_t line_count(const std::filesystem::path& path) {
    const std::string text = read_file(path);
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

unsigned mode_of(const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777u;
}

TEST(Msaccucmp, prints_its_usage_and_stops_with_6_without_arguments) {
    const Finished none = run_words({});
    EXPECT_EQ(none.code, 6);
    EXPECT_NE(none.out.find("usage: msaccucmp"), std::string::npos);
    EXPECT_EQ(run_words({"-h"}).code, 0);
    EXPECT_EQ(run_words({"compare", "-h"}).code, 0);
    EXPECT_NE(run_words({"compare", "--help"}).out.find("--my_dump_path"), std::string::npos);
}

TEST(Msaccucmp, ends_its_log_with_the_time_but_for_help_and_wrong_usage) {
    const std::string end = "The command was completed and took 0 seconds.\n";
    EXPECT_TRUE(run_words({}).err.ends_with(end));
    EXPECT_TRUE(compare_paths("no.h5", "no.h5", "out").err.ends_with(end));
    EXPECT_EQ(run_words({"compare", "--help"}).err.find(end), std::string::npos);
    EXPECT_EQ(run_words({"compare"}).err.find(end), std::string::npos);
}

TEST(Msaccucmp, looks_for_the_folder_of_c_before_it_refuses_c) {
    const TempDir temp;
    const auto code = [&](const std::string& folder) {
        return compare_paths(recorded("stride/my.h5"),
                             recorded("stride/golden.h5"),
                             temp / "o",
                             {"-c", folder})
            .code;
    };
    EXPECT_EQ(code((temp / "nothing").string()), 3);
    EXPECT_EQ(code(recorded("stride/my.h5").string()), 3);
    EXPECT_EQ(code(temp.path().string()), 6);
}

TEST(Msaccucmp, rejects_unknown_commands_and_options_with_2) {
    EXPECT_EQ(run_words({"nothing"}).code, 2);
    const Finished bad = run_words({"compare", "--nothing"});
    EXPECT_EQ(bad.code, 2);
    EXPECT_NE(bad.err.find("msaccucmp compare: error: "), std::string::npos);
    EXPECT_EQ(bad.err.find("The command was completed"), std::string::npos);
}

TEST(Msaccucmp, rejects_paths_with_the_references_codes) {
    const TempDir temp;
    const auto my = recorded("stride/my.h5");
    const auto golden = recorded("stride/golden.h5");
    EXPECT_EQ(compare_paths("no.h5", golden, temp / "o").code, 3);
    EXPECT_EQ(compare_paths(my, "no.h5", temp / "o").code, 3);
    EXPECT_EQ(compare_paths("a,b.h5", golden, temp / "o").code, 6);
    EXPECT_EQ(compare_paths(std::string(300, 'x') + ".h5", golden, temp / "o").code, 3);
    EXPECT_EQ(compare_paths(my, golden, "").code, 6);
    EXPECT_EQ(run_words({"compare", "-m", my.string(), "-g", golden.string()}).code, 6);
    test::write_file(temp / "file", "");
    EXPECT_EQ(compare_paths(my, golden, temp / "file").code, 3);
    EXPECT_EQ(compare_paths(my, golden, temp / "file/below").code, 3);
    EXPECT_EQ(compare_paths(my, recorded("stride/case.json"), temp / "o").code, kInvalidDumpData);
    EXPECT_EQ(compare_paths(my, recorded("stride/case.json"), temp / "o", {"-p", "1"}).code, 6);
    EXPECT_FALSE(std::filesystem::exists(temp / "o"));
}

TEST(Msaccucmp, makes_private_folders_and_files) {
    const TempDir temp;
    const Finished finished =
        compare_paths(recorded("stride/my.h5"), recorded("stride/golden.h5"), temp / "a/b");
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(mode_of(temp / "a"), 0700u);
    EXPECT_EQ(mode_of(temp / "a/b"), 0700u);
    EXPECT_EQ(mode_of(only_result(temp / "a/b")), 0600u);
    EXPECT_NE(finished.err.find("[INFO] The command was completed and took 0 seconds."),
              std::string::npos);
}

TEST(Msaccucmp, gives_a_second_run_within_a_second_a_file_of_its_own) {
    const TempDir temp;
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(
            compare_paths(recorded("stride/my.h5"), recorded("stride/golden.h5"), temp / "o").code,
            0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(temp / "o"), {}), 3);
}

TEST(Msaccucmp, does_not_write_through_links_that_wait_under_the_results_names) {
    const TempDir temp;
    std::filesystem::create_directories(temp / "o");
    std::filesystem::create_directories(temp / "elsewhere");
    test::write_file(temp / "victim", "kept");
    std::filesystem::create_symlink(temp / "victim", temp / "o/advisor_summary.txt");
    for (int later = 0; later < 50; ++later) {
        const std::string name = "o/result_" + time_stamp(later);
        std::filesystem::create_symlink(temp / "victim", temp / (name + ".csv"));
        std::filesystem::create_directory_symlink(temp / "elsewhere", temp / (name + "_filtered"));
    }
    // The 51st second is free, so its filtered folder is new.
    const Finished finished = compare_paths(recorded("dump_mode/my.h5"),
                                            recorded("dump_mode/golden.h5"),
                                            temp / "o",
                                            {"-advisor", "-p", "1"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(read_file(temp / "victim"), "kept");
    EXPECT_TRUE(std::filesystem::is_empty(temp / "elsewhere"));
    EXPECT_FALSE(std::filesystem::is_symlink(temp / "o/advisor_summary.txt"));
}

TEST(Msaccucmp, writes_no_filtered_result_through_a_planted_folder) {
    const TempDir temp;
    std::filesystem::create_directories(temp / "o");
    std::filesystem::create_directories(temp / "elsewhere");
    for (int later = 0; later < 50; ++later)
        std::filesystem::create_directory_symlink(
            temp / "elsewhere", temp / ("o/result_" + time_stamp(later) + "_filtered"));
    const Finished finished = compare_paths(
        recorded("dump_mode/my.h5"), recorded("dump_mode/golden.h5"), temp / "o", {"-p", "1"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_NE(finished.err.find("[ERROR] Failed to create"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(temp / "elsewhere"));
}

TEST(Msaccucmp, leaves_a_header_when_a_file_is_damaged) {
    const TempDir temp;
    test::write_file(temp / "my.h5", "no HDF5");
    EXPECT_EQ(compare_paths(temp / "my.h5", recorded("stride/golden.h5"), temp / "o").code, 7);
    EXPECT_EQ(line_count(only_result(temp / "o")), 1u);
    const std::string whole = read_file(recorded("stride/my.h5"));
    test::write_file(temp / "my.h5", whole.substr(0, whole.size() / 2));
    EXPECT_EQ(compare_paths(temp / "my.h5", recorded("stride/golden.h5"), temp / "p").code, 7);
}

TEST(Msaccucmp, rejects_swapped_sides) {
    const TempDir temp;
    const Finished finished =
        compare_paths(recorded("stride/golden.h5"), recorded("stride/my.h5"), temp / "o");
    EXPECT_EQ(finished.code, 11);
    EXPECT_NE(finished.err.find("swapped"), std::string::npos);
}

TEST(Msaccucmp, reports_the_same_for_any_number_of_threads) {
    const TempDir temp;
    std::vector<std::string> texts;
    for (const int threads : {1, 3}) {
        CompareOptions options;
        options.my_path = recorded("dump_mode/my.h5").string();
        options.golden_path = recorded("dump_mode/golden.h5").string();
        options.output_path = (temp / std::to_string(threads)).string();
        std::ostringstream logged;
        Log log(logged);
        ASSERT_EQ(compare_h5(options, log, threads), 0);
        texts.push_back(read_file(only_result(options.output_path)));
        EXPECT_LT(logged.str().find("/Addmm/3\""), logged.str().find("/MulHalf/4\""));
    }
    EXPECT_EQ(texts[0], texts[1]);
}

TEST(Msaccucmp, writes_the_advice) {
    const TempDir temp;
    const Finished finished = compare_paths(
        recorded("dump_mode/my.h5"), recorded("dump_mode/golden.h5"), temp / "o", {"-advisor"});
    EXPECT_EQ(finished.code, 0);
    const std::string text = read_file(temp / "o/advisor_summary.txt");
    // expected.csv: the first cosine below 0.99 belongs to Index 5.
    EXPECT_EQ(text.find("Detection Type: Global Consistency\nOperator Index: 5\nExpert Advice: "),
              0u);
    EXPECT_EQ(mode_of(temp / "o/advisor_summary.txt"), 0600u);
}

TEST(Msaccucmp, saves_rows_of_low_cosine_and_their_tensors) {
    const TempDir temp;
    ASSERT_EQ(
        compare_paths(
            recorded("dump_mode/my.h5"), recorded("dump_mode/golden.h5"), temp / "o", {"-p", "1"})
            .code,
        0);
    std::filesystem::path folder;
    for (const auto& entry : std::filesystem::directory_iterator(temp / "o"))
        if (entry.is_directory()) folder = entry.path();
    ASSERT_TRUE(folder.filename().string().ends_with("_filtered"));
    EXPECT_EQ(mode_of(folder), 0700u);
    const std::string rows = read_file(folder / "filtered_result.csv");
    EXPECT_NE(rows.find("/CastLong/5/output/out"), std::string::npos);
    EXPECT_NE(rows.find("/OnlyGold/29"), std::string::npos);
    EXPECT_EQ(rows.find("/Addmm/3"), std::string::npos);
    EXPECT_EQ(rows.find("/WithNan/12"), std::string::npos);
    const Tensor saved = read_npy(folder / "my_dump/CastLong/5/output/out.npy");
    EXPECT_EQ(saved.dtype(), DType::kInt64);
    EXPECT_EQ(saved.shape(), (Shape{3, 5}));
    EXPECT_TRUE(std::filesystem::exists(folder / "gold_dump/CastLong/7/output/out.npy"));
    EXPECT_EQ(mode_of(folder / "my_dump"), 0700u);
}

TEST(Msaccucmp, compares_dumps_that_npuscope_wrote_with_facts_beside_the_tensors) {
    const TempDir temp;
    auto op = unary("relu", 1, {1, 2}, {1, 2});
    op.node = "fc1";
    write_dump(temp / "my.h5", {op});
    write_dump(temp / "golden.h5", {op}, dumpfile::kDeviceCpu);
    ASSERT_EQ(compare_paths(temp / "my.h5", temp / "golden.h5", temp / "o").code, 0);
    EXPECT_EQ(line_count(only_result(temp / "o")), 3u);
}

TEST(Msaccucmp, skips_what_is_no_dumped_tensor_and_says_so) {
    const TempDir temp;
    const auto python = run_python(
        "import h5py,sys,numpy as np\n"
        "for name,device in (('my',10),('golden',1)):\n"
        "    f=h5py.File(sys.argv[1]+'/'+name+'.h5','w')\n"
        "    def tensor(path,data):\n"
        "        d=f.create_dataset(path,data=data)\n"
        "        for k,v in dict(Type=0,DataType=1,DeviceType=device).items(): "
        "d.attrs[k]=np.int32(v)\n"
        "        d.attrs['Stride']=np.array([1]*np.ndim(data),dtype=np.int64)\n"
        "    tensor('Ok/1/output/out',np.float32([1,2]))\n"
        "    tensor('Ok/1/output/text',b'text')\n"
        "    f['top']=np.float32(1)\n"
        "    f['Ok/x/output/out']=np.float32(1)\n"
        "    f['Ok/1/output/dangling']=h5py.SoftLink('/nowhere')\n"
        "    f['Ok/99999999999999999999/output/out']=np.float32(1)\n"
        "    f['Ok/1/output/loop']=h5py.SoftLink('/Ok/1/output')\n"
        "    g=f.create_group('Round/2/output')\n"
        "    g['a']=g; g['b']=g\n",
        {temp.path().string()});
    ASSERT_EQ(python.exit_code, 0) << python.err;
    const Finished finished = compare_paths(temp / "my.h5", temp / "golden.h5", temp / "o");
    EXPECT_EQ(finished.code, 0) << finished.err;
    for (const std::string name : {"[top]", "[/Ok/x]", "[/Ok/99999999999999999999]"})
        EXPECT_NE(finished.err.find(name), std::string::npos) << name;
    const std::string table = read_file(only_result(temp / "o"));
    EXPECT_NE(table.find("/Ok/1/output/out,/Ok/1/output/out,float32"), std::string::npos);
    EXPECT_NE(table.find("/Ok/1/output/text,/Ok/1/output/text,NaN"), std::string::npos);
}

TEST(Msaccucmp, names_big_endian_data_as_numpy_does) {
    const TempDir temp;
    const auto python = run_python(
        "import h5py,sys,numpy as np\n"
        "for name,device in (('my',10),('golden',1)):\n"
        "    f=h5py.File(sys.argv[1]+'/'+name+'.h5','w')\n"
        "    for arg,data in (('array',[1.5,2]),('scalar',2.5)):\n"
        "        d=f.create_dataset('A/1/output/'+arg,data=np.array(data,dtype='>f4'))\n"
        "        for k,v in dict(Type=0,DataType=1,DeviceType=device).items(): "
        "d.attrs[k]=np.int32(v)\n"
        "        d.attrs['Stride']=np.array([1]*np.ndim(data),dtype=np.int64)\n",
        {temp.path().string()});
    ASSERT_EQ(python.exit_code, 0) << python.err;
    ASSERT_EQ(compare_paths(temp / "my.h5", temp / "golden.h5", temp / "o").code, 0);
    const std::string table = read_file(only_result(temp / "o"));
    EXPECT_NE(table.find("/A/1/output/array,>f4,[2],1.000000"), std::string::npos) << table;
    EXPECT_NE(table.find("/A/1/output/scalar,float32,[],1.000000"), std::string::npos) << table;
}

TEST(Msaccucmp, reports_a_stride_that_points_outside_the_data) {
    const TempDir temp;
    const auto python = run_python(
        "import h5py,sys,numpy as np\n"
        "for name,device in (('my',10),('golden',1)):\n"
        "    f=h5py.File(sys.argv[1]+'/'+name+'.h5','w')\n"
        "    d=f.create_dataset('A/1/output/out',data=np.float32([1,2,3]))\n"
        "    for k,v in dict(Type=0,DataType=1,DeviceType=device).items(): d.attrs[k]=np.int32(v)\n"
        "    d.attrs['Stride']=np.array([-1],dtype=np.int64)\n",
        {temp.path().string()});
    ASSERT_EQ(python.exit_code, 0) << python.err;
    ASSERT_EQ(compare_paths(temp / "my.h5", temp / "golden.h5", temp / "o").code, 0);
    EXPECT_NE(read_file(only_result(temp / "o")).find("outside the data"), std::string::npos);
}

}  // namespace
}  // namespace npuscope::msaccucmp
