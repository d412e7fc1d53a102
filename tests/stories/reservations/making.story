# Making, changing and deleting reservations.
nodes n[1-3] cpus=4

story: what is refused
0:00    bob submits A nodelist=n1 limit=30:00               => A starts on n1
0:01    root creates reservation R start=10:00 duration=20:00 nodes=n1 users=ann  => is refused "Requested nodes are busy"
0:02    root creates reservation R start=10:00 duration=20:00 nodes=n1 users=ann flags=IGNORE_JOBS
0:03    root creates reservation R start=50:00 duration=20:00 nodes=n2 users=ann  => is refused "Duplicate reservation name"
0:04    root creates reservation S start=15:00 duration=20:00 nodes=n[1-2] users=ann flags=IGNORE_JOBS  => is refused "Requested reservation overlaps with another reservation"
0:05    root creates reservation S start=15:00 duration=20:00 nodes=n[1-2] users=ann flags=IGNORE_JOBS,OVERLAP
0:06    root creates reservation T start=10:00 duration=20:00 nodes=n9 users=ann  => is refused "Invalid node name specified"
0:07    root creates reservation T start=10:00 duration=20:00 nodes=n3 accounts=nope  => is refused "Invalid account or account/partition combination specified"
0:08    bob creates reservation T start=10:00 duration=20:00 nodes=n3 users=bob  => is refused "Invalid user id"
0:09    root deletes reservation T  => is refused

story: a reservation that jobs use is not deleted
0:00    root creates reservation R start=now duration=30:00 nodes=n1 users=ann
0:01    ann submits A reservation=R cpus=4 limit=5:00       => A starts on n1
0:02    ann submits B reservation=R cpus=4 limit=5:00       => B waits Resources
0:03    root deletes reservation R                          => is refused "Requested reservation is in use"
0:30    root cancels A                                      => A ends CANCELLED
1:00    root cancels B                                      => B ends CANCELLED
2:00    root deletes reservation R
2:10    bob submits C nodelist=n1 cpus=4 limit=60:00        => C starts on n1

story: other nodes, other users, another end
0:00    root creates reservation R start=now duration=30:00 nodes=n1 users=ann
0:01    bob submits A nodelist=n1 cpus=4 limit=5:00         => A waits ReqNodeNotAvail, expected 30:00
0:10    root updates reservation R nodes=n2                 => A starts on n1
0:20    bob submits B nodelist=n2 cpus=4 limit=5:00         => B waits ReqNodeNotAvail, expected 30:00
0:30    root updates reservation R duration=60:00           => B waits ReqNodeNotAvail, expected 60:00
0:40    root updates reservation R users=bob
0:50    bob submits C reservation=R cpus=4 limit=5:00       => C starts on n2
1:00    ann submits D reservation=R cpus=4 limit=5:00       => D is refused "Access denied to requested reservation"

story: one that floats is in the way of others, wherever it is now
0:00    root creates reservation F start=+5:00 duration=10:00 nodes=n1 users=ann flags=TIME_FLOAT
20:00   root creates reservation R start=now duration=10:00 nodes=n1 users=ann          => is refused "Requested reservation overlaps with another reservation"
20:10   root creates reservation S start=now duration=4:00 nodes=n1 users=ann
20:20   root creates reservation T start=+40:00 duration=10:00 nodes=n1 users=ann
