#include "core/parallel/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace npuscope {

int available_threads() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void parallel_for(int64_t count, int threads, const std::function<void(int64_t)>& task) {
    if (threads <= 0) threads = available_threads();
    const int workers = static_cast<int>(std::min<int64_t>(threads, count));
    if (workers <= 1) {
        for (int64_t i = 0; i < count; ++i)
            task(i);
        return;
    }
    std::atomic<int64_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        for (int64_t i = next++; i < count; i = next++) {
            try {
                task(i);
            } catch (...) {
                const std::lock_guard guard(mutex);
                if (!failure) failure = std::current_exception();
                next = count;
            }
        }
    };
    {
        std::vector<std::jthread> pool;
        pool.reserve(static_cast<size_t>(workers - 1));
        for (int i = 1; i < workers; ++i)
            pool.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace npuscope
