scontrol --oneliner --all show partition
