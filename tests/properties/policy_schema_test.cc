// The published JSON Schema and key tables are those of the program, and the examples obey them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "policyfile/read/policy_reader.h"
#include "policyfile/read/schema.h"
#include "policyfile/read/yaml.h"
#include "policyfile/write/policy_writer.h"

namespace sluice {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path << ": run the tests from the top of the repository";
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class PolicySchema : public testing::Test {
 protected:
  void SetUp() override {
    document_ = nlohmann::json::parse(policy_schema());
    valijson::adapters::NlohmannJsonAdapter adapter(document_);
    valijson::SchemaParser parser;
    parser.populateSchema(adapter, schema_);
  }

  // The first thing that is wrong, or "".
  std::string complaint(const std::string& json) {
    const nlohmann::json value = nlohmann::json::parse(json);
    valijson::adapters::NlohmannJsonAdapter target(value);
    valijson::ValidationResults results;
    valijson::Validator validator;
    if (validator.validate(schema_, target, &results)) return "";
    valijson::ValidationResults::Error error;
    std::string out = "wrong";
    while (results.popError(error)) {
      out += "\n";
      for (const std::string& step : error.context) out += step;
      out += ": " + error.description;
    }
    return out;
  }

  std::string complaint_about_yaml(const std::string& yaml) {
    const auto value = parse_yaml(yaml, "policy.yaml");
    EXPECT_TRUE(value) << value.error().text();
    return value ? complaint(print_json(*value)) : "";
  }

  nlohmann::json document_;
  valijson::Schema schema_;
};

TEST_F(PolicySchema, ThePublishedFileIsTheOneTheProgramPrints) {
  EXPECT_EQ(text_of("docs/reference/policy.schema.json"), policy_schema())
      << "type: build/sluice policy schema > docs/reference/policy.schema.json";
}

TEST_F(PolicySchema, ThePublishedTablesAreTheOnesTheProgramPrints) {
  EXPECT_NE(text_of("docs/reference/policy-file.md").find(policy_keys()), std::string::npos)
      << "replace the tables below 'Keys by section' by what sluice policy keys prints";
}

TEST_F(PolicySchema, EveryExampleIsValidAndStaysSoWhenWritten) {
  std::size_t examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples/policies")) {
    const std::string text = text_of(entry.path());
    EXPECT_EQ(complaint_about_yaml(text), "") << entry.path();
    const auto policy = read_policy(text, entry.path().string());
    ASSERT_TRUE(policy) << policy.error().text();
    EXPECT_EQ(complaint(write_policy_json(*policy)), "") << entry.path();
    EXPECT_EQ(read_policy(write_policy(*policy), "written.yaml"), *policy) << entry.path();
    ++examples;
  }
  EXPECT_GE(examples, 9u);
}

TEST_F(PolicySchema, SlurmsShortFormsAreValid) {
  EXPECT_EQ(
      complaint_about_yaml("qos: {a: {MaxJobsPU: 2, MaxTRES: cpu=4, GrpTRES: {mem: 8G}}, b: }\n"
                           "accounts: {x: {FairShare: parent, users: {u: {MaxJobs: 1}}, "
                           "accounts: {y: {users: [v, {name: w, partition: p}]}}}}\n"),
      "");
}

TEST_F(PolicySchema, MistakesAreRefused) {
  EXPECT_NE(complaint_about_yaml("nodse: []"), "");
  EXPECT_NE(complaint_about_yaml("qos: {a: {GrpTRESS: cpu=1}}"), "");
  EXPECT_NE(complaint_about_yaml("qos: {a: {Priority: high}}"), "");
  EXPECT_NE(complaint_about_yaml("accounts: {a: {accounts: {b: {sharez: 1}}}}"), "");
  EXPECT_NE(complaint_about_yaml("preemption: {mode: sleep}"), "");
}

}  // namespace
}  // namespace sluice
