#include "top/screen.h"

// Its macros would rename half of the standard library.
#define NCURSES_NOMACROS
#include <fmt/format.h>
#include <langinfo.h>
#include <ncurses.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <clocale>
#include <cstring>
#include <limits>
#include <vector>

// Of term.h, whose macros would rename ordinary words.
extern "C" char* tigetstr(const char* capability);

namespace sluice {
namespace {

// Keys are waited for so long; then what came in the meantime is drawn.
constexpr int kTick = 200;
constexpr int kEscape = 27;
constexpr int kControlC = 3;
constexpr int kControlL = 12;

struct ViewName {
  TopView view;
  const char* name;
};
constexpr std::array<ViewName, 4> kViews = {{{TopView::kQueue, "1 queue"},
                                             {TopView::kPools, "2 pools"},
                                             {TopView::kChains, "3 chains"},
                                             {TopView::kNodes, "4 nodes"}}};

std::string age_of(const TopSnapshot& seen) {
  if (!seen.at) return seen.problem.empty() ? "asking" : "no answer";
  const auto now =
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch());
  const auto age = (Duration(now) - seen.at->time_since_epoch()).count() / 1000;
  return age <= 1 ? "now" : fmt::format("{} s old", age);
}

class Screen {
 public:
  Screen(TopWatch& watch, const TopSettings& settings) : watch_(watch) {
    ::raw();
    ::noecho();
    ::keypad(::stdscr, true);
    ::curs_set(0);
    ::wtimeout(::stdscr, kTick);
    colour_ = settings.colour && ::has_colors();
    if (colour_) {
      ::start_color();
      ::use_default_colors();
      ::init_pair(1, COLOR_CYAN, -1);
      ::init_pair(2, COLOR_YELLOW, -1);
      ::init_pair(3, COLOR_GREEN, -1);
      ::init_pair(4, COLOR_RED, -1);
    }
    is_utf8_ = std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() { ::endwin(); }

  void run() {
    while (!left_) {
      follow_size();
      seen_ = watch_.latest();
      prepare();
      draw();
      press(::wgetch(::stdscr));
    }
  }

 private:
  // curses learns of a new size by a signal, which another thread may get.
  static void follow_size() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
      return;
    if (size.ws_row == ::getmaxy(::stdscr) && size.ws_col == ::getmaxx(::stdscr)) return;
    ::resizeterm(size.ws_row, size.ws_col);
    ::clearok(::stdscr, true);
  }
  std::size_t width() const { return static_cast<std::size_t>(std::max(1, ::getmaxx(::stdscr))); }
  std::size_t height() const { return static_cast<std::size_t>(std::max(1, ::getmaxy(::stdscr))); }
  // Lines between the two at the top and the two at the bottom.
  std::size_t room() const { return height() > 4 ? height() - 4 : 0; }

  attr_t attribute(Tone tone) const {
    switch (tone) {
      case Tone::kRun:
        return colour_ ? static_cast<attr_t>(COLOR_PAIR(1)) : static_cast<attr_t>(A_NORMAL);
      case Tone::kWait:
        return colour_ ? static_cast<attr_t>(COLOR_PAIR(2)) : static_cast<attr_t>(A_NORMAL);
      case Tone::kGood:
        return colour_ ? static_cast<attr_t>(COLOR_PAIR(3)) : static_cast<attr_t>(A_NORMAL);
      case Tone::kBad:
        return colour_ ? static_cast<attr_t>(COLOR_PAIR(4)) : static_cast<attr_t>(A_BOLD);
      case Tone::kDim:
        return colour_ ? static_cast<attr_t>(A_DIM) : static_cast<attr_t>(A_NORMAL);
      case Tone::kPlain:
        break;
    }
    return A_NORMAL;
  }

  void put(std::size_t y, std::size_t x, std::string text, attr_t look) const {
    if (y >= height() || x >= width()) return;
    if (!is_utf8_)
      std::replace_if(
          text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; }, '?');
    ::wattron(::stdscr, static_cast<int>(look));
    ::mvwaddstr(::stdscr, static_cast<int>(y), static_cast<int>(x), text.c_str());
    ::wattroff(::stdscr, static_cast<int>(look));
  }
  void line(std::size_t y, std::string_view text, attr_t look) const {
    put(y, 0, fitted(text, width()), look);
  }

  bool is_list() const { return view_ != TopView::kJob && view_ != TopView::kChain; }

  void prepare() {
    if (seen_.view != view_ || seen_.job != job_ || !is_list()) return;
    table_ = std::move(seen_.table);
    keep_rows(table_, filter_);
    if (sort_) sort_rows(table_, *sort_, order_);
    // The same row stays chosen while others come and go.
    const auto same = std::find_if(table_.rows.begin(), table_.rows.end(),
                                   [&](const TopRow& row) { return row.key == key_; });
    if (same != table_.rows.end()) chosen_ = static_cast<std::size_t>(same - table_.rows.begin());
    choose(chosen_);
  }
  void choose(std::size_t row) {
    chosen_ = table_.rows.empty() ? 0 : std::min(row, table_.rows.size() - 1);
    key_ = table_.rows.empty() ? "" : table_.rows[chosen_].key;
    const std::size_t rows = std::max<std::size_t>(1, room());
    if (chosen_ < top_) top_ = chosen_;
    if (chosen_ >= top_ + rows) top_ = chosen_ - rows + 1;
  }

  void draw() {
    ::werase(::stdscr);
    draw_head();
    if (help_)
      draw_help();
    else if (!is_list())
      draw_job();
    else
      draw_table();
    draw_foot();
    ::wrefresh(::stdscr);
  }

  void draw_head() const {
    std::string head = "sluice top ";
    for (const ViewName& one : kViews)
      head += one.view == view_ ? fmt::format(" [{}]", one.name) : fmt::format("  {} ", one.name);
    for (const auto& [view, name] :
         {std::pair(TopView::kJob, "job"), {TopView::kTasks, "array"}, {TopView::kChain, "chain"}})
      if (view_ == view) head += fmt::format(" [{} {}]", name, job_);
    const std::string age = age_of(seen_);
    line(0, head, A_BOLD);
    if (width() > age.size() + shown_width(head) + 1)
      put(0, width() - age.size(), age, seen_.problem.empty() ? A_NORMAL : attribute(Tone::kBad));
  }

  void draw_foot() const {
    if (height() < 3) return;
    std::string totals = is_list() ? table_.totals : "";
    if (!filter_.empty() && is_list())
      totals += fmt::format(
          "; {} '{}'",
          table_.rows.size() == 1 ? "1 line has" : fmt::format("{} lines have", table_.rows.size()),
          filter_);
    if (!seen_.problem.empty()) totals = seen_.problem;
    line(height() - 2, totals, seen_.problem.empty() ? A_BOLD : attribute(Tone::kBad));
    std::string keys = said_;
    if (asking_) keys = fmt::format("Cancel {}? y or n", asking_about_);
    if (typing_) keys = "Filter: " + filter_ + "_";
    if (keys.empty())
      keys = !is_list()                 ? "Esc back  c cancel  j k scroll  ? keys  q quit"
             : view_ == TopView::kTasks ? "Enter open  Esc back  / filter  c cancel  ? keys  q quit"
                                        : "Enter open  / filter  s sort  c cancel  ? keys  q quit";
    line(height() - 1, keys, A_REVERSE);
  }

  void draw_table() const {
    const auto widths = column_widths(table_, width());
    std::size_t x = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      std::string title = table_.columns[i].title;
      if (sort_ == i) title += order_ == SortOrder::kRising ? "^" : "v";
      put(1, x, fitted(title, widths[i], table_.columns[i].right), A_UNDERLINE);
      x += widths[i] + 1;
    }
    if (table_.rows.empty())
      return line(2,
                  !seen_.at || seen_.view != view_ ? ""
                  : filter_.empty()                ? table_.empty
                                                   : "No line has all of these words.",
                  A_NORMAL);
    for (std::size_t k = 0; k < room() && top_ + k < table_.rows.size(); ++k)
      draw_row(2 + k, table_.rows[top_ + k], widths, top_ + k == chosen_);
  }

  void draw_row(std::size_t y, const TopRow& row, const std::vector<std::size_t>& widths,
                bool chosen) const {
    if (chosen) line(y, "", A_REVERSE);
    std::size_t x = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      const attr_t look = i == table_.state_column ? attribute(row.tone) : A_NORMAL;
      put(y, x, fitted(row.cells[i], widths[i], table_.columns[i].right),
          chosen ? static_cast<attr_t>(A_REVERSE) : look);
      x += widths[i] + 1;
    }
  }

  void draw_job() {
    if (seen_.view != view_ || seen_.job != job_) return;
    std::size_t y = 1;
    // The log has at least half of the screen.
    for (const TopLine& one : seen_.lines) {
      if (y > 1 + room() / 2) break;
      line(y++, one.text, attribute(one.tone));
    }
    if (view_ == TopView::kJob) line(y++, "Log", A_UNDERLINE);
    std::vector<std::string_view> lines;
    std::string_view rest = seen_.log;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      lines.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const std::size_t rows = height() > y + 2 ? height() - y - 2 : 0;
    // A log is read from its end, a report from its beginning.
    const std::size_t most = lines.size() > rows ? lines.size() - rows : 0;
    if (!opened_) back_ = view_ == TopView::kJob ? 0 : most;
    opened_ = true;
    back_ = std::min(back_, most);
    for (std::size_t k = 0; k < rows && most - back_ + k < lines.size(); ++k)
      line(y + k, lines[most - back_ + k], A_NORMAL);
  }

  void draw_help() const {
    std::size_t y = 2;
    for (const char* text :
         {"1 2 3 4, Tab     queue, pools, chains, nodes", "j k, arrows      down, up",
          "g G, PgUp PgDn   first, last, a page",
          "Enter            open the job and its log, the tasks of an array, a chain",
          "Esc, h           back", "/                filter: words that a line must have",
          "s S              sort by the next column, the other way round",
          "c                cancel the job or chain, after a question",
          "r                ask again now", "q                quit"})
      line(y++, text, A_NORMAL);
  }

  // Where one was: a list with its filter, order and place.
  struct Place {
    TopView view = TopView::kQueue;
    std::string job{};
    std::string cancels{};
    std::string filter{};
    std::optional<std::size_t> sort{};
    SortOrder order = SortOrder::kRising;
    std::string key{};
    std::size_t chosen = 0;
  };

  void go_to(TopView view) {
    before_.clear();
    if (view != view_) show({.view = view});
  }
  void open(TopView view, const TopRow& row) {
    before_.push_back({view_, job_, cancels_, filter_, sort_, order_, key_, chosen_});
    show({.view = view, .job = row.key, .cancels = row.cancels});
  }
  void go_back() {
    if (before_.empty()) {
      filter_.clear();
      return;
    }
    const Place place = before_.back();
    before_.pop_back();
    show(place);
  }
  void show(const Place& place) {
    view_ = place.view;
    job_ = place.job;
    cancels_ = place.cancels;
    filter_ = place.filter;
    sort_ = place.sort;
    order_ = place.order;
    key_ = place.key;
    chosen_ = place.chosen;
    top_ = 0;
    table_ = {};
    back_ = 0;
    opened_ = false;
    watch_.look_at(view_, job_);
  }

  void press(int key) {
    if (key == ERR || key == KEY_RESIZE) return;
    said_.clear();
    if (key == kControlC) left_ = true;
    if (key == kControlL) ::clearok(::stdscr, true);
    if (asking_) return answer(key);
    if (typing_) return type(key);
    if (help_) {
      help_ = false;
      return;
    }
    if (key >= '1' && key <= '4') return go_to(kViews[static_cast<std::size_t>(key - '1')].view);
    switch (key) {
      case 'q':
        left_ = true;
        break;
      case '?':
        help_ = true;
        break;
      case 'r':
        watch_.look_again();
        break;
      case 'c':
        ask();
        break;
      case '\t':
        next_view();
        break;
      default:
        is_list() ? press_in_table(key) : press_in_job(key);
    }
  }

  void next_view() {
    for (std::size_t i = 0; i < kViews.size(); ++i)
      if (kViews[i].view == view_) return go_to(kViews[(i + 1) % kViews.size()].view);
    go_to(TopView::kQueue);
  }

  void press_in_job(int key) {
    if (key == kEscape || key == 'h' || key == KEY_LEFT || key == KEY_BACKSPACE || key == 127) {
      go_back();
    } else if (key == 'k' || key == KEY_UP) {
      ++back_;
    } else if (key == 'j' || key == KEY_DOWN) {
      back_ -= std::min<std::size_t>(back_, 1);
    } else if (key == KEY_PPAGE) {
      back_ += room() / 2;
    } else if (key == KEY_NPAGE) {
      back_ -= std::min(back_, room() / 2);
    } else if (key == 'G' || key == KEY_END) {
      back_ = 0;
    } else if (key == 'g' || key == KEY_HOME) {
      back_ = std::numeric_limits<std::size_t>::max();  // As far as there is something.
    }
  }

  void press_in_table(int key) {
    const std::size_t page = std::max<std::size_t>(1, room() > 1 ? room() - 1 : 1);
    switch (key) {
      case 'j':
      case KEY_DOWN:
        return choose(chosen_ + 1);
      case 'k':
      case KEY_UP:
        return choose(chosen_ - std::min<std::size_t>(chosen_, 1));
      case KEY_NPAGE:
      case ' ':
        return choose(chosen_ + page);
      case KEY_PPAGE:
        return choose(chosen_ - std::min(chosen_, page));
      case 'g':
      case KEY_HOME:
        return choose(0);
      case 'G':
      case KEY_END:
        return choose(table_.rows.size());
      case '/':
        typing_ = true;
        return;
      case kEscape:
        if (filter_.empty())
          go_back();
        else
          filter_.clear();
        return;
      case 'h':
      case KEY_LEFT:
        if (!before_.empty()) go_back();
        return;
      case 's':
        sort_ = sort_ ? (*sort_ + 1) % std::max<std::size_t>(1, table_.columns.size()) : 0;
        return;
      case 'S':
        order_ = order_ == SortOrder::kRising ? SortOrder::kFalling : SortOrder::kRising;
        if (!sort_) sort_ = 0;
        return;
      case '\n':
      case '\r':
      case KEY_ENTER:
      case 'l':
      case KEY_RIGHT:
        open_chosen();
        return;
      default:
        return;
    }
  }

  const TopRow* chosen_row() const {
    return chosen_ < table_.rows.size() ? &table_.rows[chosen_] : nullptr;
  }
  void open_chosen() {
    if (chosen_row() == nullptr) return;
    const TopRow row = *chosen_row();
    if (row.opens == RowOpens::kJob) open(TopView::kJob, row);
    if (row.opens == RowOpens::kTasks) open(TopView::kTasks, row);
    if (row.opens == RowOpens::kChain) open(TopView::kChain, row);
  }

  void type(int key) {
    if (key == '\n' || key == '\r' || key == KEY_ENTER) {
      typing_ = false;
    } else if (key == kEscape) {
      typing_ = false;
      filter_.clear();
    } else if (key == KEY_BACKSPACE || key == 127 || key == 8) {
      // A character of several bytes goes as a whole.
      while (!filter_.empty() && (filter_.back() & 0xc0) == 0x80) filter_.pop_back();
      if (!filter_.empty()) filter_.pop_back();
    } else if (key >= ' ' && key < 256 && filter_.size() < 100) {
      filter_ += static_cast<char>(key);
    }
  }

  void ask() {
    const TopRow* row = is_list() ? chosen_row() : nullptr;
    asking_about_ = !is_list() ? cancels_ : row != nullptr ? row->cancels : std::string();
    if (asking_about_.empty())
      said_ = "only jobs and chains that have not ended are cancelled";
    else
      asking_ = true;
  }
  void answer(int key) {
    asking_ = false;
    if (key != 'y' && key != 'Y') {
      said_ = "nothing was cancelled";
      return;
    }
    said_ = watch_.cancel(view_, asking_about_);
    watch_.look_again();
  }

  TopWatch& watch_;
  TopSnapshot seen_;
  TopTable table_;
  TopView view_ = TopView::kQueue;
  std::vector<Place> before_;
  std::string job_;
  std::string cancels_;  // What `c` ends in the view of a job or a chain.
  std::string filter_;
  std::optional<std::size_t> sort_;
  SortOrder order_ = SortOrder::kRising;
  std::size_t chosen_ = 0;
  std::size_t top_ = 0;
  std::size_t back_ = 0;  // Lines of the log above its end.
  bool opened_ = false;   // The text that was opened has been drawn.
  std::string key_;
  std::string said_;
  std::string asking_about_;
  bool asking_ = false;
  bool typing_ = false;
  bool help_ = false;
  bool left_ = false;
  bool colour_ = false;
  bool is_utf8_ = false;
};

}  // namespace

Result<void> run_top(TopWatch& watch, const TopSettings& settings) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0)
    return bad_input("top needs a terminal", "in a script: sluice queue --json");
  std::setlocale(LC_ALL, "");
  ::set_escdelay(25);
  // The terminal's own size, whatever COLUMNS says: it may change.
  ::use_env(false);
  ::use_tioctl(true);
  // initscr() would end the program where the terminal's kind is not known.
  SCREEN* terminal = ::newterm(nullptr, stdout, stdin);
  if (terminal == nullptr)
    return bad_input("this kind of terminal is not known (TERM)", "try: TERM=xterm sluice top");
  // All screens would be shown one over the other.
  const char* move = ::tigetstr("cup");
  if (move == nullptr || move == reinterpret_cast<const char*>(-1)) {
    ::endwin();
    ::delscreen(terminal);
    return bad_input("this kind of terminal (TERM) cannot move its cursor",
                     "try: TERM=xterm sluice top; or: sluice queue");
  }
  Screen(watch, settings).run();
  ::delscreen(terminal);
  return {};
}

}  // namespace sluice
