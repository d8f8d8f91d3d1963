// What a reader finds when the machine stops between any two writes of the append-only writer, or
// when writes that were not yet safe are lost: exactly the last commit, nothing else.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/h5/append_writer.h"
#include "core/h5/index.h"
#include "tests/support/disk_double.h"
#include "tests/support/support.h"

namespace npuscope::h5 {
namespace {

using test::DiskDouble;
using test::DiskEvent;
using test::DiskScript;
using test::TempDir;

void apply(std::string& disk, const DiskEvent& event, size_t count) {
    disk.resize(std::max(disk.size(), event.offset + count), '\0');
    std::memcpy(disk.data() + event.offset, event.bytes.data(), count);
}

/// A run of the writer: its calls, and for each commit the number of calls before it returned and
/// the names that a reader sees from then on.
struct Recording {
    std::vector<DiskEvent> events;
    std::vector<size_t> ends;
    std::vector<std::vector<std::string>> states;
};

/// Small and large runs that share a group, links, a run of many tensors, commits at odd moments.
Recording record(bool sync, unsigned seed) {
    Recording made;
    std::mt19937 random(seed);
    std::vector<std::string> names;
    DiskScript disk{.keeps_events = true};
    AppendWriter writer(std::make_unique<DiskDouble>(disk),
                        {.root_attributes = {{"Runs", std::string("0")}}, .sync = sync});
    const auto committed = [&] {
        made.ends.push_back(disk.events.size());
        made.states.push_back(names);
        std::sort(made.states.back().begin(), made.states.back().end());
    };
    committed();
    AppendWriter::Address first = 0;
    for (int run = 1; run <= 80; ++run) {
        const std::string path = (run % 4 == 0 ? "/relu/" : "/addmm/") + std::to_string(run);
        const int tensors = run == 40 ? 120 : 1 + static_cast<int>(random() % 3);
        for (int i = 0; i < tensors; ++i) {
            const std::string name = path + "/output/r" + std::to_string(i);
            const bool is_link = first != 0 && random() % 5 == 0;
            if (is_link) {
                writer.link(first, name);
            } else {
                const bool large = random() % 20 == 0;
                const Tensor tensor = Tensor::from<int32_t>(
                    {large ? 30000 : 40}, std::vector<int32_t>(large ? 30000 : 40, 1000 * run + i));
                const Attribute type{"Value", int32_t{1000 * run + i}};
                const auto address = writer.write_dataset(name, tensor.view(), {&type, 1});
                if (first == 0) first = address;
            }
            names.push_back(name + " " + std::to_string(is_link ? 1000 : 1000 * run + i));
        }
        writer.finish_group(path);
        if (random() % 3 != 0) continue;
        writer.set_root_attribute({"Runs", std::to_string(run)});
        writer.commit();
        committed();
    }
    writer.close();
    committed();
    made.events = std::move(disk.events);
    return made;
}

/// Every dataset with its value, which its attribute and all its elements must tell.
std::vector<std::string> names_in(const std::filesystem::path& path, IndexSource source) {
    const Reader file(path);
    const Index index = file.index(source);
    EXPECT_TRUE(index.warnings().empty()) << index.warnings().front();
    std::vector<std::string> names;
    for (int32_t i = 0; i < static_cast<int32_t>(index.nodes().size()); ++i) {
        if (index[i].kind != ObjectKind::kDataset) continue;
        const auto value = index.integer(i, "Value");
        const Tensor tensor = file.read(index.path(i));
        const auto elements = tensor.as<int32_t>();
        const bool right = value && std::all_of(elements.begin(), elements.end(), [&](int32_t x) {
                               return x == *value;
                           });
        names.push_back(index.path(i) + " " + (right ? std::to_string(*value) : "damaged"));
    }
    std::sort(names.begin(), names.end());
    return names;
}

class TornWrites : public ::testing::Test {
  protected:
    void expect_state(const std::string& disk, const std::vector<std::string>& state) {
        test::write_file(path_, disk);
        ASSERT_EQ(names_in(path_, IndexSource::kMappedFile), state);
        // The library is slower and asked now and then.
        if (++checks_ % 8 != 0) return;
        ASSERT_EQ(names_in(path_, IndexSource::kLibrary), state);
    }
    TempDir folder_;
    std::filesystem::path path_ = folder_ / "torn.h5";
    int checks_ = 0;
};

TEST_F(TornWrites, a_file_cut_off_between_or_in_writes_shows_the_last_commit) {
    const Recording run = record(false, 5);
    std::mt19937 random(7);
    std::string disk;
    size_t state = 0;
    for (size_t i = 0; i < run.events.size(); ++i) {
        const DiskEvent& event = run.events[i];
        const bool is_switch = event.offset == 0;
        if (i >= run.ends[0] && !is_switch) {
            std::string torn = disk;
            apply(torn, event, random() % (event.bytes.size() + 1));
            expect_state(torn, run.states[state]);
        }
        EXPECT_TRUE(!is_switch || i < run.ends[0] || event.bytes.size() <= 96U);
        apply(disk, event, event.bytes.size());
        if (state + 1 < run.ends.size() && i + 1 == run.ends[state + 1]) ++state;
        if (i + 1 >= run.ends[0]) expect_state(disk, run.states[state]);
    }
    EXPECT_EQ(state + 1, run.states.size());
    EXPECT_GT(run.states.size(), 20U);
}

/// Between two syncs the system may write in any order: every subset of those calls may be missing,
/// and of the superblock's, which lies in one sector, all or nothing.
TEST_F(TornWrites, losing_any_writes_between_two_syncs_shows_the_last_commit) {
    const Recording run = record(true, 11);
    std::mt19937 random(13);
    std::string safe;
    std::vector<size_t> pending;
    size_t state = 0;
    int dropped = 0;
    for (size_t i = 0; i < run.events.size(); ++i) {
        if (!run.events[i].is_sync) {
            pending.push_back(i);
            continue;
        }
        if (i >= run.ends[0])
            for (int attempt = 0; attempt < 4; ++attempt) {
                std::string disk = safe;
                bool switched = false;
                for (const size_t number : pending) {
                    const DiskEvent& event = run.events[number];
                    const bool is_switch = event.offset == 0;
                    if (random() % 2 == 0) {
                        ++dropped;
                        continue;
                    }
                    switched = switched || is_switch;
                    apply(disk,
                          event,
                          is_switch ? event.bytes.size() : random() % (event.bytes.size() + 1));
                }
                ASSERT_TRUE(!switched || pending.size() == 1) << "a switch among other writes";
                expect_state(disk, run.states[state + (switched ? 1 : 0)]);
            }
        for (const size_t number : pending)
            apply(safe, run.events[number], run.events[number].bytes.size());
        if (state + 1 < run.ends.size() && i + 1 == run.ends[state + 1]) ++state;
        pending.clear();
    }
    EXPECT_TRUE(pending.empty()) << "writes that no sync made safe";
    EXPECT_GT(dropped, 100);
    EXPECT_EQ(state + 1, run.states.size());
}

TEST_F(TornWrites, nothing_that_a_commit_shows_is_written_again) {
    const Recording run = record(false, 17);
    size_t state = 0;
    uint64_t end_of_file = 0;
    std::string disk;
    for (size_t i = 0; i < run.events.size(); ++i) {
        const DiskEvent& event = run.events[i];
        // Only names of a growing group go before the end of the committed file, into zeros.
        if (i >= run.ends[0] && event.offset != 0 && event.offset < end_of_file) {
            const std::string before = disk.substr(event.offset, event.bytes.size());
            EXPECT_TRUE(std::all_of(before.begin(), before.end(), [](char c) { return c == 0; }));
        }
        apply(disk, event, event.bytes.size());
        if (event.offset == 0) std::memcpy(&end_of_file, disk.data() + 28, sizeof end_of_file);
        if (state + 1 < run.ends.size() && i + 1 == run.ends[state + 1]) ++state;
    }
    EXPECT_EQ(end_of_file, disk.size());
}

}  // namespace
}  // namespace npuscope::h5
