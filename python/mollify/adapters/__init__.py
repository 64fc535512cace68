"""Releases in the shapes of other libraries, which are imported when they are needed.
"""
