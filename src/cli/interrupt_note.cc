#include "cli/interrupt_note.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace sluice {
namespace {

// Written before the handler is there, read by it alone.
std::array<char, 512> note{};
std::size_t note_length = 0;

void say_and_end(int signal) {
  static_cast<void>(!::write(STDERR_FILENO, note.data(), note_length));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

InterruptNote::InterruptNote(const std::string& text) {
  const std::string line = fmt::format("\nsluice: {}\n", text);
  note_length = std::min(line.size(), note.size());
  std::copy_n(line.begin(), note_length, note.begin());
  // One that was started in the background stays deaf to Ctrl-C.
  struct sigaction now {};
  if (::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    std::signal(SIGINT, &say_and_end);
}

InterruptNote::~InterruptNote() {
  struct sigaction now {};
  if (::sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == &say_and_end)
    std::signal(SIGINT, SIG_DFL);
}

std::string goes_on(const std::string& id) {
  return fmt::format("{0} continues. Wait again: sluice wait {0}; end it: sluice cancel {0}", id);
}

}  // namespace sluice
