// YAML to and from document values, by yaml-cpp.
#include "policyfile/read/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

namespace sluice {
namespace {

// Aliases may refer to aliases: a page of text can stand for a billion values. A site of 5,000
// users has about 100,000.
constexpr std::size_t kMaxValues = 500'000;
constexpr std::size_t kMaxDepth = 64;

struct TooLarge {};

struct Conversion {
  std::shared_ptr<const std::string> file;
  std::size_t values = 0;
  std::optional<Error> error;

  Place place(const YAML::Mark& mark, const Place& around) const {
    return mark.is_null() || mark.line < 0 ? around : Place{file, mark.line + 1};
  }

  Value value(const YAML::Node& node, const Place& around, std::size_t depth) {
    if (++values > kMaxValues || depth > kMaxDepth) throw TooLarge{};
    Value out;
    out.place = place(node.Mark(), around);
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        out.place = around;
        break;
      case YAML::NodeType::Scalar:
        out.kind = Value::Kind::kScalar;
        out.text = node.Scalar();
        out.quoted = node.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        out.kind = Value::Kind::kList;
        for (const YAML::Node& item : node) out.items.push_back(value(item, out.place, depth + 1));
        break;
      case YAML::NodeType::Map:
        out.kind = Value::Kind::kMap;
        add_entries(node, out, depth);
        break;
    }
    return out;
  }

  void add_entries(const YAML::Node& node, Value& out, std::size_t depth) {
    std::map<std::string, int> first_line;
    for (const auto& pair : node) {
      Entry entry;
      entry.place = place(pair.first.Mark(), out.place);
      if (!pair.first.IsScalar()) {
        report(entry.place, "a key is one word here", "write it as KEY: VALUE");
        continue;
      }
      entry.key = pair.first.Scalar();
      auto [known, added] = first_line.emplace(entry.key, entry.place.line);
      if (!added)
        report(entry.place,
               fmt::format("'{}' stands here twice, first on line {}", entry.key, known->second),
               "keep one of the two");
      entry.value = value(pair.second, entry.place, depth + 1);
      out.entries.push_back(std::move(entry));
    }
  }

  void report(const Place& where, std::string what, std::string hint) {
    if (!error) error = Error{ErrorKind::kBadInput, std::move(what), where.text(), std::move(hint)};
  }
};

// Notes where a document begins and ignores what it says.
class DocumentStart : public YAML::EventHandler {
 public:
  std::optional<YAML::Mark> mark;
  void OnDocumentStart(const YAML::Mark& at) override { mark = at; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// Where a second document begins. YAML::LoadAll would find documents for ever where a line begins
// with a comma.
std::optional<YAML::Mark> second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart first;
  DocumentStart second;
  if (!parser.HandleNextDocument(first) || !parser.HandleNextDocument(second)) return std::nullopt;
  return second.mark;
}

// YAML 1.1 reads 1:30:00 as a number in base 60 and "no" as false: text that others could take
// for something else is quoted.
bool needs_quotes(const Value& value) {
  const std::string& text = value.text;
  if (value.quoted || text.empty()) return true;
  for (std::string_view word :
       {"yes", "no", "on", "off", "true", "false", "null", "y", "n", "~", "<<"})
    if (text == word) return word != "true" && word != "false";
  return text.find(':') != std::string::npos;
}

void emit(YAML::Emitter& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      out << YAML::Null;
      return;
    case Value::Kind::kScalar:
      if (needs_quotes(value)) out << YAML::DoubleQuoted;
      out << value.text;
      return;
    case Value::Kind::kList: {
      bool flat = true;
      for (const Value& item : value.items) flat = flat && item.is_scalar();
      out << (flat ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
      for (const Value& item : value.items) emit(out, item);
      out << YAML::EndSeq;
      return;
    }
    case Value::Kind::kMap:
      out << (value.entries.empty() ? YAML::Flow : YAML::Block) << YAML::BeginMap;
      for (const Entry& entry : value.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

Result<Value> parse_yaml(std::string_view text, std::string_view file_name) {
  Conversion conversion;
  conversion.file = std::make_shared<const std::string>(file_name);
  const Place start{conversion.file, 1};
  auto bad = [&](const Place& where, std::string what, std::string hint) {
    return tl::unexpected(
        Error{ErrorKind::kBadInput, std::move(what), where.text(), std::move(hint)});
  };
  try {
    const std::string copy(text);
    if (auto mark = second_document(copy))
      return bad(conversion.place(*mark, start),
                 "does not belong to what stands above, and a policy is one YAML document",
                 "look at the indentation, or remove the line '---'");
    Value value = conversion.value(YAML::Load(copy), start, 0);
    if (conversion.error) return tl::unexpected(*conversion.error);
    if (value.is_null()) value.kind = Value::Kind::kMap;
    value.place = start;
    return value;
  } catch (const TooLarge&) {
    return bad(
        start,
        fmt::format("more than {} values, or nested more than {} deep", kMaxValues, kMaxDepth),
        "look for an alias (*name) that contains itself");
  } catch (const YAML::Exception& exception) {
    return bad(conversion.place(exception.mark, start), "not YAML: " + exception.msg,
               "look at the indentation and the quotes of this line and the one above");
  } catch (const std::exception& exception) {
    return bad(start, fmt::format("not YAML: {}", exception.what()), "");
  }
}

std::string print_yaml(const Value& value) {
  YAML::Emitter out;
  out.SetIndent(2);
  emit(out, value);
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace sluice
