ada: sbatch --job-name=signalled --account=physics --wrap 'kill -SEGV $$'
