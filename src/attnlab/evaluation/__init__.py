"""What a trained model does: how well it predicts a text, whether that can be trusted, and what it writes.

predictors   a model as evaluation sees it: tokens in, log-probabilities out
windows      a text that is longer than a model can see
subjects     a model with its tokenizer, by name; foreign, hugging_face, foreign_tokens: models from elsewhere
costs        what each token costs; charges, spelling, surface, telling: what is told beside the tokens
scores       nats per token, perplexity and bits per byte, as training validates
measures     costs in every unit, with intervals (tallies); precision: bfloat16 where that changes nothing
preprocessed what a step of preprocessing buys, and what it throws away
overlap      how much of a text was trained on
ledger       every byte of the raw file once (places, losses); audit: all checks, in one certificate
explanation  why two measurements differ
shares       a share of some examples with its interval; reliability: whether probabilities mean what they say
knowledge    what the answers of a knowledge model are worth, and which are made up
sampling     tokens drawn one by one, and the text that they make as it comes
"""
