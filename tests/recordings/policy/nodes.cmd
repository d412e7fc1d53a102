scontrol --oneliner --all show node
