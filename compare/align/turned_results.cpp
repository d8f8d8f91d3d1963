#include "compare/align/turned_results.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compare/match.h"
#include "compare/relate/dot_products.h"
#include "compare/relate/view.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the norm: a transpose that is no nearer is of something else.
constexpr double kNear = 0.5;
/// What is turned may pair ops anew, of which more are to be turned.
constexpr int kMostPasses = 4;
/// A square matrix lies turned where it is so many times nearer to the transpose.
constexpr double kSurelyTurned = 4;

using Turned = std::set<std::string>;  ///< paths of tensors

bool holds_inputs(const Source& source) {
    if (source.has_inputs) return *source.has_inputs;
    return std::ranges::any_of(source.ops, [](const SourceOp& op) {
        try {
            return std::ranges::any_of(op.load(), [](const SourceTensor& tensor) {
                return tensor.direction == Direction::kInput && tensor.open;
            });
        } catch (const Error&) {
            // What cannot be read is told where it is compared.
            return false;
        }
    });
}

Tensor transposed(const Tensor& tensor) {
    const int64_t rows = tensor.shape()[0];
    const int64_t columns = tensor.shape()[1];
    return apply({.shape = {columns, rows},
                  .source_numel = tensor.numel(),
                  .loops = {{columns, 1}, {rows, columns}}},
                 tensor);
}

bool is_transposed(const Shape& one, const Shape& other) {
    return one[0] == other[1] && one[1] == other[0];
}

bool is_square(const Shape& shape) {
    return shape[0] == shape[1];
}

bool is_matrix(const SourceTensor& tensor) {
    return tensor.direction == Direction::kOutput && tensor.open && tensor.shape.size() == 2 &&
           tensor.shape[0] > 1 && tensor.shape[1] > 1;
}

Tensor numbers_of(const SourceTensor& tensor) {
    return tensor.open()->whole().cast(DType::kFloat64);
}

double apart(const Tensor& one, const Tensor& other) {
    return relative_distance(one.as<double>(), other.as<double>());
}

double size_of_all(const Tensor& tensor) {
    const auto numbers = tensor.as<double>();
    return std::sqrt(std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0));
}

/// |a - b| / |b| of the transpose of `one`, which is not made: it may be the largest tensor.
double apart_across(const Tensor& one, const Tensor& other) {
    const auto rows = static_cast<size_t>(other.shape()[0]);
    const auto columns = static_cast<size_t>(other.shape()[1]);
    const auto a = one.as<double>();
    const auto b = other.as<double>();
    double difference = 0;
    double size = 0;
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column) {
            const double its = b[row * columns + column];
            const double off = a[column * rows + row] - its;
            difference += off * off;
            size += its * its;
        }
    if (difference == 0) return 0;
    return size > 0 ? std::sqrt(difference / size) : INFINITY;
}

/// Turns the side that holds results only until nothing more is to be turned.
class Turning {
  public:
    Turning(Source& target, Source& golden, bool of_target)
        : target_(target), golden_(golden), of_target_(of_target) {}

    void take() {
        Source& side = of_target_ ? target_ : golden_;
        for (int pass = 0; pass < kMostPasses && find(); ++pass)
            turn(side);
        if (found_.empty()) return;
        side.remarks.push_back(
            fmt::format("{} of the {}'s results are transposed beside the {}'s, such as {}: they "
                        "are compared turned",
                        found_.size(),
                        of_target_ ? "target" : "golden",
                        of_target_ ? "golden" : "target",
                        *found_.begin()));
    }

  private:
    /// A matrix that is not what its partner is, whichever way they lie.
    struct Astray {
        std::string op;
        SourceTensor tensor;
        double size = 0;  ///< its norm, which a transpose has as well
    };

    /// Whether there was one that was not known.
    bool find() {
        fresh_.clear();
        const Plan plan = make_plan(target_, golden_, false);
        for (const OpPair& pair : plan.ops)
            look_at(pair, false);
        // Squares, and what found another partner, are looked at where the program is such a one.
        if (!found_.empty() || !fresh_.empty()) {
            astray_target_.clear();
            astray_golden_.clear();
            for (const OpPair& pair : plan.ops)
                look_at(pair, true);
            match_astray();
        }
        found_.insert(fresh_.begin(), fresh_.end());
        return !fresh_.empty();
    }

    void look_at(const OpPair& pair, bool also_squares) {
        if (pair.target == nullptr || pair.golden == nullptr) {
            if (also_squares) leave_alone(pair);
            return;
        }
        try {
            const std::vector<SourceTensor> target = pair.target->load();
            const std::vector<SourceTensor> golden = pair.golden->load();
            for (const TensorPair& both :
                 pair_tensors(pair, target, golden, target_.numbered && golden_.numbered)) {
                if (both.target == nullptr || both.golden == nullptr || !is_matrix(*both.target) ||
                    !is_matrix(*both.golden))
                    continue;
                const bool lie_across = is_transposed(both.target->shape, both.golden->shape);
                if (also_squares || (lie_across && !is_square(both.target->shape)))
                    look_at(pair, both, lie_across);
            }
        } catch (const Error&) {
            // What cannot be read is told where it is compared.
            return;
        }
    }

    void look_at(const OpPair& ops, const TensorPair& both, bool lie_across) {
        const Tensor own = numbers_of(*both.target);
        const Tensor theirs = numbers_of(*both.golden);
        const double straight = own.shape() == theirs.shape() ? apart(own, theirs) : INFINITY;
        const double across = lie_across ? apart_across(own, theirs) : INFINITY;
        if (across < kNear && kSurelyTurned * across < straight) {
            fresh_.insert((of_target_ ? both.target : both.golden)->path);
        } else if (!(straight < kNear)) {
            astray_target_.push_back({ops.target->op(), *both.target, size_of_all(own)});
            astray_golden_.push_back({ops.golden->op(), *both.golden, size_of_all(theirs)});
        }
    }

    /// What has no partner.
    void leave_alone(const OpPair& pair) {
        const SourceOp& op = pair.target != nullptr ? *pair.target : *pair.golden;
        try {
            for (const SourceTensor& tensor : op.load())
                if (is_matrix(tensor))
                    (pair.target != nullptr ? astray_target_ : astray_golden_)
                        .push_back({op.op(), tensor, size_of_all(numbers_of(tensor))});
        } catch (const Error&) {
            return;
        }
    }

    /// Those that are each other's transpose, whatever their partners are.
    void match_astray() {
        for (const Astray& own : astray_target_)
            for (Astray& theirs : astray_golden_) {
                if (own.op != theirs.op || !is_transposed(own.tensor.shape, theirs.tensor.shape) ||
                    std::abs(own.size - theirs.size) > kNear * theirs.size)
                    continue;
                if (!(apart_across(numbers_of(own.tensor), numbers_of(theirs.tensor)) < kNear))
                    continue;
                fresh_.insert((of_target_ ? own : theirs).tensor.path);
                theirs.op.clear();
                break;
            }
    }

    /// Those of this pass.
    void turn(Source& source) const {
        for (SourceOp& op : source.ops) {
            if (!is_any_turned(op)) continue;
            op.load = [load = op.load, fresh = fresh_] {
                std::vector<SourceTensor> tensors = load();
                for (SourceTensor& tensor : tensors) {
                    if (!fresh.contains(tensor.path)) continue;
                    std::swap(tensor.shape[0], tensor.shape[1]);
                    tensor.storage.reset();
                    tensor.hash.clear();
                    tensor.open = [open = tensor.open] {
                        return std::make_unique<TensorElements>(transposed(open()->whole()));
                    };
                }
                return tensors;
            };
        }
    }

    [[nodiscard]] bool is_any_turned(const SourceOp& op) const {
        // A tensor's path begins with its op's.
        const auto first = fresh_.lower_bound(op.path);
        return first != fresh_.end() && first->starts_with(op.path);
    }

    Source& target_;
    Source& golden_;
    bool of_target_;
    Turned found_{};
    Turned fresh_{};  ///< of this pass
    std::vector<Astray> astray_target_{};
    std::vector<Astray> astray_golden_{};
};

}  // namespace

void turn_results(Source& target, Source& golden) {
    const bool is_shown = !target.lacks_elements && !golden.lacks_elements &&
                          !target.structure_only && !golden.structure_only;
    if (!is_shown) return;
    const bool of_target = !holds_inputs(target);
    if (of_target || !holds_inputs(golden)) Turning(target, golden, of_target).take();
}

}  // namespace npuscope::compare
