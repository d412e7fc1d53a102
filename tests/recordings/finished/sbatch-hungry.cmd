ada: sbatch --job-name=hungry --account=physics --mem=50 --wrap 'python3 -c '"'"'x = bytearray(300 << 20); import time; time.sleep(20)'"'"''
