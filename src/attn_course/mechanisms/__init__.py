"""The mechanisms of attention, a folder each, and the parts that a layer is given.

A folder has its contract in prose (``__init__.py``), its specification in NumPy
(``reference.py``), twins in PyTorch and TensorFlow, and what both check
(``shared.py``).
"""
