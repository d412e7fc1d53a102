// Findings as lines for people and as JSON for programs.
#include "policyfile/read/finding.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {

std::string_view severity_word(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return {};
}

std::string finding_text(const Finding& finding) {
  std::string out =
      fmt::format("{}{}{}: {} [{}]\n", finding.where, finding.where.empty() ? "" : ": ",
                  severity_word(finding.severity), finding.what, finding.rule);
  std::string_view fix = finding.fix;
  while (!fix.empty()) {
    const std::size_t end = std::min(fix.find('\n'), fix.size());
    out += fmt::format("    {}\n", fix.substr(0, end));
    fix.remove_prefix(std::min(end + 1, fix.size()));
  }
  return out;
}

std::string findings_json(std::string_view file, const std::vector<Finding>& findings) {
  Value out = Value::map();
  out.add("schema", Value::quoted_text("sluice.policy-check/1"));
  out.add("file", Value::quoted_text(std::string(file)));
  for (Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    const auto n = std::count_if(findings.begin(), findings.end(),
                                 [&](const Finding& f) { return f.severity == severity; });
    out.add(fmt::format("{}s", severity_word(severity)), Value::scalar(std::to_string(n)));
  }
  Value list = Value::list();
  for (const Finding& finding : findings) {
    Value item = Value::map();
    item.add("severity", Value::quoted_text(std::string(severity_word(finding.severity))));
    item.add("rule", Value::quoted_text(finding.rule));
    item.add("where", Value::quoted_text(finding.where));
    item.add("what", Value::quoted_text(finding.what));
    item.add("fix", Value::quoted_text(finding.fix));
    list.items.push_back(std::move(item));
  }
  out.add("findings", std::move(list));
  return print_json(out);
}

}  // namespace sluice
