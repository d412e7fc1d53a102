#include "apps/kept_request.h"

#include <chrono>
#include <filesystem>

#include "apps/durable_note.h"
#include "apps/files.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// Longer than jobs wait; what is forgotten can only not be moved by another job in its place.
constexpr auto kKept = std::chrono::hours(24 * 30);

void forget_old(const std::string& folder) {
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto written = entry.last_write_time(ignored);
    if (!ignored && now - written > kKept) fs::remove(entry.path(), ignored);
  }
}

// A key is part of a file's name.
bool is_plain(const std::string& key) {
  return !key.empty() && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<void> keep_request(const std::string& folder, const std::string& key, const JobSpec& spec) {
  forget_old(folder);
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
