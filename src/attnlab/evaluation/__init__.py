"""What a trained model does: how well it predicts a text, and what it writes.

scores    nats per token, perplexity and bits per byte of a whole text
sampling  tokens drawn one by one, and the text that they make as it comes
"""
