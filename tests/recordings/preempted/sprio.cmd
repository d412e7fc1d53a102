ada: sprio
