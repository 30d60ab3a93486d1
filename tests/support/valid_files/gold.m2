S This are .
A 1 2|||R:VERB|||is|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S kůň skace pres potok
A 0 1|||X|||a||b|||REQUIRED|||-NONE-|||0
A 2 2|||M|||,|||REQUIRED|||-NONE-|||0
A 3 4|||R|||potoky|||REQUIRED|||-NONE-|||1

