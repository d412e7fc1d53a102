// GPU requests in the notations of --gres and --gpus.
#include "text/gpus.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Gres, IsReadPerNode) {
  struct Case {
    const char* text;
    const char* shown;
  };
  for (const Case& c : {Case{"gpu", "gres:gpu:1"},
                        {"gpu:2", "gres:gpu:2"},
                        {"gpu:a100", "gres:gpu:a100:1"},
                        {"gpu:a100:2", "gres:gpu:a100:2"},
                        {"gpu:a100:1,gpu:h100:1", "gres:gpu:a100:1,gres:gpu:h100:1"},
                        {"gpu:0", ""},
                        {"none", ""},
                        {"NONE", ""},
                        {"", ""},
                        {"gpu:1k", "gres:gpu:1024"},
                        {"gpu:a100:4,gpu:a100:1", "gres:gpu:a100:1"},
                        {"gres:gpu:1", "gres:gpu:1"},
                        {"gpu:4090:2", "gres:gpu:4090:2"}}) {
    const auto requests = parse_gres(c.text);
    ASSERT_TRUE(requests) << c.text << ": " << requests.error().text();
    EXPECT_EQ(format_tres_per(*requests, GpusPer::kNode), c.shown) << c.text;
  }
}

TEST(Gres, RefusalsSayWhatIsKnown) {
  EXPECT_EQ(parse_gres("fpga:1").error().text(),
            "there is no generic resource 'fpga', in --gres=fpga:1\n"
            "  only GPUs are known: write gpu, gpu:2, gpu:a100:2 or none");
  EXPECT_EQ(parse_gres("gpu:2,gpu:a100:1").error().what,
            "Invalid GRES specification (with and without type identification)");
  for (const char* text : {"foo", "gpu:x:", "gpu:", "gpu:2.5", "gpu:-1", "GPU:1", "gres/gpu:1",
                           "gpu=2", "gpu:1,", "gpu:a:b:1", "gpu:99999999999", "gpu::1"})
    EXPECT_FALSE(parse_gres(text)) << text;
}

TEST(Gpus, AreReadForEachKind) {
  EXPECT_EQ(parse_gpus("2", GpusPer::kJob).value(),
            (std::vector<GpuRequest>{{GpusPer::kJob, "", 2}}));
  EXPECT_EQ(parse_gpus("a100:2,h100:1", GpusPer::kTask).value(),
            (std::vector<GpuRequest>{{GpusPer::kTask, "a100", 2}, {GpusPer::kTask, "h100", 1}}));
  EXPECT_EQ(parse_gpus("a100", GpusPer::kNode).value(),
            (std::vector<GpuRequest>{{GpusPer::kNode, "a100", 1}}));
  EXPECT_TRUE(parse_gpus("0", GpusPer::kJob).value().empty());
  for (const char* text : {"", "-1", "gpu:2", "2,a100:1", "a100:", ":2", "a b:1", "1.5", "a100:x"})
    EXPECT_FALSE(parse_gpus(text, GpusPer::kJob)) << text;
}

TEST(Gpus, AreWrittenByKind) {
  const std::vector<GpuRequest> requests{{GpusPer::kJob, "", 2}, {GpusPer::kNode, "a100", 1}};
  EXPECT_EQ(format_gpus(requests, GpusPer::kJob), "2");
  EXPECT_EQ(format_gpus(requests, GpusPer::kNode), "a100:1");
  EXPECT_EQ(format_gpus(requests, GpusPer::kTask), "");
}

}  // namespace
}  // namespace sluice
