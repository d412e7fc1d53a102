// What every bench prints: a figure beside a peer or a floor measured in the same run.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "bench/measure.h"

namespace sluice::bench {

// "3.41 ms", "12.0 µs", "1.20 s".
inline std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds >= 1e-6) return fmt::format("{:.1f} µs", seconds * 1e6);
  return fmt::format("{:.0f} ns", seconds * 1e9);
}

// "284,012".
inline std::string count_text(double value) {
  const std::string digits = fmt::format("{:.0f}", value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

enum class Bound { kAtMost, kAtLeast };

struct Target {
  double value = 0;
  Bound bound = Bound::kAtMost;
  std::string text;  // "<= 3 x"
};

inline Target at_most(double value, std::string text) {
  return {value, Bound::kAtMost, std::move(text)};
}
inline Target at_least(double value, std::string text) {
  return {value, Bound::kAtLeast, std::move(text)};
}

class Table {
 public:
  explicit Table(const std::string& title) {
    fmt::print("\n{}\n", title);
    print("figure", "sluice", "peer or floor", "ratio", "aim", "");
  }

  // `judged` is compared with the target.
  void row(const std::string& figure, const std::string& ours, const std::string& peer,
           const std::string& ratio, double judged, const Target& target) {
    const bool pass =
        target.bound == Bound::kAtMost ? judged <= target.value : judged >= target.value;
    missed_ |= !pass;
    print(figure, ours, peer, ratio, target.text, pass ? "pass" : "MISS");
  }
  // A figure without a target.
  void note(const std::string& figure, const std::string& ours, const std::string& peer,
            const std::string& ratio) {
    print(figure, ours, peer, ratio, "", "");
  }
  // A result that is wrong: its speed does not count.
  void wrong(const std::string& figure, const std::string& what) {
    missed_ = true;
    fmt::print("{:46} WRONG RESULT: {}\n", figure, what);
  }
  void skipped(const std::string& figure, const std::string& why) {
    fmt::print("{:46} skipped: {}\n", figure, why);
  }

  // A miss is for people to read; it is no failure of the build.
  bool missed() const { return missed_; }

 private:
  // fmt counts bytes of "µ" as one column each way, so the width is that of the text.
  static void print(const std::string& figure, const std::string& ours, const std::string& peer,
                    const std::string& ratio, const std::string& target, const char* verdict) {
    fmt::print("{:46} {:>18} {:>20} {:>22} {:>14}  {}\n", figure, ours, peer, ratio, target,
               verdict);
    std::fflush(stdout);
  }
  bool missed_ = false;
};

// "2.41 x (2.30-2.55)".
inline std::string ratio_text(const Sample& ours, const Sample& peer) {
  const double ratio = ours.median() / peer.median();
  return fmt::format("{:.2f} x ({:.2f}-{:.2f})", ratio, ours.least() / peer.median(),
                     ours.most() / peer.median());
}

}  // namespace sluice::bench
