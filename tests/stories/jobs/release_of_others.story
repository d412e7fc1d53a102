# Releasing another user's job is refused with "Invalid user id".
nodes n1 cpus=4
0:03  ann submits B hold          => B waits JobHeldUser
0:04  bob releases B              => refused "Invalid user id", B waits JobHeldUser
