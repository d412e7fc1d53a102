ada: scontrol show assoc_mgr flags=assoc account=biology
