// One IR op being carried out: its arguments, its kernel launches, its results.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/value.h"
#include "npu_backend/numerics/numerics.h"
#include "npu_backend/ops/op.h"

namespace npuscope::backend {

/// Runs one kernel with its hooks and events.
class Launcher {
  public:
    virtual ~Launcher() = default;
    virtual std::vector<Tensor> launch(std::string_view kernel,
                                       std::vector<Tensor> inputs,
                                       NamedValues attributes) = 0;
    /// Attributes `seed` and `seed2` of the next random kernel; no two launches share them.
    virtual NamedValues next_seeds() = 0;
};

/// Under a reference the float tensors of an op are widened once when read and rounded once, to
/// their declared dtype, when they become results. Errors: Error(kUsage) on arguments that do not
/// fit.
class Lowering {
  public:
    Lowering(const Op& op,
             const NamedValues& arguments,
             const Numerics& numerics,
             Launcher& launcher)
        : op_(op), arguments_(arguments), numerics_(numerics), launcher_(launcher) {}

    [[nodiscard]] const Numerics& numerics() const { return numerics_; }
    [[nodiscard]] bool on_chip() const { return !numerics_.reference(); }

    /// Whether the op's schema has this argument.
    [[nodiscard]] bool declares(std::string_view name) const {
        return find(arguments_, name) != nullptr;
    }
    [[nodiscard]] bool has(std::string_view name) const;
    /// The argument as given.
    [[nodiscard]] const Tensor& raw(std::string_view name) const;
    [[nodiscard]] const TensorList& raw_list(std::string_view name) const;
    [[nodiscard]] DType declared(std::string_view name) const { return raw(name).dtype(); }
    /// The argument in the type that it has inside the op.
    [[nodiscard]] Tensor tensor(std::string_view name) const { return held(raw(name)); }
    [[nodiscard]] Tensor held(const Tensor& given) const;
    [[nodiscard]] int64_t integer(std::string_view name) const;
    [[nodiscard]] double number(std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name) const;
    [[nodiscard]] const IntList& ints(std::string_view name) const;
    /// A list for `count` spatial dimensions; one value stands for all, none for `otherwise`.
    [[nodiscard]] IntList sizes(std::string_view name, size_t count, int64_t otherwise = 0) const;
    [[nodiscard]] const Scalar& scalar(std::string_view name) const;
    [[nodiscard]] std::optional<DType> dtype(std::string_view name) const;
    [[nodiscard]] const std::string& text(std::string_view name) const;
    /// Which results are asked for; a mask of `count`.
    [[nodiscard]] const std::vector<bool>& mask(std::string_view name, size_t count) const;
    [[noreturn]] void reject(const std::string& why) const;

    /// All outputs, or the first.
    std::vector<Tensor> launch_all(std::string_view kernel,
                                   std::vector<Tensor> inputs,
                                   NamedValues attributes = {});
    Tensor launch(std::string_view kernel, std::vector<Tensor> inputs, NamedValues attributes = {});
    /// A Cast, unless the tensor has the dtype already or both are floats inside a reference.
    Tensor cast(Tensor tensor, DType target);
    /// A TransData between two formats, on a chip only. `groups` of a convolution's filter.
    Tensor format_cast(Tensor tensor,
                       std::string_view from,
                       std::string_view to,
                       int64_t groups = 1);

    /// Adds the next result; on a chip a Cast to `dtype` where it differs.
    void result(Tensor value, DType dtype);
    void result(TensorList values);
    /// A list of which each is brought to `dtype`.
    void result(TensorList values, DType dtype);
    /// The next result is None.
    void no_result();
    /// The last result becomes the new value of the tensor argument `name`: its dtype and shape.
    void store_result(std::string_view name);
    /// The precision it computed in, where it is not that of the first result.
    void set_compute_type(ComputeType type) { compute_type_ = type; }

    /// Carries out another op with these arguments in this op's place: its results follow.
    void become(std::string_view name, NamedValues arguments);
    void become(const Op& other, NamedValues arguments);
    /// Carries out the op that the row names as its like: with `values`, then with this op's
    /// arguments by its own names, "its=ours" in `renames` (blanks between) or the same.
    void forward(std::string_view renames = {}, NamedValues values = {});
    /// The results of another op, as they are inside this one. Its launches are this op's.
    [[nodiscard]] std::vector<Tensor> computed(std::string_view name, NamedValues arguments);
    [[nodiscard]] std::vector<Tensor> computed(const Op& other, NamedValues arguments);
    /// The first of them.
    [[nodiscard]] Tensor step(std::string_view name, NamedValues arguments);
    /// The first result of another op, rounded to its dtype: an element of a list of results.
    [[nodiscard]] Tensor rounded(std::string_view name, NamedValues arguments);
    /// An argument of any kind, to be handed on.
    [[nodiscard]] Value given(std::string_view name) const { return value(name); }
    /// The row's own name in its schema: "add_.Tensor".
    [[nodiscard]] std::string_view schema_name() const {
        return op_.row->schema.substr(0, op_.row->schema.find('('));
    }
    /// Kernel `index` of the row's launches: what a lowering that several rows share launches.
    [[nodiscard]] std::string_view kernel(size_t index = 0) const { return op_.launches.at(index); }
    /// The row's word for such a lowering.
    [[nodiscard]] std::string_view argument() const { return op_.argument; }
    /// The op that the row names as its like.
    [[nodiscard]] std::string_view like() const { return op_.row->as; }
    [[nodiscard]] NamedValues next_seeds() { return launcher_.next_seeds(); }

    /// After the lowering: results rounded to their declared dtypes, with their names.
    [[nodiscard]] NamedValues take_results(FloatStatus& status);
    [[nodiscard]] ComputeType compute_type() const;

  private:
    const Value& value(std::string_view name) const;

    const Op& op_;
    const NamedValues& arguments_;
    const Numerics& numerics_;
    Launcher& launcher_;
    struct Pending {
        Value value;
        DType dtype;
    };
    std::vector<Pending> results_;
    std::optional<ComputeType> compute_type_;
    FloatStatus rounding_;  ///< of rounded()
};

/// For rows that are another op by another name.
inline void forward_all(Lowering& op) {
    op.forward();
}

}  // namespace npuscope::backend
