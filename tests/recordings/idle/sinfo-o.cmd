ada: sinfo -N -h -o '%N|%P|%t|%T|%C|%m|%e|%G|%f|%w|%E|%l'
