ada: salloc --account=physics --qos=strict --time=2:00:00 true
