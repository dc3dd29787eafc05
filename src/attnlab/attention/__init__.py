"""Attention as exact mathematics: no training, no models."""
