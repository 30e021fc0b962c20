"""Readproof: read what changed in AI compilers and GPU kernels, then prove it here."""

__version__ = "0.1.0"
