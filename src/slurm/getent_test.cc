// Users by getent, run as the portable program runs it, beside users by the C library.
#include <gtest/gtest.h>

#include <algorithm>

#include "slurm/command.h"
#include "system/users.h"

namespace sluice {
namespace {

Result<ProgramOutput> run_here(const std::vector<std::string>& argv) {
  TRY(CommandOutput ran, run_command(argv, {}, seconds(60)));
  return ProgramOutput{ran.exit_code, std::move(ran.output)};
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

TEST(Getent, GetentAndTheLibrarySayTheSameOfEveryUserHere) {
  const UserLists& library = users_by_library();
  const auto lists = users_by_getent(&run_here);
  const UserLists& getent = *lists;
  const std::vector<SystemUser> users = library.all_users();
  ASSERT_FALSE(users.empty());
  EXPECT_EQ(users, getent.all_users());
  for (const SystemUser& user : users) {
    EXPECT_EQ(library.user_named(user.name).value(), getent.user_named(user.name).value());
    EXPECT_EQ(library.user_of(user.uid).value(), getent.user_of(user.uid).value());
    EXPECT_EQ(sorted(library.groups_of(user).value()), sorted(getent.groups_of(user).value()))
        << user.name;
    const auto group = library.group_of(user.gid).value();
    EXPECT_EQ(group, getent.group_of(user.gid).value());
    if (group) {
      EXPECT_EQ(library.group_named(group->name).value(), getent.group_named(group->name).value());
    }
  }
}

TEST(Getent, AnUnknownUserIsAnAnswerForBoth) {
  const auto by_getent = users_by_getent(&run_here);
  for (const UserLists* lists :
       {&users_by_library(), static_cast<const UserLists*>(by_getent.get())}) {
    for (const char* name : {"nobody-has-this-name", "", "0", "a b", "-x", "--help", "root:x",
                             "root\n", "../etc/passwd", "$(id)"})
      EXPECT_EQ(lists->user_named(name).value(), std::nullopt) << name;
    EXPECT_EQ(lists->user_of(3999999999).value(), std::nullopt);
    EXPECT_EQ(lists->group_named("0").value(), std::nullopt);
    EXPECT_EQ(lists->group_of(3999999999).value(), std::nullopt);
  }
}

}  // namespace
}  // namespace sluice
