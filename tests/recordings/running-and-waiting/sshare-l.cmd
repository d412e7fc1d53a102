ada: sshare --all --long --parsable2
