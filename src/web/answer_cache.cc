#include "web/answer_cache.h"

#include <fmt/format.h>
#include <zlib.h>

#include <functional>
#include <utility>

namespace sluice {
namespace {

// What no page asked for in this time is not kept: a queue of 100,000 jobs is many megabytes.
constexpr std::chrono::seconds kKept(20);
constexpr std::size_t kWorthPacking = 1 << 10;

std::string gzip(const std::string& text) {
  z_stream stream{};
  // 15 bits of window, 16 for gzip's own header.
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = deflate(&stream, Z_FINISH);
  out.resize(ended == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

}  // namespace

WebAnswer packed_answer(int status, std::string content_type, std::string body) {
  WebAnswer answer{status, std::move(content_type), std::move(body), {}, {}};
  if (answer.body.size() > kWorthPacking) answer.packed = gzip(answer.body);
  answer.tag =
      fmt::format("\"{:x}-{:x}\"", answer.body.size(), std::hash<std::string_view>()(answer.body));
  return answer;
}

bool AnswerCache::wants(const std::string& key, Duration freshness, Take take) {
  const auto now = Clock::now();
  Entry& entry = entries_[key];
  if (entry.answer && now - entry.at < std::chrono::milliseconds(freshness.count())) {
    take(entry.answer);
    return false;
  }
  entry.waiting.push_back(std::move(take));
  return !std::exchange(entry.asked, true);
}

void AnswerCache::give(const std::string& key, WebAnswer answer) {
  Entry& entry = entries_[key];
  entry.answer = std::make_shared<const WebAnswer>(std::move(answer));
  entry.at = Clock::now();
  entry.asked = false;
  const auto told = entry.answer;
  for (const Take& take : std::exchange(entry.waiting, {})) take(told);
  drop_old(Clock::now());
}

void AnswerCache::drop_old(Clock::time_point now) {
  std::erase_if(entries_,
                [&](const auto& one) { return !one.second.asked && now - one.second.at > kKept; });
}

}  // namespace sluice
