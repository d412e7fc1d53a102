ada: sinfo
