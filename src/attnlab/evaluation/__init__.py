"""Evaluation of trained models: how well they predict, whether the numbers can be trusted, and text they write.

scoring         the cost of each token of a text, in every unit, with confidence intervals
coding          the bits for the information that tokens lose of the raw text
audit           checks that a measurement can be trusted, in one certificate
explanation     where a cost comes from, and why two measurements differ
external        models and tokenizers in Hugging Face folders, and ARPA files
classification  how well a classifier does, and why it got a text wrong
knowledge       how good the answers of a knowledge model are, and which are made up
sampling        writes text: draws tokens one by one
reliability     calibration: whether answers given with probability 0.8 are right 80 % of the time
"""
