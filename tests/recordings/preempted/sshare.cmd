ada: sshare --all
