"""Why a classifier says what it says: how far each word pushed, and of which kind an error is, by experiments on it.

reading     a text as words: where each stands, and whether it is known
grams       the features of a text, each with the words that it is made of
asking      a classifier asked about words, in double precision
pushes      how far each word pushed: by taking it out, and by integrated gradients
records     what is found: reasons, experiments, errors, and how often each kind is
signs       the words that deny, and those that set one half against the other
trial       an error under experiment
unseen      experiments on what may not be seen or heeded: unknown words, negation, order
weighed     experiments on how words are weighed: one loud word, mixed, label doubtful
kinds       which of them hold for an error, which is first, and how often each is
"""
