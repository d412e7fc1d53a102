// Any text is a policy or a mistake with its place; a policy that was read is written and read
// again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "policyfile/check/check.h"
#include "policyfile/plan/slurm_conf.h"
#include "policyfile/read/policy_reader.h"
#include "policyfile/write/policy_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sluice::PolicyText read = sluice::read_policy_text(text, "fuzz.yaml");
  for (const sluice::Error& error : read.errors) {
    CHECK(!error.what.empty());
    CHECK(error.where.starts_with("fuzz.yaml"));
  }
  check_policy(read);
  if (!read.errors.empty()) return 0;
  slurm_conf(read.policy);
  const auto back = sluice::read_policy(sluice::write_policy(read.policy), "written.yaml");
  CHECK(back.has_value());
  return 0;
}
