# Which users may submit at all: accounts, QoS, partitions.
nodes n[1-2] cpus=4
account physics users=ann,bob qos=normal,high
account biology users=bob qos=normal
qos high Priority=10
qos other

story: A user without an account is refused
0:00  eve submits A                       => A is refused "Invalid account or account/partition combination specified"

story: A user may not use another user's account
0:00  ann submits A account=biology       => A is refused "Invalid account or account/partition combination specified"
0:01  bob submits B account=biology       => B starts

story: Only the QoS an account has may be used
0:00  ann submits A qos=high              => A starts
0:01  ann submits B qos=other             => B is refused "Invalid qos specification"
0:02  bob submits C account=biology qos=high  => C is refused "Invalid qos specification"
0:03  ann submits D qos=nothing           => D is refused "Invalid qos specification"

story: A partition that does not exist
0:00  ann submits A partition=nowhere     => A is refused "Invalid partition name specified"

story: A partition for some accounts only
partition main nodes=n1 default=yes
partition bio  nodes=n2 allow_accounts=biology
0:00  bob submits A partition=bio account=biology  => A starts on n2
0:01  ann submits B partition=bio                  => B waits AccountNotAllowed

story: A partition for some QoS only
partition main nodes=n1 default=yes
partition fast nodes=n2 allow_qos=high
0:00  ann submits A partition=fast qos=high  => A starts on n2
0:01  ann submits B partition=fast           => B waits QOSNotAllowed

story: The account's default QoS is taken where a job names none
account chemistry users=cat qos=normal,high default_qos=high
0:00  cat submits A                       => A starts, usage of qos high jobs=1

story: A QoS is counted wherever the job came from
0:00  ann submits A cpus=2 qos=high       => usage of qos high cpu=2 jobs=1, usage of user ann cpu=2, usage of account physics cpu=2
0:01  bob submits B qos=high account=physics  => usage of qos high cpu=3 jobs=2, usage of account physics cpu=3
0:02  A ends                              => usage of qos high cpu=1 jobs=1

story: A QoS that is for reservations alone
qos high Flags=RequiresReservation
0:00    root creates reservation R start=now duration=30:00 nodes=n1 users=ann
0:01    ann submits A qos=high limit=5:00                   => A is refused "Invalid qos specification"
0:02    ann submits B qos=high reservation=R limit=5:00     => B starts on n1

story: Accounts and QoS are taken in any case
0:00  ann submits A account=PHYSICS qos=High       => A starts, usage of account physics jobs=1, usage of qos high jobs=1
