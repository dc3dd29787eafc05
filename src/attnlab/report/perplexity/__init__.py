"""Models measured on texts as they are shown: tables, sentences, charts and pages."""
