// Results that one side holds transposed, as a program does whose weights lie the other way round.
#pragma once

#include "core/recording/source.h"

namespace npuscope::compare {

/// Where one of two recordings holds results only, its matrices that are near the other's transpose
/// come to lie as that, and it gets a remark. Where both hold inputs, nothing: these tell it
/// themselves. A square one, which may be wrong, is turned only where others that are not square
/// lie so. Complexity: pairs the ops once or a few times; reads the results whose shapes are each
/// other's transpose, and, where any is turned, all matrices.
void turn_results(Source& target, Source& golden);

}  // namespace npuscope::compare
