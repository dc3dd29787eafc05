"""What a trained model does: how well it predicts a text, whether that can be trusted, and what it writes.

scoring         what each token of a text costs a model, in every unit, with intervals
coding          what tokens do not say of the raw text, and how many bits it takes to say it
audit           whether a measurement can be trusted: checks, in one certificate
explanation     where a cost comes from, and why two measurements differ
external        models and tokenizers in Hugging Face folders
classification  how well a classifier does, and why it got a text wrong
knowledge       what the answers of a knowledge model are worth, and which are made up
sampling        tokens drawn one by one, and the text that they make as it comes
reliability     whether probabilities mean what they say
"""
