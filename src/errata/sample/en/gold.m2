S When I was child , my family lived in small village near river .
A 3 3|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 9 9|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 12 12|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 3 3|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 9 9|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 12 12|||M:DET|||a|||REQUIRED|||-NONE-|||1

S Since five years we live in the capital .
A 0 1|||R:PREP|||For|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:TENSE|||have lived|||REQUIRED|||-NONE-|||0
A 0 1|||R:PREP|||For|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:TENSE|||have been living|||REQUIRED|||-NONE-|||1

S In my opinion , both place has its advantage and disadvantiges .
A 5 6|||R:NOUN:NUM|||places|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 7 8|||R:DET|||their|||REQUIRED|||-NONE-|||0
A 8 9|||R:NOUN:NUM|||advantages|||REQUIRED|||-NONE-|||0
A 10 11|||R:SPELL|||disadvantages|||REQUIRED|||-NONE-|||0
A 5 6|||R:NOUN:NUM|||places|||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||1
A 7 8|||R:DET|||their|||REQUIRED|||-NONE-|||1
A 8 9|||R:NOUN:NUM|||advantages|||REQUIRED|||-NONE-|||1
A 10 11|||R:SPELL|||disadvantages|||REQUIRED|||-NONE-|||1

S The bigest advantage of city is that you can find alot of jobs there .
A 1 2|||R:SPELL|||biggest|||REQUIRED|||-NONE-|||0
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 10 11|||R:ORTH|||a lot|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||biggest|||REQUIRED|||-NONE-|||1
A 4 4|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 10 11|||R:ORTH|||a lot|||REQUIRED|||-NONE-|||1

S Young people can also go to theatre , visit museums or to learn new language .
A 6 6|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 11 12|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 13 13|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 6 6|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 11 12|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 13 13|||M:DET|||a|||REQUIRED|||-NONE-|||1

S However the streets are to noizy and I offen feel tiring in the crowd .
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 4 5|||R:ADV|||too|||REQUIRED|||-NONE-|||0
A 5 6|||R:SPELL|||noisy|||REQUIRED|||-NONE-|||0
A 8 9|||R:SPELL|||often|||REQUIRED|||-NONE-|||0
A 10 11|||R:MORPH|||tired|||REQUIRED|||-NONE-|||0
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 4 5|||R:ADV|||too|||REQUIRED|||-NONE-|||1
A 5 6|||R:SPELL|||noisy|||REQUIRED|||-NONE-|||1
A 8 9|||R:SPELL|||often|||REQUIRED|||-NONE-|||1
A 10 11|||R:MORPH|||tired|||REQUIRED|||-NONE-|||1

S In the village everybody knows each other and peoples helps their nieghbours .
A 8 9|||R:NOUN:NUM|||people|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB:SVA|||help|||REQUIRED|||-NONE-|||0
A 11 12|||R:SPELL|||neighbours|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 8 9|||R:NOUN:NUM|||people|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB:SVA|||help|||REQUIRED|||-NONE-|||1
A 11 12|||R:SPELL|||neighbours|||REQUIRED|||-NONE-|||1

S The air is clean and you do n't need to lock your doors at night .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1

S To sum up , I think that everyone must to choose the place who suit them .
A 9 10|||U:VERB:FORM||||||REQUIRED|||-NONE-|||0
A 13 14|||R:PRON|||that|||REQUIRED|||-NONE-|||0
A 14 15|||R:VERB:SVA|||suits|||REQUIRED|||-NONE-|||0
A 9 10|||U:VERB:FORM||||||REQUIRED|||-NONE-|||1
A 13 14|||R:PRON|||which|||REQUIRED|||-NONE-|||1
A 14 15|||R:VERB:SVA|||suits|||REQUIRED|||-NONE-|||1

S Nowadays almost every student have a phone in pocket .
A 4 5|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 8 8|||M:DET|||their|||REQUIRED|||-NONE-|||0
A 1 1|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1
A 8 8|||M:DET|||his or her|||REQUIRED|||-NONE-|||1

S Some teachers are thinking that phones should be forbiden during the lessons .
A 2 4|||R:VERB:TENSE|||think|||REQUIRED|||-NONE-|||0
A 8 9|||R:SPELL|||forbidden|||REQUIRED|||-NONE-|||0
A 2 4|||R:VERB:TENSE|||think|||REQUIRED|||-NONE-|||1
A 8 9|||R:SPELL|||forbidden|||REQUIRED|||-NONE-|||1

S I do not agree to this opinion because a phone can be very usefull tool .
A 4 5|||R:PREP|||with|||REQUIRED|||-NONE-|||0
A 12 12|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 13 14|||R:SPELL|||useful|||REQUIRED|||-NONE-|||0
A 4 5|||R:PREP|||with|||REQUIRED|||-NONE-|||1
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 12 12|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 13 14|||R:SPELL|||useful|||REQUIRED|||-NONE-|||1

S For example we can use it as dictionary or for find informations .
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 7 7|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 9 10|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 11 12|||R:NOUN:NUM|||information|||REQUIRED|||-NONE-|||0
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 7 7|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 9 10|||R:PART|||to|||REQUIRED|||-NONE-|||1
A 11 12|||R:NOUN:NUM|||information|||REQUIRED|||-NONE-|||1

S On the other hand , it is true that some pupil plays games instead to pay atention .
A 10 11|||R:NOUN:NUM|||pupils|||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB:SVA|||play|||REQUIRED|||-NONE-|||0
A 14 15|||R:PREP|||of|||REQUIRED|||-NONE-|||0
A 15 16|||R:VERB:FORM|||paying|||REQUIRED|||-NONE-|||0
A 16 17|||R:SPELL|||attention|||REQUIRED|||-NONE-|||0
A 10 11|||R:NOUN:NUM|||pupils|||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:SVA|||play|||REQUIRED|||-NONE-|||1
A 14 15|||R:PREP|||of|||REQUIRED|||-NONE-|||1
A 15 16|||R:VERB:FORM|||paying|||REQUIRED|||-NONE-|||1
A 16 17|||R:SPELL|||attention|||REQUIRED|||-NONE-|||1

S Last year my brother has broken his phone on a lesson and our parents was realy angry .
A 4 6|||R:VERB:TENSE|||broke|||REQUIRED|||-NONE-|||0
A 8 9|||R:PREP|||in|||REQUIRED|||-NONE-|||0
A 14 15|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 15 16|||R:SPELL|||really|||REQUIRED|||-NONE-|||0
A 4 6|||R:VERB:TENSE|||broke|||REQUIRED|||-NONE-|||1
A 8 9|||R:PREP|||during|||REQUIRED|||-NONE-|||1
A 14 15|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
A 15 16|||R:SPELL|||really|||REQUIRED|||-NONE-|||1

S These problems can be solved if the school sets clear rules .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S in conclusion , it depend of how we use it .
A 0 1|||R:ORTH|||In|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:SVA|||depends|||REQUIRED|||-NONE-|||0
A 5 6|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 9 10|||R:PRON|||them|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH|||In|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:SVA|||depends|||REQUIRED|||-NONE-|||1
A 5 6|||R:PREP|||on|||REQUIRED|||-NONE-|||1
A 9 10|||R:PRON|||them|||REQUIRED|||-NONE-|||1

S The person which I admire most is my grandmather .
A 2 3|||R:PRON|||who|||REQUIRED|||-NONE-|||0
A 8 9|||R:SPELL|||grandmother|||REQUIRED|||-NONE-|||0
A 2 3|||R:PRON|||whom|||REQUIRED|||-NONE-|||1
A 5 5|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 8 9|||R:SPELL|||grandmother|||REQUIRED|||-NONE-|||1

S She born in 1941 and she had six brother and sister .
A 1 1|||M:VERB:TENSE|||was|||REQUIRED|||-NONE-|||0
A 8 9|||R:NOUN:NUM|||brothers|||REQUIRED|||-NONE-|||0
A 10 11|||R:NOUN:NUM|||sisters|||REQUIRED|||-NONE-|||0
A 1 1|||M:VERB:TENSE|||was|||REQUIRED|||-NONE-|||1
A 8 9|||R:NOUN:NUM|||brothers|||REQUIRED|||-NONE-|||1
A 10 11|||R:NOUN:NUM|||sisters|||REQUIRED|||-NONE-|||1

S Her family was very poor , so she must start working when she had only twelve years .
A 8 9|||R:VERB|||had to|||REQUIRED|||-NONE-|||0
A 13 14|||R:VERB|||was|||REQUIRED|||-NONE-|||0
A 16 17|||U:NOUN||||||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB|||had to|||REQUIRED|||-NONE-|||1
A 13 14|||R:VERB|||was|||REQUIRED|||-NONE-|||1
A 17 17|||M:ADJ|||old|||REQUIRED|||-NONE-|||1

S She never complain about that she could n't went to the univercity .
A 2 3|||R:VERB:TENSE|||complained|||REQUIRED|||-NONE-|||0
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||0
A 8 9|||R:VERB:FORM|||go|||REQUIRED|||-NONE-|||0
A 10 11|||U:DET||||||REQUIRED|||-NONE-|||0
A 11 12|||R:SPELL|||university|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:TENSE|||complained|||REQUIRED|||-NONE-|||1
A 3 4|||U:PREP||||||REQUIRED|||-NONE-|||1
A 8 9|||R:VERB:FORM|||go|||REQUIRED|||-NONE-|||1
A 10 11|||U:DET||||||REQUIRED|||-NONE-|||1
A 11 12|||R:SPELL|||university|||REQUIRED|||-NONE-|||1

S What I like in her most is her sens of humour .
A 3 4|||R:PREP|||about|||REQUIRED|||-NONE-|||0
A 8 9|||R:SPELL|||sense|||REQUIRED|||-NONE-|||0
A 3 4|||R:PREP|||about|||REQUIRED|||-NONE-|||1
A 5 5|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 8 9|||R:SPELL|||sense|||REQUIRED|||-NONE-|||1

S Every Sunday she cook for all the family a big lunch .
A 3 4|||R:VERB:SVA|||cooks|||REQUIRED|||-NONE-|||0
A 4 11|||R:WO|||a big lunch for all the family|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:SVA|||cooks|||REQUIRED|||-NONE-|||1
A 4 11|||R:WO|||a big lunch for the whole family|||REQUIRED|||-NONE-|||1

S Even tough she is more than eigthy , she swims still twice a week .
A 1 2|||R:SPELL|||though|||REQUIRED|||-NONE-|||0
A 6 7|||R:SPELL|||eighty|||REQUIRED|||-NONE-|||0
A 9 11|||R:WO|||still swims|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||though|||REQUIRED|||-NONE-|||1
A 6 7|||R:SPELL|||eighty|||REQUIRED|||-NONE-|||1
A 9 11|||R:WO|||still swims|||REQUIRED|||-NONE-|||1

S I hope I will be as strong like her when I will be old .
A 7 8|||R:PREP|||as|||REQUIRED|||-NONE-|||0
A 11 13|||R:VERB:TENSE|||am|||REQUIRED|||-NONE-|||0
A 2 2|||M:CONJ|||that|||REQUIRED|||-NONE-|||1
A 7 8|||R:PREP|||as|||REQUIRED|||-NONE-|||1
A 11 13|||R:VERB:TENSE|||am|||REQUIRED|||-NONE-|||1

S Polution is one of the bigger problem of our time .
A 0 1|||R:SPELL|||Pollution|||REQUIRED|||-NONE-|||0
A 5 6|||R:ADJ:FORM|||biggest|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||problems|||REQUIRED|||-NONE-|||0
A 0 1|||R:SPELL|||Pollution|||REQUIRED|||-NONE-|||1
A 5 6|||R:ADJ:FORM|||biggest|||REQUIRED|||-NONE-|||1
A 6 7|||R:NOUN:NUM|||problems|||REQUIRED|||-NONE-|||1

S Every day millions of car produces a dangerous smoke .
A 4 5|||R:NOUN:NUM|||cars|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB:SVA|||produce|||REQUIRED|||-NONE-|||0
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||0
A 2 2|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 4 5|||R:NOUN:NUM|||cars|||REQUIRED|||-NONE-|||1
A 5 6|||R:VERB:SVA|||produce|||REQUIRED|||-NONE-|||1
A 6 7|||U:DET||||||REQUIRED|||-NONE-|||1

S Although the goverment have promised new buses , but nothing has change .
A 2 3|||R:SPELL|||government|||REQUIRED|||-NONE-|||0
A 8 9|||U:CONJ||||||REQUIRED|||-NONE-|||0
A 11 12|||R:VERB:FORM|||changed|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||government|||REQUIRED|||-NONE-|||1
A 3 4|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1
A 8 9|||U:CONJ||||||REQUIRED|||-NONE-|||1
A 11 12|||R:VERB:FORM|||changed|||REQUIRED|||-NONE-|||1

S People who live near the main road suffers of headaches and they ca n't sleep good .
A 7 8|||R:VERB:SVA|||suffer|||REQUIRED|||-NONE-|||0
A 8 9|||R:PREP|||from|||REQUIRED|||-NONE-|||0
A 15 16|||R:ADV|||well|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:SVA|||suffer|||REQUIRED|||-NONE-|||1
A 8 9|||R:PREP|||from|||REQUIRED|||-NONE-|||1
A 15 16|||R:ADV|||properly|||REQUIRED|||-NONE-|||1

S What we can do for improve this situacion ?
A 1 3|||R:WO|||can we|||REQUIRED|||-NONE-|||0
A 4 5|||R:PART|||to|||REQUIRED|||-NONE-|||0
A 7 8|||R:SPELL|||situation|||REQUIRED|||-NONE-|||0
A 1 3|||R:WO|||can we|||REQUIRED|||-NONE-|||1
A 4 5|||R:PART|||to|||REQUIRED|||-NONE-|||1
A 7 8|||R:SPELL|||situation|||REQUIRED|||-NONE-|||1

S First of all , we should use the public transport more oftenly .
A 7 8|||U:DET||||||REQUIRED|||-NONE-|||0
A 11 12|||R:SPELL|||often|||REQUIRED|||-NONE-|||0
A 7 8|||U:DET||||||REQUIRED|||-NONE-|||1
A 11 12|||R:SPELL|||often|||REQUIRED|||-NONE-|||1

S It is also important to learn children that the nature need our help .
A 5 6|||R:VERB|||teach|||REQUIRED|||-NONE-|||0
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:SVA|||needs|||REQUIRED|||-NONE-|||0
A 5 6|||R:VERB|||teach|||REQUIRED|||-NONE-|||1
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:SVA|||needs|||REQUIRED|||-NONE-|||1

S If everybody did a little , the world would be a better place .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S dear Mrs Green ,
A 0 1|||R:ORTH|||Dear|||REQUIRED|||-NONE-|||0
A 0 1|||R:ORTH|||Dear|||REQUIRED|||-NONE-|||1

S I am writing to appologise missing your lesson in Tuesday .
A 4 5|||R:SPELL|||apologise|||REQUIRED|||-NONE-|||0
A 5 5|||M:PREP|||for|||REQUIRED|||-NONE-|||0
A 8 9|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 4 5|||R:SPELL|||apologise|||REQUIRED|||-NONE-|||1
A 5 5|||M:PREP|||for|||REQUIRED|||-NONE-|||1
A 8 9|||R:PREP|||on|||REQUIRED|||-NONE-|||1

S I have terible toothache and my mother take me to the dentist .
A 1 2|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||terrible|||REQUIRED|||-NONE-|||0
A 7 8|||R:VERB:TENSE|||took|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||had|||REQUIRED|||-NONE-|||1
A 2 2|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 2 3|||R:SPELL|||terrible|||REQUIRED|||-NONE-|||1
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 7 8|||R:VERB:TENSE|||took|||REQUIRED|||-NONE-|||1

S Could you pleas tell me what is the homework ?
A 2 3|||R:SPELL|||please|||REQUIRED|||-NONE-|||0
A 6 9|||R:WO|||the homework is|||REQUIRED|||-NONE-|||0
A 2 3|||R:SPELL|||please|||REQUIRED|||-NONE-|||1
A 6 9|||R:WO|||the homework is|||REQUIRED|||-NONE-|||1

S I asked to Peter but he dont remeber nothing .
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 6 7|||R:CONTR|||does n't|||REQUIRED|||-NONE-|||0
A 7 8|||R:SPELL|||remember|||REQUIRED|||-NONE-|||0
A 8 9|||R:PRON|||anything|||REQUIRED|||-NONE-|||0
A 2 3|||U:PREP||||||REQUIRED|||-NONE-|||1
A 4 4|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 6 7|||R:CONTR|||did n't|||REQUIRED|||-NONE-|||1
A 7 8|||R:SPELL|||remember|||REQUIRED|||-NONE-|||1
A 8 9|||R:PRON|||anything|||REQUIRED|||-NONE-|||1

S I promise I will sent my essay until Friday .
A 4 5|||R:VERB:FORM|||send|||REQUIRED|||-NONE-|||0
A 7 8|||R:PREP|||by|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:FORM|||send|||REQUIRED|||-NONE-|||1
A 5 5|||M:PRON|||you|||REQUIRED|||-NONE-|||1
A 7 8|||R:PREP|||by|||REQUIRED|||-NONE-|||1

S Your sincerly , Anna
A 0 1|||R:PRON|||Yours|||REQUIRED|||-NONE-|||0
A 1 2|||R:SPELL|||sincerely|||REQUIRED|||-NONE-|||0
A 0 1|||R:PRON|||Yours|||REQUIRED|||-NONE-|||1
A 1 2|||R:SPELL|||sincerely|||REQUIRED|||-NONE-|||1

S Hi Tom ,
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Thanks for your mail , it was great to here from you .
A 3 4|||R:NOUN|||email|||REQUIRED|||-NONE-|||0
A 9 10|||R:VERB|||hear|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||message|||REQUIRED|||-NONE-|||1
A 9 10|||R:VERB|||hear|||REQUIRED|||-NONE-|||1

S We have come back from the Croatia before two days .
A 1 3|||R:VERB:TENSE|||came|||REQUIRED|||-NONE-|||0
A 5 6|||U:DET||||||REQUIRED|||-NONE-|||0
A 7 10|||R:OTHER|||two days ago|||REQUIRED|||-NONE-|||0
A 1 3|||R:VERB|||got|||REQUIRED|||-NONE-|||1
A 5 6|||U:DET||||||REQUIRED|||-NONE-|||1
A 7 10|||R:OTHER|||two days ago|||REQUIRED|||-NONE-|||1

S The weather was beautifull and the sea was so warmly that we was swimming every day .
A 3 4|||R:SPELL|||beautiful|||REQUIRED|||-NONE-|||0
A 9 10|||R:MORPH|||warm|||REQUIRED|||-NONE-|||0
A 12 13|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||beautiful|||REQUIRED|||-NONE-|||1
A 9 10|||R:MORPH|||warm|||REQUIRED|||-NONE-|||1
A 12 14|||R:VERB:TENSE|||swam|||REQUIRED|||-NONE-|||1

S My sister learned me how to dive and I enjoyed very much it .
A 2 3|||R:VERB|||taught|||REQUIRED|||-NONE-|||0
A 10 13|||R:WO|||it very much|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB|||taught|||REQUIRED|||-NONE-|||1
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 10 13|||R:WO|||it very much|||REQUIRED|||-NONE-|||1

S Its a pity you could n't came with us
A 0 1|||R:OTHER|||It 's|||REQUIRED|||-NONE-|||0
A 3 3|||M:CONJ|||that|||REQUIRED|||-NONE-|||0
A 6 7|||R:VERB:FORM|||come|||REQUIRED|||-NONE-|||0
A 9 9|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0
A 0 1|||R:OTHER|||It 's|||REQUIRED|||-NONE-|||1
A 6 7|||R:VERB:FORM|||come|||REQUIRED|||-NONE-|||1
A 9 9|||M:PUNCT|||.|||REQUIRED|||-NONE-|||1

S Write me soon and say hello for your parent 's .
A 6 7|||R:PREP|||to|||REQUIRED|||-NONE-|||0
A 8 10|||R:NOUN:NUM|||parents|||REQUIRED|||-NONE-|||0
A 1 1|||M:PREP|||to|||REQUIRED|||-NONE-|||1
A 6 7|||R:PREP|||to|||REQUIRED|||-NONE-|||1
A 8 10|||R:NOUN:NUM|||parents|||REQUIRED|||-NONE-|||1

S Dear sir or madam ,
A 1 2|||R:ORTH|||Sir|||REQUIRED|||-NONE-|||0
A 3 4|||R:ORTH|||Madam|||REQUIRED|||-NONE-|||0
A 1 2|||R:ORTH|||Sir|||REQUIRED|||-NONE-|||1
A 3 4|||R:ORTH|||Madam|||REQUIRED|||-NONE-|||1

S Two weeks ago I buyed pair of shoe in your online shop .
A 4 5|||R:VERB:INFL|||bought|||REQUIRED|||-NONE-|||0
A 5 5|||M:DET|||a|||REQUIRED|||-NONE-|||0
A 7 8|||R:NOUN:NUM|||shoes|||REQUIRED|||-NONE-|||0
A 8 9|||R:PREP|||from|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 4 5|||R:VERB:INFL|||bought|||REQUIRED|||-NONE-|||1
A 5 5|||M:DET|||a|||REQUIRED|||-NONE-|||1
A 7 8|||R:NOUN:NUM|||shoes|||REQUIRED|||-NONE-|||1
A 8 9|||R:PREP|||at|||REQUIRED|||-NONE-|||1

S When the packet arrive , I saw that the colour was not the same than on the pictur .
A 2 3|||R:NOUN|||package|||REQUIRED|||-NONE-|||0
A 3 4|||R:VERB:TENSE|||arrived|||REQUIRED|||-NONE-|||0
A 14 15|||R:PREP|||as|||REQUIRED|||-NONE-|||0
A 15 16|||R:PREP|||in|||REQUIRED|||-NONE-|||0
A 17 18|||R:SPELL|||picture|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN|||parcel|||REQUIRED|||-NONE-|||1
A 3 4|||R:VERB:TENSE|||arrived|||REQUIRED|||-NONE-|||1
A 14 15|||R:PREP|||as|||REQUIRED|||-NONE-|||1
A 15 16|||R:PREP|||in|||REQUIRED|||-NONE-|||1
A 17 18|||R:SPELL|||picture|||REQUIRED|||-NONE-|||1

S Beside , the left shoe was more bigger that the right .
A 0 1|||R:ADV|||Besides|||REQUIRED|||-NONE-|||0
A 6 7|||U:ADV||||||REQUIRED|||-NONE-|||0
A 8 9|||R:PREP|||than|||REQUIRED|||-NONE-|||0
A 0 1|||R:OTHER|||In addition|||REQUIRED|||-NONE-|||1
A 6 7|||U:ADV||||||REQUIRED|||-NONE-|||1
A 8 9|||R:PREP|||than|||REQUIRED|||-NONE-|||1
A 11 11|||M:NOUN|||one|||REQUIRED|||-NONE-|||1

S I have wrote to you three time but I have not recieved no answer .
A 2 3|||R:VERB:FORM|||written|||REQUIRED|||-NONE-|||0
A 6 7|||R:NOUN:NUM|||times|||REQUIRED|||-NONE-|||0
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0
A 11 12|||R:SPELL|||received|||REQUIRED|||-NONE-|||0
A 12 13|||R:DET|||any|||REQUIRED|||-NONE-|||0
A 2 3|||R:VERB:FORM|||written|||REQUIRED|||-NONE-|||1
A 6 7|||R:NOUN:NUM|||times|||REQUIRED|||-NONE-|||1
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 11 12|||R:SPELL|||received|||REQUIRED|||-NONE-|||1
A 12 13|||R:DET|||an|||REQUIRED|||-NONE-|||1

S I would like to return the shoes and get my money back .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S I look forward to hear from you and hope you will solve quickly this problem .
A 4 5|||R:VERB:FORM|||hearing|||REQUIRED|||-NONE-|||0
A 12 15|||R:WO|||this problem quickly|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB:FORM|||hearing|||REQUIRED|||-NONE-|||1
A 7 7|||M:PUNCT|||,|||REQUIRED|||-NONE-|||1
A 12 15|||R:WO|||this problem quickly|||REQUIRED|||-NONE-|||1

S Hello every body ,
A 1 3|||R:ORTH|||everybody|||REQUIRED|||-NONE-|||0
A 1 3|||R:ORTH|||everybody|||REQUIRED|||-NONE-|||1

S I would like to remember you that next meeting will takes place at monday at nine o'clock .
A 4 5|||R:VERB|||remind|||REQUIRED|||-NONE-|||0
A 7 7|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 10 11|||R:VERB:FORM|||take|||REQUIRED|||-NONE-|||0
A 12 13|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 13 14|||R:ORTH|||Monday|||REQUIRED|||-NONE-|||0
A 4 5|||R:VERB|||remind|||REQUIRED|||-NONE-|||1
A 7 7|||M:DET|||our|||REQUIRED|||-NONE-|||1
A 10 11|||R:VERB:FORM|||take|||REQUIRED|||-NONE-|||1
A 12 13|||R:PREP|||on|||REQUIRED|||-NONE-|||1
A 13 14|||R:ORTH|||Monday|||REQUIRED|||-NONE-|||1

S Please read attach documment before you will come .
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 2 3|||R:MORPH|||attached|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||document|||REQUIRED|||-NONE-|||0
A 6 7|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||0
A 2 2|||M:DET|||the|||REQUIRED|||-NONE-|||1
A 2 3|||R:MORPH|||attached|||REQUIRED|||-NONE-|||1
A 3 4|||R:SPELL|||document|||REQUIRED|||-NONE-|||1
A 6 7|||U:VERB:TENSE||||||REQUIRED|||-NONE-|||1

S We have to discus about the plan of the next month .
A 3 4|||R:SPELL|||discuss|||REQUIRED|||-NONE-|||0
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||0
A 7 8|||R:PREP|||for|||REQUIRED|||-NONE-|||0
A 3 4|||R:SPELL|||discuss|||REQUIRED|||-NONE-|||1
A 4 5|||U:PREP||||||REQUIRED|||-NONE-|||1
A 7 8|||R:PREP|||for|||REQUIRED|||-NONE-|||1
A 8 9|||U:DET||||||REQUIRED|||-NONE-|||1

S If you have any question , do n't hesitate contact to me .
A 4 5|||R:NOUN:NUM|||questions|||REQUIRED|||-NONE-|||0
A 9 9|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||0
A 10 11|||U:PREP||||||REQUIRED|||-NONE-|||0
A 4 5|||R:NOUN:NUM|||questions|||REQUIRED|||-NONE-|||1
A 9 9|||M:VERB:FORM|||to|||REQUIRED|||-NONE-|||1
A 10 11|||U:PREP||||||REQUIRED|||-NONE-|||1

S See you on Monday !
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

