// The OpenAPI document, made from the table of routes and the descriptions of the rows.
#include <algorithm>

#include "base/version.h"
#include "views/cluster_rows.h"
#include "views/json_schema.h"
#include "views/record_line.h"
#include "views/when_fields.h"
#include "wire/api_fields.h"
#include "wire/history_purge.h"
#include "wire/routes.h"
#include "wire/when_request.h"

namespace sluice {
namespace {

class Document {
 public:
  std::string text() {
    out_.begin_object();
    pair("openapi", "3.0.3");
    out_.key("info");
    out_.begin_object();
    pair("title", "sluice");
    pair("version", "1");
    pair("description",
         "HTTP and JSON on the daemon's unix socket. Durations are seconds, times seconds since "
         "1970, both with up to three decimals. The socket says which user asks.");
    out_.end_object();
    out_.key("paths");
    paths();
    out_.key("components");
    out_.begin_object();
    out_.key("schemas");
    schemas();
    out_.end_object();
    out_.end_object();
    return std::move(text_);
  }

 private:
  void pair(std::string_view name, std::string_view value) {
    out_.key(name);
    out_.text(value);
  }

  void paths() {
    out_.begin_object();
    std::vector<std::string_view> seen;
    for (const ApiRoute& route : routes()) {
      if (std::find(seen.begin(), seen.end(), route.path) != seen.end()) continue;
      seen.push_back(route.path);
      out_.key(route.path);
      out_.begin_object();
      for (const ApiRoute& same : routes())
        if (same.path == route.path) operation(same);
      out_.end_object();
    }
    out_.end_object();
  }

  void operation(const ApiRoute& route) {
    std::string method;
    for (const char c : route.method) method += static_cast<char>(c - 'A' + 'a');
    out_.key(method);
    out_.begin_object();
    pair("operationId", route.operation);
    pair("summary", route.what);
    parameters(route);
    if (!route.request.empty()) {
      out_.key("requestBody");
      out_.begin_object();
      content("application/json", route.request, {});
      out_.end_object();
    }
    out_.key("responses");
    out_.begin_object();
    out_.key("200");
    out_.begin_object();
    pair("description", "done");
    content(route.content_type, route.response, route.also);
    out_.end_object();
    out_.key("default");
    out_.begin_object();
    pair("description", "refused: what, and what to do");
    content("application/json", "ErrorReply", {});
    out_.end_object();
    out_.end_object();
    out_.end_object();
  }

  void parameters(const ApiRoute& route) {
    out_.key("parameters");
    out_.begin_array();
    std::string_view rest = route.path;
    for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
      const std::size_t end = rest.find('}');
      parameter(rest.substr(open + 1, end - open - 1), "path",
                "\"12\", \"12_3\" or \"12_[1-5]\" where it is a job");
      rest = rest.substr(end + 1);
    }
    for (const ApiParameter& each : route.query) parameter(each.name, "query", each.what);
    out_.end_array();
  }

  void parameter(std::string_view name, std::string_view in, std::string_view what) {
    out_.begin_object();
    pair("name", name);
    pair("in", in);
    pair("description", what);
    out_.key("required");
    out_.boolean(in == "path");
    out_.key("schema");
    out_.begin_object();
    pair("type", "string");
    out_.end_object();
    out_.end_object();
  }

  void content(std::string_view type, std::string_view schema, std::string_view also) {
    out_.key("content");
    out_.begin_object();
    out_.key(type);
    out_.begin_object();
    if (!schema.empty()) {
      out_.key("schema");
      out_.begin_object();
      pair("$ref", "#/components/schemas/" + std::string(schema));
      out_.end_object();
    }
    out_.end_object();
    if (!also.empty()) {
      out_.key(also);
      out_.begin_object();
      out_.end_object();
    }
    out_.end_object();
  }

  template <class T>
  void schema(std::string_view name) {
    out_.key(name);
    JsonSchemaWriter(out_).element(T{});
  }

  void schemas() {
    out_.begin_object();
    schema<DaemonCard>("DaemonCard");
    schema<ReloadReply>("ReloadReply");
    schema<PurgeReply>("PurgeReply");
    schema<StopRequest>("StopRequest");
    schema<ClusterCard>("ClusterCard");
    schema<PolicyRequest>("PolicyRequest");
    schema<PolicyPlanReply>("PolicyPlanReply");
    schema<PolicySource>("PolicySource");
    schema<Lines<QueueLine>>("QueueLines");
    schema<SubmitRequest>("SubmitRequest");
    schema<SubmitReply>("SubmitReply");
    schema<JobCard>("JobCard");
    schema<JobChange>("ChangeRequest");
    schema<ActionReply>("ActionReply");
    schema<WhyCard>("WhyCard");
    schema<WhenRequest>("WhenRequest");
    schema<WhenCard>("WhenCard");
    schema<RequeueRequest>("RequeueRequest");
    schema<SignalRequest>("SignalRequest");
    schema<Lines<NodeLine>>("NodeLines");
    schema<NodeRequest>("NodeRequest");
    schema<Lines<ReservationLine>>("ReservationLines");
    schema<ReservationOrder>("ReservationOrder");
    schema<Lines<ShareLine>>("ShareLines");
    schema<Lines<PriorityLine>>("PriorityLines");
    schema<Lines<HistoryLine>>("HistoryLines");
    schema<Lines<RecordLine>>("RecordLines");
    schema<Lines<AccountLine>>("AccountLines");
    schema<StepRequest>("StepRequest");
    schema<StepReply>("StepReply");
    schema<ChangeLine>("ChangeLine");
    schema<ErrorReply>("ErrorReply");
    out_.end_object();
  }

  std::string text_;
  JsonWriter out_{text_};
};

}  // namespace

std::string openapi_document() { return Document().text(); }

}  // namespace sluice
