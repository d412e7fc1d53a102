ada: sprio --weights
