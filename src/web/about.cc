#include "web/about.h"

#include <ctime>
#include <utility>

#include "views/json.h"
#include "views/reason_words.h"

namespace sluice {

std::string about_json(const WebSettings& settings) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("schema");
  writer.text("sluice.web.about/1");
  writer.key("version");
  writer.text(settings.version);
  writer.key("user");
  writer.text(settings.user);
  writer.key("engine");
  writer.text(settings.sources.has_daemon() ? "embedded" : "slurm");
  writer.key("may_write");
  writer.boolean(settings.access.may_write);
  writer.key("now");
  writer.number(static_cast<std::int64_t>(std::time(nullptr)));
  writer.key("reasons");
  writer.begin_object();
  for (const std::string& reason : reason_names()) {
    writer.key(reason);
    writer.text(words_for_reason(reason));
  }
  writer.end_object();
  writer.end_object();
  return out;
}

std::string page_with(std::string_view page, std::string_view about) {
  // Where web/src/index.html has an empty place for it.
  constexpr std::string_view kPlace = "type=\"application/json\">";
  const std::size_t at = page.find(kPlace);
  if (at == std::string_view::npos) return std::string(page);
  std::string out(page.substr(0, at + kPlace.size()));
  // Nothing in it may look like the end of its element.
  for (const char c : about)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  out += page.substr(at + kPlace.size());
  return out;
}

}  // namespace sluice
