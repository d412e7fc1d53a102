# Licenses are counted over the whole cluster.
nodes n[1-2] cpus=4
license x=2

story: A job waits until enough licenses are free
0:00  ann submits A licenses=x:2 limit=10:00     => A starts
0:01  bob submits B licenses=x:1 limit=10:00     => B waits Licenses
0:02  cat submits C limit=10:00                  => C starts
0:03  ann cancels A                              => B starts

story: More licenses than there are, or unknown ones, are refused
0:00  ann submits A licenses=y:1                 => A is refused "Invalid license specification"
0:01  ann submits B licenses=x:3                 => B is refused "Invalid license specification"
