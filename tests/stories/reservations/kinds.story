# Kinds of reservations: accounts, repeated, flexible, floating, over each other, maintenance.
nodes n[1-3] cpus=4

story: a reservation for an account, and one for all but a user
account lab
account physics parent=lab users=ann
account chem users=bob
0:00    root creates reservation P start=now duration=30:00 nodes=n1 accounts=lab
0:01    root creates reservation Q start=now duration=30:00 nodes=n2 users=-bob
0:02    root creates reservation S start=now duration=30:00 nodes=n3 accounts=physics users=ann
0:03    ann submits A reservation=P limit=5:00  => A starts on n1
0:04    bob submits B reservation=P limit=5:00  => B is refused "Access denied to requested reservation"
0:05    bob submits C reservation=Q limit=5:00  => C is refused "Access denied to requested reservation"
0:06    ann submits D reservation=Q limit=5:00  => D starts on n2
0:07    ann submits E reservation=S limit=5:00  => E starts on n3
0:08    bob submits F reservation=S limit=5:00  => F is refused "Access denied to requested reservation"

story: a daily reservation comes again
0:00    root creates reservation R start=now duration=10:00 nodes=n1 users=ann flags=DAILY
0:01    ann submits A reservation=R cpus=4 limit=5:00 runs=4:00  => A starts on n1
10:30   ann submits B reservation=R cpus=4 limit=5:00       => B waits Reservation
11:00   bob submits C nodelist=n1 limit=60:00 runs=50:00    => C starts on n1
1-00:00:00                                                  => B starts on n1

story: jobs of a flexible reservation start earlier and elsewhere, and run on after it
0:00    root creates reservation R start=5:00 duration=10:00 nodes=n1 users=ann flags=FLEX
0:01    ann submits A reservation=R exclusive limit=30:00   => A starts on n1
0:02    ann submits B reservation=R exclusive limit=60:00   => B starts on n2
0:03    bob submits C nodelist=n1 limit=8:00                => C waits ReqNodeNotAvail
15:30                                                       => A runs, B runs, C waits Resources

story: a floating reservation stays ahead and takes no jobs
0:00    root creates reservation R start=10:00 duration=20:00 nodes=n1 users=ann flags=TIME_FLOAT
0:01    bob submits A nodelist=n1 limit=5:00                => A starts on n1
0:02    bob submits B nodelist=n1 limit=15:00               => B waits ReqNodeNotAvail
0:03    ann submits C reservation=R limit=5:00              => C is refused "Access denied to requested reservation"
40:00                                                       => B waits ReqNodeNotAvail
41:00   root deletes reservation R                          => B starts on n1

story: maintenance keeps out the jobs of other reservations too
0:00    root creates reservation M start=5:00 duration=10:00 nodes=ALL users=root flags=MAINT,IGNORE_JOBS
0:01    root creates reservation R start=1:00 duration=30:00 nodes=n1 users=ann
0:02    ann submits A reservation=R cpus=4 limit=20:00      => A waits Reservation
0:03    bob submits B cpus=4 limit=20:00                    => B waits ReqNodeNotAvail, expected 15:00
0:04    bob submits C cpus=4 limit=4:00                     => C starts
1:30                                                        => A waits ReqNodeNotAvail
15:00                                                       => A starts on n1, B starts

story: nodes for a number of them are those that are free then
0:00    bob submits A nodelist=n1 cpus=4 limit=60:00        => A starts on n1
0:01    root creates reservation R start=10:00 duration=20:00 nodecnt=2 users=ann
0:02    root creates reservation S start=10:00 duration=20:00 nodecnt=1 users=ann  => is refused "Requested nodes are busy"
0:03    bob submits B nodelist=n2 limit=15:00               => B waits ReqNodeNotAvail
0:04    bob submits C nodelist=n3 limit=15:00               => C waits ReqNodeNotAvail
