ada: scancel 7 8
