#include "daemon/policy_desk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "engine/adoption.h"
#include "policyfile/plan/differences.h"
#include "policyfile/write/policy_writer.h"
#include "storage/checksum.h"
#include "wire/api_fields.h"

namespace sluice {
namespace {

constexpr const char* kKinds[] = {"add", "change", "remove"};

// Findings quote the text they are about: so much of it is enough to know what is meant.
constexpr std::size_t kLongestQuote = 500;
constexpr std::size_t kMostFindings = 500;

std::string shortened(const std::string& text) {
  if (text.size() <= kLongestQuote) return text;
  std::size_t end = kLongestQuote;
  // Never in the middle of a letter.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::vector<FindingLine> lines_of(const std::vector<Finding>& findings) {
  std::vector<FindingLine> out;
  for (const Finding& it : findings) {
    if (out.size() == kMostFindings) {
      out.push_back({"note",
                     "findings",
                     {},
                     fmt::format("and {} more", findings.size() - kMostFindings),
                     {}});
      break;
    }
    out.push_back({std::string(severity_word(it.severity)), it.rule, shortened(it.where),
                   shortened(it.what), shortened(it.fix)});
  }
  return out;
}

}  // namespace

std::string policy_mark(const Policy& policy) {
  const std::string text = write_policy_json(policy);
  return fmt::format("{:08x}-{:x}", crc32c(text), text.size());
}

Result<void> PolicyDesk::begin() {
  TRY(const PolicyChoice choice, choose_policy(file_, machine_));
  origin_ = choice.origin;
  if (choice.policy == nullptr) {
    std::string text;
    for (const Finding& finding : choice.findings)
      if (finding.severity == Severity::kError) text += "\n" + finding_text(finding);
    return tl::unexpected<Error>(Error{ErrorKind::kBadInput,
                                       "the policy has mistakes:" + text,
                                       {},
                                       "check it: sluice policy check " + file_});
  }
  const State& state = driver_.engine().state();
  if (state.has_policy() && state.policy() == *choice.policy) {
    driver_.give(Tick{});
    driver_.take_turn();
    return {};
  }
  std::string refusal;
  driver_.give(AdoptPolicy{choice.policy}, [&](const Reply& reply) {
    if (const auto* refused = std::get_if<Refused>(&reply)) refusal = refused->refusal.message;
  });
  driver_.take_turn();
  if (refusal.empty()) return {};
  return tl::unexpected<Error>(Error{ErrorKind::kBadInput, refusal, file_,
                                     "put it back for now, or let those jobs end first"});
}

// `first` is done when nothing can refuse any more; where it fails nothing is changed.
void PolicyDesk::adopt(const PolicyChoice& choice, ReloadReply reply,
                       std::function<Result<void>()> first, Reloaded done) {
  const auto refused = [this](const std::string& why) {
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, "the old policy stays in force: " + why,
                                       file_, "let those jobs end first"});
  };
  if (choice.policy == nullptr) return done(std::move(reply));
  if (const std::string why = adoption_problem(driver_.engine().state(), *choice.policy);
      !why.empty())
    return done(refused(why));
  if (first)
    if (const auto did = first(); !did) return done(tl::unexpected<Error>(did.error()));
  if (*choice.policy == in_force()) {
    origin_ = choice.origin;
    return done(std::move(reply));
  }
  reply.changed = true;
  driver_.give(AdoptPolicy{choice.policy},
               [this, done, reply, refused, origin = choice.origin](const Reply& answer) {
                 if (const auto* no = std::get_if<Refused>(&answer))
                   return done(refused(no->refusal.message));
                 origin_ = origin;
                 done(reply);
               });
}

void PolicyDesk::reload(Reloaded done) {
  const auto choice = choose_policy(file_, machine_);
  if (!choice) return done(tl::unexpected<Error>(choice.error()));
  adopt(*choice, ReloadReply{false, choice->origin, lines_of(choice->findings)}, {},
        std::move(done));
}

Result<PolicyChoice> PolicyDesk::choice_of(const PolicyRequest& request) const {
  // No file is opened for a text that was sent: it comes with everything that it includes.
  if (request.text) return policy_of_text(*request.text, request.name, machine_, {});
  PolicyChoice choice;
  TRY(Policy policy, policy_of_machine(machine_));
  choice.policy = std::make_shared<const Policy>(std::move(policy));
  choice.origin = "survey";
  return choice;
}

void PolicyDesk::replace(const PolicyRequest& request, Reloaded done) {
  if (!request.expect.empty() && request.expect != policy_mark(in_force()))
    return done(
        tl::unexpected<Error>(Error{ErrorKind::kFailed,
                                    "the policy in force has changed since the plan was made",
                                    {},
                                    "make a new plan: sluice policy plan --on embedded"}));
  const auto choice = choice_of(request);
  if (!choice) return done(tl::unexpected<Error>(choice.error()));
  const auto write = [this, text = request.text]() -> Result<void> {
    if (text) return write_policy_source(file_, *text);
    if (::unlink(file_.c_str()) == 0 || errno == ENOENT) return {};
    return tl::unexpected<Error>(Error{ErrorKind::kFailed, std::strerror(errno), file_, {}});
  };
  adopt(*choice, ReloadReply{false, choice->origin, lines_of(choice->findings)}, write,
        std::move(done));
}

void PolicyDesk::plan(const std::string& user, const PolicyRequest& request, Planned done) {
  copies_.run(
      user, [this, request] { return to_json(plan_here(request)); },
      [done](const Result<std::string>& said) {
        if (!said) return done(tl::unexpected<Error>(said.error()));
        done(from_json<PolicyPlanReply>(*said));
      });
}

PolicyPlanReply PolicyDesk::plan_here(const PolicyRequest& request) {
  PolicyPlanReply reply;
  reply.cluster = in_force().cluster;
  reply.mark = policy_mark(in_force());
  const auto choice = choice_of(request);
  if (!choice) {
    reply.refusal = choice.error().what;
    return reply;
  }
  reply.findings = lines_of(choice->findings);
  if (choice->policy == nullptr) return reply;
  for (const Difference& each : policy_differences(in_force(), *choice->policy))
    reply.differences.push_back(
        {kKinds[static_cast<std::size_t>(each.kind)], each.subject, each.text, each.sentence()});
  if (reply.differences.empty()) return reply;
  reply.refusal = adoption_problem(driver_.engine().state(), *choice->policy);
  if (!reply.refusal.empty()) return reply;
  try {
    reply.jobs = driver_.rehearse(choice->policy);
  } catch (const std::bad_alloc&) {
    reply.unknown = "trying it out takes too much memory";
  }
  return reply;
}

Result<PolicySource> PolicyDesk::source() const {
  PolicySource out;
  out.cluster = in_force().cluster;
  out.mark = policy_mark(in_force());
  out.origin = origin_;
  out.file = file_;
  TRY(const auto text, read_policy_source(file_));
  if (!text) return out;
  out.is_there = true;
  out.text = *text;
  const PolicyChoice choice = policy_of_text(*text, file_, machine_, read_policy_part);
  out.in_force = choice.policy != nullptr && *choice.policy == in_force();
  return out;
}

}  // namespace sluice
