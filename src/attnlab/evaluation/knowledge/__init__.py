"""What a model knows: asks questions and measures the answers.

decoding     continues a prompt, greedily or by beam search
asking       the answers of a model to questions; everything below works on answers, not on models
answers      an answer to a question about a person, and how often answers are right
temperature  probabilities made less or more extreme, fitted on held-out people
calibration  whether probabilities are right, before and after a temperature
coverage     how many questions are answered, and how many of those correctly, at every threshold
choosing     picks the temperature and the threshold of a model on held-out people and strangers
names        how much two names resemble each other
resembling   whether wrong answers are places of people with similar names, more often than chance
extraction   which facts are memorised, and which of them a question gets out
measuring    all of it in one record
reading      reads that record from its JSON and checks its consistency
"""
