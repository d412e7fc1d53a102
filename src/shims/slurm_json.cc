#include "shims/slurm_json.h"

namespace sluice {

SlurmJson::SlurmJson(std::string_view type, std::string_view plugin, std::string_view list,
                     Found found)
    : writer_(out_) {
  writer_.begin_object();
  begin_object("meta");
  begin_object("plugin");
  text("type", type);
  text("name", plugin);
  end_object();
  begin_object("Slurm");
  begin_object("version");
  number("major", std::int64_t{22});
  number("micro", std::int64_t{8});
  number("minor", std::int64_t{5});
  end_object();
  text("release", "22.05.8");
  end_object();
  end_object();
  begin_array("errors");
  if (found == Found::kNothing) {
    writer_.begin_object();
    text("description", "Nothing found");
    number("error_number", std::int64_t{9003});
    text("error", "Nothing found with query");
    text("source", "slurmdb_jobs_get");
    end_object();
  }
  end_array();
  begin_array(list);
}

void SlurmJson::text(std::string_view key, std::string_view value) {
  writer_.key(key);
  writer_.text(value);
}
void SlurmJson::number(std::string_view key, std::int64_t value) {
  writer_.key(key);
  writer_.number(value);
}
void SlurmJson::number(std::string_view key, std::optional<std::int64_t> value) {
  if (value)
    number(key, *value);
  else
    null(key);
}
void SlurmJson::time(std::string_view key, std::optional<Instant> value) {
  number(key, value ? to_seconds(*value) : std::int64_t{0});
}
void SlurmJson::boolean(std::string_view key, bool value) {
  writer_.key(key);
  writer_.boolean(value);
}
void SlurmJson::null(std::string_view key) {
  writer_.key(key);
  writer_.null();
}
void SlurmJson::real(std::string_view key, std::int64_t whole) {
  writer_.key(key);
  writer_.raw(std::to_string(whole) + ".0");
}
void SlurmJson::texts(std::string_view key, const std::vector<std::string>& values) {
  begin_array(key);
  for (const std::string& value : values) writer_.text(value);
  end_array();
}
void SlurmJson::begin_object(std::string_view key) {
  writer_.key(key);
  writer_.begin_object();
}
void SlurmJson::begin_array(std::string_view key) {
  writer_.key(key);
  writer_.begin_array();
}

std::string SlurmJson::finish() {
  end_array();
  writer_.end_object();
  return json_c_layout(out_);
}

std::string json_c_layout(std::string_view compact) {
  std::string out;
  out.reserve(compact.size() * 2);
  std::size_t level = 0;
  const auto line = [&] {
    out += '\n';
    out.append(2 * level, ' ');
  };
  bool quoted = false;
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (quoted) {
      if (c == '/') out += '\\';
      out += c;
      if (c == '\\')
        out += compact[++i];
      else
        quoted = c != '"';
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (closes) {
      --level;
      line();
    }
    out += c;
    quoted = c == '"';
    if (c == ':') out += ' ';
    if (c == '{' || c == '[') {
      ++level;
      // Of an empty list the closing line is the only one.
      if (i + 1 < compact.size() && compact[i + 1] != ']' && compact[i + 1] != '}') line();
    }
    if (c == ',') line();
  }
  return out;
}

}  // namespace sluice
