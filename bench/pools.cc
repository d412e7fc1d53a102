// Pools of 200 accounts beside 50,000 jobs in the queue: all that comes on top of Slurm's commands.
#include <cstring>
#include <string>

#include "bench/table.h"
#include "routing/pool.h"
#include "slurm/description_texts.h"
#include "views/pools_table.h"

namespace sluice::bench {
namespace {

constexpr int kAccounts = 200;
constexpr int kJobs = 50'000;
constexpr int kNodes = 400;

std::string counted(int cpus, int memory, int gpus) {
  return fmt::format(
      "cpu={}(8),mem={}(65536),energy=N(0),node=N(1),billing=N(8),fs/disk=N(0),vmem=N(0),"
      "pages=N(0),gres/gpu={}(1),gres/gpu:b200=N(1)",
      cpus == 0 ? "N" : std::to_string(cpus), memory == 0 ? "N" : std::to_string(memory),
      gpus == 0 ? "N" : std::to_string(gpus));
}

std::string books(int cpus, int memory, int gpus) {
  return fmt::format(
      "GrpJobs=N(4) GrpJobsAccrue=N(1) GrpSubmitJobs=N(9) GrpWall=N(10.00) GrpTRES={} "
      "GrpTRESMins={} GrpTRESRunMins={}",
      counted(cpus, memory, gpus), counted(0, 0, 0), counted(0, 0, 0));
}

// As scontrol, squeue and sacctmgr of 22.05 print them.
DescriptionTexts made_up() {
  DescriptionTexts out;
  out.config =
      "AccountingStorageEnforce = associations,limits,qos\n"
      "AccountingStorageTRES   = cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu,"
      "gres/gpu:b200\nAccountingStorageType   = accounting_storage/slurmdbd\n"
      "ClusterName             = big\nMaxArraySize            = 1001\n"
      "PrivateData             = none\nSelectTypeParameters    = CR_CORE_MEMORY\n"
      "SLURM_VERSION           = 22.05.8\n";
  std::string qos_table;
  std::string assoc_table;
  out.assoc_mgr = "Current Association Manager state\nAssociation Records\n";
  out.assoc_mgr += fmt::format(
      "ClusterName=big Account=root UserName= Partition= ParentAccount= {}\n", books(0, 0, 0));
  for (int a = 0; a < kAccounts; ++a) {
    out.assoc_mgr +=
        fmt::format("ClusterName=big Account=lab{} UserName= Partition= ParentAccount=root(1) {}\n",
                    a, books(0, 0, 0));
    for (int u = 0; u < 5; ++u)
      out.assoc_mgr += fmt::format(
          "ClusterName=big Account=lab{} UserName={}({}) Partition= ParentAccount= {}\n", a,
          u == 0 ? "alice" : fmt::format("user{}", (a + u) % 997), 1000 + u, books(0, 0, 0));
    qos_table += fmt::format("lab{}|0||1.000000|||||||\n", a);
    assoc_table += fmt::format("big|lab{}|alice||lab{}|lab{}\n", a, a, a);
  }
  out.assoc_mgr += "QOS Records\n";
  for (int a = 0; a < kAccounts; ++a)
    out.assoc_mgr += fmt::format(
        "QOS=lab{}({}) UsageRaw=0.0 {} MaxWallPJ= MaxTRESPJ= MaxTRESPN= MaxTRESMinsPJ= "
        "MinPrioThresh=  MinTRESPJ= PreemptMode=OFF Priority=0 Account Limits=No Accounts User "
        "Limits= 1000={{MaxJobsPU=N(1) MaxJobsAccruePU=N(0) MaxSubmitJobsPU=N(2) MaxTRESPU={}}}\n",
        a, a + 2, books(104, 831488, 3), counted(0, 0, 0));
  for (int n = 0; n < kNodes; ++n)
    out.nodes += fmt::format(
        "NodeName=n{} Arch=x86_64 CPUAlloc=64 CPUEfctv=128 CPUTot=128 Gres={} GresUsed={} "
        "RealMemory=1000000 AllocMem=400000 Sockets=2 State=MIXED ThreadsPerCore=1 Weight=1 "
        "ActiveFeatures=(null)\n",
        n, n < 100 ? "gpu:b200:8" : "(null)", n < 100 ? "gpu:b200:3(IDX:0-2)" : "(null)");
  out.partitions =
      "PartitionName=gpu Default=NO Nodes=n[0-99] State=UP MaxTime=4-00:00:00 QoS=N/A\n"
      "PartitionName=cpu Default=YES Nodes=n[100-399] State=UP MaxTime=4-00:00:00 QoS=N/A\n";
  for (int j = 0; j < kJobs; ++j) {
    const bool runs = j % 5 == 0;
    out.queue += fmt::format(
        "{0}\x1f{0}\x1f{1}\x1f{2}\x1f{3}\x1f{4}\x1f{5}\x1f{6}\x1fuser{7}\x1flab{8}\x1flab{8}\x1f{9}"
        "\x1f"
        "cpu={10},mem={11}G,node=1,billing={10}{12}\x1e\n",
        1000 + j, j % 7 == 0 ? "N/A" : fmt::format("{}", j % 40), runs ? "RUNNING" : "PENDING",
        runs ? "None" : "Priority", runs ? "1794745597" : "N/A", runs ? "1794787397" : "N/A",
        runs ? fmt::format("n{}", j % kNodes) : "", j % 997, j % kAccounts,
        j % 3 == 0 ? "gpu" : "cpu", 1 + j % 16, 1 + j % 64,
        j % 3 == 0 ? ",gres/gpu=1,gres/gpu:b200=1" : "");
  }
  out.qos_table = std::move(qos_table);
  out.assoc_table = std::move(assoc_table);
  return out;
}

}  // namespace
}  // namespace sluice::bench

int main() {
  using namespace sluice;
  using namespace sluice::bench;
  Table table("Pools of 200 accounts, 50,000 jobs in the queue; counting the lines of the texts");
  const DescriptionTexts texts = made_up();
  RoutingSettings settings;
  settings.gpu = {{"gpu"}, 8, std::int64_t{180} * 1024, 1, {}, {}};
  settings.cpu = {{"cpu"}, 8, std::int64_t{48} * 1024, {}, {}, {}};
  std::size_t pools_seen = 0;
  std::size_t printed = 0;
  const auto samples =
      interleaved({[&] {
                     const Description seen = read_description(texts, "alice");
                     const auto pools = find_pools(seen, settings, usual_needs(seen, settings));
                     pools_seen = pools.size();
                     printed += pools_table({&seen, pools, "2026-11-15", seen.as_of, 1000}).size();
                   },
                   [&] {
                     for (const std::string* text : {&texts.queue, &texts.assoc_mgr, &texts.nodes})
                       for (const char* at = text->data(); at != nullptr;) {
                         const auto left =
                             static_cast<std::size_t>(text->data() + text->size() - at);
                         at = static_cast<const char*>(std::memchr(at, '\n', left));
                         if (at != nullptr) ++at;
                         ++printed;
                       }
                   }});
  if (pools_seen != 2 * kAccounts) table.wrong("pools", "are not two for each account");
  table.row(fmt::format("read, count, print {} pools", pools_seen), time_text(samples[0].median()),
            time_text(samples[1].median()) + " lines", ratio_text(samples[0], samples[1]),
            samples[0].median(), at_most(0.3, "<= 300 ms"));
}
