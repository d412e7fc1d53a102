#include "shims/help.h"

#include <array>

namespace sluice {
namespace {

struct Help {
  std::string_view name;
  std::string_view usage;
  std::string_view text;
};

constexpr std::string_view kCommon =
    "\n  --strict          refuse options that have no effect here\n"
    "  --version         the version of Slurm whose commands these are\n"
    "\nThis is Slurm's command over sluice's engine. Every option and field, and what differs:\n"
    "docs/reference/slurm-commands.md";

constexpr auto kHelp = std::to_array<Help>({
    {"sacct", "Usage: sacct [OPTIONS]",
     "Shows jobs and their steps from the accounts.\n\n"
     "  -a, --allusers     jobs of all users\n"
     "  -A, --accounts=L   only these accounts\n"
     "  -b, --brief        id, state and exit code\n"
     "  -D, --duplicates   earlier runs of requeued jobs too\n"
     "  -e, --helpformat   every field\n"
     "  -E, --endtime=T    submitted before then\n"
     "  -j, --jobs=L       only these jobs, as 12, 12_3 or 12.batch\n"
     "  -l, --long         many fields\n"
     "  -n, --noheader     no titles\n"
     "  -o, --format=L     fields, each as NAME or NAME%WIDTH\n"
     "  -p, -P             cells apart by |, with one at the end or not; --delimiter=TEXT\n"
     "  -s, --state=L      only these states\n"
     "  -S, --starttime=T  not ended before then; midnight without it\n"
     "  -u, --user=L       jobs of these users\n"
     "  -X, --allocations  no steps\n"
     "      --name=L, -r PARTITIONS, -q QOS, -N NODES, --units=K|M|G|T|P, --noconvert"},
    {"sacctmgr", "Usage: sacctmgr [OPTIONS] COMMAND",
     "Shows and changes accounts, users and QoS of the policy.\n\n"
     "  show|list user|account|assoc|qos|cluster|tres [NAMES] [where KEY=VALUE] [format=L]\n"
     "  add|modify|delete qos|account|user NAMES [where …] [set KEY=VALUE …]\n"
     "  dump CLUSTER [file=F]\n\n"
     "  -i, --immediate    do not ask\n"
     "  -n, --noheader     no titles\n"
     "  -p, -P             cells apart by |, with one at the end or not\n"
     "  -s, --associations with associations"},
    {"salloc", "Usage: salloc [OPTIONS] [COMMAND [ARGUMENTS]]",
     "Gets an allocation, runs a command or your shell beside it, and gives it back.\n"
     "Takes sbatch's options for the allocation; srun inside runs where the allocation is."},
    {"sbatch", "Usage: sbatch [OPTIONS] [SCRIPT [ARGUMENTS]]",
     "Submits a batch script: from a file, standard input, or --wrap=COMMAND.\n\n"
     "  -J NAME -o FILE -e FILE -i FILE -D FOLDER    name, files and folder\n"
     "  -n TASKS -c CPUS -N NODES --mem=SIZE --mem-per-cpu=SIZE -t TIME\n"
     "  --gres=gpu:N --gpus=N --gpus-per-task=N      what each job needs\n"
     "  -p PARTITION -A ACCOUNT -q QOS               where, and for which account\n"
     "  -a 0-9%4            an array, four at a time\n"
     "  -d afterok:12       after other jobs\n"
     "  --export=ALL|NONE|NAME,NAME=VALUE            the environment\n"
     "  --parsable          print the number alone\n"
     "  -W, --wait          wait for the job; its exit status\n"
     "  --test-only         say whether it would be taken"},
    {"scancel", "Usage: scancel [OPTIONS] [JOB[_TASKS] …]",
     "Ends jobs, or signals them.\n\n"
     "  -A, -n, -p, -q, -u, -w, --wckey, -R, -t    only jobs that fit; --me\n"
     "  -b, --batch        signal the batch script alone\n"
     "  -f, --full         signal everything in the job\n"
     "  -i, --interactive  ask for each job\n"
     "  -Q, --quiet        no complaints\n"
     "  -s, --signal=NAME  a signal in place of the end\n"
     "  -v, --verbose      say what is done"},
    {"scontrol", "Usage: scontrol [OPTIONS] COMMAND",
     "Shows and changes jobs and nodes.\n\n"
     "  show job [ID]|node [NAMES]|partition [NAME]|config|licenses|assoc_mgr\n"
     "  show hostnames LIST|hostlist LIST|hostlistsorted LIST\n"
     "  hold|release|requeue|requeuehold|suspend|resume JOBS\n"
     "  update jobid=ID KEY=VALUE …\n"
     "  update nodename=NAMES state=drain|down|resume reason=TEXT\n"
     "  ping, version\n\n"
     "  -d, --details      more of a job\n"
     "  -o, --oneliner     one line for each"},
    {"sdiag", "Usage: sdiag [OPTIONS]",
     "Counts jobs that were submitted, started and ended since the daemon began."},
    {"sinfo", "Usage: sinfo [OPTIONS]",
     "Shows partitions and their nodes.\n\n"
     "  -e, --exact        one line only for nodes that are the same\n"
     "  -h, --noheader     no titles\n"
     "  -i, --iterate=S    again every S seconds\n"
     "  -l, --long         more fields\n"
     "  -N, --Node         a line for each node\n"
     "  -n, --nodes=L      only these nodes\n"
     "  -o, --format=F     fields as %[[.]WIDTH]LETTER\n"
     "  -O, --Format=L     fields as NAME[:[.]WIDTH[SUFFIX]]\n"
     "  -p, --partition=L  only these partitions\n"
     "  -R, --list-reasons why nodes are down or drained\n"
     "  -s, --summarize    a line for each partition\n"
     "  -t, --states=L     only nodes in these states"},
    {"sprio", "Usage: sprio [OPTIONS]",
     "Shows what the priorities of waiting jobs are made of.\n\n"
     "  -h, --noheader   no titles\n"
     "  -j, --jobs=L     only these jobs\n"
     "  -l, --long       all parts\n"
     "  -n, --norm       parts before they are weighted\n"
     "  -o, --format=F   fields as %[[.]WIDTH]LETTER\n"
     "  -u, --user=L     only jobs of these users\n"
     "  -w, --weights    the weights"},
    {"squeue", "Usage: squeue [OPTIONS]",
     "Shows jobs that run and wait.\n\n"
     "  -A, -n, -p, -q, -u, -w, -R, -L    only jobs that fit; --me\n"
     "  -h, --noheader    no titles\n"
     "  -i, --iterate=S   again every S seconds\n"
     "  -j, --jobs=L      only these jobs\n"
     "  -l, --long        more fields\n"
     "  -o, --format=F    fields as %[[.]WIDTH]LETTER\n"
     "  -O, --Format=L    fields as NAME[:[.]WIDTH[SUFFIX]]\n"
     "  -r, --array       a line for each task\n"
     "  -S, --sort=L      letters of -o; -LETTER for the other way\n"
     "  -s, --steps       steps in place of jobs\n"
     "      --start       when waiting jobs are expected to start\n"
     "  -t, --states=L    only these states; all for ended jobs too"},
    {"srun", "Usage: srun [OPTIONS] COMMAND [ARGUMENTS]",
     "Runs tasks: inside a job as a step of it, outside in a job of its own that is waited for.\n\n"
     "  -n, --ntasks=N     the number of tasks\n"
     "  -c, --cpus-per-task=N\n"
     "  -l, --label        each line with the number of its task\n"
     "  -o, -e, -i FILE    files; %t is the task's number\n"
     "  -J, --job-name     the step's name\n"
     "  -K                 end all tasks when one fails\n"
     "  -t, --time=T       the step's limit\n"
     "  --export=ALL|NONE|NAME=VALUE\n"
     "Outside a job sbatch's options say what the job needs."},
    {"sshare", "Usage: sshare [OPTIONS]",
     "Shows shares and usage along the tree of accounts.\n\n"
     "  -a, --all        all users\n"
     "  -A, --accounts=L only these accounts\n"
     "  -l, --long       more fields\n"
     "  -n, --noheader   no titles\n"
     "  -o, --format=L   fields, each as NAME or NAME%WIDTH\n"
     "  -p, -P           cells apart by |\n"
     "  -u, --users=L    only these users\n"
     "  -U, --Users      users without the accounts above them"},
});

// As squeue prints it after a mistake; clients have been seen to look for "Usage:".
constexpr std::string_view kSqueueUsage =
    "Usage: squeue [-A account] [--clusters names] [-i seconds] [--job jobid]\n"
    "              [-n name] [-o format] [-p partitions] [--qos qos]\n"
    "              [--reservation reservation] [--sort fields] [--start]\n"
    "              [--step step_id] [-t states] [-u user_name] [--usage]\n"
    "              [-L licenses] [-w nodes] [--federation] [--local] [--sibling]\n"
    "\t      [-ahjlrsv]";

}  // namespace

std::string shim_help(std::string_view name) {
  for (const Help& help : kHelp)
    if (help.name == name)
      return std::string(help.usage) + "\n\n" + std::string(help.text) + "\n" +
             std::string(kCommon);
  return {};
}

std::string shim_usage(std::string_view name) {
  if (name == "squeue") return std::string(kSqueueUsage);
  for (const Help& help : kHelp)
    if (help.name == name) return std::string(help.usage);
  return {};
}

}  // namespace sluice
