// The texts are those of slurm_errno.c, 20.11 to 25.05; each is tested.
#include "slurm/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "slurm/sbatch_arguments.h"
#include "text/scan.h"

namespace sluice {
namespace {

struct Text {
  std::string_view part;
  NoAnswer meaning;
};

// The first that occurs decides: a message that names the database may speak of sockets too.
constexpr std::array kTexts = {
    Text{"accounting storage is disabled", NoAnswer::kNoDatabase},
    Text{"slurmdbd", NoAnswer::kDatabase},
    Text{"Problem talking to the database", NoAnswer::kDatabase},
    Text{"Problem with the database", NoAnswer::kDatabase},
    Text{"slurm_persist_conn_open", NoAnswer::kDatabase},
    // From 23.02 on a site may limit requests; from 24.05 on in other words too.
    Text{"Rate limit exceeded", NoAnswer::kNotSent},
    // slurmctld is about to tell slurmdbd of the job, or waits for it: a moment later it goes.
    Text{"the DB index is being set", NoAnswer::kNotSent},
    Text{"Socket timed out", NoAnswer::kAmbiguous},
    Text{"(send failure)", NoAnswer::kAmbiguous},
    Text{"(receive failure)", NoAnswer::kAmbiguous},
    Text{"(shutdown failure)", NoAnswer::kAmbiguous},
    Text{"Zero Bytes were transmitted or received", NoAnswer::kAmbiguous},
    Text{"Unexpected message received", NoAnswer::kAmbiguous},
    Text{"Communication shutdown failure", NoAnswer::kAmbiguous},
    Text{"Communication message send failure", NoAnswer::kAmbiguous},
    Text{"Communication message receive failure", NoAnswer::kAmbiguous},
    Text{"Message receive failure", NoAnswer::kAmbiguous},
    Text{"Message send failure", NoAnswer::kAmbiguous},
    Text{"Header lengths are longer than data received", NoAnswer::kAmbiguous},
    Text{"Insane message length", NoAnswer::kAmbiguous},
    Text{"Connection reset by peer", NoAnswer::kAmbiguous},
    Text{"Connection timed out", NoAnswer::kAmbiguous},
    Text{"Transport endpoint is not connected", NoAnswer::kAmbiguous},
    Text{"Broken pipe", NoAnswer::kAmbiguous},
    Text{"(connect failure)", NoAnswer::kNotSent},
    Text{"Communication connection failure", NoAnswer::kNotSent},
    Text{"Unable to contact slurm controller", NoAnswer::kNotSent},
    Text{"Connection refused", NoAnswer::kNotSent},
    Text{"backup controller in standby mode", NoAnswer::kNotSent},
    Text{"Invalid job id specified", NoAnswer::kNoSuchJob},
    Text{"no longer pending", NoAnswer::kTooLate},
    Text{"already completing or completed", NoAnswer::kTooLate},
    Text{"already finished", NoAnswer::kTooLate},
    Text{"Job/step already", NoAnswer::kTooLate},
};

}  // namespace

NoAnswer no_answer(std::string_view standard_error) {
  for (const Text& text : kTexts)
    if (standard_error.find(text.part) != std::string_view::npos) return text.meaning;
  return NoAnswer::kRefused;
}

bool may_have_submitted(const CommandOutput& done) {
  // From 128 on it was ended by a signal.
  return done.exit_code == 0 || done.exit_code >= 128 || !done.output.empty() ||
         without_blanks_around(done.error).empty();
}

bool is_unknown_field(std::string_view standard_error) {
  return standard_error.find("Invalid field requested") != std::string_view::npos ||
         standard_error.find("Unknown field") != std::string_view::npos;
}

Error command_error(std::string_view program, const CommandOutput& done) {
  const std::string& text = done.error.empty() ? done.output : done.error;
  std::string_view first = "no message";
  for (const std::string_view line : split(text, '\n'))
    if (!without_blanks_around(line).empty()) {
      first = without_blanks_around(line);
      break;
    }
  Error out{ErrorKind::kFailed, fmt::format("{} refused: {}", program, first), {}, {}};
  const auto says = [&](const auto& words) {
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
      return done.error.find(word) != std::string::npos ||
             done.output.find(word) != std::string::npos;
    });
  };
  static constexpr std::string_view kNotAllowed[] = {"privilege", "permission denied",
                                                     "Invalid user id", "Access/permission"};
  // Without its configuration no command gets as far as asking.
  static constexpr std::string_view kNotThere[] = {"slurm.conf"};
  static constexpr std::string_view kNoConfiguration[] = {
      "Could not establish a configuration source", "Unable to determine slurm.conf"};
  const NoAnswer meaning = no_answer(done.error + done.output);
  if (says(kNoConfiguration)) {
    out = {ErrorKind::kUnreachable,
           fmt::format("{}: Slurm's commands are installed here, and no slurm.conf says where its "
                       "cluster is",
                       program),
           {},
           "for the daemon of this machine add --on embedded, or set SLUICE_ON=embedded\n"
           "  for a Slurm set SLURM_CONF to its slurm.conf"};
  } else if (says(kNotAllowed)) {
    out.kind = ErrorKind::kNotAllowed;
    out.hint = "this needs a Slurm administrator: sacctmgr show user lists them";
  } else if (meaning == NoAnswer::kDatabase) {
    out = {ErrorKind::kUnreachable,
           fmt::format("slurmdbd does not answer {}: {}", program, first),
           {},
           "try again when slurmdbd is up; type: sacctmgr show cluster"};
  } else if (meaning == NoAnswer::kNotSent || meaning == NoAnswer::kAmbiguous) {
    out = {ErrorKind::kUnreachable,
           fmt::format("slurmctld does not answer {}: {}", program, first),
           {},
           "try again when slurmctld is up; type: scontrol ping"};
  } else if (says(kNotThere) || meaning == NoAnswer::kNoDatabase) {
    out.kind = ErrorKind::kUnreachable;
    out.hint = "type: scontrol ping; sacctmgr show cluster";
  }
  return out;
}

ChangeAnswer change_answer(const CommandOutput& done) {
  struct Said {
    std::string_view part;
    ChangeAnswer meaning;
  };
  static constexpr Said kFailures[] = {{"Job(s) active", ChangeAnswer::kInUse},
                                       {"partition is in use", ChangeAnswer::kInUse},
                                       {"Preemption loop", ChangeAnswer::kPreemptionLoop},
                                       {"Nothing new added", ChangeAnswer::kAlreadySo},
                                       {"Nothing deleted", ChangeAnswer::kAlreadySo},
                                       {"Nothing modified", ChangeAnswer::kAlreadySo}};
  const std::string text = done.output + done.error;
  if (done.exit_code == 0)
    return text.find("don't have access to their default qos") == std::string::npos
               ? ChangeAnswer::kDone
               : ChangeAnswer::kRefused;
  for (const Said& said : kFailures)
    if (text.find(said.part) != std::string::npos) return said.meaning;
  return ChangeAnswer::kRefused;
}

Refusal refusal_of(const std::string& standard_error) {
  const SaidNo said = read_refusal(standard_error);
  Refusal out;
  if (const auto rule = rule_of_word(said.word)) out.reason.rule = *rule;
  if (said.word.starts_with("QOS")) out.reason.holder = LimitHolder::kJobQos;
  if (said.word.starts_with("Assoc")) out.reason.holder = LimitHolder::kAssociation;
  out.message = said.message;
  if (!said.word.empty())
    out.message = out.message.empty() ? said.word : said.word + ": " + out.message;
  if (out.message.empty()) out.message = "Slurm refused and did not say why";
  return out;
}

tl::unexpected<Error> unreachable(std::string what, std::string hint) {
  return tl::unexpected<Error>(
      Error{ErrorKind::kUnreachable, std::move(what), {}, std::move(hint)});
}

}  // namespace sluice
