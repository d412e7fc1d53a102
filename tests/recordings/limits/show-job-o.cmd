ada: scontrol --oneliner show job
