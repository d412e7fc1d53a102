# With priority/basic jobs go in the order of their numbers, less their nice value.
set priority.type=basic
nodes n1 cpus=4

story: a nice job lets those pass that come within its nice value
0:00    ann submits A cpus=4 limit=10:00              => A starts
0:01    ann submits B cpus=4 limit=10:00 nice=100     => B waits Resources
0:02    bob submits C cpus=4 limit=10:00              => C waits Resources, B waits Priority
0:03    bob submits D cpus=4 limit=10:00 nice=50      => D waits Priority
10:01                                                 => C runs
20:02                                                 => D runs
30:03                                                 => B runs

story: a little niceness is less than many jobs in between
0:00    ann submits A cpus=4 limit=10:00              => A starts
0:01    ann submits B cpus=4 limit=10:00 nice=2       => B waits Resources
0:02    ann submits C cpus=4 limit=10:00              => C waits Resources
0:03    ann submits D cpus=4 limit=10:00              => D waits Priority
0:04    ann submits E cpus=4 limit=10:00              => E waits Priority
10:01                                                 => C runs
20:02                                                 => B runs, D waits Resources

story: an array is nice as a whole
0:00    ann submits A cpus=4 limit=10:00                        => A starts
0:01    ann submits B cpus=4 limit=10:00 nice=100 array=0-1     => B waits Resources
0:02    bob submits C cpus=4 limit=10:00                        => C waits Resources
10:01                                                           => C runs, B waits Resources
