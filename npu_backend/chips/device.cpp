#include "npu_backend/chips/device.h"

namespace npuscope {

std::string Device::description() const {
    switch (policy) {
        case Policy::kChip:
            return "npu " + std::string(chip->name);
        case Policy::kReference64:
            return "cpu fp64";
        case Policy::kReference32:
            return "cpu fp32";
    }
    __builtin_unreachable();
}

}  // namespace npuscope
