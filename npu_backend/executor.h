// Runs IR ops one by one on a device and publishes what it does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/event/event_source.h"
#include "core/ir/value.h"
#include "npu_backend/chips/device.h"
#include "npu_backend/cube_range.h"
#include "npu_backend/hooks.h"

namespace npuscope {

namespace backend {
struct Op;
}

struct ExecutorOptions {
    bool record_views =
        false;        ///< also number and publish as recorded the ops that only re-describe storage
    int threads = 0;  ///< 0: all cores; results do not depend on it
    int64_t seed = 0;         ///< of random ops; equal seeds and equal calls give equal numbers
    bool cube_range = false;  ///< also compute each Cube kernel by two other models of cube_acc
    bool bounded = false;  ///< each op by what it is given (OpLimits): its sizes come from a file
};

/// An op's results by the names of its schema.
class Results {
  public:
    Results() = default;
    explicit Results(NamedValues values) : values_(std::move(values)) {}
    [[nodiscard]] const NamedValues& values() const { return values_; }
    [[nodiscard]] size_t size() const { return values_.size(); }
    /// Errors: Error(kUsage) when result `index` is not a tensor.
    [[nodiscard]] const Tensor& tensor(size_t index = 0) const;
    // NOLINTNEXTLINE(google-explicit-constructor): const Tensor& y = npu.call(…)
    operator const Tensor&() const { return tensor(0); }

  private:
    NamedValues values_;
};

/// A reference launches the same kernels as a chip, with the same hooks and events, but for the
/// Casts and format conversions that only a chip needs.
/// Threads: one thread calls an executor; several executors may run at once.
class Executor : public EventSource {
  public:
    explicit Executor(Device device, ExecutorOptions options = {});
    explicit Executor(const Chip& chip) : Executor(Device::npu(chip)) {}
    ~Executor() override;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    /// Arguments by position, as in the op's schema; missing ones take their defaults.
    /// Errors: Error(kUnsupported) unknown op (names the nearest), Error(kUsage) wrong arguments.
    Results call(std::string_view ir_name, std::vector<Value> arguments);
    /// Arguments by name.
    Results call_named(std::string_view ir_name,
                       NamedValues arguments,
                       const OpSource& source = {});
    /// Of an op that may be in no table; borrows it for the call.
    Results call_named(const backend::Op& op, NamedValues arguments, const OpSource& source = {});
    /// For a caller that does not hand on the tensors that it got, but copies: where these came
    /// from is not known.
    void assume_computed(const NamedValues& values);

    [[nodiscard]] static bool knows(std::string_view ir_name);
    [[nodiscard]] static std::vector<std::string_view> known_ops();
    /// In schema order. Errors: as call() for an unknown op.
    [[nodiscard]] static std::vector<std::string_view> argument_names(std::string_view ir_name);

    /// `pattern` is an exact name or a glob (* and ?). Hooks run in the order they were added;
    /// exceptions of a hook reach the caller of call(). Returns an id for remove_hook().
    int add_hook(HookPoint point, std::string pattern, Hook hook);
    void remove_hook(int id);

    [[nodiscard]] const Device& device() const;
    [[nodiscard]] int64_t last_seqid() const;  ///< of the last recorded op; 0 before the first

    /// With ExecutorOptions::cube_range: one row a Cube kernel, in launch order.
    [[nodiscard]] const std::vector<CubeRange>& cube_ranges() const;

    [[nodiscard]] int device_code() const override;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_facts() const override;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope
