// Ops that divide gradients by the scale of a loss, where the other side's calculate otherwise.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

/// An op of the side that scales its loss, whose one other number is 1 over that scale, is paired
/// with one that does something else (an average that moves on) by its name alone: that it was
/// called with another number is no finding. Of a result whose loss_scale is known.
void forgive_unscaling(Result& result);

}  // namespace npuscope::compare
