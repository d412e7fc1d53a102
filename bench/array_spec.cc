// Writing a million array indices as a short spec, beside one pass that writes them all.
#include "text/array_spec.h"

#include "bench/table.h"

namespace sluice::bench {
namespace {

constexpr std::uint32_t kIndices = 1'000'000;

std::string plainly(const std::vector<std::uint32_t>& indices) {
  std::string out;
  for (const std::uint32_t index : indices) {
    const fmt::format_int text(index);
    out.append(text.data(), text.size());
    out += ',';
  }
  return out;
}

void one(Table& table, const std::string& figure, const IndexSet& indices) {
  const auto list = indices.to_vector();
  const std::string spec = compress_indices(indices);
  if (parse_array_spec(spec)->indices != indices)
    return table.wrong(figure, "reads back otherwise");
  std::size_t written = 0;
  const auto samples = interleaved({[&] { written += compress_indices(indices).size(); },
                                    [&] { written += plainly(list).size(); }});
  table.row(fmt::format("{}, {} bytes", figure, count_text(static_cast<double>(spec.size()))),
            time_text(samples[0].median()), time_text(samples[1].median()) + " plain",
            ratio_text(samples[0], samples[1]), samples[0].median(), at_most(0.1, "<= 100 ms"));
}

}  // namespace
}  // namespace sluice::bench

int main() {
  using namespace sluice;
  using namespace sluice::bench;
  Table table("Compressing a million array indices; a list of them all");
  IndexSet tenths;
  IndexSet gaps;
  IndexSet scattered;
  std::uint32_t value = 1;
  for (std::uint32_t i = 0; tenths.size() < kIndices; ++i)
    if (i % 10 >= 5) tenths.insert(i);
  for (std::uint32_t i = 0; gaps.size() < kIndices; ++i)
    if ((7 * i + 3) % 11 != 0 && (13 * i + 5) % 17 != 0) gaps.insert(i);
  while (scattered.size() < kIndices) {
    value = (value * 1103515245U + 12345U) & 0x7fffffffU;
    scattered.insert((value >> 8) % 4'000'000);
  }
  one(table, "five of every ten", tenths);
  one(table, "gaps of two steps", gaps);
  one(table, "no pattern", scattered);
}
