root: cat /tmp/sluice-env-f6d3rvwl/gpus-flag..
