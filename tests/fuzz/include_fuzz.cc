// Policies that include each other: the input is several files, divided by lines "--- NAME". Any of
// them is a policy or a mistake with its place, and reading comes to an end.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/check.h"
#include "policyfile/check/check.h"
#include "policyfile/read/policy_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::map<std::string, std::string> files;
  std::string name = "fuzz.yaml";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, end + 1);
    rest.remove_prefix(end + 1);
    if (line.starts_with("--- "))
      name = line.substr(4, line.find_last_not_of('\n') - 3);
    else
      files[name] += line;
  }
  std::size_t opened = 0;
  const ReadFile read = [&](const std::string& path) -> Result<std::string> {
    CHECK(++opened <= 256, "includes come to an end");
    const auto found = files.find(path.substr(path.rfind('/') + 1));
    if (found == files.end()) return bad_input("no such file");
    return found->second;
  };
  const PolicyText text = read_policy_text(files["fuzz.yaml"], "fuzz.yaml", read);
  for (const Error& error : text.errors) CHECK(!error.what.empty());
  check_policy(text);
  // Without a reader nothing is opened, whatever the text says.
  read_policy_text(files["fuzz.yaml"], "fuzz.yaml");
  return 0;
}
