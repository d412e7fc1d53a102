// Conditions on other jobs.
#include "text/dependency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "base/check.h"
#include "text/array_spec.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms =
    "write type:job[:job], types after, afterany, afterok, afternotok, aftercorr, or singleton, "
    "separated by ',' (all) or '?' (any)";

struct TypeName {
  DependencyType type;
  std::string_view name;
};
constexpr std::array<TypeName, 6> kTypes = {{{DependencyType::kAfter, "after"},
                                             {DependencyType::kAfterAny, "afterany"},
                                             {DependencyType::kAfterOk, "afterok"},
                                             {DependencyType::kAfterNotOk, "afternotok"},
                                             {DependencyType::kAfterCorr, "aftercorr"},
                                             {DependencyType::kSingleton, "singleton"}}};

std::string_view name_of(DependencyType type) {
  for (const TypeName& known : kTypes)
    if (known.type == type) return known.name;
  CHECK(false, "every dependency type has a name");
  return {};
}

// "12", "12_3", "12_*", "12+5".
Result<Dependency> parse_job(std::string_view text, DependencyType type, std::string_view whole) {
  Dependency dependency;
  dependency.type = type;
  const auto wrong = [&](std::string_view part, const char* what) {
    return bad_input(fmt::format("{} is not {}, in {}", quoted(part), what, quoted(whole)), kForms);
  };
  const std::size_t plus = text.find('+');
  if (plus != std::string_view::npos) {
    const auto delay = whole_number(text.substr(plus + 1));
    // Slurm keeps these minutes as seconds in 32 bits.
    if (!delay || *delay > std::numeric_limits<std::int32_t>::max() / 60)
      return wrong(text.substr(plus + 1), "a number of minutes");
    dependency.delay = minutes(*delay);
    text = text.substr(0, plus);
  }
  const std::size_t underscore = text.find('_');
  if (underscore != std::string_view::npos) {
    const std::string_view task_text = text.substr(underscore + 1);
    if (task_text != "*") {
      const auto task = whole_number(task_text);
      if (!task || *task > kMostArrayIndex) return wrong(task_text, "an array index");
      dependency.task = static_cast<std::uint32_t>(*task);
    }
    text = text.substr(0, underscore);
  }
  const auto job = whole_number(text);
  if (!job || *job == 0 || *job > std::numeric_limits<std::uint32_t>::max())
    return wrong(text, "a job id");
  dependency.job = JobId(static_cast<std::uint32_t>(*job));
  return dependency;
}

// Each term once, in the order given; a list of thousands is read in one go.
class Terms {
 public:
  explicit Terms(Dependencies& dependencies) : dependencies_(dependencies) {}
  void insert(const Dependency& term) {
    if (known_.insert({term.type, term.job, term.task, term.delay}).second)
      dependencies_.terms.push_back(term);
  }

 private:
  Dependencies& dependencies_;
  std::set<std::tuple<DependencyType, JobId, std::optional<std::uint32_t>, Duration>> known_;
};

std::string format_term(const Dependency& term) {
  if (term.type == DependencyType::kSingleton) return "singleton";
  std::string out = fmt::format("{}:{}", name_of(term.type), term.job.value());
  if (term.task) out += fmt::format("_{}", *term.task);
  if (term.delay.count() != 0)
    out += fmt::format("+{}", std::chrono::ceil<std::chrono::minutes>(term.delay).count());
  return out;
}

}  // namespace

Result<Dependencies> parse_dependencies(std::string_view text) {
  Dependencies dependencies;
  if (text.empty()) return dependencies;
  // As long as Slurm takes it.
  constexpr std::size_t kLongest = std::size_t{128} << 10;
  if (text.size() > kLongest)
    return bad_input(fmt::format("{} has more than {} bytes", quoted(text), kLongest),
                     "wait for an array, or for the last of them");
  Terms terms(dependencies);
  dependencies.any = text.find('?') != std::string_view::npos;
  std::string all(text);
  std::replace(all.begin(), all.end(), '?', ',');
  for (std::string_view member : split(all, ',')) {
    const auto parts = split(member, ':');
    if (same_ignoring_case(member, "singleton")) {
      terms.insert({DependencyType::kSingleton, JobId(), std::nullopt, Duration(0)});
      continue;
    }
    if (parts.size() == 1 && !member.empty() && is_digit(member.front())) {
      TRY(const Dependency term, parse_job(member, DependencyType::kAfterAny, text));
      terms.insert(term);
      continue;
    }
    // Without burst buffers their stage-out ends with the job.
    const std::string_view name =
        same_ignoring_case(parts.front(), "afterburstbuffer") ? "afterany" : parts.front();
    const TypeName* type = nullptr;
    for (const TypeName& known : kTypes)
      if (same_ignoring_case(name, known.name)) type = &known;
    if (type == nullptr || type->type == DependencyType::kSingleton || parts.size() == 1)
      return bad_input(fmt::format("{} is not a dependency, in {}", quoted(member), quoted(text)),
                       kForms);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      TRY(const Dependency term, parse_job(parts[i], type->type, text));
      terms.insert(term);
    }
  }
  return dependencies;
}

std::string format_dependencies(const Dependencies& dependencies) {
  std::string out;
  for (const Dependency& term : dependencies.terms) {
    if (!out.empty()) out += dependencies.any ? '?' : ',';
    out += format_term(term);
  }
  return out;
}

std::string format_dependency_states(const Dependencies& dependencies,
                                     std::span<const DependencyStatus> statuses) {
  CHECK(statuses.size() == dependencies.terms.size(), "a dependency without a status");
  std::string out;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i] == DependencyStatus::kFulfilled) continue;
    if (!out.empty()) out += dependencies.any ? '?' : ',';
    out += format_term(dependencies.terms[i]);
    out += statuses[i] == DependencyStatus::kFailed ? "(failed)" : "(unfulfilled)";
  }
  return out;
}

}  // namespace sluice
