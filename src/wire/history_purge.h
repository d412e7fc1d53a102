// What forgetting a part of the history answers.
#pragma once

#include "views/json_fields.h"

namespace sluice {

struct PurgeReply {
  std::int64_t runs = 0;  // That were forgotten.
  bool more = false;      // There are others as old: ask again.
};

template <class Fields>
void json_fields(Fields& f, Like<PurgeReply> auto& it) {
  f("runs", it.runs);
  f("more", it.more);
}

}  // namespace sluice
