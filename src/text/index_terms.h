// Terms of an array spec, and the compressors that cover an index set with few of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/index_set.h"

namespace sluice {

// first, first+step, …, last. One index: last is first. Two indices are a term only where they are
// neighbours: "5,10" is no longer than "5-10:5" and says it plainly.
struct IndexTerm {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t step = 1;
};

void append_term(std::string& out, const IndexTerm& term);

// The best set of disjoint terms that several compressors find, ordered by first index.
std::vector<IndexTerm> best_terms(const IndexSet& indices);

}  // namespace sluice
