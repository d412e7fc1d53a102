// What the files of the routes share.
#pragma once

#include "daemon/api.h"
#include "daemon/wall_times.h"
#include "views/row_text.h"
#include "wire/api_fields.h"

namespace sluice {

template <class T>
void Api::answer(const Call& call, const T& value) {
  std::string body = call.wall_ahead == Duration(0) ? to_json(value)
                                                    : to_json(in_wall_time(value, call.wall_ahead));
  body += '\n';
  call.reply->send(200, "application/json", std::move(body));
}

// A list as it is asked for: JSON or tab-separated values, all fields or some.
template <class Row>
class RowAnswer {
 public:
  // Nothing where the request asks for what there is not.
  static Result<RowAnswer> open(const HttpRequest& request, std::string_view schema,
                                Duration wall_ahead) {
    const std::string format = request.parameter("format");
    if (!format.empty() && format != "json" && format != "tsv" && format != "ditto")
      return bad_input("format is \"" + format + "\"", "json, tsv or ditto");
    TRY(const FieldMask mask, chosen_fields(field_names<Row>(), request.parameter("fields")));
    return RowAnswer(format == "tsv" || format == "ditto", mask,
                     format == "ditto" ? Ditto::kYes : Ditto::kNo, schema, wall_ahead);
  }
  // Fields that are not in the mask are known to be as in the row before.
  void add(const Row& row, FieldMask may_differ = kAllFields) {
    if (wall_ahead_ != Duration(0)) {
      // Times that are as in the row before are so when both are moved.
      return write(in_wall_time(row, wall_ahead_), may_differ);
    }
    write(row, may_differ);
  }
  std::size_t size() const { return text_->size(); }
  // All of it; nothing can be added any more.
  std::string take() {
    if (!tsv_) *text_ += "]}\n";
    return std::move(*text_);
  }
  std::string_view content_type() const {
    return tsv_ ? "text/tab-separated-values" : "application/json";
  }
  void send(HttpReply& reply) { reply.send(200, content_type(), take()); }

 private:
  void write(const Row& row, FieldMask may_differ) {
    if (tsv_) return writer_->row(row, may_differ);
    JsonWriter out(*text_);
    if (more_) *text_ += ',';
    more_ = true;
    out.begin_object();
    ChosenJsonFields fields(out, mask_);
    json_fields(fields, row);
    out.end_object();
  }
  RowAnswer(bool tsv, FieldMask mask, Ditto ditto, std::string_view schema, Duration wall_ahead)
      : tsv_(tsv),
        mask_(mask),
        text_(std::make_unique<std::string>()),
        writer_(std::make_unique<RowTextWriter>(*text_, mask, ditto)),
        wall_ahead_(wall_ahead) {
    if (tsv_)
      writer_->template titles<Row>();
    else
      *text_ += "{\"schema\":\"" + std::string(schema) + "\",\"lines\":[";
  }
  bool tsv_;
  bool more_ = false;
  FieldMask mask_;
  std::unique_ptr<std::string> text_;
  std::unique_ptr<RowTextWriter> writer_;
  Duration wall_ahead_;
};

template <class Row>
void Api::answer_rows(const Call& call, std::string_view schema, const std::vector<Row>& rows) {
  auto answer = RowAnswer<Row>::open(call.request, schema, call.wall_ahead);
  if (!answer) return refuse(call, answer.error());
  for (const Row& row : rows) answer->add(row);
  answer->send(*call.reply);
}

// A list of which one user may have so much at once; root and whoever runs the daemon, all of it.
inline constexpr std::size_t kLongestList = std::size_t{24} << 20;
Error too_long_a_list();

// "a,b" of a query; nothing for "".
std::vector<std::string> words_of(const std::string& list);
// "12,13_[1,3]" names two, each with the word it was written as. Only so much at once: what they
// name is held in memory, a bit for each task.
struct NamedJob {
  JobReference reference;
  std::string word;
};
Result<std::vector<NamedJob>> jobs_named(const std::string& list);
Result<QueueFilter> filter_of(const HttpRequest& request);

inline constexpr const char* kInvalidJobText = "Invalid job id specified";
inline constexpr const char* kDeniedText = "Access/permission denied";

}  // namespace sluice
