// Merging: lists are joined, maps are joined key by key, the same key twice is an error.
#include "policyfile/read/include.h"

#include <fmt/format.h>

#include <algorithm>

#include "policyfile/read/has_includes.h"
#include "policyfile/read/yaml.h"
#include "text/spelling.h"

namespace sluice {
namespace {

Error error_at(const Place& place, std::string field, std::string what, std::string hint) {
  return Error{ErrorKind::kBadInput, std::move(what), place.text() + ": " + std::move(field),
               std::move(hint)};
}

bool is_include(const Entry& entry) { return folded(entry.key) == "include"; }

std::string beside(std::string_view file_name, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  const std::size_t slash = file_name.rfind('/');
  if (slash == std::string_view::npos) return std::string(path);
  return fmt::format("{}/{}", file_name.substr(0, slash), path);
}

// Sections are joined; what stands inside a section belongs to one file.
Result<void> merge(Value& into, Value from, std::string_view path) {
  for (Entry& entry : from.entries) {
    auto same = std::find_if(into.entries.begin(), into.entries.end(), [&](const Entry& known) {
      return path.empty() ? folded(known.key) == folded(entry.key) : known.key == entry.key;
    });
    if (same == into.entries.end()) {
      into.entries.push_back(std::move(entry));
    } else if (path.empty() && same->value.is_map() && entry.value.is_map()) {
      TRY_VOID(merge(same->value, std::move(entry.value), entry.key));
    } else if (path.empty() && same->value.is_list() && entry.value.is_list()) {
      std::move(entry.value.items.begin(), entry.value.items.end(),
                std::back_inserter(same->value.items));
    } else {
      const std::string field = path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key);
      return tl::unexpected(error_at(entry.place, field,
                                     fmt::format("is already given at {}", same->place.text()),
                                     "keep one of the two"));
    }
  }
  return {};
}

// Far more than anybody writes; files that include each other in ever new spellings stop here.
constexpr std::size_t kDeepestInclude = 16;
constexpr std::size_t kMostIncluded = 256;
constexpr std::size_t kMostIncludedBytes = std::size_t{64} << 20;

class Loader {
 public:
  explicit Loader(const ReadFile& read_file) : read_file_(read_file) {}

  Result<Value> load(std::string_view text, const std::string& file_name) {
    TRY(Value own, parse_yaml(text, file_name));
    if (!own.is_map()) return own;
    const auto include = std::find_if(own.entries.begin(), own.entries.end(), is_include);
    if (include == own.entries.end()) return own;
    const Value named = include->value;
    own.entries.erase(include);
    open_.push_back(file_name);
    Value all = Value::map();
    all.place = own.place;
    for (const Value& path : named.is_list() ? named.items : std::vector<Value>{named}) {
      TRY(Value part, load_included(path, file_name));
      TRY_VOID(merge(all, std::move(part), ""));
    }
    TRY_VOID(merge(all, std::move(own), ""));
    open_.pop_back();
    return all;
  }

 private:
  Result<Value> load_included(const Value& path, const std::string& from) {
    if (!path.is_scalar())
      return tl::unexpected(error_at(path.place, "include",
                                     fmt::format("is {}, file names belong here", path.described()),
                                     "write include: [nodes.yaml, qos.yaml]"));
    if (!read_file_)
      return tl::unexpected(
          error_at(path.place, "include", "nothing can be included here",
                   "send the text with everything that it includes, as sluice policy does"));
    const std::string name = beside(from, path.text);
    if (std::find(open_.begin(), open_.end(), name) != open_.end())
      return tl::unexpected(error_at(path.place, "include",
                                     fmt::format("'{}' includes itself", name),
                                     "remove one of the includes on the way"));
    if (open_.size() > kDeepestInclude || ++included_ > kMostIncluded ||
        bytes_ > kMostIncludedBytes)
      return tl::unexpected(
          error_at(path.place, "include",
                   fmt::format("is too much: at most {} files, {} deep and {} bytes in all",
                               kMostIncluded, kDeepestInclude, kMostIncludedBytes),
                   "see whether these files include each other"));
    auto text = read_file_(name);
    if (text) bytes_ += text->size();
    if (!text) {
      Error error = text.error();
      if (error.where.empty()) error.where = path.place.text() + ": include";
      return tl::unexpected(std::move(error));
    }
    TRY(Value part, load(*text, name));
    if (!part.is_map())
      return tl::unexpected(error_at(
          part.place, "include", fmt::format("{} stands where keys belong", part.described()), ""));
    return part;
  }

  const ReadFile& read_file_;
  std::vector<std::string> open_;
  std::size_t included_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

bool has_includes(const Value& document) {
  return std::any_of(document.entries.begin(), document.entries.end(), is_include);
}

Result<Value> load_document(std::string_view text, std::string_view file_name,
                            const ReadFile& read_file) {
  return Loader(read_file).load(text, std::string(file_name));
}

}  // namespace sluice
