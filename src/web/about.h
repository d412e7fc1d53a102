// What the page must know before it shows anything: which cluster, for which user, and the words
// for reasons.
#pragma once

#include <string>
#include <string_view>

#include "web/front.h"

namespace sluice {

std::string about_json(const WebSettings& settings);

// The page with that in it, so that the browser need not ask for it first.
std::string page_with(std::string_view page, std::string_view about);

}  // namespace sluice
