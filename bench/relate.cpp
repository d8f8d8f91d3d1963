// How long it takes to relate two recordings, and what that finds.
//
//   relate TARGET GOLDEN [MAPPING]     writes what was found to MAPPING
//   relate N [ELEMENTS]                N tensors of ELEMENTS float32 (1024) on each side, shuffled
//   in
//                                      blocks, rounded to float16 on one side. Goal: 50000 in 60 s
//                                      and 2 GB on two cores
#include "compare/relate/relate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include "compare/relate/mapping.h"
#include "compare/relate/ties.h"
#include "core/base/pending_file.h"

namespace {

using namespace npuscope;  // NOLINT(google-build-using-namespace)

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

SourceOp op_of(size_t name, size_t content, int64_t elements, bool rounded) {
    SourceOp op;
    op.id = {"op", static_cast<int64_t>(name)};
    op.path = "/op/" + std::to_string(name);
    op.load = [=, path = op.path] {
        SourceTensor tensor;
        tensor.argument = "result";
        tensor.path = path + "/output/result";
        tensor.dtype = "float32";
        tensor.shape = {32, elements / 32};
        // Made when it is read, as from a file.
        tensor.open = [=, shape = tensor.shape] {
            Tensor made(DType::kFloat32, shape);
            std::minstd_rand random(static_cast<uint32_t>(content * 7919 + 1));
            for (float& value : made.mutable_as<float>())
                value = static_cast<float>(static_cast<double>(random()) / 2147483648.0 - 0.5);
            if (rounded) made = made.cast(DType::kFloat16).cast(DType::kFloat32);
            return std::make_unique<TensorElements>(made);
        };
        return std::vector<SourceTensor>{tensor};
    };
    return op;
}

int relate_made(size_t count, int64_t elements) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(1);
    constexpr size_t kBlock = 100;
    for (size_t first = 0; first < count; first += kBlock)
        std::shuffle(order.begin() + static_cast<int64_t>(first),
                     order.begin() + static_cast<int64_t>(std::min(count, first + kBlock)),
                     random);
    Source target;
    Source golden;
    for (size_t i = 0; i < count; ++i) {
        golden.ops.push_back(op_of(i, i, elements, false));
        target.ops.push_back(op_of(i, order[i], elements, true));
    }
    const auto start = std::chrono::steady_clock::now();
    const compare::Relations relations = compare::relate(target, golden);
    size_t right = 0;
    for (const compare::TensorRelation& each : relations.found)
        right += order[each.target] == each.golden ? 1 : 0;
    std::printf("%zu x %zu tensors of %lld elements: %.1f s, %zu paired, %zu of them right\n",
                count,
                count,
                static_cast<long long>(elements),
                seconds_since(start),
                relations.found.size(),
                right);
    return right == count ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) return 2;
    if (count < 3 || std::atoll(words[1]) > 0)
        return relate_made(std::strtoull(words[1], nullptr, 10),
                           count > 2 ? std::atoll(words[2]) : 1024);
    const Source target = open_source(words[1]);
    const Source golden = open_source(words[2]);
    const auto start = std::chrono::steady_clock::now();
    const compare::Relations relations = compare::relate(target, golden);
    std::printf("%zu and %zu tensors, %zu relations: %.2f s\n",
                relations.target.tensors.size(),
                relations.golden.tensors.size(),
                relations.found.size(),
                seconds_since(start));
    if (count > 3)
        write_text_file(words[3], compare::mapping_text(ties_of(relations, target, golden)));
    return 0;
}
