#include "core/parallel/parallel_for.h"

#include <atomic>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(ParallelFor, calls_every_index_once_for_any_number_of_threads) {
    for (const int threads : {0, 1, 2, 7, 100}) {
        for (const int64_t count : {0, 1, 5, 1000}) {
            std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
            parallel_for(count, threads, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
            for (const auto& seen : calls)
                EXPECT_EQ(seen, 1);
        }
    }
}

TEST(ParallelFor, one_thread_keeps_the_order_on_the_callers_thread) {
    std::vector<int64_t> order;
    std::set<std::thread::id> threads;
    parallel_for(10, 1, [&](int64_t i) {
        order.push_back(i);
        threads.insert(std::this_thread::get_id());
    });
    std::vector<int64_t> expected(10);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
    EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ParallelFor, rethrows_an_exception_after_all_threads_ended) {
    for (const int threads : {1, 4}) {
        std::atomic<int> running{0};
        EXPECT_THROW(parallel_for(1000,
                                  threads,
                                  [&](int64_t i) {
                                      ++running;
                                      if (i == 3) {
                                          --running;
                                          throw std::runtime_error("task");
                                      }
                                      --running;
                                  }),
                     std::runtime_error);
        EXPECT_EQ(running, 0);
    }
}

TEST(ParallelFor, there_is_at_least_one_thread) {
    EXPECT_GE(available_threads(), 1);
}

}  // namespace
}  // namespace npuscope
