// A table indexed by ids that only grow, whose dead pages are given back.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"

namespace sluice {

// Rows stay where they are until erased, so pointers to them stay good. A page is freed when its
// last row goes: memory follows the living rows, not the ids ever given.
template <class IdType, class Row>
class IdTable {
 public:
  // A row as new, to be filled in where it lies.
  Row& insert(IdType id) {
    const std::size_t page = id.index() / kPageRows;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = spare_ ? std::move(spare_) : std::make_unique<Page>();
    const std::size_t i = id.index() % kPageRows;
    CHECK(!pages_[page]->used[i], "an id was given twice");
    pages_[page]->used[i] = true;
    ++pages_[page]->living;
    ++size_;
    return pages_[page]->rows[i];
  }
  Row& insert(IdType id, Row row) { return insert(id) = std::move(row); }
  void erase(IdType id) {
    const std::size_t page = id.index() / kPageRows;
    const std::size_t i = id.index() % kPageRows;
    CHECK(find(id) != nullptr, "an unknown id was erased");
    pages_[page]->used[i] = false;
    pages_[page]->rows[i] = Row{};
    --size_;
    // The next page will be needed soon: its rows are as new.
    if (--pages_[page]->living == 0) spare_ = std::move(pages_[page]);
  }
  Row* find(IdType id) { return const_cast<Row*>(static_cast<const IdTable*>(this)->find(id)); }
  const Row* find(IdType id) const {
    const std::size_t page = id.index() / kPageRows;
    if (page >= pages_.size() || !pages_[page]) return nullptr;
    const std::size_t i = id.index() % kPageRows;
    return pages_[page]->used[i] ? &pages_[page]->rows[i] : nullptr;
  }
  Row& at(IdType id) {
    Row* row = find(id);
    CHECK(row != nullptr, "no row has this id");
    return *row;
  }
  const Row& at(IdType id) const {
    const Row* row = find(id);
    CHECK(row != nullptr, "no row has this id");
    return *row;
  }
  // Asks for the row's memory ahead of time; harmless where there is no such row.
  void prefetch(IdType id) const {
    const std::size_t page = id.index() / kPageRows;
    if (page >= pages_.size() || !pages_[page]) return;
    const auto* row = reinterpret_cast<const char*>(&pages_[page]->rows[id.index() % kPageRows]);
    for (std::size_t at = 0; at < sizeof(Row); at += 64) __builtin_prefetch(row + at);
  }
  std::size_t size() const { return size_; }
  // Calls visit(row) for every row in order of id.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& page : pages_)
      if (page)
        for (std::size_t i = 0; i < kPageRows; ++i)
          if (page->used[i]) visit(page->rows[i]);
  }

  template <class Visit>
  void for_each_mutable(Visit visit) {
    for (auto& page : pages_)
      if (page)
        for (std::size_t i = 0; i < kPageRows; ++i)
          if (page->used[i]) visit(page->rows[i]);
  }

 private:
  static constexpr std::size_t kPageRows = 128;
  struct Page {
    std::array<Row, kPageRows> rows{};
    std::array<bool, kPageRows> used{};
    std::size_t living = 0;
  };
  std::vector<std::unique_ptr<Page>> pages_;
  std::unique_ptr<Page> spare_;
  std::size_t size_ = 0;
};

}  // namespace sluice
