"""What tokens do not say of the raw text, and how many bits it takes to say it."""
