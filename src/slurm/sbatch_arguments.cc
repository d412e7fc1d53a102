// A job as the words of an sbatch command, option by option of the table.
#include "slurm/sbatch_arguments.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "text/sbatch_option_table.h"

namespace sluice {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

std::vector<std::string> sbatch_arguments(const JobSpec& spec) {
  std::vector<std::string> out;
  for (const SbatchOptionRow& row : sbatch_options()) {
    OptionWords words(row.shape.name, out);
    if (row.effect.show != nullptr) row.effect.show(spec, words);
  }
  return out;
}

SaidNo read_refusal(const std::string& standard_error) {
  SaidNo out;
  std::string_view text = standard_error;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    constexpr std::string_view kMark = "error: ";
    if (const std::size_t at = line.find(kMark); at != std::string_view::npos)
      line.remove_prefix(at + kMark.size());
    constexpr std::string_view kSubmission = "Batch job submission failed: ";
    if (line.starts_with(kSubmission)) line.remove_prefix(kSubmission.size());
    if (line.empty()) continue;
    if (out.word.empty() && is_word(line)) {
      out.word = line;
      continue;
    }
    if (!out.message.empty()) out.message += "; ";
    out.message += line;
  }
  return out;
}

}  // namespace sluice
