ada: sbatch --job-name=over-time --account=physics --time=1 --nodelist=g1 --wrap 'sleep 600'
