// The page's files, built from web/ and compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace sluice {

struct WebAsset {
  std::string_view path;  // "/app.js"
  std::string_view content_type;
  std::string_view bytes;
};

std::span<const WebAsset> web_assets();

}  // namespace sluice
