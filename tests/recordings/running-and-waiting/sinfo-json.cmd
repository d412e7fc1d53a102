ada: sinfo --json
