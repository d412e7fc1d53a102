#include "policyfile/plan/slurm_only.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/scan.h"

namespace sluice {
namespace {

const Key kMinPrio = {"MinPrioThreshold",
                      "priority from which a job may reserve resources",
                      {"MinPrioThres", "MinPrioThresh"}};

std::vector<std::string> listed(const Value& list) {
  std::vector<std::string> out;
  if (list.is_scalar())
    for (const std::string_view word : split(list.text, ','))
      out.emplace_back(without_blanks_around(word));
  for (const Value& item : list.items) out.push_back(item.text);
  std::erase(out, "");
  return out;
}

bool is_difference(const std::string& name) {
  return name.size() > 1 && (name.front() == '+' || name.front() == '-');
}

}  // namespace

std::span<const Key> slurm_only_keys(SlurmOnlyOf of) {
  static const std::array kQos = {kMinPrio};
  static const std::array kAccount = {
      kMinPrio, Key{"Organization", "the organization that the account belongs to"}};
  if (of == SlurmOnlyOf::kQos) return kQos;
  const std::span<const Key> all = kAccount;
  return of == SlurmOnlyOf::kAccount ? all : all.first(all.size() - 1);
}

std::string subject_of(const Association& a) {
  if (a.user.empty()) return "account " + a.account;
  std::string out = fmt::format("user {} of {}", a.user, a.account);
  if (!a.partition.empty()) out += " in " + a.partition;
  return out;
}

std::string plain_number(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || text.find_first_not_of("0123456789.") != std::string::npos)
    return text;
  std::string out = text;
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string qos_difference(const Value& list) {
  std::vector<std::string> names = listed(list);
  if (names.empty() || !std::all_of(names.begin(), names.end(), is_difference)) return {};
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string> differing_qos(std::vector<std::string> above,
                                       const std::string& difference) {
  for (const std::string_view word : split(difference, ',')) {
    const std::string name(word.substr(1));
    std::erase(above, name);
    if (word.starts_with('+')) above.push_back(name);
  }
  return above;
}

std::vector<std::string> qos_difference_settings(const std::string& difference) {
  std::string more;
  std::string less;
  for (const std::string_view word : split(difference, ',')) {
    std::string& list = word.starts_with('+') ? more : less;
    list += fmt::format("{}{}", list.empty() ? "" : ",", word.substr(1));
  }
  std::vector<std::string> out;
  if (!less.empty()) out.push_back("QosLevel-=" + less);
  if (!more.empty()) out.push_back("QosLevel+=" + more);
  return out;
}

}  // namespace sluice
