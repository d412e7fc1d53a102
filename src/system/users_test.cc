#include "system/users.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace {

TEST(SystemUsers, TheOwnUserHasTheNameOfItsNumber) {
  const auto self = users_by_library().user_of(::geteuid()).value();
  EXPECT_EQ(name_of_this_user(), self ? self->name : std::to_string(::geteuid()));
  EXPECT_TRUE(is_user("root"));
  EXPECT_FALSE(is_user("nobody-has-this-name"));
}

TEST(SystemUsers, ALineThatIsNotOfTheListIsNoUser) {
  EXPECT_EQ(read_user_line("ann:x:1000:100:Ann:/home/ann:/bin/sh"),
            (SystemUser{"ann", 1000, 100, "/home/ann", "/bin/sh"}));
  EXPECT_EQ(read_user_line("ann:x:1000:100::/home/ann:")->shell, "");
  for (const char* line :
       {"", "ann", ":x:1:1::/:/bin/sh", "ann:x:one:1::/:/bin/sh", "ann:x:1:::/:/bin/sh",
        "ann:x:-1:1::/:/bin/sh", "+::::::", "ann:x:4294967296:1::/:/bin/sh", "# ann:x:1"})
    EXPECT_EQ(read_user_line(line), std::nullopt) << line;
  EXPECT_EQ(read_group_line("lab:x:100:ann,bob"), (SystemGroup{"lab", 100}));
  EXPECT_EQ(read_group_line("lab:x::"), std::nullopt);
}

}  // namespace
}  // namespace sluice
