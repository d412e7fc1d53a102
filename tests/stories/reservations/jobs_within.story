# Jobs of a reservation run on its nodes and in its time, before all others.
nodes n[1-3] cpus=4

story: a job waits until its reservation begins, and runs on its nodes
0:00    root creates reservation R start=10:00 duration=20:00 nodes=n2 users=ann
0:01    ann submits A reservation=R cpus=4 limit=5:00   => A waits Reservation
0:02    ann submits B reservation=R cpus=4 limit=5:00   => B waits Reservation
10:00                                                   => A starts on n2, B waits Resources
15:00                                                   => B starts on n2

story: a job that lacks room in a reservation closes it, and not the partition
0:00    root creates reservation R start=now duration=30:00 nodes=n1 users=ann
0:01    ann submits A reservation=R cpus=4 limit=10:00  => A starts on n1
0:02    ann submits B reservation=R cpus=4 limit=10:00  => B waits Resources, expected 10:01
0:03    ann submits C reservation=R cpus=1 limit=10:00  => C waits Priority
0:04    bob submits D cpus=4 limit=10:00                => D starts on n2

story: jobs that run in a reservation end with it, and those that wait are held
0:00    root creates reservation R start=now duration=10:00 nodes=n1 users=ann
0:01    ann submits A reservation=R cpus=4 limit=30:00  => A starts on n1
0:02    ann submits B reservation=R cpus=4 limit=5:00   => B waits Resources
10:00                                                   => A ends TIMEOUT, B waits ReservationDeleted
12:00   ann releases B                                  => B starts

story: jobs are not held after a reservation that says so
0:00    root creates reservation R start=now duration=10:00 nodes=n1 users=ann flags=NO_HOLD_JOBS_AFTER_END
0:01    ann submits A reservation=R cpus=4 limit=30:00  => A starts on n1
0:02    ann submits B reservation=R cpus=4 limit=5:00   => B waits Resources
10:00                                                   => A ends TIMEOUT, B starts

story: only users that it names may use it
0:00    root creates reservation R start=now duration=10:00 nodes=n1 users=ann
0:01    bob submits A reservation=R limit=5:00          => A is refused "Access denied to requested reservation"
0:02    ann submits B reservation=S limit=5:00          => B is refused "Requested reservation is invalid"
0:03    ann submits C reservation=R limit=5:00          => C starts on n1
0:04    ann submits D reservation=R nodes=2 limit=5:00  => D is refused "Requested node configuration is not available"
0:05    ann submits E reservation=R nodelist=n2 limit=5:00  => E is refused "Requested node configuration is not available"

story: jobs of reservations go before the others of their partition
nodes m1 cpus=4
0:00    bob submits A nodelist=m1 cpus=4 limit=10:00    => A starts on m1
0:01    root creates reservation R start=9:00 duration=30:00 nodes=m1 users=ann flags=IGNORE_JOBS
0:02    bob submits B nodelist=m1 cpus=4 limit=10:00    => B waits ReqNodeNotAvail
0:03    ann submits C reservation=R cpus=4 limit=10:00  => C waits Reservation
10:00                                                   => C starts on m1, B waits ReqNodeNotAvail

story: a waiting job can be put into a reservation
0:00    root creates reservation R start=now duration=30:00 nodes=n1 users=ann
0:01    ann submits A nodelist=n1 limit=5:00            => A waits ReqNodeNotAvail
0:02    bob submits B nodelist=n1 limit=5:00            => B waits ReqNodeNotAvail
0:03    ann updates A reservation=R                     => A starts on n1
0:04    bob updates B reservation=R                     => is refused "Access denied to requested reservation"

story: before it begins no limit on what the job would hold is the reason
account team users=ann,bob GrpTRES=cpu=1
0:00    root creates reservation R start=5:00 duration=40:00 nodes=n2 users=ann
0:10    ann submits A cpus=2 limit=10:00 reservation=R  => A waits Reservation
5:30                                                    => A waits AssocGrpCpuLimit

story: before it begins no limit at all is the reason
account team users=ann,bob MaxWall=5
0:00    root creates reservation R start=5:00 duration=40:00 nodes=n2 users=ann
0:10    ann submits A cpus=2 limit=10:00 reservation=R  => A waits Reservation
5:30                                                    => A waits AssocMaxWallDurationPerJobLimit

story: before it begins nobody looks whether its nodes could hold the job
nodes m1 cpus=2
0:00    root creates reservation R start=5:00 duration=40:00 nodes=n2 users=ann
0:10    ann submits A cpus=8 nodes=1 limit=10:00 reservation=R     => A waits Reservation
0:20    ann submits B cpus=4 nodelist=m1 limit=10:00 reservation=R => B waits Reservation
0:30    ann submits C cpus=8 nodes=1 limit=10:00                   => C is refused "Requested node configuration is not available"
