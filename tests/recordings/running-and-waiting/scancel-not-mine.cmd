cleo: scancel 1
