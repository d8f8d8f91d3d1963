#include "core/dumpfile/extract.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "core/dumpfile/writer.h"
#include "tests/support/support.h"

namespace npuscope::dumpfile {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

class ExtractOps : public ::testing::Test {
  protected:
    void SetUp() override {
        Writer writer(in_, {.run_facts = {{"Chip", "910A"}}});
        for (int64_t seqid = 1; seqid <= 11; ++seqid) {
            OpRecord record;
            record.id = {seqid % 2 == 0 ? "add" : "relu", seqid};
            record.inputs = {{"self", Tensor::from<float>({1}, {0})}};
            record.outputs = {{"result", Tensor::from<float>({1}, {static_cast<float>(seqid)})}};
            record.facts.source.node = "n";
            writer.write(record);
        }
        writer.close(false, "cut");
    }
    std::vector<std::string> ops_in(const fs::path& path) {
        const Reader reader(path);
        std::vector<std::string> names;
        for (const OpEntry& op : reader.ops())
            names.push_back(op.id.path());
        return names;
    }
    std::string error_of(const std::vector<Copy>& copies, ErrorKind kind = ErrorKind::kUsage) {
        try {
            extract(in_, out_, copies);
        } catch (const Error& error) {
            EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return {};
    }
    TempDir folder_;
    fs::path in_ = folder_ / "in.h5";
    fs::path out_ = folder_ / "out.h5";
};

TEST_F(ExtractOps, copies_an_op_with_all_below_it) {
    EXPECT_EQ(extract(in_, out_, {{"relu/3/", "/relu/3//"}}), 1);
    const Reader reader(out_);
    ASSERT_EQ(reader.ops().size(), 1U);
    EXPECT_EQ(reader.ops()[0].entries.size(), 2U);
    EXPECT_EQ(reader.ops()[0].facts_json, R"({"node":"n"})");
    EXPECT_EQ(reader.read(reader.ops()[0].entries[1]).at(0), 3);
    EXPECT_EQ(reader.run_fact("Chip"), "910A");
    EXPECT_EQ(reader.run_fact("ExtractedFrom"), "in.h5");
    EXPECT_TRUE(reader.complete());
}

TEST_F(ExtractOps, a_pattern_copies_in_number_order_and_each_once) {
    std::vector<std::string> told;
    EXPECT_EQ(extract(in_,
                      out_,
                      {{"/relu/*", "/relu/*"}, {"/relu/3", "/relu/3"}, {"/?dd/1?", "/?dd/1?"}},
                      [&](const std::string& from, const std::string&) { told.push_back(from); }),
              7);
    EXPECT_EQ(told,
              (std::vector<std::string>{
                  "/relu/1", "/relu/3", "/relu/5", "/relu/7", "/relu/9", "/relu/11", "/add/10"}));
}

TEST_F(ExtractOps, copies_to_another_place) {
    extract(in_, out_, {{"/relu/3", "/gelu/7"}, {"/add/2/output", "/add/9/output"}});
    EXPECT_EQ(ops_in(out_), (std::vector<std::string>{"/gelu/7", "/add/9"}));
}

TEST_F(ExtractOps, adds_to_an_existing_output_and_leaves_it_whole_on_errors) {
    extract(in_, out_, {{"/relu/3", "/relu/3"}});
    extract(in_, out_, {{"/relu/5", "/relu/5"}});
    EXPECT_EQ(ops_in(out_), (std::vector<std::string>{"/relu/3", "/relu/5"}));
    const std::string before = test::read_file(out_);
    EXPECT_NE(error_of({{"/add/2", "/add/2"}, {"/relu/3", "/relu/3"}}).find("/relu/3"),
              std::string::npos);
    EXPECT_EQ(test::read_file(out_), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 2);
}

TEST_F(ExtractOps, rejects_what_matches_nothing_and_names_the_nearest) {
    EXPECT_NE(error_of({{"/rely/3", "/rely/3"}}).find("; the nearest is /relu"), std::string::npos);
    EXPECT_NE(error_of({{"/relu/4", "/relu/4"}}).find("/relu/1"), std::string::npos);
    EXPECT_NE(error_of({{"/x*/1", "/x*/1"}}).find("matches nothing"), std::string::npos);
    EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ExtractOps, rejects_the_root_a_moved_pattern_and_its_own_input) {
    error_of({{"/", "/"}});
    error_of({{"", ""}});
    error_of({{"/relu/*", "/gelu/*"}});
    EXPECT_THROW(extract(in_, in_, {{"/relu/3", "/x/3"}}), Error);
    fs::create_symlink(in_, folder_ / "link.h5");
    EXPECT_THROW(extract(in_, folder_ / "link.h5", {{"/relu/3", "/x/3"}}), Error);
}

TEST_F(ExtractOps, blames_a_source_that_becomes_shorter) {
    Writer writer(folder_ / "large.h5", {});
    for (int64_t seqid = 1; seqid <= 3; ++seqid) {
        OpRecord record;
        record.id = {"relu", seqid};
        record.outputs = {
            {"result", Tensor::from<float>({300000}, std::vector<float>(300000, 1.0F))}};
        writer.write(record);
        // Equal tensors would be one.
        record.outputs = {{"result", Tensor::scalar(static_cast<double>(seqid))}};
        record.id.op = "mul";
        record.id.seqid += 10;
        writer.write(record);
    }
    writer.close();
    try {
        extract(folder_ / "large.h5", out_, {{"/relu", "/relu"}, {"/mul", "/mul"}}, {}, [&] {
            fs::resize_file(folder_ / "large.h5", 200000);
        });
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "'" + (folder_ / "large.h5").string() + "' became shorter while it was read");
    }
    EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ExtractOps, a_step_that_throws_leaves_nothing) {
    struct Enough {};
    int steps = 0;
    EXPECT_THROW(extract(in_,
                         out_,
                         {{"/relu/1", "/relu/1"}, {"/relu/3", "/relu/3"}},
                         {},
                         [&] {
                             if (++steps == 2) throw Enough();
                         }),
                 Enough);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(ExtractOps, rejects_an_output_that_is_no_hdf5_file_and_keeps_it) {
    test::write_file(out_, "my notes");
    error_of({{"/relu/3", "/relu/3"}}, ErrorKind::kFormat);
    EXPECT_EQ(test::read_file(out_), "my notes");
}

TEST_F(ExtractOps, takes_the_failed_ops_of_a_report) {
    const fs::path report = folder_ / "v.json";
    test::write_file(report,
                     R"({"ops":[{"path":"/relu/3","verdict":"fail"},
                                {"path":"/add/2","verdict":"pass"}], "version": 1})");
    const std::vector<Copy> copies = failed_ops(report);
    ASSERT_EQ(copies.size(), 1U);
    EXPECT_EQ(copies[0].from, "/relu/3");
    EXPECT_EQ(copies[0].to, "/relu/3");
}

TEST_F(ExtractOps, rejects_reports_without_failed_ops_or_of_another_form) {
    const fs::path report = folder_ / "v.json";
    for (const char* text : {"",
                             "[]",
                             "{}",
                             R"({"ops":{}})",
                             R"({"ops":[1]})",
                             R"({"ops":[{"path":"/a/1"}]})",
                             R"({"ops":[{"path":1,"verdict":"fail"}]})",
                             R"({"ops":[{"path":"/a/1","verdict":"pass"}]})"}) {
        test::write_file(report, text);
        EXPECT_THROW(static_cast<void>(failed_ops(report)), Error) << text;
    }
    EXPECT_THROW(static_cast<void>(failed_ops(folder_ / "none.json")), Error);
}

TEST_F(ExtractOps, rejects_a_full_disk_without_leaving_a_file) {
    {
        Writer writer(in_, {});
        OpRecord record;
        record.id.op = "big";
        record.outputs = {{"result", Tensor::zeros(DType::kFloat32, {100000})}};
        writer.write(record);
        writer.close();
    }
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{100000, 100000};
        std::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
        try {
            extract(in_, out_, {{"/big/0", "/big/0"}});
        } catch (const Error& error) {
            std::exit(error.kind() == ErrorKind::kIo ? 3 : 4);
        }
        std::exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace npuscope::dumpfile
