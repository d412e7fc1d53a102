ada: scontrol show assoc_mgr flags=qos qos=pool
