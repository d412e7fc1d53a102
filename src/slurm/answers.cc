// The texts are those of Slurm 22.05's slurm_errno.c; each is tested.
#include "slurm/answers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "slurm/sbatch_arguments.h"

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
