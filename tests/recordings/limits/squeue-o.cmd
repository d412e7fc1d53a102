ada: squeue --states=all --sort=i -o '%i|%A|%F|%K|%P|%j|%u|%a|%q|%t|%T|%r|%R|%M|%l|%L|%D|%C|%m|%b|%N|%S|%e|%V|%Q|%E|%k|%Z|%Y'
