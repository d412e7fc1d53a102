root: sacctmgr dump lab file=/dev/stdout
