// The float status of an emulated device as programs read it: NPUAlloc-, NPUGet- and
// NPUClearFloatStatus of both versions.
#pragma once

#include <cstdint>

#include "core/event/observer.h"
#include "npu_backend/chips/options.h"

namespace npuscope {

/// What the programs on one card share where the chip has one float status for all of them
/// (status_scope=device).
struct DeviceFloatStatus {
    FloatStatus status;
};

/// Collects the status bits of every kernel of the executors that it is attached to (as an
/// Observer; detach it before it goes). Sticky: reading does not clear. Which op raised a bit is
/// not kept, as on the device.
///
/// One register stands for one program. With status_scope=device and a `card`, which the caller
/// keeps and gives to each program's register, a bit that one program raises is seen by all, and
/// what one clears is gone for all. With status_scope=process, or alone on the card, a program sees
/// its own kernels only. Source: aclrtGetOverflowStatus. Threads: as the executors, one at a time
/// for the registers of a card.
///
/// Version 1 (910A): the test is whether the buffer given to get_v1() holds ones afterwards.
/// Version 2 (Atlas A2 in saturation mode): word 0 of a workspace of 8 int32.
/// Source: TBE operators NPUGetFloatStatus, NPUClearFloatStatus and their V2 forms.
class FloatStatusRegister : public Observer {
  public:
    /// `options.status_inputs_nan`: whether inf or nan that comes in counts.
    explicit FloatStatusRegister(const ChipOptions& options = {}, DeviceFloatStatus* card = nullptr)
        : inputs_count_(options.status_inputs_nan),
          card_(options.status_scope == ChipStatusScope::kDevice ? card : nullptr) {}

    void kernel_end(const KernelEvent& event) override { status().merge(event.status); }

    /// Bits of underflow stay in bits() but do not set the status that programs read.
    [[nodiscard]] bool set() const {
        return status().overflow() || (inputs_count_ && status().input_non_finite());
    }
    [[nodiscard]] uint64_t bits() const { return status().bits; }

    /// 8 float32 zeros.
    [[nodiscard]] static Tensor alloc();
    /// Writes 1 to all 8 elements of `buffer` when the status is set, else leaves it; gives 8
    /// zeros. Errors: Error(kUsage) unless the buffer has 8 float32.
    Tensor get_v1(Tensor& buffer) const;
    /// Clears the status, not the buffer; gives 8 zeros.
    Tensor clear_v1(const Tensor& buffer);
    /// 8 int32: word 0 is the status, the others 0.
    [[nodiscard]] Tensor get_v2() const;
    void clear_v2() { status() = {}; }

  private:
    [[nodiscard]] FloatStatus& status() { return card_ != nullptr ? card_->status : own_; }
    [[nodiscard]] const FloatStatus& status() const {
        return card_ != nullptr ? card_->status : own_;
    }

    bool inputs_count_;
    DeviceFloatStatus* card_;
    FloatStatus own_;
};

}  // namespace npuscope
