#include "web/replies.h"

#include <fmt/format.h>

#include <utility>

#include "views/json.h"

namespace sluice {

std::string error_json(std::string_view what, std::string_view hint) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("error");
  writer.begin_object();
  writer.key("what");
  writer.text(what);
  writer.key("hint");
  writer.text(hint);
  writer.end_object();
  writer.end_object();
  return out;
}

WebAnswer error_answer(int status, const Error& error) {
  return packed_answer(status, std::string(kWebJson), error_json(error.what, error.hint));
}

void secure(HttpReply& reply) {
  reply.add_header(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  reply.add_header("X-Content-Type-Options", "nosniff");
  reply.add_header("X-Frame-Options", "DENY");
  reply.add_header("Referrer-Policy", "no-referrer");
  reply.add_header("Cross-Origin-Resource-Policy", "same-origin");
  reply.add_header("Cross-Origin-Opener-Policy", "same-origin");
}

void refuse(HttpReply& reply, int status, std::string_view what, std::string_view hint) {
  reply.send(status, kWebJson, error_json(what, hint));
}

void send(const HttpRequest& request, HttpReply& reply, const WebAnswer& answer, Keeping keeping) {
  reply.add_header("Cache-Control", keeping == Keeping::kNever ? "no-store" : "no-cache");
  reply.add_header("Vary", "Accept-Encoding");
  if (answer.status == 200 && keeping == Keeping::kAsks) {
    reply.add_header("ETag", answer.tag);
    if (request.header("if-none-match") == answer.tag)
      return reply.send(304, answer.content_type, {});
  }
  const bool packed = !answer.packed.empty() &&
                      request.header("accept-encoding").find("gzip") != std::string_view::npos;
  if (packed) reply.add_header("Content-Encoding", "gzip");
  reply.send(answer.status, answer.content_type, packed ? answer.packed : answer.body);
}

std::string target_of(std::string_view path, const HttpRequest& request) {
  std::string target(path);
  char mark = '?';
  for (const auto& [name, value] : request.query) {
    target += fmt::format("{}{}={}", mark, percent_encoded(name), percent_encoded(value));
    mark = '&';
  }
  return target;
}

WebAnswer ask_daemon(const WebSources& sources, const std::string& method,
                     const std::string& target, const std::string& body) {
  auto daemon = sources.daemon();
  if (!daemon) return error_answer(502, daemon.error());
  auto answer = daemon->request(method, target, body);
  if (!answer) return error_answer(502, answer.error());
  return packed_answer(answer->status, answer->content_type, std::move(answer->body));
}

WebAnswer run_own(const WebSources& sources, std::vector<std::string> words) {
  auto ran = sources.command(std::move(words));
  if (!ran) return error_answer(502, ran.error());
  // What is old is printed too, with a code that says so.
  if (ran->output.starts_with('{'))
    return packed_answer(200, std::string(kWebJson), std::move(ran->output));
  const int status = ran->exit_code == 2 ? 404 : 502;
  // A command that was asked for JSON says errors so, too; what was said before it is for people.
  if (const std::size_t at = ran->error.rfind("{\"error\":"); at != std::string::npos)
    return packed_answer(status, std::string(kWebJson), ran->error.substr(at));
  std::string what = ran->error.substr(0, 2000);
  if (what.starts_with("sluice: ")) what = what.substr(8);
  return packed_answer(status, std::string(kWebJson), error_json(what));
}

// Nothing to compare with is an answer: the page shows it, and a browser does not complain.
WebAnswer run_comparison(const WebSources& sources, std::vector<std::string> words) {
  WebAnswer answer = run_own(sources, std::move(words));
  if (answer.status == 404) answer = packed_answer(200, answer.content_type, answer.body);
  return answer;
}

}  // namespace sluice
