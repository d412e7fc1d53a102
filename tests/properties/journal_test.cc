// Whatever happened, the journal gives it back; whatever becomes of its bytes, it says so.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/codec.h"
#include "engine/event_body.h"

namespace sluice {
namespace {

// Fills every numbered field of a struct with something, by the same walk that writes it.
class RandomFields {
 public:
  explicit RandomFields(std::uint64_t seed) : state_(seed) {}

  template <class T>
  void operator()(std::uint32_t, T& value) {
    if (below(3) > 0) fill(value);
  }
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(static_cast<std::uint64_t>(LastOf<T>::value) + 1));
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(below(4) == 0 ? next() : below(300));
    } else if constexpr (IsId<T>::value) {
      value = T(static_cast<typename T::rep>(below(4) == 0 ? next() : below(300)));
    } else if constexpr (std::is_same_v<T, Duration>) {
      value = Duration(static_cast<std::int64_t>(next() >> below(60)));
    } else if constexpr (std::is_same_v<T, Instant>) {
      value = Instant(Duration(static_cast<std::int64_t>(next() >> (4 + below(50)))));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.clear();
      for (std::uint64_t i = below(12); i > 0; --i) value += static_cast<char>(next());
    } else if constexpr (IsOptional<T>::value) {
      value.reset();
      if (below(2) != 0) fill(value.emplace());
    } else if constexpr (IsVector<T>::value) {
      value.clear();
      for (std::uint64_t i = below(4); i > 0; --i) fill(value.emplace_back());
    } else {
      custom(value);
    }
  }
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }

 private:
  void custom(TresRegistry& value) {
    value = TresRegistry();
    for (std::uint64_t i = below(5); i > 0; --i)
      static_cast<void>(value.add("gres/gpu:" + std::to_string(i)));
  }
  void custom(TresLimits& value) {
    value = TresLimits();
    for (std::uint64_t i = below(4); i > 0; --i)
      value.put(TresIndex(static_cast<std::uint8_t>(below(kMaxTres))),
                static_cast<std::int64_t>(next() >> below(64)));
  }
  void custom(IndexSet& value) {
    value = IndexSet();
    for (std::uint64_t i = below(5); i > 0; --i) {
      const auto first = static_cast<std::uint32_t>(below(1000));
      value.insert_range(first, first + static_cast<std::uint32_t>(below(500)),
                         1 + static_cast<std::uint32_t>(below(20)));
    }
  }
  template <class T>
  void custom(T& value) {
    each_field(*this, value);
  }
  std::uint64_t state_;
};

// Names what is there instead of anything.
void mend_references(Policy& policy, RandomFields& random) {
  policy.nodes.emplace_back();
  policy.qos.emplace_back();
  auto mend = [&]<class T>(T& id, std::size_t count) {
    id = T(static_cast<typename T::rep>(random.below(count)));
  };
  auto mend_weights = [&](TresWeights& weights) {
    for (TresWeight& weight : weights) {
      mend(weight.tres, policy.tres.size());
      weight.per = 1 + static_cast<std::int64_t>(random.below(2000));
    }
  };
  for (Partition& partition : policy.partitions) {
    for (NodeId& node : partition.nodes) mend(node, policy.nodes.size());
    if (partition.qos) mend(*partition.qos, policy.qos.size());
    mend_weights(partition.billing_weights);
  }
  mend_weights(policy.priority.weight_tres);
  for (Qos& qos : policy.qos)
    for (QosId& other : qos.preempt) mend(other, policy.qos.size());
  for (std::size_t i = 0; i < policy.associations.size(); ++i) {
    Association& assoc = policy.associations[i];
    assoc.parent.reset();
    if (i > 0) assoc.parent = AssocId(static_cast<std::uint32_t>(random.below(i)));
    for (QosId& qos : assoc.qos) mend(qos, policy.qos.size());
    if (assoc.default_qos) mend(*assoc.default_qos, policy.qos.size());
  }
}

// Fills an event by the walk that writes it.
class RandomEvent {
 public:
  explicit RandomEvent(RandomFields& random) : random_(random) {}
  void job(JobId& id) { random_.fill(id); }
  template <class T>
  void value(T& it) {
    random_.fill(it);
  }
  template <class T>
  void optional(std::optional<T>& it) {
    random_.fill(it);
  }
  void time(Instant& it) { random_.fill(it); }
  void ended(Outcome& it, bool& forgotten) {
    forgotten = random_.below(2) == 0;
    random_.fill(it.state);
    if (random_.below(2) == 0) return;
    random_.fill(it.exit_code);
    random_.fill(it.signal);
    random_.fill(it.max_rss_kb);
    random_.fill(it.cpu_time);
  }
  void shares(Allocation& it) {
    for (std::uint64_t i = random_.below(4); i > 0; --i) {
      NodeShare share;
      random_.fill(share.node);
      random_.fill(share.cpus);
      if (random_.below(2) == 0) random_.fill(share.memory_mb);
      if (random_.below(2) == 0) random_.fill(share.gpus);
      if (random_.below(2) == 0) random_.fill(share.layer);
      if (random_.below(2) == 0) random_.fill(share.first_cpu);
      it.add(share);
    }
  }
  void shared(std::shared_ptr<const JobSpec>& it) {
    auto made = std::make_shared<JobSpec>();
    random_.fill(*made);
    it = std::move(made);
  }
  void shared(std::shared_ptr<const Policy>& it) {
    auto made = std::make_shared<Policy>();
    random_.fill(*made);
    mend_references(*made, random_);
    it = std::move(made);
  }

 private:
  RandomFields& random_;
};

template <std::size_t... I>
EventBody random_body(std::uint64_t kind, RandomFields& random, std::index_sequence<I...>) {
  EventBody out;
  RandomEvent io(random);
  ((I == kind ? body(io, out.emplace<I>()) : void()), ...);
  return out;
}

std::vector<Event> random_events(std::uint64_t seed, std::size_t count) {
  constexpr std::size_t kKinds = std::variant_size_v<EventBody>;
  RandomFields random(seed);
  std::vector<Event> events;
  Instant now;
  random.fill(now);
  for (std::size_t i = 0; i < count; ++i) {
    if (random.below(3) == 0) now += Duration(static_cast<std::int64_t>(random.below(100'000)));
    // Every kind comes up before any comes up again.
    events.push_back(
        {now, random_body((seed + i) % kKinds, random, std::make_index_sequence<kKinds>())});
  }
  return events;
}

struct Written {
  std::string bytes = journal_header();
  std::vector<std::size_t> batch_starts;
};

Written written(const std::vector<Event>& events, std::uint64_t seed) {
  RandomFields random(seed);
  Written out;
  JournalWriter writer(out.bytes);
  std::size_t before = out.bytes.size();
  auto end_batch = [&] {
    writer.end_batch();
    if (out.bytes.size() != before) out.batch_starts.push_back(before);
    before = out.bytes.size();
  };
  for (const Event& event : events) {
    writer.append(event);
    if (random.below(3) == 0) end_batch();
  }
  end_batch();
  return out;
}

struct Read {
  std::vector<Event> events;
  std::string error;
  bool cut_off = false;
  std::size_t offset = 0;
};

Read read(std::string_view bytes) {
  Read out;
  auto reader = JournalReader::of_journal(bytes);
  if (!reader) return out.error = reader.error().text(), out;
  std::vector<Event> batch;
  for (;;) {
    const Result<bool> more = reader->next(batch);
    if (!more) out.error = more.error().text();
    out.cut_off = reader->cut_off();
    out.offset = reader->offset();
    if (!more || !*more) return out;
    for (Event& event : batch) out.events.push_back(std::move(event));
  }
}

void holds(const std::function<void()>& property) { EXPECT_TRUE(rc::check(property)); }

TEST(JournalProperties, WhatWasWrittenIsRead) {
  holds([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto events = random_events(seed, *rc::gen::inRange<std::size_t>(0, 60));
    const Written journal = written(events, seed);
    const Read found = read(journal.bytes);
    RC_ASSERT(found.error == "");
    RC_ASSERT(!found.cut_off);
    RC_ASSERT(found.events.size() == events.size());
    for (std::size_t i = 0; i < events.size(); ++i) RC_ASSERT(found.events[i] == events[i]);
    RC_ASSERT(written(found.events, seed).bytes == journal.bytes);
  });
}

TEST(JournalProperties, WhatIsCutOffIsWholeUpToTheLastBatch) {
  holds([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Written journal = written(random_events(seed, 30), seed);
    const auto end = *rc::gen::inRange<std::size_t>(journal_header().size(), journal.bytes.size());
    std::size_t whole = journal_header().size();
    bool at_a_boundary = false;
    for (std::size_t start : journal.batch_starts) {
      if (start <= end) whole = start;
      at_a_boundary = at_a_boundary || start == end;
    }
    const Read found = read(std::string_view(journal.bytes).substr(0, end));
    RC_ASSERT(found.error == "");
    RC_ASSERT(found.offset == whole);
    RC_ASSERT(found.cut_off == !at_a_boundary);
  });
}

TEST(JournalProperties, AHoleInTheMiddleIsAnErrorThatNamesItsBatch) {
  holds([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    Written journal = written(random_events(seed, 30), seed);
    RC_PRE(journal.batch_starts.size() > 1);
    const std::size_t header = journal_header().size();
    const auto at = *rc::gen::inRange<std::size_t>(header, journal.batch_starts.back());
    journal.bytes[at] = static_cast<char>(journal.bytes[at] ^ (1 + *rc::gen::inRange(0, 255)));
    std::size_t batch = 0;
    for (std::size_t start : journal.batch_starts)
      if (start <= at) batch = start;
    const Read found = read(journal.bytes);
    RC_ASSERT(found.error != "");
    RC_ASSERT(found.offset == batch);
    RC_ASSERT(found.error.find("byte " + std::to_string(batch)) != std::string::npos);
  });
}

TEST(JournalProperties, EveryEventHasALine) {
  holds([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Policy policy;
    for (const Event& event : random_events(seed, 23))
      RC_ASSERT(!describe(event, *rc::gen::element<const Policy*>(nullptr, &policy)).empty());
  });
}

}  // namespace
}  // namespace sluice
