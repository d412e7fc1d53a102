ada: scontrol --oneliner show assoc_mgr flags=qos,assoc
