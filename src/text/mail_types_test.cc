#include "text/mail_types.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(MailTypes, AreReadInAnyCaseAndWrittenInCapitals) {
  EXPECT_EQ(*parse_mail_types("end,Fail"), "END,FAIL");
  EXPECT_EQ(*parse_mail_types("ALL"), "BEGIN,END,FAIL,INVALID_DEPEND,REQUEUE,STAGE_OUT");
  EXPECT_EQ(*parse_mail_types("NONE"), "");
  EXPECT_FALSE(parse_mail_types("FOO"));
  EXPECT_FALSE(parse_mail_types(""));
  EXPECT_FALSE(parse_mail_types("END,,FAIL"));
}

TEST(MailTypes, AWordIsFoundWholeOnly) {
  EXPECT_TRUE(has_mail_type("END,TIME_LIMIT_90", "END"));
  EXPECT_FALSE(has_mail_type("END,TIME_LIMIT_90", "TIME_LIMIT"));
}

TEST(MailTypes, WhatHasNoEffectIsNamedUnlessItCameWithAll) {
  EXPECT_EQ(mail_types_without_effect("END,TIME_LIMIT_90"),
            std::vector<std::string>{"TIME_LIMIT_90"});
  EXPECT_TRUE(mail_types_without_effect(*parse_mail_types("ALL")).empty());
}

}  // namespace
}  // namespace sluice
