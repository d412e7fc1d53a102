# Limits on what was used: GrpTRESMins, GrpWall, with and without `safe`.
nodes n[1-2] cpus=16 memory=10000 gpus=4
account team users=ann,bob
set priority.type=multifactor priority.half_life=0 priority.calc_period=1:00

story: Once the minutes are used up the next job waits
qos q GrpTRESMins=cpu=5
0:00   ann submits A cpus=10 limit=10:00 runs=0:40 qos=q  => A starts
1:00                                                      => A ended COMPLETED
1:01   ann submits B limit=1:00 qos=q                     => B waits QOSGrpCPUMinutesLimit
1:02   ann submits C limit=1:00                           => C starts

story: A user's minutes do not bind others
user ann account=team GrpTRESMins=cpu=5
0:00   ann submits A cpus=10 limit=10:00 runs=0:40        => A starts
1:01   ann submits B limit=1:00                           => B waits AssocGrpCPUMinutesLimit
1:02   bob submits C limit=1:00                           => C starts

story: An account's minutes bind all of its users
account team GrpTRESMins=cpu=5
0:00   ann submits A cpus=10 limit=10:00 runs=0:40        => A starts
1:01   bob submits B limit=1:00                           => B waits AssocGrpCPUMinutesLimit

story: With safe a job that could use too much does not start
set enforce=associations,limits,qos,safe
qos q GrpTRESMins=cpu=500
0:00   ann submits A limit=1000 qos=q                     => A waits QOSGrpCPUMinutesLimit
0:01   ann submits B limit=400 qos=q                      => B starts
0:02   ann submits C limit=400 qos=q                      => C waits QOSGrpCPUMinutesLimit

story: With safe, of a user
set enforce=associations,limits,qos,safe
user ann account=team GrpTRESMins=cpu=500
0:00   ann submits A limit=1000                           => A waits AssocGrpCPUMinutesLimit
0:01   ann submits B limit=400                            => B starts
0:02   ann submits C limit=400                            => C waits AssocGrpCPUMinutesLimit

story: With safe, wall time of running jobs is not set aside
set enforce=associations,limits,qos,safe
qos q GrpWall=500
0:00   ann submits A limit=1000 qos=q                     => A waits QOSGrpWallLimit
0:01   ann submits B limit=400 qos=q                      => B starts
0:02   ann submits C limit=400 qos=q                      => C starts

story: Without safe two jobs start that together could use too much
qos q GrpTRESMins=cpu=500
0:00   ann submits A limit=400 qos=q                      => A starts
0:01   ann submits B limit=400 qos=q                      => B starts

story: Run minutes become free as the jobs run
qos q GrpTRESRunMins=cpu=500
0:00     ann submits A limit=400 qos=q                    => A starts
0:01     ann submits B limit=200 qos=q                    => B waits QOSGrpCPURunMinutesLimit
1:41:00                                                   => B runs

story: Usage that was reset counts no more
qos q GrpTRESMins=cpu=5
0:00   ann submits A cpus=10 limit=10:00 runs=0:40 qos=q
1:01   ann submits B limit=1:00 qos=q                     => B waits QOSGrpCPUMinutesLimit
1:02   usage is reset
1:03   ann submits C limit=1:00 qos=q                     => B runs, C starts

story: UsageFactor makes time count double
qos q GrpTRESMins=cpu=10 UsageFactor=2
0:00   ann submits A cpus=10 limit=10:00 runs=0:40 qos=q  => A starts
1:01   ann submits B limit=1:00 qos=q                     => B waits QOSGrpCPUMinutesLimit

story: A running job is ended when the minutes of its QoS are used up
qos q GrpTRESMins=cpu=10
0:00   ann submits A cpus=4 limit=60:00 qos=q             => A starts
0:00   ann submits B cpus=1 limit=60:00                   => B starts
2:00                                                      => A runs
3:00                                                      => A ends TIMEOUT
4:00                                                      => B runs

story: Together the jobs of an account use them up, and all are ended
account team GrpTRESMins=cpu=10
0:00   ann submits A cpus=2 limit=60:00                   => A starts
0:00   bob submits B cpus=2 limit=60:00                   => B starts
3:00                                                      => A ends TIMEOUT, B ends TIMEOUT
4:00   ann submits C limit=1:00                           => C waits AssocGrpCPUMinutesLimit

story: A job that holds none of what was used up continues
qos q GrpTRESMins=gres/gpu=4
0:00   ann submits A gres=gpu:2 limit=60:00 qos=q         => A starts
0:00   ann submits B limit=60:00 qos=q                    => B starts
3:00                                                      => A ended TIMEOUT, B runs

story: GrpWall ends running jobs too
qos q GrpWall=4
0:00   ann submits A limit=60:00 qos=q                    => A starts
0:00   ann submits B limit=60:00 qos=q                    => B starts
3:00                                                      => A ended TIMEOUT, B ended TIMEOUT
4:00   ann submits C limit=1:00 qos=q                     => C waits QOSGrpWallLimit

story: GrpWall of a user
user ann account=team GrpWall=3
0:00   ann submits A limit=60:00                          => A starts
0:00   bob submits B limit=60:00                          => B starts
4:00                                                      => A ended TIMEOUT, B runs
5:00   ann submits C limit=1:00                           => C waits AssocGrpWallLimit

story: A job is ended when MaxTRESMinsPerJob was lowered below what it used
qos q MaxTRESMinsPerJob=cpu=100
0:00   ann submits A cpus=4 limit=20:00 qos=q             => A starts
1:00   policy sets qos.q.MaxTRESMinsPerJob=cpu=10
5:00                                                      => A ended TIMEOUT

story: With safe no job is ended
set enforce=associations,limits,qos,safe
qos q GrpTRESMins=cpu=100
0:00   ann submits A cpus=4 limit=20:00 qos=q             => A starts
1:00   policy sets qos.q.GrpTRESMins=cpu=5
5:00                                                      => A runs

story: A QoS's MaxWall is the limit of a job that names none
qos q MaxWall=5
0:00   ann submits A qos=q                                => A starts
5:00                                                      => A ends TIMEOUT
