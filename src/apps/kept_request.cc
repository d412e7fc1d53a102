#include "apps/kept_request.h"

#include "apps/durable_note.h"
#include "apps/files.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

// A key is part of a file's name.
bool is_plain(const std::string& key) {
  return !key.empty() && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<void> keep_request(const std::string& folder, const std::string& key, const JobSpec& spec) {
  forget_old_notes(folder);
  return write_note(folder + "/" + key, to_json(SubmitRequest{{spec}}));
}

std::optional<JobSpec> kept_request(const std::string& folder, const std::string& key) {
  if (!is_plain(key)) return std::nullopt;
  const auto text = read_file(folder + "/" + key);
  if (!text) return std::nullopt;
  auto request = from_json<SubmitRequest>(*text);
  if (!request || request->jobs.size() != 1) return std::nullopt;
  return std::move(request->jobs.front());
}

}  // namespace sluice
