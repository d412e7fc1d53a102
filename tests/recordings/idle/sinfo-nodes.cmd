ada: sinfo --Node --long
