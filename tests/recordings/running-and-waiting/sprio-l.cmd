ada: sprio --long
