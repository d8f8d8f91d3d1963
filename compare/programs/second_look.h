// Whether a comparison by names ends in what another way to write the same program explains.
#pragma once

#include "compare/compare.h"

namespace npuscope::compare {

/// Whether the first finding of a comparison by names is that the programs differ: they part, hold
/// results of other shapes, or an op was given what another op made and no last output is off for
/// it. Then tensors are to be paired by what they hold, too.
[[nodiscard]] bool wants_second_look(const Result& by_names);

/// Whether the comparison by what tensors hold tells more: it has no finding and few results that
/// are far off, or its first finding is none of where the programs differ. Where by names a tensor
/// is not the golden's, that ops compute something else is no more than that.
[[nodiscard]] bool tells_more(const Result& by_names, const Result& by_content);

/// Says of a result that is a second look why there was one. `by_names` is the first.
void note_second_look(const Result& by_names, Result& by_content);

}  // namespace npuscope::compare
