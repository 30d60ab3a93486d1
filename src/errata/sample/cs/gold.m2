S Bydlím v malem městu na severu Čech .
A 2 3|||R:DIACR|||malém|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:INFL|||městě|||REQUIRED|||-NONE-|||0
A 2 3|||R:DIACR|||malém|||REQUIRED|||-NONE-|||1
A 3 4|||R:NOUN:INFL|||městě|||REQUIRED|||-NONE-|||1

S Naše město ma krásný náměstí na kterém stojí starí kostel .
A 2 3|||R:DIACR|||má|||REQUIRED|||-NONE-|||0
A 3 4|||R:ADJ:INFL|||krásné|||REQUIRED|||-NONE-|||0
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 8 9|||R:SPELL|||starý|||REQUIRED|||-NONE-|||0
A 2 3|||R:DIACR|||má|||REQUIRED|||-NONE-|||1
A 3 4|||R:ADJ:INFL|||krásné|||REQUIRED|||-NONE-|||1
A 5 5|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 8 9|||R:SPELL|||starý|||REQUIRED|||-NONE-|||1

S V létě sem jezdi mnoho turisti , které se líbí naše hory .
A 3 4|||R:DIACR|||jezdí|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:INFL|||turistů|||REQUIRED|||-NONE-|||0
A 7 8|||R:PRON:INFL|||kterým|||REQUIRED|||-NONE-|||0
A 3 4|||R:DIACR|||jezdí|||REQUIRED|||-NONE-|||1
A 5 6|||R:NOUN:INFL|||turistů|||REQUIRED|||-NONE-|||1
A 7 8|||R:PRON:INFL|||kterým|||REQUIRED|||-NONE-|||1

S Bohužel tady nedá se nic delat , protože kino zavřely .
A 1 4|||R:WO|||se tady nedá|||REQUIRED|||-NONE-|||0
A 5 6|||R:DIACR|||dělat|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:INFL|||zavřeli|||REQUIRED|||-NONE-|||0
A 2 4|||R:WO|||se nedá|||REQUIRED|||-NONE-|||1
A 5 6|||R:DIACR|||dělat|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:INFL|||zavřeli|||REQUIRED|||-NONE-|||1

S Přesto tu žiju rad a nechtěl bych se odstěhovat do prahy .
A 3 4|||R:DIACR|||rád|||REQUIRED|||-NONE-|||0
A 10 11|||R:ORTH:CASING|||Prahy|||REQUIRED|||-NONE-|||0
A 3 4|||R:DIACR|||rád|||REQUIRED|||-NONE-|||1
A 10 11|||R:ORTH:CASING|||Prahy|||REQUIRED|||-NONE-|||1

S Můj nejoblibenější koníček je čtení knihy .
A 1 2|||R:DIACR|||nejoblíbenější|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:INFL|||knih|||REQUIRED|||-NONE-|||0
A 1 2|||R:DIACR|||nejoblíbenější|||REQUIRED|||-NONE-|||1
A 5 6|||R:NOUN:INFL|||knih|||REQUIRED|||-NONE-|||1

S Když jsem byla malá babička mi každý večer četl pohátky .
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:INFL|||četla|||REQUIRED|||-NONE-|||0
A 9 10|||R:SPELL|||pohádky|||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:INFL|||četla|||REQUIRED|||-NONE-|||1
A 9 10|||R:SPELL|||pohádku|||REQUIRED|||-NONE-|||1

S Dnes si pučuju každý měsíc tři knihi s knihovny .
A 2 3|||R:SPELL|||půjčuju|||REQUIRED|||-NONE-|||0
A 6 7|||R:SPELL|||knihy|||REQUIRED|||-NONE-|||0
A 7 8|||R:ADP|||z|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||půjčuji|||REQUIRED|||-NONE-|||1
A 6 7|||R:SPELL|||knihy|||REQUIRED|||-NONE-|||1
A 7 8|||R:ADP|||z|||REQUIRED|||-NONE-|||1

S Nejraději mám detektivky , protože do poslední strany nevím , kdo je vrah .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Myslim si že knihy jsou zajímavější jako filmy .
A 0 1|||R:DIACR|||Myslím|||REQUIRED|||-NONE-|||0
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 6 7|||R:SCONJ|||než|||REQUIRED|||-NONE-|||0
A 0 1|||R:DIACR|||Myslím|||REQUIRED|||-NONE-|||1
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 6 7|||R:SCONJ|||než|||REQUIRED|||-NONE-|||1

S ahoj Petro ,
A 0 1|||R:ORTH:CASING|||Ahoj|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH:CASING|||Ahoj|||REQUIRED|||-NONE-|||1

S děkuji za pozvaní na tvoje oslavu narozenin .
A 2 3|||R:DIACR|||pozvání|||REQUIRED|||-NONE-|||0
A 4 5|||R:DET|||tvou|||REQUIRED|||-NONE-|||0
A 2 3|||R:DIACR|||pozvání|||REQUIRED|||-NONE-|||1
A 4 5|||R:DET|||tvoji|||REQUIRED|||-NONE-|||1

S Bohužel ne můžu přijít , protože v sobotu musim jet k babičky do nemocnice .
A 1 3|||R:ORTH:WSPACE|||nemůžu|||REQUIRED|||-NONE-|||0
A 8 9|||R:DIACR|||musím|||REQUIRED|||-NONE-|||0
A 11 12|||R:NOUN:INFL|||babičce|||REQUIRED|||-NONE-|||0
A 1 3|||R:OTHER|||nemohu|||REQUIRED|||-NONE-|||1
A 8 9|||R:DIACR|||musím|||REQUIRED|||-NONE-|||1
A 11 12|||R:NOUN:INFL|||babičce|||REQUIRED|||-NONE-|||1

S Mohly bychom se přišti týden potkat v kavárně až půjdeš se školy ?
A 0 1|||R:VERB:INFL|||Mohli|||REQUIRED|||-NONE-|||0
A 3 4|||R:DIACR|||příští|||REQUIRED|||-NONE-|||0
A 8 8|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 10 11|||R:ADP|||ze|||REQUIRED|||-NONE-|||0
A 0 1|||R:VERB:INFL|||Mohli|||REQUIRED|||-NONE-|||1
A 3 4|||R:DIACR|||příští|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB|||sejít|||REQUIRED|||-NONE-|||1
A 8 8|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 10 11|||R:ADP|||ze|||REQUIRED|||-NONE-|||1

S Moc se tešim na tebou a zdravým rodiče , Honza
A 2 3|||R:DIACR|||těším|||REQUIRED|||-NONE-|||0
A 4 5|||R:PRON:INFL|||tebe|||REQUIRED|||-NONE-|||0
A 6 7|||R:SPELL|||zdravím|||REQUIRED|||-NONE-|||0
A 2 3|||R:DIACR|||těším|||REQUIRED|||-NONE-|||1
A 4 5|||R:PRON:INFL|||tebe|||REQUIRED|||-NONE-|||1
A 6 7|||R:SPELL|||zdravím|||REQUIRED|||-NONE-|||1

S Dobrý den pane Dvořák ,
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:INFL|||Dvořáku|||REQUIRED|||-NONE-|||0
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1

S chtěl bych Vám oznámit , že v koupelně už týden ne teče tepla voda .
A 10 12|||R:ORTH:WSPACE|||neteče|||REQUIRED|||-NONE-|||0
A 12 13|||R:DIACR|||teplá|||REQUIRED|||-NONE-|||0
A 10 12|||R:ORTH:WSPACE|||neteče|||REQUIRED|||-NONE-|||1
A 12 13|||R:DIACR|||teplá|||REQUIRED|||-NONE-|||1

S Volal jsem instalaterovi , ale řekli mi , že nemá čas .
A 2 3|||R:DIACR|||instalatérovi|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:INFL|||řekl|||REQUIRED|||-NONE-|||0
A 2 3|||R:DIACR|||instalatérovi|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:INFL|||řekl|||REQUIRED|||-NONE-|||1

S Mohl by ste prosím přijit v středu odpoledne ?
A 1 3|||R:ORTH:WSPACE|||byste|||REQUIRED|||-NONE-|||0
A 4 5|||R:DIACR|||přijít|||REQUIRED|||-NONE-|||0
A 5 6|||R:ADP|||ve|||REQUIRED|||-NONE-|||0
A 1 3|||R:ORTH:WSPACE|||byste|||REQUIRED|||-NONE-|||1
A 4 5|||R:DIACR|||přijít|||REQUIRED|||-NONE-|||1
A 5 6|||R:ADP|||ve|||REQUIRED|||-NONE-|||1

S Předem děkuji za odpověď a přeji hezký den .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

