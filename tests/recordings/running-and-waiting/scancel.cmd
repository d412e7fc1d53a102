ada: scancel 6
