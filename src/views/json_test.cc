#include "views/json.h"

#include <gtest/gtest.h>

#include "views/json_fields.h"

namespace sluice {
namespace {

struct Pair {
  std::string name;
  std::optional<Duration> wait;
  std::vector<std::int32_t> numbers;
};
template <class Fields>
void json_fields(Fields& f, Like<Pair> auto& it) {
  f("name", it.name);
  f("wait", it.wait);
  f("numbers", it.numbers);
}

TEST(Json, EscapesWhatATextMayNotHold) {
  EXPECT_EQ(to_json(Pair{"a\"b\\c\n\x1b", {}, {}}), R"({"name":"a\"b\\c\n\u001b","numbers":[]})");
}

TEST(Json, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(
      to_json(Pair{"a\xff\xc3\xa9\xed\xa0\x80", {}, {}}),
      "{\"name\":\"a\xEF\xBF\xBD\xc3\xa9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\",\"numbers\":[]}");
}

TEST(Json, WritesSecondsWithTheirThousandths) {
  EXPECT_EQ(to_json(Pair{"", Duration(1500), {1, -2}}),
            R"({"name":"","wait":1.5,"numbers":[1,-2]})");
  EXPECT_EQ(to_json(Pair{"", Duration(-20), {}}), R"({"name":"","wait":-0.02,"numbers":[]})");
  EXPECT_EQ(to_json(Pair{"", Duration(61000), {}}), R"({"name":"","wait":61,"numbers":[]})");
}

TEST(Json, ReadsBack) {
  const auto read = from_json<Pair>(R"({"name": "x\u00e9", "wait": 1.5, "numbers": [3]})");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->name, "x\xc3\xa9");
  EXPECT_EQ(read->wait, Duration(1500));
  EXPECT_EQ(read->numbers, std::vector<std::int32_t>{3});
}

TEST(Json, NamesTheFieldThatIsWrong) {
  const auto what = [](const char* text) {
    const auto read = from_json<Pair>(text, UnknownMembers::kRefuse);
    return read ? std::string() : read.error().what;
  };
  EXPECT_EQ(what(R"({"name": 3})"), "name: expected a text");
  EXPECT_EQ(what(R"({"numbers": [1, "x"]})"), "numbers: expected a whole number");
  EXPECT_EQ(what(R"({"numbers": [5000000000]})"), "numbers: expected a whole number");
  EXPECT_EQ(what(R"({"nmae": "x"})"), "nmae: unknown field; the fields are: name wait numbers");
  EXPECT_EQ(what(R"({"name": )"), "is not valid JSON at byte 10");
  EXPECT_EQ(what("[]"), "expected an object");
  EXPECT_EQ(what(R"({"wait": 1e300})"), "wait: expected seconds");
}

TEST(Json, DoesNotNestForEver) {
  EXPECT_FALSE(parse_json(std::string(100, '[') + std::string(100, ']')).has_value());
  EXPECT_TRUE(parse_json("[[[[1]]]]").has_value());
}

}  // namespace
}  // namespace sluice
