ada: sprio --norm --long
