"""How models measured on texts are shown: tables, sentences, charts and pages."""
