// The recordings of several ranks as one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/recording/source.h"

namespace npuscope {

/// Ops of all ranks, the first of each before the second of any; their paths, and those of their
/// tensors, begin with the rank: "rank1:/mm/3/output/out". Takes the sources over.
/// `ranks` are their names, one each.
[[nodiscard]] Source join_ranks(std::vector<Source> sources, const std::vector<std::string>& ranks);

/// Of a path in a joined source: "rank1", "" in others.
[[nodiscard]] std::string_view rank_of_path(std::string_view path);
/// What follows the rank; the whole path in others.
[[nodiscard]] std::string_view path_in_rank(std::string_view path);

}  // namespace npuscope
