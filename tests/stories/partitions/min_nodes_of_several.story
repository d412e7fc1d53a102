# MinNodes of partitions for a job that names several: it has as many nodes as the partition that asks
# for fewest, and a partition that asks for more does not take it.
nodes n[1-3] cpus=4
partition few nodes=n1 default=yes
partition many nodes=n[2-3] min_nodes=2

story: It waits for the other, and others pass it
0:00   ann submits A partition=few cpus=4 limit=10:00            => A starts
0:01   ann submits B partition=few,many cpus=2 limit=10:00       => B waits
0:02   ann submits C partition=few,many tasks=4 limit=10:00      => C waits
0:03   ann submits D partition=few,many limit=10:00 -- -N1-3     => D waits
0:04   ann submits E partition=few,many nodes=2 limit=5:00       => E starts on n[2-3]
0:05   ann submits F partition=many cpus=2 limit=10:00           => F starts on n[2-3]

story: Where every partition must take it, it is refused
set jobs.enforce_part_limits=all
0:00   ann submits A partition=few,many cpus=2 limit=10:00       => A is refused
0:01   ann submits B partition=many,few cpus=2 limit=10:00       => B is refused
0:02   ann submits C partition=few,many nodes=2 limit=10:00      => C is refused
0:03   ann submits D partition=many cpus=2 limit=10:00           => D starts on n[2-3]
