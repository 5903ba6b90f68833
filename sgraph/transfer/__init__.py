"""Bringing conversations in, from files of several forms."""
