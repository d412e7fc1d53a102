ada: scontrol show assoc_mgr
