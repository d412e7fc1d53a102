#include "text/each_script.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice {
namespace {

TEST(EachScript, ATasksCommandIsFoundAgain) {
  const std::vector<std::string> commands = {"echo a", "", "exit", "sleep 3 && echo 'c d'"};
  const std::string script = each_script(commands, "#SBATCH -t 5\n");
  for (std::uint32_t i = 0; i < commands.size(); ++i)
    EXPECT_EQ(each_command(script, i + 1), commands[i]);
  EXPECT_EQ(each_command(script, 0), std::nullopt);
  EXPECT_EQ(each_command(script, 5), std::nullopt);
}

TEST(EachScript, BashPrintsTheLineAfterTheHead) {
  const std::string script = each_script(std::vector<std::string>{"echo a"}, "#SBATCH -t 5\n");
  EXPECT_EQ(script,
            "#!/bin/bash\n#SBATCH -t 5\n# The commands of sluice each, a line each.\n"
            "eval \"$(sed -n \"$((SLURM_ARRAY_TASK_ID + 5))p\" \"$0\")\"\nexit\necho a\n");
}

TEST(EachScript, AnotherScriptHasNoCommandOfATask) {
  EXPECT_EQ(each_command("#!/bin/bash\necho a\n", 1), std::nullopt);
  EXPECT_EQ(each_command("", 1), std::nullopt);
}

}  // namespace
}  // namespace sluice
