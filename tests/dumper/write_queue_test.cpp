#include "dumper/write_queue.h"

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace npuscope::dumper {
namespace {

dumpfile::OpRecord record_of(int64_t seqid, int64_t floats) {
    dumpfile::OpRecord record;
    record.id.seqid = seqid;
    record.outputs = {{"result", Tensor::zeros(DType::kFloat32, {floats})}};
    return record;
}

TEST(WriteQueue, hands_records_over_in_order_on_another_thread) {
    std::vector<int64_t> seen;
    std::thread::id writer;
    WriteQueue queue(1 << 20, [&](const dumpfile::OpRecord& record) {
        seen.push_back(record.id.seqid);
        writer = std::this_thread::get_id();
    });
    for (int i = 0; i < 100; ++i)
        queue.push(record_of(i, 1));
    EXPECT_EQ(queue.finish(), nullptr);
    ASSERT_EQ(seen.size(), 100U);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(seen[static_cast<size_t>(i)], i);
    EXPECT_NE(writer, std::this_thread::get_id());
}

TEST(WriteQueue, never_holds_more_than_its_limit) {
    const uint64_t one = bytes_of(record_of(0, 1000));
    const uint64_t limit = 3 * one + one / 2;
    WriteQueue queue(limit, [](const dumpfile::OpRecord&) {});
    for (int i = 0; i < 1000; ++i)
        queue.push(record_of(i, 1000));
    EXPECT_EQ(queue.finish(), nullptr);
    EXPECT_LE(queue.peak_bytes(), limit);
    EXPECT_GE(queue.peak_bytes(), one);
}

TEST(WriteQueue, push_waits_until_the_writer_has_room) {
    std::mutex mutex;
    std::condition_variable changed;
    bool may_write = false;
    int pushed = 0;
    const uint64_t one = bytes_of(record_of(0, 1000));
    WriteQueue queue(2 * one, [&](const dumpfile::OpRecord&) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return may_write; });
    });
    std::thread program([&] {
        for (int i = 0; i < 3; ++i) {
            queue.push(record_of(i, 1000));
            const std::lock_guard lock(mutex);
            pushed = i + 1;
            changed.notify_all();
        }
    });
    {
        // The writer is stuck with the first record, the second waits, the third has no room.
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return pushed == 2; });
        EXPECT_EQ(queue.peak_bytes(), 2 * one);
        may_write = true;
        changed.notify_all();
    }
    program.join();
    EXPECT_EQ(queue.finish(), nullptr);
    EXPECT_EQ(pushed, 3);
    EXPECT_EQ(queue.peak_bytes(), 2 * one);
}

TEST(WriteQueue, takes_a_record_larger_than_its_limit_alone) {
    int count = 0;
    WriteQueue queue(1, [&](const dumpfile::OpRecord&) { ++count; });
    for (int i = 0; i < 10; ++i)
        queue.push(record_of(i, 1000));
    EXPECT_EQ(queue.finish(), nullptr);
    EXPECT_EQ(count, 10);
}

TEST(WriteQueue, keeps_the_first_exception_and_drops_what_follows_without_blocking) {
    int count = 0;
    WriteQueue queue(1, [&](const dumpfile::OpRecord& record) {
        ++count;
        if (record.id.seqid == 2) throw std::runtime_error("disk");
    });
    for (int i = 0; i < 50; ++i)
        queue.push(record_of(i, 1000));
    const std::exception_ptr failure = queue.finish();
    ASSERT_NE(failure, nullptr);
    EXPECT_THROW(std::rethrow_exception(failure), std::runtime_error);
    EXPECT_EQ(count, 3);
}

TEST(WriteQueue, can_be_finished_twice_and_destroyed_unfinished) {
    int count = 0;
    {
        WriteQueue queue(1 << 20, [&](const dumpfile::OpRecord&) { ++count; });
        queue.push(record_of(1, 1));
    }
    EXPECT_EQ(count, 1);
    WriteQueue queue(1 << 20, [&](const dumpfile::OpRecord&) { ++count; });
    EXPECT_EQ(queue.finish(), nullptr);
    EXPECT_EQ(queue.finish(), nullptr);
    queue.push(record_of(1, 1));
    EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace npuscope::dumper
