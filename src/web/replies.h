// What the page's server sends back: JSON, errors, what a browser must know of every answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "web/answer_cache.h"
#include "web/sources.h"
#include "wire/http.h"

namespace sluice {

inline constexpr std::string_view kWebJson = "application/json";

std::string error_json(std::string_view what, std::string_view hint = {});
WebAnswer error_answer(int status, const Error& error);

// The headers of every answer: nothing of another origin, and no frame around it.
void secure(HttpReply& reply);
void refuse(HttpReply& reply, int status, std::string_view what, std::string_view hint = {});
// Whether a browser may keep an answer, and ask whether it is still the newest.
enum class Keeping : std::uint8_t { kAsks, kNever };
// Packed where the browser takes that, and nothing where it has it already.
void send(const HttpRequest& request, HttpReply& reply, const WebAnswer& answer,
          Keeping keeping = Keeping::kAsks);

// A path and what was asked of it.
std::string target_of(std::string_view path, const HttpRequest& request);
WebAnswer ask_daemon(const WebSources& sources, const std::string& method,
                     const std::string& target, const std::string& body);
// What a command of our own prints.
WebAnswer run_own(const WebSources& sources, std::vector<std::string> words);
WebAnswer run_comparison(const WebSources& sources, std::vector<std::string> words);

}  // namespace sluice
