"""What chapters use beside attention: training loops, figures, labs.

A lab is an experiment that a page runs, draws from or offers as a command.
"""
