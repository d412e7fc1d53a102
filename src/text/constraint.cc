// A small grammar: alternatives of conjunctions, with parentheses, multiplied out.
#include "text/constraint.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "text/scan.h"

namespace sluice {
namespace {

using Alternatives = std::vector<std::vector<std::string>>;

constexpr const char* kForms = "write features with & (and) and | (or), as in a100&(rack1|rack2)";
// "(a|b)&(c|d)&…" doubles with every factor; nobody writes more than this by hand.
constexpr std::size_t kMostAlternatives = 256;
constexpr int kDeepest = 16;

bool is_feature_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '.' || c == ':' || c == '=' || c == '/' || c == '+' || c == '@';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Constraint> read() {
    Constraint constraint;
    constraint.text = text_;
    if (text_.empty()) return constraint;
    const bool bracketed = text_.front() == '[' && text_.back() == ']';
    rest_ = bracketed ? text_.substr(1, text_.size() - 2) : text_;
    if (text_.find('*') != std::string_view::npos) {
      TRY_VOID(counts(constraint, bracketed));
      return constraint;
    }
    constraint.same_for_all_nodes = bracketed;
    TRY(constraint.any_of, alternatives(0));
    if (!rest_.empty()) return wrong();
    return constraint;
  }

 private:
  // "a*2", or "[a*2&(b|c)*1]": what slurmctld makes of counts anywhere else is of no use.
  Result<void> counts(Constraint& constraint, bool bracketed) {
    constraint.counted_apart = bracketed;
    do {
      CountedFeature& one = constraint.counted.emplace_back();
      TRY(one.any_of, factor(0));
      if (!take('*')) return unsupported();
      std::size_t length = 0;
      while (length < rest_.size() && is_digit(rest_[length])) ++length;
      const auto nodes = whole_number(rest_.substr(0, length));
      constexpr std::int64_t kMostNodes = 100'000;
      if (!nodes || *nodes < 1 || *nodes > kMostNodes) return wrong();
      one.nodes = static_cast<std::int32_t>(*nodes);
      rest_.remove_prefix(length);
    } while (bracketed && (take('&') || take(',')));
    if (!rest_.empty()) return unsupported();
    return {};
  }

  tl::unexpected<Error> unsupported() const {
    return bad_input(fmt::format("{} is not a constraint with counts", quoted(text_)),
                     "write feature*COUNT, or [a*COUNT&b*COUNT] with a count for each feature");
  }

  tl::unexpected<Error> wrong() const {
    const std::string_view at = rest_.substr(0, 1);
    return bad_input(fmt::format("{} is not a constraint (at {})", quoted(text_),
                                 at.empty() ? "its end" : quoted(at)),
                     kForms);
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Result<Alternatives> alternatives(int depth) {
    TRY(Alternatives all, conjunction(depth));
    while (take('|')) {
      TRY(const Alternatives more, conjunction(depth));
      all.insert(all.end(), more.begin(), more.end());
      if (all.size() > kMostAlternatives) return too_many();
    }
    return all;
  }

  Result<Alternatives> conjunction(int depth) {
    TRY(Alternatives all, factor(depth));
    while (take('&') || take(',')) {
      TRY(const Alternatives more, factor(depth));
      if (all.size() * more.size() > kMostAlternatives) return too_many();
      Alternatives product;
      for (const auto& left : all)
        for (const auto& right : more) {
          product.push_back(left);
          for (const std::string& feature : right)
            if (std::find(left.begin(), left.end(), feature) == left.end())
              product.back().push_back(feature);
        }
      all = std::move(product);
    }
    return all;
  }

  Result<Alternatives> factor(int depth) {
    if (depth < kDeepest && take('(')) {
      TRY(Alternatives inside, alternatives(depth + 1));
      if (!take(')')) return wrong();
      return inside;
    }
    std::size_t length = 0;
    while (length < rest_.size() && is_feature_character(rest_[length])) ++length;
    if (length == 0) return wrong();
    Alternatives one{{std::string(rest_.substr(0, length))}};
    rest_.remove_prefix(length);
    return one;
  }

  tl::unexpected<Error> too_many() const {
    return bad_input(
        fmt::format("{} has more than {} alternatives", quoted(text_), kMostAlternatives), kForms);
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

Result<Constraint> parse_constraint(std::string_view text) {
  // As long as Slurm takes it.
  constexpr std::size_t kLongest = 1024;
  if (text.size() > kLongest)
    return bad_input(fmt::format("{} has more than {} bytes", quoted(text), kLongest));
  return Reader(text).read();
}

Result<Constraint> parse_preference(std::string_view text) {
  TRY(Constraint out, parse_constraint(text));
  if (!out.counted.empty() || out.same_for_all_nodes)
    return bad_input(fmt::format("{} has counts or brackets", quoted(text)),
                     "--prefer takes features joined with & and |");
  return out;
}

}  // namespace sluice
