// Dates and times of day, read left to right as Slurm's own reader does.
#include "text/begin_time.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "text/past_time.h"
#include "text/scan.h"

namespace sluice {
namespace {

constexpr const char* kForms =
    "write now+1hour, 16:00, tomorrow, 2026-11-15 or 2026-11-15T09:00:00";

// The latest second that still prints with a year of four digits.
constexpr std::int64_t kLastSecond = 253402300799;

struct Reading {
  std::optional<std::chrono::year> year;
  std::optional<std::chrono::month_day> day;
  std::optional<std::int64_t> day_offset;  // today 0, tomorrow 1
  std::optional<std::int64_t> second_of_day;
};

// Whether a time of day or a date that has passed means the next one.
enum class TimeSense { kFuture, kAny };

class Reader {
 public:
  Reader(std::string_view text, Instant now, UtcOffset offset, TimeSense sense)
      : text_(text), now_(to_seconds(now)), ahead_(to_seconds(offset.ahead)), sense_(sense) {}

  std::size_t place() const { return at_; }

  Result<Instant> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      // What stands between a date and a time of day.
      if (is_blank(c) || c == '-' || c == 'T') {
        ++at_;
        continue;
      }
      if (take_word("now")) return relative_to_now();
      if (take_word("uts")) return unix_seconds();
      if (!(is_digit(c) ? number() : word())) return wrong();
    }
    return resolve();
  }

 private:
  tl::unexpected<Error> wrong() const {
    return bad_input(fmt::format("{} is not a time (at character {})", quoted(text_), at_ + 1),
                     kForms);
  }

  bool take_word(std::string_view word) {
    if (!starts_ignoring_case(text_.substr(at_), word)) return false;
    at_ += word.size();
    return true;
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  std::string_view digits_ahead() const {
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  // Exactly two digits, not larger than `most`.
  std::optional<unsigned> two_digits(unsigned most) {
    const std::string_view two = text_.substr(at_, 2);
    const auto value = whole_number(two);
    if (two.size() != 2 || !value || *value > most) return std::nullopt;
    at_ += 2;
    return static_cast<unsigned>(*value);
  }

  Result<Instant> relative_to_now() {
    skip_blanks();
    if (at_ == text_.size()) return at(now_);
    const std::size_t sign = at_;
    const bool later = take('+');
    if (!later && !take('-')) return wrong();
    skip_blanks();
    const auto count = whole_number(digits_ahead());
    if (!count) {
      at_ = sign;
      return wrong();
    }
    at_ += digits_ahead().size();
    skip_blanks();
    std::int64_t unit = 1;
    const std::string name = to_lower(without_blanks_around(text_.substr(at_)));
    if (!name.empty()) {
      struct Unit {
        std::string_view name;
        std::int64_t seconds;
      };
      static constexpr std::array<Unit, 5> kUnits = {
          {{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86400}, {"week", 604800}}};
      unit = 0;
      for (const Unit& known : kUnits)
        if (name == known.name || name == fmt::format("{}s", known.name)) unit = known.seconds;
      if (unit == 0) return wrong();
    }
    if (*count > kLastSecond / unit) return out_of_range();
    return at(later ? now_ + *count * unit : now_ - *count * unit);
  }

  Result<Instant> unix_seconds() {
    const auto count = whole_number(digits_ahead());
    if (!count) return wrong();
    at_ += digits_ahead().size();
    if (at_ != text_.size()) return wrong();
    return at(*count);
  }

  bool word() {
    struct Word {
      std::string_view name;
      std::optional<std::int64_t> second_of_day;
      std::optional<std::int64_t> day_offset;
    };
    static constexpr std::array<Word, 6> kWords = {{{"midnight", 0, {}},
                                                    {"noon", 12 * 3600, {}},
                                                    {"fika", 15 * 3600, {}},
                                                    {"teatime", 16 * 3600, {}},
                                                    {"today", {}, 0},
                                                    {"tomorrow", {}, 1}}};
    for (const Word& known : kWords) {
      if (!take_word(known.name)) continue;
      if (known.second_of_day) return set_time(*known.second_of_day);
      if (reading_.day || reading_.day_offset) return false;
      reading_.day_offset = known.day_offset;
      return true;
    }
    return false;
  }

  // A time of day, or a date in one of its spellings.
  bool number() {
    const std::size_t length = digits_ahead().size();
    const char after = at_ + length < text_.size() ? text_[at_ + length] : '\0';
    if (after == ':' && length <= 2) return time_of_day(length);
    if (length <= 2 && half_ahead(at_ + length)) return time_of_day(length);
    if (after == '-' && length == 4) return iso_date();
    return american_date();
  }

  // AM or PM, after blanks perhaps.
  bool half_ahead(std::size_t from) const {
    while (from < text_.size() && is_blank(text_[from])) ++from;
    const std::string_view rest = text_.substr(from);
    return starts_ignoring_case(rest, "am") || starts_ignoring_case(rest, "pm");
  }

  bool set_time(std::int64_t second) {
    if (reading_.second_of_day) return false;
    reading_.second_of_day = second;
    return true;
  }

  bool time_of_day(std::size_t hour_digits) {
    auto hour = static_cast<unsigned>(whole_number(text_.substr(at_, hour_digits)).value_or(99));
    if (hour > 23) return false;
    at_ += hour_digits;
    unsigned minute = 0;
    unsigned second = 0;
    if (take(':')) {
      const auto value = two_digits(59);
      if (!value) return false;
      minute = *value;
      if (take(':')) {
        const auto seconds = two_digits(59);
        if (!seconds) return false;
        second = *seconds;
      }
    }
    if (half_ahead(at_)) {
      skip_blanks();
      const bool afternoon = text_[at_] == 'p' || text_[at_] == 'P';
      at_ += 2;
      if (hour < 1 || hour > 12) return false;
      hour = hour % 12 + (afternoon ? 12 : 0);
    }
    return set_time(static_cast<std::int64_t>(hour) * 3600 + minute * 60 + second);
  }

  bool set_date(unsigned month, unsigned day, std::optional<int> year) {
    if (reading_.day || reading_.day_offset) return false;
    const std::chrono::month_day value{std::chrono::month(month), std::chrono::day(day)};
    if (!value.ok()) return false;
    if (year) {
      reading_.year = std::chrono::year(*year);
      if (!(*reading_.year / value).ok()) return false;
    }
    reading_.day = value;
    return true;
  }

  bool iso_date() {
    const auto year = whole_number(text_.substr(at_, 4));
    at_ += 5;
    const auto month = two_digits(12);
    if (!year || !month || !take('-')) return false;
    const auto day = two_digits(31);
    return day && set_date(*month, *day, static_cast<int>(*year));
  }

  // One digit or two before or behind a separator, two where there is none.
  std::optional<unsigned> part_of_date(unsigned most) {
    if (digits_ahead().size() != 1) return two_digits(most);
    return static_cast<unsigned>(text_[at_++] - '0');
  }

  bool american_date() {
    const std::size_t begin = at_;
    const auto month = part_of_date(12);
    const char separator = !month ? '\0' : take('/') ? '/' : take('.') ? '.' : '\0';
    if (!month || *month == 0 || (separator == '\0' && digits_ahead().size() % 2 != 0) ||
        digits_ahead().size() > 4) {
      at_ = begin;
      return false;
    }
    const auto day = separator == '\0' ? two_digits(31) : part_of_date(31);
    if (!day) return false;
    const bool has_year = separator == '\0' ? !digits_ahead().empty() : take(separator);
    std::optional<int> year;
    if (has_year) {
      const auto value = two_digits(99);
      if (!value) return false;
      year = 2000 + static_cast<int>(*value);
    }
    return set_date(*month, *day, year);
  }

  tl::unexpected<Error> out_of_range() const {
    return bad_input(fmt::format("{} lies outside the years 1970 to 9999", quoted(text_)), kForms);
  }

  Result<Instant> at(std::int64_t unix_second) const {
    if (unix_second < 0 || unix_second > kLastSecond) return out_of_range();
    return instant_at(seconds(unix_second));
  }

  Result<Instant> resolve() const {
    using std::chrono::sys_days;
    if (!reading_.day && !reading_.day_offset && !reading_.second_of_day) return wrong();
    const std::int64_t local_now = now_ + ahead_;
    const std::int64_t second = reading_.second_of_day.value_or(0);
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::seconds(local_now));
    const auto when = [&](std::chrono::days day) { return day.count() * 86400 + second; };
    if (!reading_.day) {
      std::int64_t local = when(today + std::chrono::days(reading_.day_offset.value_or(0)));
      if (sense_ == TimeSense::kFuture && !reading_.day_offset && local <= local_now)
        local += 86400;
      return at(local - ahead_);
    }
    std::chrono::year year =
        reading_.year.value_or(std::chrono::year_month_day(sys_days(today)).year());
    std::int64_t local = when(sys_days(year / *reading_.day).time_since_epoch());
    if (sense_ == TimeSense::kFuture && !reading_.year && local <= local_now)
      local = when(sys_days(++year / *reading_.day).time_since_epoch());
    // 02/29 of a year that has none.
    if (!(year / *reading_.day).ok()) return wrong();
    return at(local - ahead_);
  }

  std::string_view text_;
  std::int64_t now_;
  std::int64_t ahead_;
  TimeSense sense_;
  std::size_t at_ = 0;
  Reading reading_;
};

}  // namespace

Result<Instant> parse_begin_time(std::string_view text, Instant now, UtcOffset offset) {
  return Reader(text, now, offset, TimeSense::kFuture).read();
}

Result<Instant> parse_past_time(std::string_view text, Instant now, UtcOffset offset) {
  return Reader(text, now, offset, TimeSense::kAny).read();
}

std::optional<std::size_t> time_mistake_at(std::string_view text) {
  Reader reader(text, Instant(), {}, TimeSense::kFuture);
  if (reader.read()) return std::nullopt;
  return reader.place();
}

std::string format_time(Instant time, UtcOffset offset) {
  const std::int64_t local = to_seconds(time) + to_seconds(offset.ahead);
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::seconds(local));
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const std::int64_t second = local - day.count() * 86400;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     second / 3600, second / 60 % 60, second % 60);
}

Result<std::optional<Instant>> parse_printed_time(std::string_view text, UtcOffset offset) {
  for (std::string_view none : {"Unknown", "N/A", "None", "(null)", ""})
    if (text == none) return std::optional<Instant>();
  if (text.size() != 19 || text[10] != 'T')
    return bad_input(fmt::format("{} is not a time as Slurm prints it", quoted(text)),
                     "expected as 2026-11-15T09:00:00; unset SLURM_TIME_FORMAT");
  TRY(const Instant time, parse_begin_time(text, Instant(), offset));
  return std::optional(time);
}

}  // namespace sluice
