// The float status of an emulated device as programs read it: NPUAlloc-, NPUGet- and
// NPUClearFloatStatus of both versions.
#pragma once

#include <cstdint>

#include "core/event/observer.h"
#include "npu_backend/options.h"

namespace npuscope {

/// Collects the status bits of every kernel of the executors that it is attached to (as an
/// Observer; detach it before it goes). Sticky: reading does not clear. Which op raised a bit is
/// not kept, as on the device.
///
/// Version 1 (910A): the test is whether the buffer given to get_v1() holds ones afterwards.
/// Version 2 (Atlas A2 in saturation mode): word 0 of a workspace of 8 int32.
/// Source: TBE operators NPUGetFloatStatus, NPUClearFloatStatus and their V2 forms.
class FloatStatusRegister : public Observer {
  public:
    /// `options.status_inputs_nan`: whether inf or nan that comes in counts.
    explicit FloatStatusRegister(const ChipOptions& options = {})
        : inputs_count_(options.status_inputs_nan) {}

    void kernel_end(const KernelEvent& event) override { status_.merge(event.status); }

    /// Bits of underflow stay in bits() but do not set the status that programs read.
    [[nodiscard]] bool set() const {
        return status_.overflow() || (inputs_count_ && status_.input_non_finite());
    }
    [[nodiscard]] uint64_t bits() const { return status_.bits; }

    /// 8 float32 zeros.
    [[nodiscard]] static Tensor alloc();
    /// Writes 1 to all 8 elements of `buffer` when the status is set, else leaves it; gives 8
    /// zeros. Errors: Error(kUsage) unless the buffer has 8 float32.
    Tensor get_v1(Tensor& buffer) const;
    /// Clears the status, not the buffer; gives 8 zeros.
    Tensor clear_v1(const Tensor& buffer);
    /// 8 int32: word 0 is the status, the others 0.
    [[nodiscard]] Tensor get_v2() const;
    void clear_v2() { status_ = {}; }

  private:
    bool inputs_count_;
    FloatStatus status_;
};

}  // namespace npuscope
