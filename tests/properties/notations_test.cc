// What is written reads back as the same, for any value.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "text/array_spec.h"
#include "text/begin_time.h"
#include "text/dependency.h"
#include "text/duration.h"
#include "text/export_mode.h"
#include "text/gpus.h"
#include "text/hostlist.h"
#include "text/licenses.h"
#include "text/memory.h"
#include "text/node_count.h"
#include "text/signal.h"
#include "text/tres.h"

namespace sluice {
namespace {

// rc::check prints the seed and the smallest counterexample.
#define ALWAYS(...) EXPECT_TRUE(rc::check(__VA_ARGS__))

TEST(Notation, DurationsReadBack) {
  ALWAYS([] {
    const auto whole = seconds(*rc::gen::inRange<std::int64_t>(0, 2147483647));
    RC_ASSERT(parse_duration(format_duration(whole)).value().duration == whole);
    const auto fine = Duration(*rc::gen::inRange<std::int64_t>(0, 2147483647000));
    RC_ASSERT(parse_friendly_duration(format_friendly_duration(fine)).value().duration == fine);
  });
}

TEST(Notation, MemoryReadsBack) {
  ALWAYS([] {
    const auto mb = *rc::gen::inRange<std::int64_t>(0, 1LL << 34) >>
                    *rc::gen::inRange(0, 34) << *rc::gen::inRange(0, 14);
    RC_ASSERT(parse_printed_memory_mb(format_memory_mb(mb)).value() == mb);
    RC_ASSERT(parse_memory_mb(format_memory_mb(mb, MemoryStyle::kMegabytes)).value() == mb);
  });
}

rc::Gen<std::string> host_name() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::element<std::string>("d", "n", "rack1-", "", "a0b"),
                     rc::gen::inRange(0, 120), rc::gen::element<std::string>("", "0", "00", "x")),
      [](const std::tuple<std::string, int, std::string>& t) {
        const auto& [prefix, number, padding] = t;
        return prefix + padding + std::to_string(number);
      });
}

TEST(Notation, HostlistsReadBack) {
  ALWAYS([] {
    const auto hosts = *rc::gen::container<std::vector<std::string>>(host_name());
    RC_ASSERT(expand_hostlist(compress_hostlist(hosts)).value() == hosts);
  });
}

TEST(Notation, ArraySpecsReadBack) {
  ALWAYS([] {
    ArraySpec spec;
    // Some progressions, some single indices, some holes.
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
      const auto first = *rc::gen::inRange<std::uint32_t>(0, 5000);
      const auto step = *rc::gen::inRange<std::uint32_t>(1, 40);
      spec.indices.insert_range(first, first + step * *rc::gen::inRange<std::uint32_t>(0, 60),
                                step);
    }
    for (std::uint32_t index : *rc::gen::container<std::vector<std::uint32_t>>(
             rc::gen::inRange<std::uint32_t>(0, 4000000)))
      spec.indices.insert(index);
    if (*rc::gen::arbitrary<bool>()) spec.throttle = *rc::gen::inRange<std::uint32_t>(1, 1000);
    RC_ASSERT(parse_array_spec(format_array_spec(spec)).value() == spec);
    RC_ASSERT(parse_array_spec(format_array_tasks(spec, 0)).value() == spec);
    std::size_t sum = 0;
    IndexSet all;
    for (const ArraySpecPart& part : split_array_spec(spec, 64)) {
      RC_ASSERT(part.text.size() <= 64U);
      RC_ASSERT(parse_array_spec(part.text).value() == (ArraySpec{part.indices, spec.throttle}));
      sum += part.indices.size();
      for (std::uint32_t index : part.indices.to_vector()) all.insert(index);
    }
    RC_ASSERT(sum == spec.indices.size());
    RC_ASSERT(all == spec.indices);
  });
}

TEST(Notation, TresLimitsReadBack) {
  ALWAYS([] {
    TresRegistry registry;
    registry.add("gres/gpu:a100").value();
    registry.add("license/x").value();
    TresLimits limits;
    for (std::uint8_t i = 0; i < registry.size(); ++i)
      if (*rc::gen::arbitrary<bool>())
        limits.put(TresIndex(i), *rc::gen::inRange<std::int64_t>(0, 1LL << 40));
    for (TresOrder order : {TresOrder::kRegistered, TresOrder::kByName})
      RC_ASSERT(parse_tres_limits(format_tres_limits(limits, registry, order), registry).value() ==
                limits);
  });
}

TEST(Notation, GpusReadBack) {
  ALWAYS([] {
    const auto per = *rc::gen::element(GpusPer::kJob, GpusPer::kNode, GpusPer::kTask);
    std::vector<GpuRequest> requests;
    for (const char* type : {"a100", "4090", "h100_1g.10gb"})
      if (*rc::gen::arbitrary<bool>())
        requests.push_back({per, type, *rc::gen::inRange(1, 1 << 30)});
    if (requests.empty()) requests.push_back({per, "", *rc::gen::inRange(1, 1 << 30)});
    RC_ASSERT(parse_gpus(format_gpus(requests, per), per).value() == requests);
    if (per == GpusPer::kNode) {
      RC_ASSERT(parse_gres(format_tres_per(requests, per)).value() == requests);
    }
  });
}

TEST(Notation, DependenciesReadBack) {
  ALWAYS([] {
    Dependencies dependencies;
    const int count = *rc::gen::inRange(0, 8);
    for (int i = 0; i < count; ++i) {
      Dependency term;
      term.type = static_cast<DependencyType>(*rc::gen::inRange(0, 6));
      if (term.type != DependencyType::kSingleton) {
        // Numbered apart: doubles are dropped when read.
        term.job = JobId(static_cast<std::uint32_t>(i) + 1);
        if (*rc::gen::arbitrary<bool>()) term.task = *rc::gen::inRange<std::uint32_t>(0, 4000000);
        term.delay = minutes(*rc::gen::inRange(0, 1000));
      } else if (i > 0) {
        continue;
      }
      dependencies.terms.push_back(term);
    }
    dependencies.any = dependencies.terms.size() > 1 && *rc::gen::arbitrary<bool>();
    RC_ASSERT(parse_dependencies(format_dependencies(dependencies)).value() == dependencies);
  });
}

TEST(Notation, TimesReadBack) {
  ALWAYS([] {
    const UtcOffset offset{minutes(*rc::gen::inRange(-12 * 60, 14 * 60))};
    const auto time = instant_at(seconds(*rc::gen::inRange<std::int64_t>(86400, 253402200000)));
    RC_ASSERT(parse_printed_time(format_time(time, offset), offset).value() == time);
    const auto now = instant_at(seconds(*rc::gen::inRange<std::int64_t>(86400, 4102444800)));
    // A time of day always lies ahead, within a day.
    const auto next = parse_begin_time("16:00", now, offset).value();
    RC_ASSERT(next > now);
    RC_ASSERT(next <= now + minutes(1440));
  });
}

TEST(Notation, SmallOnesReadBack) {
  ALWAYS([] {
    SignalOption option;
    option.signal.signal = *rc::gen::inRange(1, 65);
    option.signal.before_end = seconds(*rc::gen::inRange(0, 65536));
    option.signal.batch_shell_only = *rc::gen::arbitrary<bool>();
    option.into_reservation = *rc::gen::arbitrary<bool>();
    RC_ASSERT(parse_signal_option(format_signal_option(option)).value() == option);
    NodeCount count{*rc::gen::inRange(1, 5000), 0};
    count.most = count.least + *rc::gen::inRange(0, 5000);
    RC_ASSERT(parse_node_count(format_node_count(count)).value() == count);
    LicenseList list;
    for (const char* name : {"matlab", "ansys@db", "x-1"})
      list.licenses.push_back({name, *rc::gen::inRange<std::int64_t>(0, 1 << 30)});
    list.any = *rc::gen::arbitrary<bool>();
    RC_ASSERT(parse_licenses(format_licenses(list)).value() == list);
  });
}

}  // namespace
}  // namespace sluice
