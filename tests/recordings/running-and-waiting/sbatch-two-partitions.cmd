ada: sbatch --job-name=two-partitions --account=physics --partition=main,short --time=5 --nice=20 --wrap 'sleep 600'
