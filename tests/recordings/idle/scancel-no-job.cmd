ada: scancel 99999
