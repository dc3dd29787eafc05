"""What a model knows: asking it, and what its answers are worth.

decoding     what a model writes behind a prompt, by taking the likeliest token or by beam search
asking       the answers of a model to questions; all that follows works on them, not on models
answers      an answer to a question about a person, and how often answers are right
temperature  probabilities made milder or bolder, as held-out people say they should be
calibration  whether probabilities mean what they say, before and after that
coverage     how many questions are answered, and how many of those rightly, at every threshold
choosing     the temperature and the threshold of a model, as held-out people and strangers say
names        how much two names resemble each other
resembling   whether a wrong answer is the place of somebody with a similar name, more often than chance
extraction   what is memorised, and what of it a question gets out
measuring    all of it in one record
reading      that record back from its JSON, which must agree with itself
"""
