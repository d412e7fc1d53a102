"""Random command lines of Slurm's commands, for tests/slurm/alike."""
import pathlib, pwd, random, re

HERE = pathlib.Path(__file__).resolve().parent

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def load_names():
    """The names of fields, from the recorder's list."""
    loader = {}
    text = (HERE / "record").read_text()
    for name in ("SQUEUE_NAMES", "SINFO_NAMES", "SACCT_NAMES"):
        found = re.search(name + r" = \((.*?)\)\.split\(\)", text, re.S).group(1)
        loader[name] = "".join(re.findall(r'"([^"]*)"', found)).split()
    return loader


NAMES = load_names()
# What hangs on the moment, on this machine, or is a count of another program.
VOLATILE_SQUEUE = {"allocsid", "lastschedeval", "accruetime", "associd", "pendingtime", "container", "step", "starttime", "endtime", "timeleft", "schednodes"}
VOLATILE_SINFO = {"freemem", "cpusload", "nodeaddr", "nodehost", "port", "all", "user", "userlong"}
VOLATILE_SACCT = {"qosraw", "dbindex", "flags", "associd", "wckeyid", "layout", "reservationid"}


class Maker:
    """Makes one command line after another from a seed."""

    def __init__(self, seed, labs):
        self.r = random.Random(seed)
        self.ids = dict(labs.ids)

    def one(self, *choices):
        return self.r.choice(choices)

    def some(self, values, low=1, high=3):
        values = list(values)
        return self.r.sample(values, min(len(values), self.r.randint(low, high)))

    def chance(self, p):
        return self.r.random() < p

    def job(self):
        known = [i for i in self.ids.values() if i]
        if not known or self.chance(0.08):
            return self.one("99999", "abc", "1x", "0", "99998_3", "1_x")
        number = self.r.choice(known)
        if self.chance(0.2):
            number += self.one("_1", "_3", "_99", ".batch", ".0", "_5")
        return number

    def jobs(self):
        return ",".join(self.job() for _ in range(self.one(1, 1, 1, 2, 3)))

    def user(self):
        return self.one("ada", "ben", "cleo", "dora", "root", "nosuch", "0", str(pwd.getpwnam("ada").pw_uid), "99999", "ADA")

    def account(self):
        return self.one("physics", "biology", "teaching", "science", "root", "nosuch", "PHYSICS")

    def partition(self):
        return self.one("main", "short", "capped", "nosuch", "MAIN")

    def qos(self):
        return self.one("normal", "low", "high", "pool", "strict", "part", "nosuch", "HIGH")

    def node(self):
        return self.one("c1", "c2", "g1", "c[1-2]", "c[1-2],g1", "nosuch", "c3", "c[1-")

    def state(self):
        return self.one("PD", "R", "CD", "F", "TO", "CA", "pending", "RUNNING", "completed", "Failed", "all", "S", "CG", "OOM", "PR", "NF", "BF", "DL",
                        "RQ", "nonsense", "TIMEOUT", "CANCELLED", "out_of_memory", "SUSPENDED", "CF", "RH", "SE", "ST", "SO", "RF", "RS", "SI", "RV", "RD")

    def name(self):
        names = list(self.ids) + ["nosuch", "wrap", "FINE"]
        return self.r.choice(names)

    def many(self, make, p=0.3):
        return ",".join([make()] + [make() for _ in range(3) if self.chance(p)])

    def text(self):
        return self.one("", "|", " ", ",", ";", "#", "x", "\x1f", "%%", "\\n", "\t", ":", "é")

    def width(self):
        return self.one("", "", "", "5", ".5", "20", ".20", "1", ".3", "0", "100", "-5", ".0", "..4", "5.", "05")

    def letters(self, without=""):
        out = self.one("", "", "", "<", "x ")
        for _ in range(self.r.randint(1, 5)):
            letter = self.r.choice([c for c in LETTERS if c not in without]) if self.chance(0.97) else self.one("1", "%", "?", "")
            out += "%" + self.width() + letter + self.text()
        return out

    def names(self, known, volatile):
        out = []
        for _ in range(self.r.randint(1, 5)):
            word = self.r.choice([n for n in known if n.lower() not in volatile]) if self.chance(0.97) else self.one("nonsense", "", "jobi", "x:3")
            word = self.one(word, word, word.upper(), word.capitalize())
            word += self.one("", "", ":30", ":.30", ":5", ":.5", ":", ":#", ":10;", ":0", ":;")
            out.append(word)
        return ",".join(out)

    def give(self, words, short, long, value):
        """One of the ways to write an option."""
        if short and self.chance(0.5):
            words += self.one(["-" + short, value], ["-" + short + value]) if value != "" else ["-" + short, value]
        else:
            words += self.one(["--" + long, value], ["--" + long + "=" + value])

    def variables(self, **known):
        """Some of these variables in front of a command line."""
        picked = self.some(sorted(known), 1, 2)
        return ["env", *("%s=%s" % (name, known[name]) for name in picked)]

    def squeue(self):
        w = ["squeue"]
        if self.chance(0.15):
            w = self.variables(SQUEUE_FORMAT=self.letters("sSeY"), SQUEUE_FORMAT2=self.names(NAMES["SQUEUE_NAMES"], VOLATILE_SQUEUE), SQUEUE_STATES=self.many(self.state),
                               SQUEUE_USERS=self.many(self.user), SQUEUE_SORT=self.one("i", "-i", "u,i", "j,-i"), SQUEUE_ACCOUNT=self.account(), SQUEUE_PARTITION=self.partition(),
                               SQUEUE_QOS=self.qos(), SQUEUE_NAMES=self.name(), SQUEUE_ARRAY="1", SQUEUE_ALL="1", SLURM_TIME_FORMAT=self.one("standard", "%Y", "%d.%m.%Y", "x", "")) + w
        if self.chance(0.03):
            return w + self.some(["--nonsense", "-z", "--usage", "--version", "-V", "extra", "--states", "-o", "--format", "--job", "--no", "--s", "-i", "0"], 1, 1)
        if not self.chance(0.15):
            w += self.one(["-S", "i"], ["--sort=i"], ["-Si"], ["--sort", "i"], ["-S", "i"], ["-S", "-i"], ["-S", "u,i"], ["-S", "P,i"], ["-S", "t,i"], ["-S", "D,-C,i"],
                          ["-S", "j,i"], ["-S", "N,i"], ["-S", "l,i"], ["-S", "a,i"], ["-S", "q,i"], ["-S", "Q,i"], ["-S", "1"], ["-S", "m,i"], ["-S", "U,i"], ["-S", "r,i"], ["-S", "T,i"])
        if self.chance(0.4): w += [self.one("-h", "--noheader")]
        if self.chance(0.25): w += [self.one("-r", "--array")]
        if self.chance(0.1): w += [self.one("-a", "--all", "--hide")]
        if self.chance(0.1): w += ["--noconvert"]
        if self.chance(0.05): w += ["--me"]
        if self.chance(0.05): w += ["--array-unique"]
        if self.chance(0.05): w += [self.one("-P", "--priority", "--local", "--federation", "--sibling")]
        if self.chance(0.5): self.give(w, "t", "states", self.one("all", self.many(self.state)))
        if self.chance(0.3): self.give(w, "j", "jobs", self.jobs())
        if self.chance(0.15): self.give(w, "n", "name", self.many(self.name))
        if self.chance(0.15): self.give(w, "u", self.one("user", "users"), self.many(self.user))
        if self.chance(0.1): self.give(w, "A", self.one("account", "accounts"), self.many(self.account))
        if self.chance(0.1): self.give(w, "p", self.one("partition", "partitions"), self.many(self.partition))
        if self.chance(0.1): self.give(w, "q", "qos", self.many(self.qos))
        if self.chance(0.1): self.give(w, "w", self.one("nodelist", "nodes", "node"), self.node())
        if self.chance(0.04): self.give(w, "L", "licenses", self.one("matlab", "nosuch"))
        if self.chance(0.03): self.give(w, "R", "reservation", "nosuch")
        kind = self.r.random()
        if kind < 0.4: self.give(w, "o", "format", self.letters("sSeY"))
        elif kind < 0.75: self.give(w, "O", "Format", self.names(NAMES["SQUEUE_NAMES"], VOLATILE_SQUEUE))
        elif kind < 0.8: w += [self.one("-l", "--long")]
        elif kind < 0.82: w += ["-s"]
        return w

    def sacct(self):
        w = ["sacct"]
        if self.chance(0.12):
            fields = ",".join(self.some([n for n in NAMES["SACCT_NAMES"] if n.lower() not in VOLATILE_SACCT], 1, 4))
            w = self.variables(SACCT_FORMAT=fields, SLURM_TIME_FORMAT=self.one("standard", "%Y", "%d.%m.%Y", "x", "")) + w
        if self.chance(0.03):
            return w + self.some(["--nonsense", "-z", "--usage", "--version", "-V", "-e", "--helpformat", "--format", "-j", "--state", "--s"], 1, 1)
        if self.chance(0.7): w += [self.one("-a", "--allusers")]
        if self.chance(0.4): w += [self.one("-n", "--noheader")]
        if self.chance(0.4): w += [self.one("-X", "--allocations")]
        if self.chance(0.5): w += [self.one("-P", "--parsable2", "-p", "--parsable")]
        if self.chance(0.1): self.give(w, "", "delimiter", self.one(";", "||", "\x1f", ",", "\\t"))
        if self.chance(0.15): w += [self.one("-D", "--duplicates")]
        if self.chance(0.1): w += ["--noconvert"]
        if self.chance(0.1): self.give(w, "", "units", self.one("K", "M", "G", "T", "P", "k", "X", "KM"))
        if self.chance(0.4): self.give(w, "j", "jobs", self.jobs())
        if self.chance(0.05): self.give(w, "j", "jobs", self.job())
        if self.chance(0.2): self.give(w, "u", self.one("user", "uid"), self.many(self.user))
        if self.chance(0.1): self.give(w, "A", "accounts", self.many(self.account))
        if self.chance(0.1): self.give(w, "r", "partition", self.many(self.partition))
        if self.chance(0.1): self.give(w, "q", "qos", self.many(self.qos))
        if self.chance(0.1): self.give(w, "N", "nodelist", self.node())
        if self.chance(0.1): self.give(w, "", "name", self.many(self.name))
        if self.chance(0.2):
            self.give(w, "s", "state", self.many(self.state))
        if self.chance(0.4):
            self.give(w, "S", "starttime", self.one("now-1hour", "today", "midnight", "00:00", "2020-01-01", "2020-01-01T00:00:00", "010120", "01/01/20", "nonsense", "now-1days", "tomorrow", "now-2weeks", "2020-13-01", "1/1", ""))
        if self.chance(0.2): self.give(w, "E", "endtime", self.one("now", "now-1hour", "tomorrow", "2020-01-02", "nonsense", "now+1hour"))
        if self.chance(0.05): self.give(w, "i", "nnodes", self.one("1", "2", "1-2", "x"))
        if self.chance(0.05): self.give(w, "I", "ncpus", self.one("1", "2", "1-2", "x"))
        if self.chance(0.05): self.give(w, "k", "timelimit-min", self.one("1", "60", "1:00:00"))
        if self.chance(0.05): self.give(w, "g", self.one("gid", "group"), self.one("ada", "0", "nosuch"))
        if self.chance(0.05): w += [self.one("-T", "--truncate", "-v", "-L", "--local")]
        kind = self.r.random()
        if kind < 0.7:
            fields = []
            for _ in range(self.r.randint(1, 6)):
                f = self.r.choice([n for n in NAMES["SACCT_NAMES"] if n.lower() not in VOLATILE_SACCT]) if self.chance(0.97) else self.one("nonsense", "", "job", "st", "all")
                f = self.one(f, f, f.lower(), f.upper()) + self.one("", "", "", "%5", "%-5", "%30", "%-30", "%0", "%x", "%", "%1")
                fields.append(f)
            self.give(w, "o", "format", ",".join(fields))
        elif kind < 0.8: w += [self.one("-b", "--brief", "-l", "--long")]
        return w

    def sinfo(self):
        w = ["sinfo"]
        if self.chance(0.12):
            w = self.variables(SINFO_FORMAT=self.letters("eOonuU"), SINFO_FORMAT2=self.names(NAMES["SINFO_NAMES"], VOLATILE_SINFO), SINFO_PARTITION=self.partition(),
                               SINFO_SORT=self.one("P", "N", "-N", "t"), SINFO_ALL="1") + w
        if self.chance(0.03):
            return w + self.some(["--nonsense", "-z", "--usage", "--version", "extra", "--format", "--s", "-i", "0"], 1, 1)
        for p, words in ((0.4, ("-h", "--noheader")), (0.3, ("-N", "--Node")), (0.15, ("-l", "--long")), (0.08, ("-s", "--summarize")), (0.05, ("-R", "--list-reasons")),
                         (0.2, ("-e", "--exact")), (0.1, ("-a", "--all", "--hide")), (0.05, ("-r", "--responding")), (0.05, ("-d", "--dead")), (0.05, ("--noconvert",)), (0.03, ("-T",))):
            if self.chance(p): w += [self.one(*words)]
        if self.chance(0.2): self.give(w, "p", "partition", self.many(self.partition))
        if self.chance(0.2): self.give(w, "n", "nodes", self.node())
        if self.chance(0.2): self.give(w, "t", "states", self.one("idle", "mix", "alloc", "down", "drain", "idle,mix", "all", "nonsense", "allocated", "MIXED", "fail", "resv", "comp", "unknown", "drng", "maint"))
        if self.chance(0.1): self.give(w, "S", "sort", self.one("P", "N", "-N", "P,N", "t", "#N", "1", "C"))
        kind = self.r.random()
        if kind < 0.4: self.give(w, "o", "format", self.letters("eOonuU"))
        elif kind < 0.75: self.give(w, "O", "Format", self.names(NAMES["SINFO_NAMES"], VOLATILE_SINFO))
        return w

    def scontrol(self):
        w = ["scontrol"]
        if self.chance(0.35): w += [self.one("-o", "--oneliner")]
        if self.chance(0.3): w += [self.one("-d", "-dd", "--details", "-ddd")]
        if self.chance(0.05): w += [self.one("-Q", "-a", "-v", "--nonsense", "-h")]
        what = self.r.random()
        if what < 0.55: return w + ["show", self.one("job", "jobs", "jobid", "JOB", "jo"), *([self.job()] if self.chance(0.8) else [])]
        if what < 0.65: return w + ["show", self.one("node", "nodes", "NodeName"), *([self.node()] if self.chance(0.8) else [])]
        if what < 0.75: return w + ["show", self.one("partition", "partitions", "PartitionName", "part"), *([self.partition()] if self.chance(0.8) else [])]
        if what < 0.8: return w + ["show", self.one("hostnames", "hostname", "hostlist", "hostlistsorted"), *([self.one("c[1-3]", "c1,c2,x", "a[01-03],b", "", "c[1-", "x[1,3,5-7]y", "n1,n1,n2", "b,a")] if self.chance(0.9) else [])]
        if what < 0.85: return w + ["show", self.one("nonsense", "licenses", "reservation", "step", "steps", "topology", "daemons", "aliases", "burstbuffer", "frontend", "federation", "licenses matlab")]
        if what < 0.9: return w + [self.one("hold", "release", "requeue", "suspend", "resume", "uhold", "requeuehold", "top"), self.one("99999", "abc", "99999_1", "", "99998,99999")]
        if what < 0.95: return w + ["update", *self.some(["jobid=99999", "nice=5", "nonsense=1", "timelimit=5", "priority=3", "partitionname=nosuch", "nodename=nosuch", "state=drain", "jobid=abc", "qos=nosuch", "=", "x"], 1, 2)]
        return w + self.some(["ping", "--version", "version", "help", "nonsense", "show", "hold", "release", "update", "requeue", "pidinfo", "listpids", "wait_job", "write", "reboot", "create", "delete"], 1, 2)

    def scancel(self):
        w = ["scancel"]
        for p, words in ((0.1, ("-v", "--verbose")), (0.2, ("-Q", "--quiet")), (0.1, ("-b", "--batch")), (0.1, ("-f", "--full")), (0.05, ("--nonsense", "--ctld", "-H", "--usage", "-V"))):
            if self.chance(p): w += [self.one(*words)]
        if self.chance(0.3): self.give(w, "s", "signal", self.one("USR1", "SIGUSR1", "9", "KILL", "nonsense", "0", "10", "64", "99", "term"))
        if self.chance(0.3): self.give(w, "n", self.one("name", "jobname"), "nosuch")
        if self.chance(0.1): self.give(w, "u", "user", self.one("nosuch", "root", "ben", "99999"))
        if self.chance(0.1): self.give(w, "p", "partition", "nosuch")
        if self.chance(0.1): self.give(w, "t", "state", self.one("SUSPENDED", "nonsense", "CD", "S", "suspended"))
        if self.chance(0.1): self.give(w, "A", "account", "nosuch")
        if self.chance(0.1): self.give(w, "q", "qos", "nosuch")
        if self.chance(0.1): self.give(w, "w", "nodelist", "nosuch")
        if self.chance(0.7) or len(w) == 1: w += [self.one("99999", "99998 99999", "99999_1", "99999_[1-3]", "abc", "1x", "99999.0", "99999.batch", "-5", "", "99999_x", "99999+1")]
        return w

    def sacctmgr(self):
        w = ["sacctmgr"]
        for p, words in ((0.4, ("-n", "--noheader")), (0.4, ("-P", "-p", "--parsable", "--parsable2")), (0.1, ("-s", "--associations")), (0.05, ("-i", "-r", "-Q", "--nonsense"))):
            if self.chance(p): w += [self.one(*words)]
        thing, fields = self.one(
            ("user", "user defaultaccount adminlevel account qos share coordinators cluster partition defaultqos maxjobs"),
            ("assoc", "account user share qos grptres maxjobs parentname cluster defaultqos grpjobs grpsubmit maxsubmit maxwall maxtres grptresmins partition priority maxtresmins grpwall grptresrunmins maxtrespernode"),
            ("account", "account description organization coordinators"),
            ("qos", "name priority gracetime preempt flags preemptmode usagefactor grptres grptresmins maxtrespu maxjobspu maxsubmitpu maxwall mintres maxtres maxtrespa maxjobspa grpjobs grpsubmit usagethres preemptexempt grptresrunmins maxtrespernode maxtresmins grpwall maxsubmitpa"),
            ("cluster", "cluster controlhost rpc share qos defaultqos classification federation features flags nodecount pluginidselect tres"),
            ("tres", "type name id"), ("nonsense", "x"), ("wckey", "wckey user cluster"), ("runawayjobs", ""), ("transactions", "action actor"))
        if thing in ("runawayjobs", "transactions"): thing, fields = "qos", "name id"
        w += [self.one("show", "list", "sh"), self.one(thing, thing + "s" if thing not in ("qos", "tres") else thing, thing.upper())]
        if self.chance(0.2): w += [self.one("ada", "physics", "normal", "low,high", "nosuch", "ada,ben")]
        if self.chance(0.3): w += [self.one("withassoc", "tree", "withsubaccounts", "withcoord", "withdeleted", "wopinfo", "nonsense", "where")]
        if self.chance(0.3): w += [self.one("user=ada", "account=physics", "name=normal", "qos=high", "cluster=lab", "users=ada,ben", "accounts=science", "parent=science", "names=low,high", "user=nosuch", "nonsense=1", "defaultaccount=physics", "partition=main")]
        if self.chance(0.6) and fields:
            picked = []
            for f in self.some(fields.split(), 1, 5):
                picked.append(self.one(f, f, f.capitalize(), f[:4]) + self.one("", "", "", "%20", "%-20", "%3", "%0", "%x"))
            if self.chance(0.05): picked.append("nonsense")
            w += ["format=" + ",".join(picked)]
        return w

    def sshare(self):
        w = ["sshare"]
        for p, words in ((0.4, ("-n", "--noheader")), (0.4, ("-P", "-p", "--parsable", "--parsable2")), (0.4, ("-a", "--all")), (0.1, ("-l", "--long")), (0.1, ("-U", "--Users")), (0.1, ("-m", "--partition")), (0.05, ("--nonsense", "--usage", "-V", "-e", "extra"))):
            if self.chance(p): w += [self.one(*words)]
        if self.chance(0.3): self.give(w, "A", "accounts", self.many(self.account))
        if self.chance(0.3): self.give(w, "u", "users", self.many(self.user))
        fields = "Account User RawShares NormShares Cluster GrpTRESMins Partition".split()
        self.give(w, "o", "format", ",".join(f + self.one("", "", "%5", "%30", "%-12") for f in self.some(fields, 1, 4)))
        return w

    def sprio(self):
        w = ["sprio"]
        for p, words in ((0.4, ("-h", "--noheader")), (0.3, ("-l", "--long")), (0.2, ("-n", "--norm")), (0.1, ("-w", "--weights")), (0.05, ("--nonsense", "--usage", "-V", "extra"))):
            if self.chance(p): w += [self.one(*words)]
        if self.chance(0.3): self.give(w, "j", "jobs", self.jobs())
        if self.chance(0.3): self.give(w, "u", "user", self.many(self.user))
        if self.chance(0.2): self.give(w, "p", "partition", self.many(self.partition))
        if self.chance(0.3): self.give(w, "o", "format", "".join("%" + self.width() + self.one(*"aAcFfiJjNnOopPQqrStTuYz1") + self.text() for _ in range(3)))
        w += self.one(["-S", "i"], ["--sort=i"], ["-S", "-i"], ["-S", "u,i"])
        return w

    def sbatch(self):
        """Nothing that is taken: mistakes and refusals."""
        w = ["sbatch"]
        bad = self.one(["--nonsense"], ["--mem=x"], ["--time=x"], ["--array=x"], ["-n", "0"], ["-n", "x"], ["-c", "0"], ["-N", "x"], ["--partition=nosuch"], ["--account=nosuch"], ["--qos=nosuch"],
                       ["--dependency=x"], ["--dependency=afterok:x"], ["--dependency=afterok:99999"], ["--begin=x"], ["--gres=x:1"], ["--gres=gpu:9"], ["--constraint=nosuch"], ["--nodelist=nosuch"],
                       ["--mem=1000000"], ["-c", "99"], ["-N", "9"], ["--time=9-0"], ["--deadline=now"], ["--deadline=x"], ["--signal=x"], ["--nice=x"], ["--nice=99999999999"], ["--licenses=nosuch"], ["--licenses=matlab:9"],
                       ["--reservation=nosuch"], ["--open-mode=x"], ["--exclusive=x"], ["--mail-type=x"], ["--export-file=/nosuch"], ["--ntasks-per-node=x"], ["--gpus=x"], ["--gpus=9"], ["--gpus-per-node=3"],
                       ["--mem-per-cpu=x"], ["--mem", "10", "--mem-per-cpu", "10"], ["--array=5-1"], ["--array=1-2000"], ["--array=1-3%0"], ["--array=1-3%x"], ["--array="], ["--hint=x"], ["--profile=x"], ["--propagate=x"],
                       ["--time-min=2:00", "--time=1:00"], ["--exclude=nosuch"], ["--chdir=/nosuch"], ["-M", "nosuch"], ["--wckey"], ["--priority=x"], ["--hold=x"], ["--kill-on-invalid-dep=x"], ["--get-user-env=x"], ["--cpus-per-gpu=x"],
                       ["--distribution=x"], ["--core-spec=x"], ["--switches=x"], ["--cpu-freq=x"], ["--gpu-bind=x"], ["--mem-bind=x"], ["--uid=nosuch"], ["--gid=nosuch"], ["--tmp=x"], ["--thread-spec=x"], ["--acctg-freq=x"], ["--bb=x"],
                       ["--comment"], ["--no"], ["--mem=10X"], ["--mem=-5"], ["--minutes"], ["--test"], ["--delay-boot=x"], ["--wait-all-nodes=x"], ["--sockets-per-node=x"], ["--ntasks-per-gpu=x"], ["--container=x", "-N", "9"],
                       ["-J", ""], ["--job-name"], ["--export"], ["--output"], ["-h"], ["--usage"], ["-V"], ["--version"], ["-p", ""], ["--time="], ["--mem="], ["-t", "0"], ["-t", "-1"], ["--requeue=x"])
        w += bad
        if self.chance(0.3):
            w += self.one(["-n", "2"], ["--time=5"], ["--mem=100"], ["-J", "x"], ["--parsable"], ["-Q"])
        if bad == ["-t", "0"] or bad == ["-J", ""] or bad == ["-p", ""] or bad[0].startswith("--get-user-env") or bad == ["--no"] or bad[0] in ("--container=x", "--mem=10X"):
            w += ["-N", "9"]
        return w + self.one(["--wrap", "true"], ["--wrap=true"], ["--wrap", "true"], ["--wrap", "true", "extra"], ["/nosuch/script"])

    def submission(self):
        """A held job with options that are mostly taken, from the command line, the script and the environment, and what is then said of it."""
        r, o = self.r, self.one
        table = [
            ("J", "job-name", "JOB_NAME", lambda: o("x", "a b", "long-" * 8, "%j", "été")), ("A", "account", "ACCOUNT", self.account), ("p", "partition", "PARTITION", lambda: o("main", "short", "main,short", "capped")),
            ("q", "qos", "QOS", self.qos), ("t", "time", "TIMELIMIT", lambda: o("5", "1:30", "2:00:00", "1-2", "1-2:3", "0", "UNLIMITED", "7-0", "infinite", "00:10:00")),
            ("n", "ntasks", None, lambda: o("1", "2", "5")), ("N", "nodes", None, lambda: o("1", "2", "1-2", "2-3", "3", "1-1")), ("c", "cpus-per-task", None, lambda: o("1", "2", "4", "6")),
            ("", "mem", "MEM_PER_NODE", lambda: o("100", "1G", "512M", "0", "1.5G", "2000K", "16000", "3t", "1g")), ("", "mem-per-cpu", "MEM_PER_CPU", lambda: o("50", "1G", "200M", "500K")), ("", "mem-per-gpu", "MEM_PER_GPU", lambda: o("50", "1G")),
            ("C", "constraint", "CONSTRAINT", lambda: o("cpu", "gpu", "cpu&old", "cpu|gpu", "[cpu|gpu]", "old*1")), ("", "gres", "GRES", lambda: o("gpu:1", "gpu:a100:1", "gpu:a100:2", "none", "NONE")),
            ("G", "gpus", "GPUS", lambda: o("1", "2", "a100:1")), ("", "gpus-per-node", "GPUS_PER_NODE", lambda: o("1", "a100:2")), ("", "gpus-per-task", "GPUS_PER_TASK", lambda: o("1", "a100:1")), ("", "cpus-per-gpu", "CPUS_PER_GPU", lambda: o("1", "3")),
            ("", "ntasks-per-node", None, lambda: o("1", "2", "4")), ("", "ntasks-per-core", None, lambda: o("1", "2")), ("", "ntasks-per-socket", None, lambda: o("1", "2")), ("", "mincpus", None, lambda: o("1", "2")),
            ("a", "array", "ARRAY_INX", lambda: o("1", "0-3", "1-10:3", "1,3,5-7%2", "4-4", "0-9%3", "7,2")), ("d", "dependency", None, lambda: o("singleton", "afterok:" + self.known(), "afterany:%s:%s" % (self.known(), self.known()), "after:%s+5" % self.known(), "afterany:%s?afterok:%s" % (self.known(), self.known()), "aftercorr:" + self.known(), "afterok:" + self.known() + "_1", "afternotok:" + self.known())),
            ("w", "nodelist", None, lambda: o("c1", "c[1-2]", "g1", "g1,c1")), ("x", "exclude", None, lambda: o("c1", "c[1-2]", "g1")), ("b", "begin", None, lambda: o("now+1hour", "tomorrow", "23:59", "2099-01-01", "2099-01-01T12:00:00", "now+3days", "midnight", "noon", "teatime", "010199", "now", "now+60")),
            ("", "deadline", None, lambda: o("2099-01-01", "now+5days", "tomorrow")), ("", "time-min", None, lambda: o("1", "3")), ("", "comment", None, lambda: o("c", "a 'b'", "1|2")), ("", "wckey", "WCKEY", lambda: o("w", "")), ("", "nice", None, lambda: o("5", "100", "-5", "0")),
            ("", "priority", None, lambda: o("5", "TOP", "0")), ("", "licenses", None, lambda: o("matlab:1", "matlab:2", "matlab:9")), ("", "signal", "SIGNAL", lambda: o("USR1", "B:USR2@30", "10@100", "R:TERM@5", "B:9")), ("", "open-mode", "OPEN_MODE", lambda: o("append", "truncate", "a", "t")),
            ("", "mail-type", None, lambda: o("NONE", "x")), ("", "hint", "HINT", lambda: o("nomultithread", "multithread", "compute_bound", "memory_bound")), ("m", "distribution", "DISTRIBUTION", lambda: o("block", "cyclic", "block:block", "plane=2", "arbitrary")),
            ("o", "output", None, lambda: o("out", "%j.out", "/tmp/%x-%A.o", "%u-%N", "none")), ("e", "error", None, lambda: o("err", "%j.err", "/dev/null")), ("i", "input", None, lambda: o("/dev/null", "in")), ("D", "chdir", None, lambda: o("/tmp", "/", ".")),
            ("", "switches", None, lambda: o("1", "1@10:00", "2")), ("", "export", "EXPORT", lambda: o("ALL", "NONE", "A=1", "ALL,B=2", "HOME")), ("", "profile", "PROFILE", lambda: o("none", "task")), 
            ("", "core-spec", "CORE_SPEC", lambda: o("0",)), ("", "threads-per-core", "THREADS_PER_CORE", lambda: o("1", "2")), ("", "sockets-per-node", None, lambda: o("1", "2")), ("", "cores-per-socket", None, lambda: o("1",)), ("", "delay-boot", "DELAY_BOOT", lambda: o("5",)), ("", "reservation", "RESERVATION", lambda: o("nosuch", "")),
            ("B", "extra-node-info", None, lambda: o("2", "1:1", "1:1:1", "*:1")), ("", "ntasks-per-gpu", None, lambda: o("1", "2")), ("M", "clusters", "CLUSTERS", lambda: o("lab",)), ("", "thread-spec", "THREAD_SPEC", lambda: o("0",)),
        ]
        flags = ["--requeue", "--no-requeue", "--exclusive", "--exclusive=user", "--oversubscribe", "-s", "--contiguous", "--reboot", "--use-min-nodes", "-Q", "--parsable", "-k", "--no-kill=off", "--ignore-pbs", "--get-user-env", "--priority=1", "--test-only"]
        flag_variables = ["NO_REQUEUE=1", "REQUEUE=1", "EXCLUSIVE=", "EXCLUSIVE=user", "USE_MIN_NODES=1", "IGNORE_PBS=1", "NO_KILL=1", "GET_USER_ENV=1", "WAIT4SWITCH=5"]
        words, directives, variables = [], [], []
        for short, long, variable, value in r.sample(table, r.randint(1, 4)):
            for place in self.some(["line", "line", "script", "env"], 1, 2):
                given = value()
                if place == "line":
                    self.give(words, short, long, given)
                elif place == "script":
                    one = []
                    self.give(one, short, long, given)
                    directives.append("#SBATCH " + " ".join('"%s"' % w if re.search(r"[ '|]", w) else w for w in one))
                elif variable:
                    variables.append("SBATCH_%s=%s" % (variable, given))
        if self.chance(0.3): words += [o(*flags)]
        if self.chance(0.15): directives.append("#SBATCH " + o(*flags))
        if self.chance(0.15): variables.append("SBATCH_" + o(*flag_variables))
        if self.chance(0.1): directives += o(["#SBATCH -n 2 # a comment"], ["#SBATCH"], ["##SBATCH -n 7"], ["# SBATCH -n 7"], ["#SBATCH --nonsense"], ["true", "#SBATCH -n 9"])
        script = "\n".join(["#!/bin/sh", *directives, "true", ""])
        hold = o(["-H"], ["--hold"])
        call = (["env", *variables] if variables else []) + ["sbatch", *hold, *words]
        look = o(["scontrol", "-o", "show", "job", "{id}"], ["scontrol", "show", "job", "{id}", "-dd"], ["squeue", "-h", "-j", "{id}", "-O", self.names(NAMES["SQUEUE_NAMES"], VOLATILE_SQUEUE)], ["squeue", "-r", "-j", "{id}", "-o", self.letters("sSeY")],
                 ["sacct", "-j", "{id}", "-P", "-o", ",".join(self.some([n for n in NAMES["SACCT_NAMES"] if n.lower() not in VOLATILE_SACCT and n != "SubmitLine"], 2, 6))])
        return [(call, script), ["scontrol", "show", "job", "{id}"], look, ["scancel", "{id}"]]

    def known(self):
        return self.r.choice([i for i in self.ids.values() if i] or ["1"])

    def update(self):
        """A held job, changes to it, and what is then said of it."""
        o = self.one
        fields = ["nice=%s" % o("5", "0", "-3", "x"), "timelimit=%s" % o("5", "+10", "-2", "UNLIMITED", "x", "1-0"), "name=%s" % o("new", "a b", ""), "comment=%s" % o("said", "", "a|b"), "partition=%s" % self.partition(), "qos=%s" % self.qos(), "account=%s" % self.account(),
                  "numcpus=%s" % o("2", "x", "0"), "numnodes=%s" % o("1", "2", "1-2", "x"), "minmemorynode=%s" % o("100", "1G", "x"), "minmemorycpu=50", "features=%s" % o("cpu", "gpu", "nosuch", ""), "requeue=%s" % o("0", "1", "2"), "starttime=%s" % o("now+1hour", "2099-01-01", "x", "now"),
                  "dependency=%s" % o("", "afterok:" + self.known(), "singleton", "x", "afterok:99999"), "arraytaskthrottle=%s" % o("2", "0", "x"), "excnodelist=%s" % o("c1", "", "nosuch"), "reqnodelist=%s" % o("c1", "", "nosuch"), "gres=%s" % o("gpu:1", "", "x:1"), "licenses=%s" % o("matlab:1", "", "nosuch"), "wckey=%s" % o("k", ""),
                  "deadline=%s" % o("2099-01-01", "x"), "timemin=%s" % o("1", "2000"), "numtasks=2", "stdout=%s" % o("/tmp/x", "rel"), "mailuser=ben", "mincpusnode=%s" % o("2", "x"), "switches=1", "nonsense=1", "userid=ben", "endtime=2099-01-01", "reservationname=%s" % o("nosuch", "")]
        submit = ["sbatch", "--parsable", "-H", *o([], ["-a", "1-6"], ["-n", "2"], ["--mem=100"], ["-N", "2"]), "--wrap", "true"]
        words = ["scontrol", *o([], [], ["-v"], ["-Q"]), o("update", "update", "UPDATE", "upd"), o(*(["jobid={id}_2", "jobid={id}_[1-3]"] if "-a" in submit else []), "jobid={id}", "JobId={id}", "job={id}"), *self.some(fields, 1, 3)]
        return [submit, words, ["scontrol", "show", "job", "{id}"], *o([], [["scontrol", o("hold", "release", "uhold", "requeue", "requeue"), o("{id}", "{id}_1", "jobid={id}")], ["squeue", "-h", "-r", "-j", "{id}", "-o", "%i %t %r %Q %p"]]), ["scancel", "{id}"]]

    def taken(self):
        """What scancel says of jobs that are there."""
        o = self.one
        submit = ["sbatch", "--parsable", "-H", "-J", "one", *o([], ["-a", "1-6"], ["-p", "short"], ["-q", "low"]), "--wrap", "true"]
        words = ["scancel", *o([], ["-v"], ["-vv"], ["-Q"], ["-vQ"], ["--verbose"])]
        for _ in range(self.r.randint(0, 2)):
            words += o(["-n", "one"], ["--name=one"], ["-n", "two"], ["-t", "PD"], ["-t", "pending"], ["--state=RUNNING"], ["-p", "main"], ["-p", "short"], ["-q", "low"], ["-u", "ada"], ["-s", "USR1"], ["--signal=KILL"], ["-b"], ["-f"], ["--me"], ["-w", "c1"], ["-A", "physics"], ["--wckey=w"], ["-R", "x"], ["--ctld"], ["-H"])
        words += o(["{id}"], ["{id}"], ["{id}_1"], ["{id}_[1-2]"], ["{id}_[2,4]"], ["{id}_9"], ["{id}", "{id}"], ["{id}.0"], ["{id}.batch"], ["{id}", "99999"], ["{id},99999"], ["{id}_*"], ["{id}_1", "{id}_1"])
        return [submit, words, ["squeue", "-h", "-r", "-j", "{id}", "-t", "all", "-o", "%i %t %r"], words, ["sacct", "-X", "-P", "-n", "-j", "{id}", "-o", "jobid,state,exitcode,nnodes,alloccpus"], ["scancel", "-Q", "{id}"]]

    def run(self):
        """srun and salloc outside a job, and srun inside one."""
        o = self.one
        command = o(["sh", "-c", "echo $SLURM_PROCID/$SLURM_NTASKS"], ["sh", "-c", "echo out; echo err >&2"], ["sh", "-c", "exit $((SLURM_PROCID + 1))"], ["false"], ["true"], ["/nosuch/program"], ["nosuchprogram"], ["sh", "-c", "kill -9 $$"], ["sh", "-c", "kill -SEGV $$"],
                    ["cat"], ["sh", "-c", "echo $SLURM_JOB_NAME $SLURM_STEP_ID $SLURM_STEP_NUM_TASKS $SLURM_CPUS_PER_TASK $SLURM_JOB_NUM_NODES"], ["printf", "no end"], [], ["/etc"], ["sh", "-c", "env | grep -E '^SLURM_(NTASKS|NPROCS|TASKS_PER_NODE|STEP_TASKS_PER_NODE|JOB_CPUS_PER_NODE|LOCALID|NODEID|CPUS_ON_NODE|MEM_PER_CPU|MEM_PER_NODE|NNODES|JOB_PARTITION|JOB_QOS|JOB_ACCOUNT|DISTRIBUTION|SRUN_COMM_HOST_|LABELIO|EXPORT_ENV|STEP_NODELIST|STEP_NUM_NODES|JOB_USER|GTIDS|UMASK|CLUSTER_NAME)=' | sort"])
        options = []
        for _ in range(self.r.randint(0, 3)):
            options += o(["-n", "2"], ["-n2"], ["--ntasks=3"], ["-l"], ["--label"], ["-N", "2"], ["-c", "2"], ["-J", "name"], ["-t", "1"], ["--mem=50"], ["-u"], ["--unbuffered"], ["-K"], ["-K0"], ["-W", "5"], ["--mpi=none"], ["--cpu-bind=q"], ["-o", "o-%t"], ["-e", "e-%t"], ["-i", "/dev/null"], ["-i", "none"], ["-i", "0"],
                         ["--export=NONE"], ["--export=A=1"], ["-Q"], ["--exclusive"], ["--overlap"], ["--exact"], ["--gres=gpu:1"], ["-w", "c1"], ["-x", "c1"], ["-D", "/tmp"], ["-D", "/nosuch"], ["--nonsense"], ["-n", "x"], ["-n", "0"], ["-p", "nosuch"], ["-t", "x"], ["--mem=x"], ["-q", "nosuch"], ["-A", "nosuch"], ["-N", "9"], ["-m", "cyclic"], ["--ntasks-per-node=1"],
                         ["-I"], ["--jobid=99999"], ["--jobid=x"], ["-V"], ["-r", "1"], ["--kill-on-bad-exit=1"], ["--multi-prog"], ["--input=1"], ["--no-kill"], ["--mpi=nosuch"], ["--propagate=NONE"], ["--open-mode=append"], ["-X"], ["--threads=2"], ["-O"], ["--comment=x"], ["--wckey=w"], ["-C", "cpu"], ["-C", "nosuch"], ["--mem-per-cpu=20"], ["-s"], ["-H"], ["-E"])
        where = self.r.random()
        if where < 0.5:
            return [(["timeout", "40", "srun", *options, *command], "said\n")]
        if where < 0.7:
            return [(["timeout", "40", "salloc", *[w for w in options], *o(command, ["srun", "-l", *command], ["sh", "-c", "srun -n1 " + "echo in"])], "said\n")]
        return [(["sbatch", "--wait", "--parsable", *o([], ["-n", "2"], ["-n", "4", "-N", "2"], ["--mem=200"], ["-c", "2"], ["--gres=gpu:1"]), "-t", "1", "-o", "in-job.out"], "#!/bin/sh\nenv -u SLURM_CONF_ true\nsrun " + " ".join("'%s'" % w for w in [*options, *command]) + "\necho $?\n"),
                ["cat", "in-job.out"], ["sacct", "-P", "-n", "-j", "{id}", "-o", "jobid%20,jobname%20,state,exitcode,ntasks,nnodes,alloccpus,reqcpus,layout"]]

    def small(self):
        """sdiag, and what is printed of the cluster itself."""
        return self.one(["scontrol", "show", "assoc_mgr", *self.some(["flags=qos", "flags=assoc", "flags=users", "users=ada", "accounts=physics", "qos=pool", "flags=qos,assoc", "flags=nonsense", "users=nosuch", "-o"], 0, 3)], ["scontrol", "show", "topology"], ["scontrol", "ping"], ["sacctmgr", "-V"], ["sdiag", "-V"], ["sdiag", "--nonsense"],
                        ["sinfo", "-V"], ["sbatch", "-V"], ["srun", "-V"], ["salloc", "-V"], ["scancel", "-V"], ["sacct", "-V"], ["squeue", "-V"], ["sprio", "-V"], ["sshare", "-V"], ["scontrol", "-V"], ["sdiag", "-M", "nosuch"], ["squeue", "-M", "nosuch"], ["squeue", "-M", "lab", "-S", "i"], ["sinfo", "-M", "lab"], ["sinfo", "-M", "all"],
                        ["squeue", "-M", "all", "-S", "i"], ["sacct", "-M", "lab"], ["sacct", "-M", "nosuch"], ["scancel", "-M", "nosuch", "1"], ["sbatch", "-M", "lab,nosuch", "--wrap", "true"], ["scontrol", "-M", "nosuch", "show", "job"], ["sacctmgr", "show"], ["scontrol", "show", "hostlist", "c1,c2,c3,c5"], ["scontrol", "show", "hostnames", "a[1-3],b[01-02]"],
                        ["sprio", "-M", "lab", "-S", "i"], ["sshare", "-M", "lab"], ["sshare", "-M", "nosuch"], ["env", "SLURM_CLUSTERS=nosuch", "squeue"], ["env", "SLURM_CLUSTERS=lab", "squeue", "-S", "i"], ["env", "SLURM_CLUSTERS=lab", "sinfo"], ["env", "SCANCEL_STATE=PD", "scancel", "-v", "99999"], ["env", "SCANCEL_NAME=nosuch", "scancel", "-v"], ["env", "SCANCEL_VERBOSE=1", "scancel", "99999"],
                        ["env", "SCANCEL_USER=nosuch", "scancel"], ["env", "SCANCEL_PARTITION=nosuch", "scancel"], ["env", "SCANCEL_QOS=nosuch", "scancel"], ["env", "SCANCEL_ACCOUNT=nosuch", "scancel"], ["env", "SPRIO_FORMAT=%i %u", "sprio", "-S", "i"], ["env", "SSHARE_FORMAT=account,user", "sshare"], ["env", "SCONTROL_ALL=1", "scontrol", "show", "partition"], ["env", "SINFO_STATES=idle", "sinfo"])


# What each is called for --only; the commoner, the more often.
GENERATORS = ["squeue", "squeue", "squeue", "sacct", "sacct", "sacct", "sinfo", "scontrol", "scontrol", "scancel", "sacctmgr", "sshare", "sprio", "sbatch", "submission", "submission", "update", "taken", "small"]
USERS = ["ada", "ada", "ada", "ben", "cleo", "root"]
